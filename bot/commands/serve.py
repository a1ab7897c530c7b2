"""``handrail serve`` and ``handrail manifest``: the bot in Slack, and the app it needs there."""

# ruff: noqa: D301 (click wants a real \b above lines that it must not wrap)

from __future__ import annotations

import logging
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

import click

from bot.commands.common import settings_options
from bot.errors import SettingRefused
from bot.places import TOML, environment
from bot.settings import Settings
from bot.texts import counted

__all__ = ["manifest", "serve"]

_FORMAT: Final = "%(asctime)s %(levelname)-7s %(name)s: %(message)s"


@click.command()
@settings_options(
    "profile", "model", "live", "record", "data", "recordings", "match", "today", "store"
)
@click.option("--verbose", is_flag=True, help="Log what is taken in and posted, by id.")
def serve(*, settings: Settings, verbose: bool) -> int:
    """Run the bot in Slack until it is told to stop.

    Tokens are read from the environment or the .env file: SLACK_BOT_TOKEN, and SLACK_APP_TOKEN for
    Socket Mode or SLACK_SIGNING_SECRET for HTTP. Channels stand in handrail.toml, table [slack].
    Where Slack does not answer at the start it waits for it; a wrong token is refused at once.
    SIGTERM and Ctrl-C finish what was begun; a second one ends at once, and loses nothing either.

    \b
    Examples:
      handrail serve
      handrail serve --live --model local --record recordings
    """
    # Slack's libraries take their time to load, and the other commands do without.
    from bot.slack.serve import served_when_reached
    from bot.slack.settings import read_secrets

    if not settings.slack.channels:
        raise SettingRefused(
            f"{TOML}, field slack.channels",
            "names no channel, so nothing would ever be a ticket",
            hint='[slack] channels = ["C0123456789"]; a channel\'s id is at the end of its details',
        )
    _log_to_stderr(verbose=verbose)
    secrets = read_secrets(environment(), settings.slack.mode)
    with (
        _until_signal() as stopped,
        served_when_reached(settings, secrets, stopped=stopped) as desk,
    ):
        if desk is not None:
            for line in _greeting(settings):
                click.echo(line, err=True)
        stopped.wait()
        click.echo("stopping: what was begun is finished first", err=True)
    return 0


@click.command()
@click.option("--name", default="Handrail", show_default=True, help="The app's name.")
@click.option("--url", metavar="URL", help="For the Events API: the address that Slack posts to.")
def manifest(*, name: str, url: str | None) -> int:
    """Print the manifest that Slack creates the app from.

    \b
    Examples:
      handrail manifest > manifest.json
      handrail manifest --url https://bot.example.com/slack/events
    """
    from bot.slack.manifest import manifest as made
    from bot.slack.manifest import manifest_text

    click.echo(manifest_text(made(name=name, socket_mode=url is None, request_url=url)))
    return 0


def _greeting(settings: Settings) -> Iterator[str]:
    slack, policy = settings.slack, settings.policy()
    yield f"serving {counted(len(slack.channels), 'channel')} over {slack.mode}; Ctrl-C ends it"
    how = f"profile {settings.profile}, model {settings.model}, {_how(settings)}"
    yield f"store {settings.store}; {how}"
    if not policy.roles:
        yield "nobody may approve anything: handrail.toml has no [approvals] table"
    free = sorted(name for name, model in settings.models.items() if model.free)
    if free:
        yield f"counted as free of cost: {', '.join(free)}"


def _how(settings: Settings) -> str:
    if not settings.live:
        return "recorded"
    own = settings.models.get(settings.model)
    return "live" if own is None or own.base_url is None else f"live at {own.base_url}"


def _log_to_stderr(*, verbose: bool) -> None:
    logging.basicConfig(level=logging.WARNING, format=_FORMAT)
    logging.getLogger("handrail").setLevel(logging.DEBUG if verbose else logging.INFO)


@contextmanager
def _until_signal() -> Iterator[threading.Event]:
    """Yield an event that the first SIGTERM or SIGINT sets; the next one ends the program."""
    stopped = threading.Event()
    before = {each: signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGINT)}

    def stop(number: int, _frame: FrameType | None) -> None:
        signal.signal(number, signal.SIG_DFL)
        stopped.set()

    for each in before:
        signal.signal(each, stop)
    try:
        yield stopped
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)

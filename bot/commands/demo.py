"""``handrail demo``: the real bot in a local workspace, over recorded replies."""

# ruff: noqa: D301 (click wants a real \b above lines that it must not wrap)

from __future__ import annotations

import logging
import os
import signal
import sys
import time
import webbrowser
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

import click

from bot.commands.common import say
from bot.errors import BotError

__all__ = ["demo"]

PORT: Final = 8310
PAGE_SPEED: Final = 1.0
HEADLESS_SPEED: Final = 10.0
"""Nobody waits to read along."""
INTERRUPTED: Final = 130
_ENDS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_EXTRA: Final = ("starlette", "uvicorn", "websockets")


@click.command()
@click.option("--headless", is_flag=True, help="Print the story to the terminal, and end.")
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    help=f"Where the page listens; 0 takes any free one.  [default: {PORT}]",
)
@click.option("--no-open", is_flag=True, help="Print the page's address, and open no browser.")
@click.option(
    "--speed",
    type=click.FloatRange(0.1, 100),
    help="How many times as fast as in life.  "
    f"[default: {PAGE_SPEED:g} with the page, {HEADLESS_SPEED:g} without]",
)
def demo(*, headless: bool, port: int | None, no_open: bool, speed: float | None) -> int:
    """Show the whole bot without Slack, a key or a network: tickets come, people decide.

    A small Slack runs on this machine, and the real bot in it, over the Web API, Socket Mode and
    interactivity. The model's replies are recorded ones, the shop is the practice shop. Needs no
    settings and reads none; what it stores goes with it. Ctrl-C ends it.

    Without a terminal or a screen to open the page on it prints the story instead and ends, as
    with --headless; --port or --no-open ask for the page all the same.

    \b
    Examples:
      handrail demo
      handrail demo --headless
    """
    asked_for = port is not None or no_open
    has_page = not headless and (asked_for or _can_show())
    try:
        with _ended_once():
            if has_page:
                _serve(PORT if port is None else port, speed or PAGE_SPEED, opens=not no_open)
            else:
                _tell(port or 0, speed or HEADLESS_SPEED)
    except ModuleNotFoundError as error:
        raise _missing(error) from error
    except KeyboardInterrupt:
        click.echo("stopped; nothing of the demo is left", err=True)
        return 0 if has_page else INTERRUPTED
    if not (has_page or headless):
        click.echo("There is no screen here; handrail demo --no-open serves the page all the same.")
    return 0


def _serve(port: int, speed: float, *, opens: bool) -> None:
    """Serve the page until it is interrupted."""
    # Slack's libraries take their time to load, and the other commands do without.
    from bot.demo.cast import make_workspace
    from bot.demo.live import Live
    from bot.demo.stage import Stage

    _quiet()
    workspace = make_workspace(port=port)
    live = Live(workspace, Stage(workspace, speed))
    began = time.monotonic()
    with workspace:
        click.echo("Setting up a store and the practice shop, and connecting the bot ...")
        try:
            live.open()
            click.echo(f"Ready after {time.monotonic() - began:.1f} s: {workspace.url}")
            if opens and _has_screen():
                webbrowser.open(workspace.url)
            click.echo("Tickets arrive by themselves; decide as any of the people. Ctrl-C ends it.")
            live.serve()
        finally:
            live.close()
            live.release()


def _tell(port: int, speed: float) -> None:
    """Print the story."""
    from bot.demo.cast import make_workspace
    from bot.demo.headless import play
    from bot.demo.scenes import STORY
    from bot.demo.stage import Stage

    _quiet()
    click.echo("Setting up a workspace, a store and the practice shop ...")
    began = time.monotonic()
    with (
        make_workspace(port=port) as workspace,
        Stage(workspace, speed) as stage,
        _deaf_afterwards(),
    ):
        click.echo(f"The bot is connected after {time.monotonic() - began:.1f} s.")
        play(stage, STORY, say)


@contextmanager
def _ended_once() -> Iterator[None]:
    """Let the first call to end be heard, and none that comes while things are cleared away."""
    before = {number: signal.getsignal(number) for number in _ENDS}
    heard = {number: each for number, each in before.items() if callable(each)}

    def end(number: int, frame: FrameType | None) -> None:
        _be_deaf(heard)
        heard[signal.Signals(number)](number, frame)

    for each in heard:
        signal.signal(each, end)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _deaf_afterwards() -> Iterator[None]:
    """Hear no call to end from the moment that what is inside is over."""
    try:
        yield
    finally:
        _be_deaf(_ENDS)


def _be_deaf(numbers: Iterable[signal.Signals]) -> None:
    for each in numbers:
        signal.signal(each, signal.SIG_IGN)


def _can_show() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty() and _has_screen()


def _has_screen() -> bool:
    """Whether a browser would have somewhere to open."""
    return sys.platform == "darwin" or bool(
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    )


def _missing(error: ModuleNotFoundError) -> Exception:
    """Return what to say of a library that is not installed; of a module of ours, the error."""
    if error.name not in _EXTRA:
        return error
    return BotError(
        "the demo needs libraries that are not installed",
        hint="pip install 'handrail[workspace]'; handrail triage does without",
    )


def _quiet() -> None:
    """Log what fails and no more: what else is told stands in the workspace."""
    for name in ("handrail", "slack_bolt", "slack_sdk"):
        logging.getLogger(name).setLevel(logging.ERROR)

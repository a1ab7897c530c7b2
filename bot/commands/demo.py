"""``handrail demo``: the real bot in a local workspace, over recorded replies."""

# ruff: noqa: D301 (click wants a real \b above lines that it must not wrap)

from __future__ import annotations

import logging
import time
from typing import Final

import click

from bot.commands.common import say
from bot.errors import BotError

__all__ = ["demo"]

HEADLESS_SPEED: Final = 10.0
"""Nobody looks on: ten times as fast as the page."""
INTERRUPTED: Final = 130
_EXTRA: Final = ("starlette", "uvicorn", "websockets")


@click.command()
@click.option("--headless", is_flag=True, help="Print the story to the terminal, and end.")
@click.option(
    "--speed",
    type=click.FloatRange(min=0.1, max=100),
    default=HEADLESS_SPEED,
    show_default=True,
    help="How many times as fast as in life.",
)
def demo(*, headless: bool, speed: float) -> int:
    """Show the whole bot without Slack, a key or a network: tickets come, people decide.

    A small Slack runs on this machine, and the real bot in it, over the Web API, Socket Mode and
    interactivity. The model's replies are recorded ones, the shop is the practice shop. Needs no
    settings and reads none. What it stores lies in a folder that goes with it.

    \b
    Examples:
      handrail demo
      handrail demo --headless --speed 1
    """
    del headless
    try:
        from bot.demo.cast import make_workspace
        from bot.demo.headless import play
        from bot.demo.scenes import STORY
        from bot.demo.stage import Stage
    except ModuleNotFoundError as error:
        raise _missing(error) from error

    _quiet()
    click.echo("Setting up a workspace, a store and the practice shop ...")
    began = time.monotonic()
    try:
        with make_workspace() as workspace, Stage(workspace, speed) as stage:
            took = time.monotonic() - began
            click.echo(f"The bot is connected to {workspace.base_url} after {took:.1f} s.")
            play(stage, STORY, say)
    except KeyboardInterrupt:
        click.echo("stopped; nothing is left of the demo", err=True)
        return INTERRUPTED
    return 0


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

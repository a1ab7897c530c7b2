"""``handrail recordings``: what recordings hold, whether they are whole, and their care."""

# ruff: noqa: D301 (click wants a real \b above lines that it must not wrap)

from __future__ import annotations

import click

from bot.commands.recordings_care import prune, redact
from bot.commands.recordings_import import import_
from bot.commands.recordings_look import diff, stats, verify

__all__ = ["recordings"]


@click.group()
def recordings() -> None:
    """Bring recordings in, check, compare and count them, keep them small and private.

    A recording is a file of journals, one JSON object a line. Every file that is written here is
    new, appears whole or not at all, and is private to you (mode 0600).

    \b
    Examples:
      handrail recordings import gpt-4o-airline.json --to airline.jsonl
      handrail recordings verify airline.jsonl
      handrail recordings stats airline.jsonl
    """


for _command in (import_, verify, stats, diff, prune, redact):
    recordings.add_command(_command)

"""``handrail runs``, ``trace`` and ``export``: what the store holds of earlier runs."""

# ruff: noqa: D301 (click wants a real \b above lines that it must not wrap)

from __future__ import annotations

import json
from pathlib import Path

import click

from bot.commands.common import (
    find_run,
    json_option,
    say,
    settings_options,
    shown_damage,
    to_type,
)
from bot.errors import BotError
from bot.keeper import existing_runs
from bot.new_file import STDOUT, write_new
from bot.recorded_runs import readable_entries
from bot.settings import Settings
from bot.show import outcome
from bot.story import Story
from bot.texts import counted, resume_step, shortened
from bot.trace import header, lines
from recordings import RunRow, RunState

__all__ = ["export", "runs", "trace"]


@click.command()
@click.option(
    "--last", default=20, show_default=True, type=click.IntRange(1, 10_000), help="How many."
)
@settings_options("store")
def runs(*, last: int, settings: Settings) -> int:
    """List the newest runs first; the last line counts them.

    A line is the moment it began (UTC), the run's id, and its result with how it ended, or
    "running" for a run that lives still or was interrupted; handrail resume goes on with such a
    one.

    \b
    Example:
      handrail runs --last 5
    """
    with existing_runs(settings.store) as kept:
        found = kept.recent(last)
    say(_line(row) for row in found)
    click.echo(counted(len(found), "run"))
    return 0


@click.command()
@click.argument("run_id", metavar="RUN")
@settings_options("store")
@json_option
def trace(*, run_id: str, settings: Settings, as_json: bool) -> int:
    """Show what happened in a run, step by step.

    RUN is a run's id, or a ticket's for its newest run.

    \b
    Examples:
      handrail trace T-80008
      handrail trace T-80008-resolver-chat-small-1
    """
    with existing_runs(settings.store) as kept:
        row = find_run(kept, run_id)
        entries, damaged = readable_entries(kept, row.run_id)
    shown_damage(damaged)
    story = Story.of(row.run_id, entries)
    if story is None:
        raise BotError(
            f"run {row.run_id} has no readable beginning",
            hint="it was erased, or interrupted before its first step; run the ticket again",
        )
    if as_json:
        click.echo(json.dumps(story.as_json(), ensure_ascii=False))
        return 0
    say(header(story))
    click.echo()
    say(lines(story))
    click.echo()
    say(outcome(story))
    if story.result is None and row.state is RunState.RUNNING:
        click.echo(to_type(resume_step(story.run_id), "store"))
    return 0


@click.command()
@click.argument("run_id", metavar="RUN")
@click.argument("file", required=False, type=click.Path(path_type=Path))
@settings_options("store")
def export(*, run_id: str, file: Path | None, settings: Settings) -> int:
    """Write a run's journal as JSON Lines: a recording that can be replayed.

    RUN is a run's id, or a ticket's for its newest run. Without FILE, or with -, the lines go to
    the standard output. A FILE that exists is not overwritten. It holds what the customer wrote.

    \b
    Examples:
      handrail export T-80008 t-80008.jsonl
      handrail run T-80008 --recordings t-80008.jsonl
    """
    with existing_runs(settings.store) as kept:
        found = kept.lines(find_run(kept, run_id).run_id)
    text = "".join(f"{line}\n" for line in found)
    if file in (None, STDOUT):
        click.echo(text.encode("utf-8", "surrogateescape"), nl=False)  # bytes as they are kept
        return 0
    write_new(file, text)
    click.echo(f"{counted(len(found), 'line')} written to {file}", err=True)
    return 0


def _line(row: RunRow) -> str:
    end = row.state if row.result is None else f"{row.result} ({row.reason})"
    return f"{row.started_at[:19]}Z  {shortened(row.run_id, 60)}  {end}"

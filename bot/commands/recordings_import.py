"""``handrail recordings import``: runs that were made elsewhere, as journals of ours."""

# ruff: noqa: D301 (click wants a real \b above lines that it must not wrap)

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import click

from bot.commands.common import json_option, say, settings_options
from bot.errors import BotError
from bot.settings import Settings
from bot.tables import table_lines
from bot.texts import counted, shortened
from recordings import FileReport, ImportReport, import_runs

__all__ = ["import_"]

_PATH: Final = click.Path(path_type=Path)
_SHOWN: Final = 20
"""Parts that could not be read which are named one by one."""
_EVERY: Final = 100
"""Runs between two signs of life."""


@click.command("import")
@click.argument("paths", nargs=-1, required=True, type=_PATH, metavar="PATH...")
@click.option("--to", required=True, type=_PATH, metavar="FILE", help="The new file of recordings.")
@click.option(
    "--format",
    "format_name",
    metavar="NAME",
    help="How to read every PATH, whatever it looks like.",
)
@click.option(
    "--keep-texts",
    is_flag=True,
    help="Leave texts as they are: for public data. Else keys, cards, e-mail addresses and phone "
    "numbers are replaced.",
)
@settings_options()
@json_option
def import_(
    *,
    paths: tuple[Path, ...],
    to: Path,
    format_name: str | None,
    keep_texts: bool,
    settings: Settings,
    as_json: bool,
) -> int:
    """Bring runs that were made elsewhere into a new FILE of recordings.

    PATH is a file, a pipe, "-" for the standard input, or a folder whose files are read, also
    below. Which form a file has is seen by
    what it holds: reference, openai-messages, tau-bench, tau2-bench, agentdojo, inspect, llm
    (SQLite), otel (OTLP/JSON), or one that an installed package adds. What a file does not say is
    unknown in the recording, never zero. Runs that can be read are kept, whatever else is damaged.

    Exit status: 0 when everything was read, 1 when some of it was not, 2 when nothing was.

    \b
    Examples:
      handrail recordings import gpt-4o-airline.json --to airline.jsonl
      handrail recordings import logs/ --format openai-messages --to logs.jsonl
      zcat runs.json.gz | handrail recordings import - --to runs.jsonl
    """
    try:
        report = import_runs(
            paths,
            to,
            prices=settings.prices(),
            format_name=format_name,
            keep_texts=keep_texts,
            progress=_progress(),
        )
    except FileExistsError:
        raise BotError(f"{to} exists, and nothing is overwritten", hint="name a new file") from None
    if as_json:
        click.echo(json.dumps(_as_json(report, to), ensure_ascii=False))
    else:
        say(_lines(report, to))
    return 1 if report.not_read_count else 0


def _progress() -> Callable[[int], None]:
    """Return what shows a person at a terminal that a long import is under way."""
    if not sys.stderr.isatty():
        return lambda _runs: None

    def show(runs: int) -> None:
        if runs % _EVERY == 0:
            click.echo(f"\r{runs} runs", nl=False, err=True)

    return show


def _lines(report: ImportReport, to: Path) -> Iterator[str]:
    head = ("file", "form", "runs", "with label", "not read")
    yield from table_lines(head, [_row(each) for each in report.files])
    yield ""
    shown = [fault for each in report.files for fault in each.not_read][:_SHOWN]
    yield from (f"not read: {shortened(str(fault), 300)}" for fault in shown)
    if report.not_read_count > len(shown):
        yield f"not read: {report.not_read_count - len(shown)} more parts"
    yield f"{counted(report.runs, 'run')} brought into {to}"
    yield f"next: handrail recordings stats {to}"


def _row(each: FileReport) -> tuple[str, ...]:
    counts = (each.runs, each.labelled, each.not_read_count)
    return (each.file, each.format or "unknown", *map(str, counts))


def _as_json(report: ImportReport, to: Path) -> dict[str, Any]:
    return {
        "to": str(to),
        "runs": report.runs,
        "not_read_count": report.not_read_count,
        "files": [
            {
                "file": each.file,
                "format": each.format,
                "runs": each.runs,
                "labelled": each.labelled,
                "not_read_count": each.not_read_count,
                "not_read": [
                    {"place": fault.place, "problem": fault.problem} for fault in each.not_read
                ],
            }
            for each in report.files
        ],
    }

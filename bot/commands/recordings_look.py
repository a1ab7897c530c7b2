"""``handrail recordings verify``, ``stats`` and ``diff``: nothing is changed."""

# ruff: noqa: D301 (click wants a real \b above lines that it must not wrap)

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click

from bot.commands.common import json_option, say, settings_options, shown_damage
from bot.recording_texts import stats_json, stats_lines
from bot.settings import Settings
from bot.texts import counted, shortened
from recordings import (
    SHIPPED_RECORDINGS,
    CheckedFile,
    ReadRecordings,
    Recording,
    RecordingDifference,
    RecordingUnreadable,
    check_recordings,
    each_recording,
    first_difference,
    pairs_of,
    read_recordings,
    stats_of,
)

__all__ = ["diff", "stats", "verify"]

_PATH: Final = click.Path(path_type=Path)
_SHOWN: Final = 20


@click.command()
@click.argument("paths", nargs=-1, type=_PATH, metavar="PATH...")
@settings_options()
@json_option
def verify(*, paths: tuple[Path, ...], settings: Settings, as_json: bool) -> int:
    """Check that recordings can be read, are whole, and are what was recorded.

    Looked at: every line, the order of entries, the digest of every request (a change of any text
    shows), that each answer was asked for, the closing record and its figures. Without PATH, the
    recordings of the settings, else those that ship.

    Exit status: 0 when all is whole, 1 when something is not.

    \b
    Example:
      handrail recordings verify airline.jsonl
    """
    found = [(path, check_recordings(path, settings.prices())) for path in _given(paths, settings)]
    if as_json:
        click.echo(json.dumps([_checked_json(*each) for each in found], ensure_ascii=False))
    else:
        for path, checked in found:
            say(_checked_lines(path, checked))
    return 1 if any(checked.faults for _, checked in found) else 0


@click.command()
@click.argument("paths", nargs=-1, type=_PATH, metavar="PATH...")
@settings_options()
@json_option
def stats(*, paths: tuple[Path, ...], settings: Settings, as_json: bool) -> int:
    """Count what recordings hold: runs, ends, models, tokens, cost, times, and what is unknown.

    A percentile is the nearest rank: a value that was observed. Sums are of what is known.

    \b
    Example:
      handrail recordings stats airline.jsonl
    """
    damaged: list[RecordingUnreadable] = []
    given, prices = _given(paths, settings), settings.prices()
    figures = stats_of(each for path in given for each in each_recording(path, prices, damaged))
    shown_damage(damaged)
    if as_json:
        click.echo(json.dumps(stats_json(figures), ensure_ascii=False))
    else:
        say(stats_lines(figures))
    return 0


@click.command()
@click.argument("left", type=_PATH, metavar="A")
@click.argument("right", type=_PATH, metavar="B")
@click.option("--times", is_flag=True, help="Times count too: those of two live runs differ.")
@settings_options()
@json_option
def diff(*, left: Path, right: Path, times: bool, settings: Settings, as_json: bool) -> int:
    """Name the first difference between the recordings of A and those of B.

    Two files of one run each are compared as they are, others run by run, by the run's name.

    Exit status: 0 when they tell the same, 1 when not.

    \b
    Example:
      handrail recordings diff monday.jsonl tuesday.jsonl
    """
    read = [read_recordings(path, settings.prices()) for path in (left, right)]
    for each in read:
        shown_damage(each.faults)
    together, only_left, only_right = pairs_of(*(_whole(each) for each in read))
    differences = [
        (one.name, found)
        for one, other in together
        if (found := first_difference(one, other, times=times)) is not None
    ]
    alone = {str(left): only_left, str(right): only_right}
    if as_json:
        click.echo(json.dumps(_diff_json(differences, alone, len(together)), ensure_ascii=False))
    else:
        say(_diff_lines(differences, alone, len(together)))
    return 1 if differences or only_left or only_right else 0


def _given(paths: tuple[Path, ...], settings: Settings) -> tuple[Path, ...]:
    return paths or (settings.recordings or SHIPPED_RECORDINGS,)


def _whole(read: ReadRecordings) -> list[Recording]:
    return list(read.recordings)


def _checked_lines(path: Path, checked: CheckedFile) -> Iterator[str]:
    for fault in checked.faults[:_SHOWN]:
        yield f"not whole: {shortened(fault, 300)}"
    if len(checked.faults) > _SHOWN:
        yield f"not whole: {len(checked.faults) - _SHOWN} more"
    yield from (f"note: {note}" for note in checked.notes)
    yield f"{path}: {counted(checked.runs, 'run')}, {checked.whole} whole"


def _checked_json(path: Path, checked: CheckedFile) -> dict[str, Any]:
    return {
        "path": str(path),
        "runs": checked.runs,
        "whole": checked.whole,
        "faults": list(checked.faults),
        "notes": list(checked.notes),
    }


def _diff_lines(
    differences: list[tuple[str, RecordingDifference]], alone: dict[str, list[str]], compared: int
) -> Iterator[str]:
    for name, found in differences[:_SHOWN]:
        where = f"run {shortened(name, 60)}, entry {found.entry}, at {shortened(found.path, 120)}"
        yield f"{where}: A {shortened(found.left, 200)}, B {shortened(found.right, 200)}"
    if len(differences) > _SHOWN:
        yield f"{len(differences) - _SHOWN} more runs differ"
    for path, names in alone.items():
        if names:
            yield f"only in {path}: {shortened(', '.join(names), 300)}"
    yield f"{counted(compared, 'run')} compared, {len(differences)} differ"


def _diff_json(
    differences: list[tuple[str, RecordingDifference]], alone: dict[str, list[str]], compared: int
) -> dict[str, Any]:
    return {
        "compared": compared,
        "differences": [
            {
                "run": name,
                "entry": found.entry,
                "path": found.path,
                "a": found.left,
                "b": found.right,
            }
            for name, found in differences
        ],
        "only_in": alone,
    }

"""``handrail recordings prune`` and ``redact``."""

# ruff: noqa: D301 (click wants a real \b above lines that it must not wrap)

from __future__ import annotations

import json
import secrets
from pathlib import Path
from typing import Final

import click

from bot.commands.common import json_option, say, settings_options, shown_damage
from bot.errors import BotError
from bot.now import now_us
from bot.settings import Settings
from bot.tables import table_lines
from bot.texts import counted
from recordings import (
    Level,
    Old,
    RecordingUnreadable,
    each_recording,
    encode,
    new_private_file,
    redacted_entries,
    to_prune,
)

__all__ = ["prune", "redact"]

_PATH: Final = click.Path(path_type=Path)
_MEGABYTE: Final = 1_000_000
_SALT_BYTES: Final = 32


@click.command()
@click.argument("paths", nargs=-1, required=True, type=_PATH, metavar="PATH...")
@click.option(
    "--older-than",
    "days",
    type=click.IntRange(1, 36_500),
    metavar="DAYS",
    help="Files last changed longer ago; else as the setting keep_days says.",
)
@click.option(
    "--keep-mb",
    type=click.IntRange(0),
    metavar="MB",
    help="Of the others the oldest go, until no more is left than this.",
)
@click.option("--dry-run", is_flag=True, help="List what would go and delete nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@settings_options()
@json_option
def prune(
    *,
    paths: tuple[Path, ...],
    days: int | None,
    keep_mb: int | None,
    dry_run: bool,
    yes: bool,
    settings: Settings,
    as_json: bool,
) -> int:
    """Delete old recordings, and the oldest of too many.

    PATH is a file, or a folder whose .jsonl files are looked at; a file that is no recording of
    ours is never deleted. It asks first, unless --yes is given.

    \b
    Examples:
      handrail recordings prune recorded/ --older-than 90 --dry-run
      handrail recordings prune recorded/ --keep-mb 500 --yes
    """
    days = settings.keep_days if days is None else days
    if days is None and keep_mb is None:
        raise BotError(
            "nothing says what is to go",
            hint="--older-than 90, --keep-mb 500, or keep_days in the settings",
        )
    keep_bytes = None if keep_mb is None else keep_mb * _MEGABYTE
    found = to_prune(paths, now_s=now_us() / 1_000_000, older_than_days=days, keep_bytes=keep_bytes)
    if not as_json and found:
        say(table_lines(("file", "MB", "because of"), [_row(each) for each in found]))
    deletes = bool(found) and not dry_run and (yes or _agreed(len(found)))
    if deletes:
        for each in found:
            each.file.unlink(missing_ok=True)
    if as_json:
        files = [{"file": str(e.file), "bytes": e.bytes, "reason": e.reason} for e in found]
        click.echo(json.dumps({"deleted": deletes, "files": files}, ensure_ascii=False))
    else:
        click.echo(f"{counted(len(found), 'file')} {'deleted' if deletes else 'to delete'}")
    return 0


@click.command()
@click.argument("path", type=_PATH)
@click.option("--to", required=True, type=_PATH, metavar="FILE", help="The new file.")
@click.option(
    "--level",
    default=Level.PERSONAL.value,
    show_default=True,
    type=click.Choice([level.value for level in Level]),
    help="personal: keys, cards, addresses, phone numbers, mentions in every text. texts: every "
    "text and argument, so that the shape of the runs is left.",
)
@settings_options()
def redact(*, path: Path, to: Path, level: str, settings: Settings) -> int:
    """Write recordings anew with more redaction, for others to see.

    The new file is marked as such, has digests of its own, and a replay of it says what it is.
    Imported runs, costs, times, labels and results stay; PATH is not changed.

    \b
    Example:
      handrail recordings redact airline.jsonl --level texts --to shape.jsonl
    """
    salt = secrets.token_bytes(_SALT_BYTES)
    damaged: list[RecordingUnreadable] = []
    runs = 0
    try:
        with new_private_file(to) as out:
            for recording in each_recording(path, settings.prices(), damaged):
                runs += 1
                for entry in redacted_entries(recording, Level(level), salt):
                    out.write(f"{encode(recording.name, entry)}\n")
    except FileExistsError:
        raise BotError(f"{to} exists, and nothing is overwritten", hint="name a new file") from None
    shown_damage(damaged)
    click.echo(f"{counted(runs, 'run')} written to {to}, level {level}")
    return 0


def _agreed(count: int) -> bool:
    try:
        return click.confirm(f"Delete {counted(count, 'file')} for good?")
    except click.Abort:
        raise BotError("nobody can be asked", hint="--yes deletes without asking") from None


def _row(each: Old) -> tuple[str, str, str]:
    return (str(each.file), f"{each.bytes / _MEGABYTE:.2f}", each.reason)

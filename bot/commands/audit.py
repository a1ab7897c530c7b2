"""``handrail audit``: every change of a proposal, exported and checked."""

# ruff: noqa: D301 (click wants a real \b above lines that it must not wrap)

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import click

from approvals import AuditHead, export_audit, verify_audit
from bot.commands.common import settings_options
from bot.new_file import STDOUT, write_new
from bot.settings import Settings
from bot.store import open_existing
from bot.texts import counted

__all__ = ["audit"]

_HEAD: Final = re.compile(r"([0-9a-f]{64}):([0-9]{1,18})", re.ASCII)


def _head(context: click.Context, option: click.Parameter, value: str | None) -> AuditHead | None:
    if value is None:
        return None
    match = _HEAD.fullmatch(value.strip().lower())
    if match is None:
        raise click.BadParameter("is 64 hex digits, a colon and a number of rows", context, option)
    return AuditHead(hash=match[1], count=int(match[2]))


@click.group()
def audit() -> None:
    """Export and check the record of every change.

    \b
    Examples:
      handrail audit verify
      handrail audit export audit.jsonl
    """


@audit.command()
@click.argument("file", required=False, type=click.Path(path_type=Path))
@settings_options("store")
def export(*, file: Path | None, settings: Settings) -> int:
    """Write every row as one line of JSON, oldest first; without FILE, or with -, to stdout.

    It holds ids, states and digests, and no text of a person. A FILE that exists is not
    overwritten.

    \b
    Example:
      handrail audit export audit.jsonl
    """
    with open_existing(settings.store) as db:
        lines = [f"{line}\n" for line in export_audit(db)]
    if file in (None, STDOUT):
        click.echo("".join(lines), nl=False)
        return 0
    write_new(file, "".join(lines))
    click.echo(f"{counted(len(lines), 'row')} written to {file}", err=True)
    return 0


@audit.command()
@click.option(
    "--head",
    metavar="HEAD:COUNT",
    callback=_head,
    help="The head that an earlier check printed: the record must still reach it.",
)
@settings_options("store")
def verify(*, head: AuditHead | None, settings: Settings) -> int:
    """Check that no row was changed, added or taken away, and print the head.

    Keep the head elsewhere: a record that was cut at its end holds together as well, and only an
    older head tells. Exit status: 0, or 1 with the first row that is wrong.

    \b
    Examples:
      handrail audit verify
      handrail audit verify --head 5f0c…:812
    """
    with open_existing(settings.store) as db:
        found = verify_audit(db, head)
    click.echo(f"{counted(found.count, 'row')}, each as it was written")
    click.echo(f"head {found.hash}:{found.count}")
    return 0

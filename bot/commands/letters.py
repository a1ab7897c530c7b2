"""``handrail letters``: what was given up, tried again or let rest."""

# ruff: noqa: D301 (click wants a real \b above lines that it must not wrap)

from __future__ import annotations

from collections.abc import Callable

import click
from sqlite_utils import Database

from approvals.store import Jobs, tx
from bot.commands.common import say, settings_options, to_type
from bot.errors import BotError
from bot.now import now_us
from bot.settings import Settings
from bot.slack.store.letters import count_letters, discard_letter, retry_letter
from bot.slack.store.letters import letters as find_letters
from bot.store import open_existing
from bot.texts import counted, shortened

__all__ = ["letters"]


@click.group()
def letters() -> None:
    """See what was given up: deliveries, jobs and posts; try it again, or let it rest.

    \b
    Examples:
      handrail letters list
      handrail letters retry post-12
    """


@letters.command("list")
@settings_options("store")
def list_(*, settings: Settings) -> int:
    """List what was given up, with why; the last line counts it.

    \b
    Example:
      handrail letters list
    """
    with open_existing(settings.store) as db:
        found, count = find_letters(db), count_letters(db)
    say(
        f"{each.letter_id:<14} {shortened(each.what, 60)}: {shortened(each.why, 60)}"
        for each in found
    )
    click.echo(counted(count, "dead letter"))
    return 0


@letters.command()
@click.argument("letter_ids", nargs=-1, required=True, metavar="LETTER...")
@settings_options("store")
def retry(*, letter_ids: tuple[str, ...], settings: Settings) -> int:
    """Try something again that was given up; the server that runs takes it up by itself.

    \b
    Example:
      handrail letters retry post-12 delivery-7
    """
    now = now_us()
    _each(settings, letter_ids, lambda db, name: retry_letter(db, Jobs(), name, now_us=now))
    click.echo(f"{counted(len(letter_ids), 'dead letter')} will be tried again")
    return 0


@letters.command()
@click.argument("letter_ids", nargs=-1, required=True, metavar="LETTER...")
@settings_options("store")
def discard(*, letter_ids: tuple[str, ...], settings: Settings) -> int:
    """Let something rest that was given up: it is not tried again. Its row stays.

    \b
    Example:
      handrail letters discard post-12
    """
    _each(settings, letter_ids, discard_letter)
    click.echo(f"{counted(len(letter_ids), 'dead letter')} discarded")
    return 0


def _each(
    settings: Settings, letter_ids: tuple[str, ...], verb: Callable[[Database, str], bool]
) -> None:
    """Do all or none.

    Raises:
        BotError: one of them is no dead letter now, or its ticket is gone.
    """
    with open_existing(settings.store) as db, tx(db):
        for name in letter_ids:
            if not verb(db, name):
                raise BotError(
                    f"{shortened(name, 40)} is no dead letter now, so none was touched",
                    hint=f"{to_type('handrail letters list', 'store')} lists them",
                )

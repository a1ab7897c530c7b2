"""The care of the store: migrate, backup, restore, reconcile, purge, forget."""

# ruff: noqa: D301 (click wants a real \b above lines that it must not wrap)

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import click
from sqlite_utils import Database

from approvals import (
    Proposals,
    ProposalState,
    forget_customer,
    list_proposals,
    purge_texts,
    restore_store,
    runs_of_proposal,
)
from approvals.store import Jobs, ServeLock, compact, connect, copy_into, migrate, pending, tx
from bot.carrying import Carrier
from bot.commands.common import say, settings_options, to_type
from bot.deciding import operator
from bot.errors import BotError
from bot.now import now_us
from bot.proposal_texts import finding_text
from bot.settings import Settings
from bot.shops import open_gateways
from bot.slack.store.erase import erase_old_tickets, erase_tickets_of
from bot.store import MIGRATIONS, existing, make_folder, open_existing
from bot.texts import counted, shortened
from recordings import erase_journals_of, erase_old_journals

__all__ = ["backup", "forget", "migrate_store", "purge", "reconcile", "restore"]

_DAY_US: Final = 86_400_000_000
_FILE: Final = click.Path(path_type=Path)
_NEEDED: Final = (
    ProposalState.WAITING,
    ProposalState.APPROVED,
    ProposalState.EXECUTING,
    ProposalState.UNKNOWN,
)
"""Proposals whose run is still needed."""


@click.command("migrate")
@click.option("--dry-run", is_flag=True, help="List what is pending and change nothing.")
@settings_options("store")
def migrate_store(*, dry_run: bool, settings: Settings) -> int:
    """Bring the store up to date with this program; every command does that by itself.

    \b
    Examples:
      handrail migrate --dry-run
      handrail migrate
    """
    store = settings.store
    if dry_run:
        existing(store)
    make_folder(store)
    with closing(connect(store)) as db:
        found = pending(db, MIGRATIONS) if dry_run else migrate(db, MIGRATIONS)
    say(str(each) for each in found)
    click.echo(f"{counted(len(found), 'migration')} {'pending' if dry_run else 'applied'}")
    return 0


@click.command()
@click.argument("file", type=_FILE)
@settings_options("store")
def backup(*, file: Path, settings: Settings) -> int:
    """Copy the store to a new file, while others may go on using it.

    The copy holds what customers wrote and is private to you (mode 0600). A FILE that exists is
    not overwritten. Copying the store by hand misses what lies in its log.

    \b
    Example:
      handrail backup handrail-monday.sqlite3
    """
    with open_existing(settings.store) as db:
        copy_into(db, file)
    click.echo(f"{settings.store} was copied to {file}")
    return 0


@click.command()
@click.argument("file", type=_FILE)
@settings_options("store")
def restore(*, file: Path, settings: Settings) -> int:
    """Put a backup in the place of the store; the replaced store is kept beside it.

    No server may run. A backup does not know what was done after it was made, so nothing is sent
    before everything that was approved, executing or unknown in it was looked up at the shop.

    \b
    Examples:
      handrail restore handrail-monday.sqlite3
      handrail reconcile
    """
    make_folder(settings.store)
    restored = restore_store(
        settings.store,
        file,
        sets=MIGRATIONS,
        policy=settings.policy(),
        actor=operator(),
        now_us=now_us(),
    )
    if restored.aside is not None:
        click.echo(f"the replaced store is {restored.aside}")
    due = counted(restored.epoch.look_ups, "operation")
    click.echo(f"restored {file}; {due} to look up before anything is sent")
    click.echo(to_type("next: handrail reconcile", "store"))
    return 0


@click.command()
@settings_options("store", "data")
def reconcile(*, settings: Settings) -> int:
    """Ask the shop about everything whose end is not known, and store what it says.

    Nothing is sent. Exit status: 0, or 1 where the shop could not be asked at all.

    \b
    Example:
      handrail reconcile
    """
    with open_existing(settings.store) as db, open_gateways(settings) as gateways:
        found = Carrier(settings, gateways, say=click.echo).reconcile(db)
        left = list_proposals(db, ProposalState.APPROVED, ProposalState.EXECUTING)
    say(map(finding_text, found))
    click.echo(f"{counted(len(found), 'operation')} asked about")
    if left:
        click.echo(to_type("next: handrail proposals execute", "data", "store"))
    return 0


@click.command()
@click.option(
    "--older-than",
    "days",
    type=click.IntRange(1, 36_500),
    metavar="DAYS",
    help="What ended longer ago than this; else as the setting keep_days says.",
)
@settings_options("store")
def purge(*, days: int | None, settings: Settings) -> int:
    """Erase the texts of what ended long ago: journals, evidence, drafts, reasons, Slack threads.

    Facts, decisions and the audit stay. What waits, is under way or unknown keeps its texts.

    \b
    Example:
      handrail purge --older-than 90
    """
    days = settings.keep_days if days is None else days
    if days is None:
        raise BotError("nothing says how old", hint="--older-than 90, or keep_days in the settings")
    now = now_us()
    before_us = now - days * _DAY_US
    before = datetime.fromtimestamp(before_us / 1_000_000, UTC).isoformat(timespec="milliseconds")
    with _erasing(settings) as db:
        policy, actor = settings.policy(), operator()
        proposals = purge_texts(db, policy, older_than_us=before_us, actor=actor, now_us=now)
        needed = {
            run_id
            for proposal in list_proposals(db, *_NEEDED)
            for run_id in runs_of_proposal(db, proposal.proposal_id)
        }
        runs = erase_old_journals(db, started_before=before, keep=needed)
        tickets = erase_old_tickets(db, Jobs(), before_us=before_us, keep=needed)
    _say_erased(runs, proposals, tickets)
    return 0


@click.command()
@click.argument("customer")
@click.option("--yes", is_flag=True, help="Really erase it; without this nothing is changed.")
@settings_options("store")
def forget(*, customer: str, yes: bool, settings: Settings) -> int:
    """Erase every text about a customer; withdraw what still waits for them.

    Ids, amounts, decisions and the audit stay, and so do the shop's own data. Backups and stores
    that were replaced keep what they hold.

    \b
    Example:
      handrail forget C-54223 --yes
    """
    shown = shortened(customer, 60)
    if not yes:
        raise BotError(
            f"this erases every text about customer {shown} for good",
            hint=f"{to_type(f'handrail forget {shown} --yes', 'store')} does it",
        )
    policy = settings.policy()
    with _erasing(settings) as db:
        proposals = forget_customer(
            db,
            policy,
            Proposals(policy),
            customer_id=customer,
            actor=operator(),
            now_us=now_us(),
        )
        runs = erase_journals_of(db, customer)
        tickets = erase_tickets_of(db, Jobs(), customer, forms=settings.shop.id_forms())
    _say_erased(runs, proposals, tickets)
    return 0


@contextmanager
def _erasing(settings: Settings) -> Iterator[Database]:
    """Give the store inside a transaction; then write the file anew without the erased bytes."""
    with open_existing(settings.store) as db:
        with tx(db):
            yield db
        lock = ServeLock(settings.store)
        try:
            compact(db, empties_log=lock.try_acquire())
        finally:
            lock.release()


def _say_erased(runs: tuple[str, ...], proposals: tuple[str, ...], tickets: int) -> None:
    journals = counted(len(runs), "journal")
    click.echo(f"erased {journals} and the texts of {counted(len(proposals), 'proposal')}")
    if tickets:
        click.echo(f"and what the store kept of {counted(tickets, 'ticket')} in Slack")

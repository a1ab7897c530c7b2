"""Putting a backup in the place of the store, so that nothing is done twice because of it."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from approvals.audit import Actor
from approvals.epochs import Epoch, begin_epoch
from approvals.errors import StoreForeign, StoreUnusable
from approvals.policy import Policy
from approvals.store import (
    MigrationSet,
    ServeLock,
    check_store,
    check_whole,
    connect,
    migrate,
    set_aside,
    tx,
)

__all__ = ["Restored", "restore_store"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """What restoring came to. ``aside`` is where the replaced store lies; None: there was none."""

    epoch: Epoch
    aside: Path | None


def restore_store(
    store: Path,
    backup: Path,
    *,
    sets: Sequence[MigrationSet],
    policy: Policy,
    actor: Actor,
    now_us: int,
) -> Restored:
    """Replace the store by a backup, which is checked, brought up to date, and left as it is.

    A new epoch begins: nothing is sent before everything was looked up. The change of files is
    one step; until it, the store is as it was.

    Raises:
        LockHeld: a server runs on the store.
        StoreBusy: another process uses the store.
        StoreForeign: the store's name is that of another program's database.
        StoreUnusable: the backup is missing, in use or damaged, or a file cannot be written.
        StoreTooNew: the backup is of a newer program.
        DigestMismatch: a row of the backup was changed outside the program.
    """
    _refuse_foreign(store)
    with ServeLock(store):
        fresh = _copy(backup, store)
        try:
            with closing(connect(fresh)) as db:
                check_whole(db)
                migrate(db, sets)
                with tx(db):
                    epoch = begin_epoch(db, policy, actor=actor, now_us=now_us)
            aside = _free_name(store, now_us)
            kept = set_aside(store, aside)
            fresh.replace(store)
        finally:
            for end in ("", "-wal", "-shm"):
                Path(f"{fresh}{end}").unlink(missing_ok=True)
    return Restored(epoch=epoch, aside=aside if kept else None)


def _refuse_foreign(store: Path) -> None:
    """Refuse before a lock is left beside it; a damaged store is what a backup is for."""
    try:
        check_store(store)
    except StoreForeign:
        raise
    except StoreUnusable:
        return


def _copy(backup: Path, store: Path) -> Path:
    """Return a private copy of the backup beside the store."""
    log = Path(f"{backup}-wal")
    with suppress(OSError):
        if log.stat().st_size:
            raise StoreUnusable(f"{backup} is in use; copy it with handrail backup, not by hand")
    try:
        descriptor, name = tempfile.mkstemp(prefix=f".{store.name}.", dir=store.parent)
        os.close(descriptor)
    except OSError as error:
        raise StoreUnusable(f"{store.parent} cannot be written: {error.strerror}") from error
    try:
        shutil.copyfile(backup, name)
    except OSError as error:
        Path(name).unlink()
        raise StoreUnusable(f"the backup {backup} cannot be copied: {error.strerror}") from error
    return Path(name)


def _free_name(store: Path, now_us: int) -> Path:
    """Return the name for the replaced store: its own, with the moment, and a number if needed."""
    moment = datetime.fromtimestamp(now_us // 1_000_000, UTC).strftime("%Y%m%dT%H%M%SZ")
    name, number = Path(f"{store}.before-{moment}"), 1
    while name.exists():
        number += 1
        name = Path(f"{store}.before-{moment}-{number}")
    return name

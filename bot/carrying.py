"""Carrying out what was approved, from the command line: with the lock, or by waiting for it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Final
from uuid import uuid4

from sqlite_utils import Database

from approvals import (
    EXECUTE_JOB,
    Executor,
    Finding,
    Operations,
    OperationState,
    ProposalState,
    operations_of,
    read_proposal,
)
from approvals.store import Jobs, ServeLock, Writer
from bot.now import now_us
from bot.proposal_texts import finding_text, served_text, waiting_text
from bot.settings import Settings
from bot.shops import Gateways, open_kept_shop

__all__ = ["Carrier", "Pauses"]

SECOND_US: Final = 1_000_000
POLL_S: Final = 0.1
"""How often a waiting command looks whether the server has carried a proposal out."""
_UNDER_WAY: Final = (ProposalState.APPROVED, ProposalState.EXECUTING)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pauses:
    """The clock of a command, and how it lets time pass."""

    now_us: Callable[[], int] = now_us
    sleep: Callable[[float], None] = time.sleep


class Carrier:
    """Carries proposals out before it lets go, for as long as the caller would wait.

    Args:
        settings: the store and the shop.
        gateways: what writes to it.
        say: takes a line about what goes on.
        wait_s: how long to wait for times that have to pass, and for a server.
        pauses: the clock.
    """

    def __init__(
        self,
        settings: Settings,
        gateways: Gateways,
        *,
        say: Callable[[str], None],
        wait_s: float = 0,
        pauses: Pauses | None = None,
    ) -> None:
        self._settings = settings
        self._gateways = gateways
        self._say = say
        self._wait_us = int(wait_s * SECOND_US)
        self._pauses = pauses or Pauses()
        self._jobs = Jobs()

    def carry_out(self, db: Database, proposal_ids: Sequence[str]) -> None:
        """Carry approved proposals out as soon as the lock is free; a server may be first.

        What is not settled in time stays queued in the store.

        Raises:
            ShopError: the shop cannot be asked at all; nothing was sent.
        """
        ends_us = self._pauses.now_us() + self._wait_us
        lock = ServeLock(self._settings.store)
        if not lock.try_acquire():
            self._say(served_text(lock.holder()))
            if not self._await(db, lock, proposal_ids, ends_us):
                return
        with lock, self._open_executor() as (executor, writer):
            for finding in executor.reconcile(db, adopt=True):
                self._say(finding_text(finding))
            for proposal_id in proposal_ids:
                if self._execute(db, executor, proposal_id, ends_us):
                    self._drop_job(writer, proposal_id)

    def reconcile(self, db: Database) -> list[Finding]:
        """Ask the shop about everything that has no certain end.

        Where a server runs, what is executing is left to it.
        """
        lock = ServeLock(self._settings.store)
        adopts = lock.try_acquire()
        try:
            with self._open_executor() as (executor, _):
                return executor.reconcile(db, adopt=adopts)
        finally:
            lock.release()

    @contextmanager
    def _open_executor(self) -> Iterator[tuple[Executor, Writer]]:
        with (
            closing(open_kept_shop(self._settings)) as shop,
            Writer(self._settings.store) as writer,
        ):
            executor = Executor(
                operations=Operations(self._settings.policy()),
                jobs=self._jobs,
                shop=shop,
                gateways=self._gateways.by_name(),
                writer=writer,
                owner=f"command-line-{uuid4().hex}",
                now_us=self._pauses.now_us,
            )
            yield executor, writer

    def _execute(self, db: Database, executor: Executor, proposal_id: str, ends_us: int) -> bool:
        """Take turns until nothing is left to do, and return True; False where time ran out."""
        while (again := executor.execute(db, proposal_id)) is not None:
            now = self._pauses.now_us()
            self._say(self._waiting(db, proposal_id, max(0, again - now)))
            if again > ends_us:
                return False
            self._pauses.sleep(max(0, again - now) / SECOND_US)
        return True

    def _waiting(self, db: Database, proposal_id: str, wait_us: int) -> str:
        """Say what is waited for, and why."""
        retried = [o for o in operations_of(db, proposal_id) if o.state is OperationState.RETRY]
        return waiting_text(retried[0] if retried else None, wait_us)

    def _await(
        self, db: Database, lock: ServeLock, proposal_ids: Sequence[str], ends_us: int
    ) -> bool:
        """Wait for another process; return True with the lock if that let go before it was done."""
        while self._pauses.now_us() < ends_us:
            self._pauses.sleep(POLL_S)
            if all(read_proposal(db, each).state not in _UNDER_WAY for each in proposal_ids):
                return False
            if lock.try_acquire():
                return True
        return False

    def _drop_job(self, writer: Writer, proposal_id: str) -> None:
        """Take the job back: it was done here, and nothing is left of it for a server."""
        writer.run(lambda w: self._jobs.cancel(w, kind=EXECUTE_JOB, key=proposal_id))

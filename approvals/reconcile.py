"""Reconciliation: asking the shop about what has no certain end, and storing what it says.

At a start, what an earlier process left executing is taken over before new work. What is unknown
or pending is watched by a job of its own, which settles it when the shop comes to know; only a
start or a person's command may take an empty look-up for the end of an unknown.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from sqlite_utils import Database

from approvals.epochs import look_ups_due, mark_looked_up
from approvals.errors import ClaimLost
from approvals.execution import (
    SECOND_US,
    Standing,
    Trouble,
    absence_is_proved,
    growing_wait_us,
)
from approvals.operation_rows import (
    Done,
    Failed,
    Operation,
    Outcome,
    Retry,
    Unknown,
    operations_in,
    pending_operations,
    read_operation,
)
from approvals.operations import Operations
from approvals.pace import Pace
from approvals.records import read_proposal
from approvals.shop_side import ShopSide
from approvals.states import OperationState
from approvals.store import Jobs, Writer
from approvals.times import DAY_US
from approvals.verdicts import verdict_of
from tools import Receipt, ShopError

__all__ = ["WATCH_JOB", "Finding", "Reconciler", "standing_of"]

WATCH_JOB: Final = "watch_operation"
"""The kind of the job that follows a pending or unknown operation; its key is the operation's."""
WATCH_STARTS: Final = 1_000_000
"""How often it may be started; ``Pace.watch_days`` is what bounds it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What reconciliation made of one operation; ``words`` say so for people."""

    operation: Operation
    was: OperationState
    words: str


def standing_of(operation: Operation, pace: Pace, now_us: int) -> Standing:
    """Return what the row alone says about an operation."""
    code = operation.error_code
    trouble = Trouble(code) if code in tuple(Trouble) else None
    if trouble is None and operation.attempt > 0:
        trouble = Trouble.INTERRUPTED  # sent, and no word of how that ended
    first = operation.first_attempt_us
    last = operation.last_attempt_us
    return Standing(
        trouble=trouble,
        attempts_left=pace.max_attempts - operation.attempt,
        key_age_us=0 if first is None else now_us - first,
        silent_us=0 if last is None else now_us - last - int(pace.timeout_s * SECOND_US),
    )


class Reconciler:
    """Settles what has no certain end, by look-ups and polls. It never sends."""

    def __init__(
        self,
        *,
        operations: Operations,
        jobs: Jobs,
        side: ShopSide,
        writer: Writer,
        owner: str,
        now_us: Callable[[], int],
        pace: Pace,
    ) -> None:
        self._operations = operations
        self._jobs = jobs
        self._side = side
        self._writer = writer
        self._owner = owner
        self._now_us = now_us
        self._pace = pace

    def settle(self, claimed: Operation, outcome: Outcome) -> Operation:
        """Store what a claimed attempt came to, and its watch where it is not final."""
        return self._store(
            lambda w: self._operations.settle(w, claimed.claim, outcome, now_us=self._now_us()),
            outcome,
        )

    def settle_unclaimed(self, operation: Operation, outcome: Outcome) -> Operation:
        """Store what a look at the shop said of an open operation, and its watch."""
        return self._store(
            lambda w: self._operations.settle_unclaimed(
                w, operation.operation_id, outcome, now_us=self._now_us()
            ),
            outcome,
        )

    def adopt(self, db: Database) -> list[Finding]:
        """Take over all that an earlier process left executing. For the lock's holder alone."""
        executing = operations_in(db, OperationState.EXECUTING)
        return [self.take_over(operation) for operation in executing]

    def catch_up(self, db: Database) -> list[Finding]:
        """Look up all that a restored backup may not know of; for the lock's holder alone.

        What the shop cannot say now stays due (``approvals.epochs``).
        """
        return [self._catch_up(db, operation) for operation in look_ups_due(db)]

    def take_over(self, operation: Operation) -> Finding:
        """Look one such operation up and settle it: found, or to be taken up again at once."""
        adopted = self._writer.run(
            lambda w: self._operations.adopt(
                w, operation.claim, owner=self._owner, now_us=self._now_us()
            )
        )
        outcome: Outcome
        try:
            self._check_gateway(adopted)
            receipt = self._side.look_up(adopted)
        except ShopError as error:
            outcome = _interrupted(self._now_us(), f"interrupted, and the shop cannot say: {error}")
        else:
            outcome = (
                _interrupted(self._now_us(), "interrupted, and the shop does not hold it yet")
                if receipt is None
                else verdict_of(receipt)
            )
        return _finding(operation, self.settle(adopted, outcome))

    def reconsider(self, db: Database) -> list[Finding]:
        """Ask about all that is unknown or pending; an empty look-up may end an unknown here."""
        asked = operations_in(db, OperationState.UNKNOWN) + pending_operations(db)
        return [self._reconsider(operation) for operation in asked]

    def watch(self, db: Database, operation_id: str) -> int | None:
        """Ask once about one that is unknown or pending; return when to ask again, if at all."""
        operation = read_operation(db, operation_id)
        if operation.state is not OperationState.UNKNOWN and not operation.pending:
            return None
        now, (least, most) = self._now_us(), self._pace.watch_s
        since = operation.settled_us or now
        if now < since + least * SECOND_US:  # the shop was asked a moment ago
            return since + least * SECOND_US
        with suppress(ShopError):  # it could not say; that is what the next turn is for
            held = self._held(operation)
            news = None if held is None else _news(operation, held)
            if news is not None:
                operation = self._resolve(operation, news)
        settled = operation.state is not OperationState.UNKNOWN and not operation.pending
        if settled or now - since >= self._pace.watch_days * DAY_US:
            return None
        return now + growing_wait_us(now - since, least_s=least, most_s=most)

    def _catch_up(self, db: Database, operation: Operation) -> Finding:
        outcome: Outcome | None
        try:
            self._check_gateway(operation)
            receipt = self._side.look_up(operation)
        except ShopError as error:
            if self._side.traits_of(operation) is not None:
                words = f"the shop cannot say, so nothing is sent: {error}"
                return Finding(operation=operation, was=operation.state, words=words)
            # Nothing goes through a gateway that is not there, so this one holds up nobody.
            outcome = Unknown(code="no_gateway", words=f"it may have been carried out; {error}")
        else:
            outcome = None if receipt is None else verdict_of(receipt)
        if outcome is None and self._is_over(db, operation):
            outcome = _expired_meanwhile()
        return _finding(operation, self._store_look_up(operation, outcome))

    def _is_over(self, db: Database, operation: Operation) -> bool:
        """Whether an approval is too old to act upon in a new epoch."""
        return read_proposal(db, operation.proposal_id).expires_us <= self._now_us()

    def _store_look_up(self, operation: Operation, outcome: Outcome | None) -> Operation:
        """Store that the shop was asked, and what it said, in one commit."""
        operation_id, now = operation.operation_id, self._now_us()

        def settle(db: Database) -> Operation:
            mark_looked_up(db, operation_id)
            with suppress(ClaimLost):  # behind one that is not done: looked up again at its turn
                if operation.state is OperationState.UNKNOWN:
                    if isinstance(outcome, Done | Failed):
                        return self._operations.resolve(db, operation_id, outcome, now_us=now)
                elif outcome is not None:
                    verb = self._operations.settle_unclaimed
                    return verb(db, operation_id, outcome, now_us=now)
            return read_operation(db, operation_id)

        return self._store(settle, outcome)

    def _reconsider(self, operation: Operation) -> Finding:
        try:
            held = self._held(operation)
        except ShopError as error:
            words = f"the shop cannot say: {error}"
            return Finding(operation=operation, was=operation.state, words=words)
        verdict = self._proved_absent(operation) if held is None else _news(operation, held)
        if verdict is None:
            words = "the shop does not say more than before"
            return Finding(operation=operation, was=operation.state, words=words)
        return _finding(operation, self._resolve(operation, verdict))

    def _held(self, operation: Operation) -> Receipt | None:
        """Return what the shop holds of an unknown or pending operation; None is nothing."""
        self._check_gateway(operation)
        return self._side.poll(operation) if operation.pending else self._side.look_up(operation)

    def _proved_absent(self, operation: Operation) -> Failed | None:
        traits = self._side.traits_of(operation)
        standing = standing_of(operation, self._pace, self._now_us())
        if operation.pending or traits is None or not absence_is_proved(traits, standing):
            return None
        return Failed(code="absent", words="nothing was done: the shop does not hold it")

    def _check_gateway(self, operation: Operation) -> None:
        if self._side.traits_of(operation) is None:
            raise ShopError(f"the gateway {operation.gateway} is not set up here")

    def _resolve(self, operation: Operation, verdict: Done | Failed) -> Operation:
        """Store a verdict; where a person was first, theirs stands."""
        verb = self._operations.resolve_pending if operation.pending else self._operations.resolve
        with suppress(ClaimLost):
            return self._store(
                lambda w: verb(w, operation.operation_id, verdict, now_us=self._now_us()), verdict
            )
        return self._writer.run(lambda w: read_operation(w, operation.operation_id))

    def _store(self, verb: Callable[[Database], Operation], outcome: Outcome | None) -> Operation:
        """Run a verb; what it leaves without a certain end gets its watch in the same commit."""

        def work(db: Database) -> Operation:
            settled = verb(db)
            if isinstance(outcome, Unknown) or _is_pending(outcome):
                self._jobs.submit(
                    db,
                    kind=WATCH_JOB,
                    key=settled.operation_id,
                    payload="",
                    now_us=self._now_us(),
                    max_attempts=WATCH_STARTS,
                )
            return settled

        return self._writer.run(work)


def _is_pending(outcome: Outcome | None) -> bool:
    return isinstance(outcome, Done) and outcome.pending


def _news(operation: Operation, held: Receipt) -> Done | Failed | None:
    """Return what settles an operation; None where the shop holds it and says no more than that."""
    verdict = verdict_of(held)
    if isinstance(verdict, Unknown) or (operation.pending and _is_pending(verdict)):
        return None
    return verdict


def _interrupted(now_us: int, words: str) -> Retry:
    return Retry(at_us=now_us, code=Trouble.INTERRUPTED.value, words=words)


def _expired_meanwhile() -> Unknown:
    return Unknown(
        code="expired",
        words="its time was over before the restored store was looked at; it may have been done",
    )


def _finding(before: Operation, after: Operation) -> Finding:
    words = after.error_words or f"the shop holds it: {(after.result or {}).get('reference')}"
    return Finding(operation=after, was=before.state, words=words)

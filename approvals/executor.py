"""The executor: the only code that changes a shop, and only from a row that people approved.

Each turn of an operation looks up before anything else, decides by ``approvals.execution``, and
either sends or stores when to come again. The claim is committed before the socket opens, and the
verdict is stored only where owner and attempt are still this claim's. No transaction is open
across a call. The loop is explicit and bounded; nothing around it retries.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import assert_never

from sqlite_utils import Database

from approvals.decisions import EXECUTE_JOB
from approvals.epochs import look_ups_due
from approvals.execution import (
    SECOND_US,
    Standing,
    Step,
    Trouble,
    growing_wait_us,
    is_quiet,
    next_step,
    send_wait_us,
    what_stays_open,
)
from approvals.operation_rows import Failed, Operation, Outcome, Retry, Unknown
from approvals.operations import Operations
from approvals.pace import Pace
from approvals.reconcile import WATCH_JOB, Finding, Reconciler, standing_of
from approvals.records import read_proposal
from approvals.shop_side import ShopSide
from approvals.states import OperationState
from approvals.store import Handler, Job, Jobs, Writer
from approvals.verdicts import refusal_of, trouble_of, verdict_of
from tools import Gateway, GatewayTraits, Shop, ShopBusy, ShopError, ShopGarbled

__all__ = ["Executor"]


class Executor:
    """Carries out approved proposals. One for each process that holds the serve lock."""

    def __init__(
        self,
        *,
        operations: Operations,
        jobs: Jobs,
        shop: Shop,
        gateways: Mapping[str, Gateway],
        writer: Writer,
        owner: str,
        now_us: Callable[[], int],
        pace: Pace | None = None,
    ) -> None:
        """Put the parts together; nothing is read or sent yet.

        Args:
            operations: the verbs, under the policy in force.
            jobs: where a settled operation that must be watched leaves its job.
            shop: what is read before a write.
            gateways: by the name in their traits; an operation goes through its own only.
            writer: takes every write of a claim or a verdict.
            owner: names this process in claims, a new name for each process.
            now_us: microseconds since 1970.
            pace: time-outs, waits and bounds.
        """
        self._operations = operations
        self._jobs = jobs
        self._writer = writer
        self._owner = owner
        self._now_us = now_us
        self._pace = pace or Pace()
        self._side = ShopSide(shop, gateways, timeout_s=self._pace.timeout_s)
        self._reconciler = Reconciler(
            operations=operations,
            jobs=jobs,
            side=self._side,
            writer=writer,
            owner=owner,
            now_us=now_us,
            pace=self._pace,
        )

    def handlers(self) -> dict[str, Handler]:
        """Return the handlers of the executor's jobs, for a ``JobServer``."""
        return {
            EXECUTE_JOB: lambda db, job: self._run(db, job, self.execute),
            WATCH_JOB: lambda db, job: self._run(db, job, self._reconciler.watch),
        }

    def reconcile(self, db: Database, *, adopt: bool) -> list[Finding]:
        """Ask the shop about everything whose end is not known, and store what it says.

        Args:
            db: a connection of the caller's, no transaction open.
            adopt: also take over what an earlier process left executing. Only for the holder of
                the serve lock, before it runs any job; without the lock it would take the work
                out of a living process's hands.
        """
        taken = self._reconciler.catch_up(db) + self._reconciler.adopt(db) if adopt else []
        return taken + self._reconciler.reconsider(db)

    def execute(self, db: Database, proposal_id: str) -> int | None:
        """Do all that is due of one proposal.

        Returns:
            When to come again, in microseconds since 1970; None where nothing is left to do.
            In a store that was restored, nothing is sent before all was looked up.

        Raises:
            ClaimLost: another one took the operation up; nothing of this turn was stored.
            StoreError: a claim or a verdict could not be stored. What was sent is looked up at
                the next turn.
        """
        if self._reconciler.catch_up(db) and look_ups_due(db):
            return self._now_us() + self._pace.look_s[1] * SECOND_US
        while (operation := self._operations.next_of(db, proposal_id)) is not None:
            if operation.state is OperationState.EXECUTING:
                self._reconciler.take_over(operation)
            elif operation.next_at_us > self._now_us():
                return operation.next_at_us
            else:
                self._take_turn(db, operation)
        return None

    def _run(self, db: Database, job: Job, work: Callable[[Database, str], int | None]) -> None:
        """Do a job; where it has to come again, say when in place of the server's verdict."""
        again = work(db, job.key)
        if again is not None:
            self._writer.run(lambda w: self._jobs.fail(w, job, error="waiting", retry_at_us=again))

    def _take_turn(self, db: Database, operation: Operation) -> None:
        """Look up, then send, settle or put off."""
        traits = self._side.traits_of(operation)
        if traits is None:
            self._settle_unclaimed(operation, _no_gateway(operation))
            return
        try:
            receipt = self._side.look_up(operation)
        except ShopError as error:
            self._settle_unclaimed(operation, self._not_looked_up(db, operation, traits, error))
            return
        if receipt is not None:
            self._settle_unclaimed(operation, verdict_of(receipt))
            return
        self._not_found(db, operation, traits)

    def _not_found(self, db: Database, operation: Operation, traits: GatewayTraits) -> None:
        standing = self._standing(operation)
        step = next_step(traits, standing)
        match step:
            case Step.SEND:
                if self._may_be_sent(db, operation):
                    self._send(operation, traits, None)
            case Step.RESEND:
                self._send(operation, traits, standing.trouble)
            case Step.LOOK_AGAIN:
                self._settle_unclaimed(operation, self._look_again(operation, standing.trouble))
            case Step.ABSENT:
                self._settle_unclaimed(operation, _absent(operation))
            case Step.GIVE_UP:
                self._settle_unclaimed(operation, _given_up(operation))
            case _:
                assert_never(step)

    def _may_be_sent(self, db: Database, operation: Operation) -> bool:
        """Check owner, stock and what is left; store why not where it may not."""
        proposal = read_proposal(db, operation.proposal_id)
        try:
            self._side.check(operation, proposal.customer_id)
        except ShopError as error:
            self._settle_unclaimed(operation, self._unasked(db, operation, error))
            return False
        return True

    def _send(self, operation: Operation, traits: GatewayTraits, doubt: Trouble | None) -> None:
        """Claim, send, settle. ``doubt`` is what an earlier attempt left open."""
        claimed = self._writer.run(
            lambda w: self._operations.claim(
                w, operation.operation_id, owner=self._owner, now_us=self._now_us()
            )
        )
        if claimed.state is not OperationState.EXECUTING:
            return  # no longer allowed, and stored as that
        outcome: Outcome
        try:
            outcome = verdict_of(self._side.send(claimed))
        except ShopError as error:
            outcome = self._after_error(claimed, traits, error, doubt)
        self._reconciler.settle(claimed, outcome)

    def _after_error(
        self,
        operation: Operation,
        traits: GatewayTraits,
        error: ShopError,
        doubt: Trouble | None,
    ) -> Outcome:
        """Return what a failed attempt comes to; a doubt stays until a look-up ends it."""
        latest = trouble_of(error)
        if latest is None and doubt is None:
            return refusal_of(error)
        trouble = what_stays_open(traits, doubt, latest or Trouble.REFUSED)
        if not trouble.in_doubt and operation.attempt >= self._pace.max_attempts:
            return _absent(operation)
        asked_s = error.retry_after_s if isinstance(error, ShopBusy) else None
        wait = send_wait_us(self._pace.waits_s, operation.attempt, asked_s)
        return Retry(at_us=self._now_us() + wait, code=trouble.value, words=str(error))

    def _not_looked_up(
        self, db: Database, operation: Operation, traits: GatewayTraits, error: ShopError
    ) -> Outcome:
        """Return what it comes to that a look-up failed; a doubt outlives even a refusal."""
        standing = self._standing(operation)
        if standing.trouble is None or not standing.trouble.in_doubt:
            return self._unasked(db, operation, error)
        if is_quiet(traits, standing):
            return _given_up(operation)
        return self._look_again(operation, standing.trouble)

    def _unasked(self, db: Database, operation: Operation, error: ShopError) -> Outcome:
        """Return what it comes to that the shop could not be asked, or says no, before a call.

        Nothing of the operation has happened: it was never acted on, or is proved absent.
        """
        if trouble_of(error) is None:
            return refusal_of(error)
        proposal = read_proposal(db, operation.proposal_id)
        elapsed = self._now_us() - (proposal.decided_us or proposal.created_us)
        if elapsed >= self._pace.patience_s * SECOND_US:
            return _unasked_for_too_long(error)
        least, most = self._pace.look_s
        at = self._now_us() + growing_wait_us(elapsed, least_s=least, most_s=most)
        code = self._standing(operation).trouble or Trouble.UNASKED
        return Retry(at_us=at, code=code.value, words=str(error))

    def _look_again(self, operation: Operation, trouble: Trouble | None) -> Retry:
        now = self._now_us()
        least, most = self._pace.look_s
        elapsed = now - (operation.last_attempt_us or now)
        at = now + growing_wait_us(elapsed, least_s=least, most_s=most)
        code = (trouble or Trouble.INTERRUPTED).value
        words = operation.error_words or "the outcome is not known yet; the shop is asked again"
        return Retry(at_us=at, code=code, words=words)

    def _standing(self, operation: Operation) -> Standing:
        return standing_of(operation, self._pace, self._now_us())

    def _settle_unclaimed(self, operation: Operation, outcome: Outcome) -> None:
        self._reconciler.settle_unclaimed(operation, outcome)


def _no_gateway(operation: Operation) -> Failed | Unknown:
    words = f"the gateway {operation.gateway} is not set up here, so nothing could be sent or asked"
    if operation.attempt == 0:
        return Failed(code="no_gateway", words=words)
    return Unknown(code="no_gateway", words=words)


def _absent(operation: Operation) -> Failed:
    return Failed(
        code=operation.error_code or Trouble.UNAVAILABLE.value,
        words=f"nothing was done: {operation.attempt} attempts, and the shop does not hold it",
    )


def _given_up(operation: Operation) -> Unknown:
    return Unknown(
        code=operation.error_code or Trouble.TIMEOUT.value,
        words=(
            f"it may or may not have been done: {operation.attempt} attempts, and the shop cannot"
            " say; look there before anything else"
        ),
    )


def _unasked_for_too_long(error: ShopError) -> Failed | Unknown:
    if isinstance(error, ShopGarbled):  # it answers, and what it says may be that it has it
        return Unknown(code="garbled", words=f"not sent now; what the shop answers is odd: {error}")
    words = f"nothing was done; the shop could not be asked for too long: {error}"
    return Failed(code=Trouble.UNASKED.value, words=words)

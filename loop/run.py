"""The run: one pass of the bounded loop over one ticket.

One step reads as the design says it: budgets → ask → account → journal the reply, then judge it →
each call in the order given → every call id answered → end-of-step rules. Everything that decides
about ending is in ``loop.rules``; everything about one call is in ``loop.calls``.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final, assert_never

from loop.calls import Calls
from loop.decision import Ask, Unusable, decide, with_own_ids
from loop.ending import Ended, Totals, judge
from loop.errors import (
    AskingStopped,
    BudgetCut,
    LoopError,
    ModelError,
    ProviderFailed,
    RecordingMissing,
)
from loop.journal import Journal
from loop.messages import Message, Request, Role, WireCall
from loop.model import CostState, Model, Reply, cleaned, whole
from loop.profiles import FinishForm
from loop.prompts import system_text, ticket_text
from loop.records import Asked, Cancelled, Cause, Failed, LostAttempt, Opened, Replied, Stopped
from loop.redact import Redactor
from loop.rules import (
    Stop,
    StopReason,
    Tally,
    check_after_step,
    check_before_call,
    stopped,
    time_left_us,
)
from loop.talk import Talk
from loop.texts import nudge
from loop.work import Work, request_head

__all__ = ["run"]

_log: Final = logging.getLogger("handrail.loop")


def run(
    work: Work,
    model: Model,
    journal: Journal,
    cancelled: Callable[[], str | None] = lambda: None,
) -> Ended:
    """Work on one ticket until the run ends, for exactly one named reason.

    ``cancelled`` is asked before each model call and after each reply; it returns why the run is
    to be cancelled, or None. With a journal that holds the run's own past, the run resumes.

    Raises:
        JournalDiverged: the past in the journal is not this run's.
    """
    return _Run(work, model, journal, cancelled).run()


class _Run:
    def __init__(
        self, work: Work, model: Model, journal: Journal, cancelled: Callable[[], str | None]
    ) -> None:
        self._work = work
        self._limits = work.profile.limits
        self._model = model
        self._journal = journal
        self._cancelled = cancelled
        self._tally = Tally()
        self._totals = Totals()
        self._used_ids: set[str] = set()
        self._answer: Reply | None = None
        self._redactor = Redactor(keep=work.forms)
        self._head = request_head(work)
        self._talk = self._open()
        self._calls = Calls(work, journal, self._talk, self._tally, self._redactor)

    def run(self) -> Ended:
        stop = self._loop()
        self._journal.write(Stopped(stop=stop))
        self._totals.calls = self._tally.calls
        return judge(self._work, stop, self._answer, self._calls, self._journal, self._totals)

    def _loop(self) -> Stop:
        while True:
            stop = self._cancel() or check_before_call(self._limits, self._timed())
            if stop is not None:
                return stop
            reply = self._ask()
            if isinstance(reply, Stop):
                return reply
            stop = self._step(reply)
            if stop is not None:
                return stop

    def _open(self) -> Talk:
        work, profile = self._work, self._work.profile
        text = self._redactor.text(work.ticket.text)
        attachments = tuple(self._redactor.text(name) for name in work.ticket.attachments)
        self._journal.write(
            Opened(
                ticket_id=work.ticket.ticket_id,
                customer_id=work.ticket.customer_id,
                text=text,
                attachments=attachments,
                profile=profile.name,
                today=work.today.isoformat(),
                head=self._head,
                limits=self._limits.as_dict(),
                marks=work.marks,
            )
        )
        opening = (
            Message(role=Role.SYSTEM, text=system_text(profile.instructions, work.today)),
            Message(role=Role.USER, text=ticket_text(work.ticket, text, attachments)),
        )
        return Talk(work.ticket.ticket_id, self._head, opening)

    def _timed(self) -> Tally:
        """Return the tally with the run time at the last journal record.

        Not the clock's: what is journaled decides, so that a replay decides the same.
        """
        self._tally.wall_us = self._journal.at_us
        return self._tally

    def _cancel(self) -> Stop | None:
        past = self._journal.recall(Cancelled)
        if past is not None:
            cause: str | None = past.cause
        elif self._journal.replaying:
            return None
        elif (cause := self._cancelled()) is not None:
            cause = whole(cause)
            self._journal.write(Cancelled(step=self._tally.steps, cause=cause))
        if cause is None:
            return None
        return stopped(self._limits, self._timed(), StopReason.CANCELLED, cause)

    def _ask(self) -> Reply | Stop:
        self._tally.count_step()
        step = self._tally.steps
        request, appended = self._talk.request(step)
        asked_before = self._journal.replaying
        self._journal.write(Asked(step=step, digest=request.digest, appended=appended))
        record = self._recalled(step) if asked_before else None
        if record is None:
            record = self._ask_live(request)
            self._journal.write(record)
        return self._account(record)

    def _recalled(self, step: int) -> Replied | Failed | None:
        """Return what an earlier life of this run got, or note that its attempt was lost."""
        while self._journal.recall(LostAttempt) is not None:
            self._totals.lost_attempts += 1
        record = self._journal.recall(Replied) or self._journal.recall(Failed)
        if record is None:
            self._journal.write(LostAttempt(step=step))
            self._totals.lost_attempts += 1
        return record

    def _ask_live(self, request: Request) -> Replied | Failed:
        left_us = time_left_us(self._limits, self._timed())
        left_s = None if left_us is None else left_us / 1_000_000
        try:
            return Replied(
                step=request.step, reply=cleaned(self._model.ask(request, time_left_s=left_s))
            )
        except ProviderFailed as error:
            return self._no_reply(request, "provider_error", error)
        except BudgetCut as error:
            return self._no_reply(request, "budget_cut", error)
        except AskingStopped as error:
            return self._no_reply(request, "cancelled", error)
        except RecordingMissing as error:
            return self._no_reply(request, "no_recording", error)
        except LoopError:
            raise
        except Exception as error:  # noqa: BLE001 (whatever a client raises, the run ends)
            # A fault of the client's must not leave a run without an end. Its text may hold
            # anything, so the log names its kind and its place only.
            _log.error("model_client_failed", extra={"error": type(error).__name__})
            failed = ProviderFailed(f"the model client failed with {type(error).__name__}")
            return self._no_reply(request, "provider_error", failed)

    def _no_reply(self, request: Request, cause: Cause, error: ModelError) -> Failed:
        provider = error if isinstance(error, ProviderFailed) else None
        return Failed(
            step=request.step,
            cause=cause,
            # A provider's words may quote the key or the customer.
            message=self._redactor.text(whole(str(error))),
            status=None if provider is None else provider.status,
            wait_s=None if provider is None else provider.wait_s,
            latency_us=error.latency_us,
            attempts=error.attempts,
        )

    def _account(self, record: Replied | Failed) -> Reply | Stop:
        if isinstance(record, Failed):
            self._tally.count_model_time(record.latency_us)
            self._totals.count_attempts(record.attempts)
            return self._failed(record)
        reply = record.reply
        self._tally.count_model_time(reply.latency_us)
        self._totals.count(reply)
        if reply.cost.state is not CostState.NOT_RECORDED:
            self._tally.count_cost(reply.cost.usd)
        return reply

    def _failed(self, record: Failed) -> Stop:
        match record.cause:
            case "budget_cut":
                reason = StopReason.TIME
            case "cancelled":
                reason = StopReason.CANCELLED
            case "no_recording":
                reason = StopReason.NO_RECORDING
            case "provider_error":
                reason = StopReason.PROVIDER_ERROR
            case _:
                assert_never(record.cause)
        cancelled = self._cancel() if reason is StopReason.CANCELLED else None
        return cancelled or stopped(self._limits, self._timed(), reason, record.message)

    def _step(self, reply: Reply) -> Stop | None:
        """Judge one reply; None means that the run goes on."""
        profile, step = self._work.profile, self._tally.steps
        decision = decide(reply, profile.ask, self._head.tools, self._head.max_tokens, step)
        calls = with_own_ids(decision.calls, step, self._used_ids)
        on_the_wire = calls if profile.ask is Ask.TOOLS else ()
        self._talk.append(Message(role=Role.ASSISTANT, text=reply.text, calls=on_the_wire))
        cancelled = self._cancel()
        if cancelled is not None:
            self._calls.answer_unused(calls, "run_cancelled", "the run was cancelled")
            return cancelled
        if decision.unusable is not None:
            return self._without_step(reply, calls, decision.unusable)
        stop = self._calls.answer(calls)
        if stop is None and self._calls.finish is not None:
            stop = self._finished()
        return stop or check_after_step(self._limits, self._timed())

    def _without_step(
        self, reply: Reply, calls: tuple[WireCall, ...], unusable: Unusable
    ) -> Stop | None:
        """Take the reply as the last word, or as one error where there is a finish tool."""
        self._calls.answer_unused(calls, "reply_unusable", "the reply could not be used")
        if self._work.profile.finish is FinishForm.ANSWER:
            self._answer = reply
            return self._finished()
        self._tally.count_error()
        stop = check_after_step(self._limits, self._timed())
        if stop is None:
            text = nudge(unusable, self._work.profile.ask)
            self._talk.append(Message(role=Role.USER, text=text))
        return stop

    def _finished(self) -> Stop:
        return stopped(self._limits, self._timed(), StopReason.FINISHED)

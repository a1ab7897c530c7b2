"""The calls of one reply: each in the order given, and every call id answered exactly once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, assert_never

from loop.cut import cut_result
from loop.decision import FINISH, Ask
from loop.errors import FinishRefused, JournalDiverged
from loop.finish import MAX_ACTIONS, read_finish
from loop.journal import Journal
from loop.messages import Message, Role, WireCall
from loop.profiles import Door, FinishForm
from loop.records import Called
from loop.redact import Redactor
from loop.resolution import Resolution
from loop.rules import Handling, ReplyTally, Stop, Tally, check_call
from loop.talk import Talk
from loop.texts import (
    equal_action,
    finish_accepted,
    finish_refused,
    no_door,
    not_looked_up,
    not_run,
    result_message,
    too_many_actions,
)
from loop.work import Work
from tools import Action, CallResult, Kind, OrderFact, action_from_dict, action_to_dict

__all__ = ["Calls"]


class Calls:
    """Answers calls, and keeps what they brought: evidence, staged actions, the finish."""

    def __init__(
        self, work: Work, journal: Journal, talk: Talk, tally: Tally, redactor: Redactor
    ) -> None:
        self.orders: dict[str, OrderFact] = {}
        """The orders that tools returned in this run."""
        self.shown: list[str] = []
        """The texts of ok results, as the model saw them."""
        self.staged: list[Action] = []
        """Actions of write calls, in order."""
        self.finish: Resolution | None = None
        """The accepted finish of a profile with a finish tool."""
        self._work = work
        self._limits = work.profile.limits
        self._journal = journal
        self._talk = talk
        self._tally = tally
        self._redactor = redactor

    def answer(self, calls: tuple[WireCall, ...]) -> Stop | None:
        """Run what is to be run, answer all; return a stop if a repeat ends the run."""
        reply = _OneReply()
        stop: Stop | None = None
        for index, call in enumerate(calls):
            if stop is not None:
                self._answer_not_run(index, call, "run_stopped", "the run has stopped")
            elif self.finish is not None:
                self._answer_not_run(index, call, "run_finished", "the run has finished")
            elif self._is_finish(call):
                self._answer_finish(index, call)
            else:
                stop = self._answer_one(index, call, reply)
        return stop

    def answer_unused(self, calls: tuple[WireCall, ...], code: str, cause: str) -> None:
        """Answer the calls of a reply that is not used: none is run."""
        for index, call in enumerate(calls):
            self._answer_not_run(index, call, code, cause)

    def _is_finish(self, call: WireCall) -> bool:
        return call.name == FINISH and self._work.profile.finish is FinishForm.TOOL

    def _answer_finish(self, index: int, call: WireCall) -> None:
        """Judge a finish. It is exempt from the call limit: an answer is never thrown away."""
        try:
            self.finish = read_finish(call.arguments, self.orders)
        except FinishRefused as refusal:
            content = finish_refused(str(refusal))
            self._answer_with(index, call, Kind.INVALID, "finish_refused", content)
            self._tally.count_error()
        else:
            self._answer_with(index, call, Kind.OK, "finish_accepted", finish_accepted())

    def _answer_one(self, index: int, call: WireCall, reply: _OneReply) -> Stop | None:
        signature = self._work.toolbox.signature(call.name, call.arguments)
        self._tally.wall_us = self._journal.at_us
        handling = check_call(self._limits, self._tally, reply.tally, signature)
        if isinstance(handling, Stop):
            self._answer_not_run(
                index, call, "repeated_call", "the same call was made before in this run"
            )
            return handling
        match handling:
            case Handling.BEYOND:
                most = self._limits.max_calls_per_step
                cause = f"one reply may hold at most {most} calls"
                self._answer_not_run(index, call, "too_many_calls", cause)
            case Handling.COPY:
                self._answer_copy(index, call, reply.ran[signature])
            case Handling.RUN:
                called = self._run_call(index, call)
                reply.ran[signature] = called
                self._tally.count_call(signature, _known(called))
            case _:
                assert_never(handling)
        return None

    def _run_call(self, index: int, call: WireCall) -> Called:
        """Run one call, or recall what it came to in an earlier life of this run."""
        called = self._journal.recall(Called)
        if called is not None and (called.index, called.name) != (index, call.name):
            raise JournalDiverged(
                f"the journal of step {called.step} holds call {called.index} where the resumed "
                f"run comes to call {index}: start a new run"
            )
        if called is None:
            result = self._stage(self._work.toolbox.call(call.name, call.arguments))
            called = self._record(index, call, result)
            self._journal.write(called)
        self._keep(called)
        self._tell(call, called)
        return called

    def _stage(self, result: CallResult) -> CallResult:
        """Refuse a write call that has no door, no evidence, or no place in one proposal."""
        if result.action is None:
            return result
        if self._work.profile.door is not Door.CALLS:
            return CallResult(kind=Kind.REFUSED, code="no_door", content=no_door())
        if result.action.order_id not in self.orders:
            return CallResult(kind=Kind.REFUSED, code="not_looked_up", content=not_looked_up())
        if result.action in self.staged:
            return CallResult(kind=Kind.REFUSED, code="equal_action", content=equal_action())
        if len(self.staged) >= MAX_ACTIONS:
            content = too_many_actions(MAX_ACTIONS)
            return CallResult(kind=Kind.REFUSED, code="too_many_actions", content=content)
        return result

    def _keep(self, called: Called) -> None:
        if called.result is Kind.OK:
            self.shown.append(called.text)
            for fact in called.orders:
                self.orders[fact.order_id] = _merged(self.orders.get(fact.order_id), fact)
        elif called.action is not None:
            self.staged.append(action_from_dict(called.action))

    def _answer_copy(self, index: int, call: WireCall, first: Called) -> None:
        """Give a copy the result of the call it copies; it counts nothing."""
        copy = replace(first, index=index, call_id=call.call_id, copy_of=first.index, action=None)
        self._journal.write(copy)
        self._tell(call, copy)

    def _answer_not_run(self, index: int, call: WireCall, code: str, cause: str) -> None:
        self._answer_with(index, call, Kind.NOT_RUN, code, not_run(cause))

    def _answer_with(
        self, index: int, call: WireCall, kind: Kind, code: str, content: Mapping[str, Any]
    ) -> None:
        called = self._record(index, call, CallResult(kind=kind, code=code, content=content))
        self._journal.write(called)
        self._tell(call, called)

    def _record(self, index: int, call: WireCall, result: CallResult) -> Called:
        text, cut = cut_result(self._redactor.value(result.content), self._limits.max_result_chars)
        return Called(
            step=self._tally.steps,
            index=index,
            call_id=call.call_id,
            name=call.name,
            result=result.kind,
            code=result.code,
            text=text,
            cut=cut,
            copy_of=None,
            orders=result.orders,
            action=None if result.action is None else action_to_dict(result.action),
        )

    def _tell(self, call: WireCall, called: Called) -> None:
        if self._work.profile.ask is Ask.TOOLS:
            message = Message(role=Role.TOOL, text=called.text, call_id=call.call_id)
        else:
            message = Message(role=Role.USER, text=result_message(call.name, called.text))
        self._talk.append(message)


class _OneReply:
    """What the calls of one reply have in common."""

    __slots__ = ("ran", "tally")

    def __init__(self) -> None:
        self.tally = ReplyTally()
        self.ran: dict[str, Called] = {}


def _known(called: Called) -> Kind:
    if called.result is None:
        raise JournalDiverged(
            f"the journal does not say what came of call {called.index} of step {called.step}: a "
            "run that was made elsewhere cannot be gone on with"
        )
    return called.result


def _merged(known: OrderFact | None, new: OrderFact) -> OrderFact:
    """Return the newer fact, keeping what only the older one knew."""
    if known is None:
        return new
    return OrderFact(
        order_id=new.order_id,
        status=known.status if new.status is None else new.status,
        currency=known.currency if new.currency is None else new.currency,
    )

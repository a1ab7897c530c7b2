"""The end of a run: the gates, once, and what the run came to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final

from loop.attempts import Attempt
from loop.calls import Calls
from loop.gates import GateFacts, judge_answer, judge_resolution
from loop.journal import Journal
from loop.model import CostState, Reply
from loop.records import Checked, Closed
from loop.resolution import Problem, Resolution, Result
from loop.rules import Stop, StopReason
from loop.work import Work
from tools import (
    Action,
    NotFound,
    NotYours,
    OrderFact,
    ShopError,
    ShopInvalid,
    action_to_dict,
    digest,
)

__all__ = ["Ended", "Totals", "judge", "resolution_to_dict"]

OWNS_ORDER: Final = "owns_order"
"""The question to the shop that a claimed order needs when no tool returned it."""
POSSIBLE: Final = "action_possible"
"""The question to the shop about each action of a finish."""
ACTION_NOT_POSSIBLE: Final = Problem(
    code="action_not_possible", message="The shop says that a proposed change cannot be done."
)
"""The last rule of the rule gate. It needs the shop, so it stands here, where the shop is asked."""


@dataclass(slots=True, kw_only=True)
class Totals:
    """What a run used, for people to read. None is unknown, and unknown stays unknown."""

    calls: int = 0
    tokens_in: int | None = 0
    tokens_out: int | None = 0
    cost_usd: Decimal = Decimal(0)
    cost_unknown: int = 0
    """Replies whose cost is unknown."""
    cost_not_recorded: int = 0
    """Replies of a recording without costs: a cost limit could not be checked."""
    lost_attempts: int = 0
    """Requests in flight when the process died; what they cost is unknown, and limits nothing."""
    failed_attempts: int = 0
    """Tries that gave no reply and that the provider may count; as lost ones."""
    models: list[str] = field(default_factory=list)
    """The models that answered, each once, in order."""

    def count(self, reply: Reply) -> None:
        """Add one reply."""
        self.tokens_in = _plus(self.tokens_in, reply.usage.tokens_in)
        self.tokens_out = _plus(self.tokens_out, reply.usage.tokens_out)
        if reply.cost.usd is not None:
            self.cost_usd += reply.cost.usd
        self.cost_unknown += reply.cost.state is CostState.UNKNOWN
        self.cost_not_recorded += reply.cost.state is CostState.NOT_RECORDED
        self.count_attempts(reply.attempts)
        if reply.model is not None and reply.model not in self.models:
            self.models.append(reply.model)

    def count_attempts(self, attempts: Iterable[Attempt]) -> None:
        """Add tries that gave no reply."""
        self.failed_attempts += sum(attempt.may_have_cost for attempt in attempts)

    @property
    def cost_complete(self) -> bool:
        """Whether ``cost_usd`` is all that the run cost."""
        unknown = self.cost_unknown + self.lost_attempts + self.failed_attempts
        return not (unknown or self.cost_not_recorded)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """What a run came to. Only a valid one has a draft to show and actions to propose."""

    ticket_id: str
    stop: Stop
    result: Result
    resolution: Resolution | None
    problems: tuple[Problem, ...]
    orders: Mapping[str, OrderFact]
    totals: Totals
    seconds_us: int
    """Active run time in microseconds."""

    @property
    def actions(self) -> tuple[Action, ...]:
        """What is to be proposed: the actions of a valid resolution, else none."""
        if self.result is not Result.VALID or self.resolution is None:
            return ()
        return self.resolution.actions

    def closing(self) -> Closed:
        """Return the closing record. The caller stores it in the commit that ends the run."""
        return Closed(
            result=self.result,
            resolution=None if self.resolution is None else resolution_to_dict(self.resolution),
            problems=tuple({"code": p.code, "message": p.message} for p in self.problems),
            steps=self.stop.step,
            calls=self.totals.calls,
            tokens_in=self.totals.tokens_in,
            tokens_out=self.totals.tokens_out,
            cost_usd=self.totals.cost_usd,
            cost_complete=self.totals.cost_complete,
            seconds_us=self.seconds_us,
        )


def judge(
    work: Work, stop: Stop, answer: Reply | None, calls: Calls, journal: Journal, totals: Totals
) -> Ended:
    """Pass what the run ended with through the gates; they set the result, nothing else."""
    resolution = calls.finish
    problems: tuple[Problem, ...] = ()
    if answer is not None:
        resolution, problems = _schema_gate(work, answer, calls)
    if resolution is not None:
        facts = GateFacts(
            orders=calls.orders,
            shown=tuple(calls.shown),
            claim_is_customers=_claim_is_customers(work, resolution, calls, journal),
            forms=work.forms,
        )
        problems = judge_resolution(work.ticket, resolution, facts)
        if not all(_is_possible(work, action, journal) for action in resolution.actions):
            problems = (*problems, ACTION_NOT_POSSIBLE)
    return Ended(
        ticket_id=work.ticket.ticket_id,
        stop=stop,
        result=_result(stop, problems),
        resolution=resolution,
        problems=problems,
        orders=calls.orders,
        totals=totals,
        seconds_us=journal.at_us,
    )


def resolution_to_dict(resolution: Resolution) -> dict[str, Any]:
    """Return the resolution as JSON values, every field present."""
    order = resolution.order
    return {
        "outcome": resolution.outcome.value,
        "reply": resolution.reply,
        "reason": resolution.reason,
        "actions": [action_to_dict(action) for action in resolution.actions],
        "rule": resolution.rule,
        "team": resolution.team,
        "language": None if resolution.language is None else resolution.language.value,
        "confidence": None if resolution.confidence is None else resolution.confidence.value,
        "order": None if order is None else {"order_id": order.order_id, "status": order.status},
    }


def _schema_gate(
    work: Work, answer: Reply, calls: Calls
) -> tuple[Resolution | None, tuple[Problem, ...]]:
    judged = judge_answer(answer, work.forms, tuple(calls.staged), work.profile.max_tokens)
    if isinstance(judged, Problem):
        return None, (judged,)
    return judged, ()


def _claim_is_customers(
    work: Work, resolution: Resolution, calls: Calls, journal: Journal
) -> bool | None:
    """Ask the shop about a claimed order that no tool returned; the answer is journaled."""
    if resolution.order is None:
        return None
    order_id = resolution.order.order_id
    if order_id in calls.orders:
        return True
    checked = journal.recall(Checked)
    if checked is None:
        answer = _owns(work, order_id)
        checked = Checked(question=OWNS_ORDER, subject=order_id, answer=answer)
        journal.write(checked)
    return checked.answer


def _is_possible(work: Work, action: Action, journal: Journal) -> bool:
    """Ask the shop whether an action of the finish can be done; the answer is journaled.

    A shop that cannot say does not stand in the way: a person decides, and the executor asks
    again before anything is sent.
    """
    checked = journal.recall(Checked)
    if checked is None:
        subject = digest("action", action_to_dict(action))
        checked = Checked(question=POSSIBLE, subject=subject, answer=_possible(work, action))
        journal.write(checked)
    return checked.answer


def _possible(work: Work, action: Action) -> bool:
    try:
        work.check(action)
    except (NotFound, NotYours, ShopInvalid):
        return False
    except ShopError:
        return True
    return True


def _owns(work: Work, order_id: str) -> bool:
    try:
        return work.owns_order(order_id)
    except ShopError:
        return False  # a shop that cannot say has not confirmed it


def _result(stop: Stop, problems: tuple[Problem, ...]) -> Result:
    if stop.reason is not StopReason.FINISHED:
        return Result.FAILED
    return Result.REJECTED if problems else Result.VALID


def _plus(total: int | None, more: int | None) -> int | None:
    return None if total is None or more is None else total + more

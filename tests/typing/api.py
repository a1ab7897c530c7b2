"""The public door of ``tools`` and ``loop`` as its users type it. Checked by mypy, never run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, assert_never, assert_type

from pydantic import BaseModel

from loop import (
    NOT_GIVEN,
    PRICES,
    Asked,
    BudgetCut,
    Called,
    Cancelled,
    Checked,
    Clock,
    Closed,
    Cost,
    CostState,
    Ended,
    Entry,
    Failed,
    FixedIds,
    Journal,
    Limits,
    LostAttempt,
    MemorySink,
    Model,
    MonotonicClock,
    Opened,
    Outcome,
    Problem,
    Profile,
    ProviderFailed,
    Record,
    RecordingMissing,
    Replied,
    Reply,
    Request,
    Resolution,
    Result,
    ScriptedModel,
    Sink,
    Stop,
    Stopped,
    StopReason,
    VirtualClock,
    Work,
    get_profile,
    limits_from_text,
    price_of,
    run,
    work_for,
)
from tools import (
    PRACTICE_TODAY,
    Action,
    CallResult,
    CreateReturnLabel,
    IdForms,
    Kind,
    Money,
    OrderFact,
    PracticeShop,
    RequestRefund,
    ReshipItem,
    Shop,
    ShopView,
    Ticket,
    Tool,
    Toolbox,
    ToolSpec,
    parse_json,
)


def stop_in_words(stop: Stop) -> str:
    """A new stop reason fails the type check here."""
    match stop.reason:
        case StopReason.FINISHED:
            return "finished"
        case StopReason.MAX_STEPS | StopReason.TIME | StopReason.COST:
            return f"{stop.limit} {stop.limit_value}: {stop.observed}"
        case StopReason.REPEATED_CALL | StopReason.TOO_MANY_ERRORS:
            return f"{stop.limit}"
        case StopReason.NO_RECORDING | StopReason.PROVIDER_ERROR | StopReason.CANCELLED:
            return f"{stop.cause}"
        case _:
            assert_never(stop.reason)


def kind_in_words(kind: Kind) -> str:
    """A new kind of result fails the type check here."""
    match kind:
        case Kind.OK | Kind.PROPOSED:
            return "good"
        case Kind.NOT_FOUND | Kind.REFUSED | Kind.INVALID | Kind.FAILED:
            return "error"
        case Kind.NOT_RUN:
            return "nothing"
        case _:
            assert_never(kind)


def action_in_words(action: Action) -> str:
    """A new action fails the type check here."""
    match action:
        case RequestRefund():
            assert_type(action.money, Money)
            return str(action.money)
        case ReshipItem():
            return f"{action.quantity} x {action.sku}"
        case CreateReturnLabel():
            return action.sku
        case _:
            assert_never(action)


def record_in_words(record: Record) -> str:
    """A new record fails the type check here."""
    match record:
        case Opened() | Asked() | LostAttempt() | Replied() | Failed() | Called() | Checked():
            return record.kind
        case Cancelled() | Stopped() | Closed():
            return record.kind
        case _:
            assert_never(record)


def result_in_words(result: Result, outcome: Outcome, state: CostState) -> tuple[str, str, str]:
    """Closed enums are texts too."""
    return result.value, outcome.value, state.value


class OwnModel:
    """A model of one's own needs one method."""

    def ask(self, request: Request, *, time_left_s: float | None) -> Reply:
        """Answer or raise."""
        if time_left_s is not None and time_left_s < 1:
            raise BudgetCut("cut", latency_us=0)
        if not request.messages:
            raise RecordingMissing("none")
        raise ProviderFailed("HTTP 500", status=500, wait_s=1.5)


class OwnClock:
    """So does a clock."""

    def now_us(self) -> int:
        """Return the time."""
        return 0


class OwnSink:
    """And a sink."""

    def append(self, entry: Entry) -> None:
        """Store the entry."""
        assert_type(entry.seq, int)


class NoArguments(BaseModel):
    """The arguments of the tool below."""


class OwnTool:
    """A tool of one's own."""

    name = "own"
    description = "A tool."
    arguments: type[BaseModel] = NoArguments

    def run(self, arguments: Any) -> CallResult:
        """Answer."""
        del arguments
        fact = OrderFact(order_id="LK-1", status=None, currency=None)
        return CallResult(kind=Kind.OK, code="ok", content={"ok": True}, orders=(fact,))


def seams() -> tuple[Model, Clock, Clock, Sink, Sink, Tool]:
    """Each fits its protocol, ours and one's own."""
    scripted: Model = ScriptedModel([], VirtualClock())
    del scripted
    return OwnModel(), OwnClock(), MonotonicClock(), OwnSink(), MemorySink(), OwnTool()


def limits() -> Limits:
    """Not given, None, 0 and a number are four things."""
    base = get_profile("resolver").limits
    given = limits_from_text({"max_steps": "4"})
    assert_type(given, dict[str, Any])
    assert_type(base.max_steps, int | None)
    assert_type(base.max_cost_usd, Decimal | None)
    return base.changed(max_steps=NOT_GIVEN, max_errors=None, max_seconds=0, **given)


def whole(shop: Shop, ticket: Ticket) -> Ended:
    """A run from end to end."""
    profile: Profile = replace(get_profile("desk"), limits=limits())
    work: Work = work_for(ticket, profile, shop, today=PRACTICE_TODAY, model_name="m")
    past: Sequence[Entry] = ()
    journal = Journal(MemorySink(), MonotonicClock(), past)
    ended = run(work, OwnModel(), journal, lambda: None)
    assert_type(ended.stop, Stop)
    assert_type(ended.resolution, Resolution | None)
    assert_type(ended.problems, tuple[Problem, ...])
    assert_type(ended.actions, tuple[Action, ...])
    assert_type(ended.closing(), Closed)
    assert_type(ended.totals.tokens_in, int | None)
    return ended


def reads(shop: PracticeShop, toolbox: Toolbox) -> tuple[ToolSpec, ...]:
    """The shop's side."""
    view: ShopView = shop.for_customer("C-1")
    assert_type(view.owns_order("LK-1"), bool)
    assert_type(toolbox.call("get_order", "{}"), CallResult)
    assert_type(IdForms().find_orders("LK-1"), tuple[str, ...])
    assert_type(parse_json("1"), Any)
    cost = price_of("a", "b", Reply(text=None, finish_reason=None, latency_us=0, cost=FREE).usage)
    assert_type(cost, Cost)
    assert_type(FixedIds()(), str)
    prices: Mapping[str, object] = PRICES
    del prices
    return toolbox.specs


FREE = Cost(state=CostState.KNOWN, usd=Decimal(0))

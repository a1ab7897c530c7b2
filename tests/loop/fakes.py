"""A tiny shop in memory, and short ways to run the loop over it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from typing import Any

from pydantic import BaseModel

from loop import (
    Ask,
    Called,
    Ended,
    Entry,
    Journal,
    MemorySink,
    ModelError,
    Opened,
    Profile,
    Record,
    Replied,
    Reply,
    Role,
    ScriptedModel,
    Stopped,
    VirtualClock,
    WireCall,
    Work,
    get_profile,
    run,
)
from loop.testing import call, reply
from tools import (
    Action,
    Arguments,
    CallResult,
    CreateReturnLabel,
    DecimalNumber,
    IdForms,
    Kind,
    LabelReason,
    NotFound,
    NotYours,
    OrderFact,
    RefundReason,
    RequestRefund,
    ShopTimeout,
    Ticket,
    Tool,
    Toolbox,
)

__all__ = [
    "ANSWER",
    "BROKEN",
    "FOREIGN",
    "MISSING",
    "SLOW",
    "TICKET",
    "TODAY",
    "CountArguments",
    "FakeTool",
    "LabelArguments",
    "OrderArguments",
    "QueryArguments",
    "Ran",
    "RefundArguments",
    "action",
    "box",
    "call",
    "check_answers",
    "check_run",
    "check_wire",
    "fake_tools",
    "finish",
    "finish_arguments",
    "make_work",
    "ok",
    "profile",
    "read",
    "reply",
    "run_work",
]

TODAY = date(2026, 10, 9)
TICKET = Ticket.of(
    ticket_id="T-70001",
    customer_id="C-70001",
    text="Hello, where is my order LK-100001? Thank you for your help with this.",
)
MISSING = "LK-404404"
FOREIGN = "LK-403403"
SLOW = "LK-504504"
BROKEN = "LK-500500"
_ERRORS: dict[str, type[Exception]] = {
    MISSING: NotFound,
    FOREIGN: NotYours,
    SLOW: ShopTimeout,
    BROKEN: RuntimeError,
}


class OrderArguments(Arguments):
    """One order."""

    order_id: str


class CountArguments(Arguments):
    """A whole number."""

    count: int


class QueryArguments(Arguments):
    """A query."""

    query: str


class RefundArguments(Arguments):
    """A late fee."""

    order_id: str
    amount: DecimalNumber


class LabelArguments(Arguments):
    """A label."""

    order_id: str
    sku: str


@dataclass
class FakeTool:
    """A tool made of a function; it counts its runs."""

    name: str
    arguments: type[BaseModel]
    answer: Callable[[Any], CallResult]
    description: str = "A tool for tests."
    runs: int = 0

    def run(self, arguments: Any) -> CallResult:
        """Answer."""
        self.runs += 1
        return self.answer(arguments)


def ok(content: Mapping[str, Any], *orders: OrderFact) -> CallResult:
    """A good answer."""
    return CallResult(kind=Kind.OK, code="ok", content={"ok": True, **content}, orders=orders)


def _order(arguments: OrderArguments) -> CallResult:
    order_id = arguments.order_id
    if order_id in _ERRORS:
        raise _ERRORS[order_id](order_id)
    fact = OrderFact(order_id=order_id, status="shipped", currency="CAD")
    return ok({"order": {"order_id": order_id, "status": "shipped", "total": "12.00"}}, fact)


def _payments(arguments: OrderArguments) -> CallResult:
    fact = OrderFact(order_id=arguments.order_id, status=None, currency="CAD")
    return ok({"payments": []}, fact)


def _policy(arguments: QueryArguments) -> CallResult:
    return ok({"passages": [], "query": arguments.query})


def _proposed(action: Any) -> CallResult:
    return CallResult(
        kind=Kind.PROPOSED,
        code="proposed",
        content={"ok": True, "status": "waiting_for_a_person"},
        action=action,
    )


def _refund(arguments: RefundArguments) -> CallResult:
    return _proposed(
        RequestRefund(
            order_id=arguments.order_id,
            amount_minor=int((arguments.amount * 100).to_integral_value()),
            currency="CAD",
            reason_code=RefundReason.LATE,
        )
    )


def _label(arguments: LabelArguments) -> CallResult:
    return _proposed(
        CreateReturnLabel(
            order_id=arguments.order_id, sku=arguments.sku, reason=LabelReason.CHANGE_OF_MIND
        )
    )


def fake_tools() -> tuple[FakeTool, ...]:
    """The tools of the tiny shop."""
    return (
        FakeTool("get_order", OrderArguments, _order),
        FakeTool("get_payments", OrderArguments, _payments),
        FakeTool("search_policy", QueryArguments, _policy),
        FakeTool("count", CountArguments, lambda a: ok({"count": a.count})),
        FakeTool("request_refund", RefundArguments, _refund),
        FakeTool("create_return_label", LabelArguments, _label),
    )


@cache
def box() -> Toolbox:
    """The tools in their box; they keep nothing but their number of runs."""
    return Toolbox(fake_tools())


def profile(name: str = "resolver", *, ask: Ask | None = None, **limits: Any) -> Profile:
    """A shipped profile with other limits, and perhaps another way of asking."""
    found = get_profile(name)
    return replace(found, limits=found.limits.changed(**limits), ask=ask or found.ask)


def make_work(
    name: str = "resolver",
    *,
    ask: Ask | None = None,
    ticket: Ticket = TICKET,
    tools: Sequence[Tool] | None = None,
    owns_order: Callable[[str], bool] = lambda _: True,
    check: Callable[[Action], None] = lambda _: None,
    marks: Mapping[str, Any] | None = None,
    **limits: Any,
) -> Work:
    """The work of one run over the tiny shop."""
    return Work(
        ticket=ticket,
        profile=profile(name, ask=ask, **limits),
        toolbox=box() if tools is None else Toolbox(tools),
        owns_order=owns_order,
        check=check,
        forms=IdForms(),
        today=TODAY,
        model_name="scripted",
        marks=marks or {},
    )


@dataclass
class Ran:
    """A run and what it left."""

    ended: Ended
    entries: list[Entry]
    model: ScriptedModel

    @property
    def records(self) -> list[Record]:
        """The journal's records."""
        return [entry.record for entry in self.entries]

    @property
    def called(self) -> list[Called]:
        """The answers to calls."""
        return [record for record in self.records if isinstance(record, Called)]

    @property
    def kinds(self) -> list[str]:
        """The kinds of the answers to calls."""
        return [record.result.value for record in self.called if record.result is not None]

    @property
    def codes(self) -> list[str]:
        """The codes of the answers to calls."""
        return [record.code for record in self.called]


def run_work(
    work: Work,
    replies: Iterable[Reply | ModelError],
    *,
    clock: VirtualClock | None = None,
    cancelled: Callable[[], str | None] = lambda: None,
    past: Sequence[Entry] = (),
) -> Ran:
    """Run, and hold what every run must hold."""
    clock = clock or VirtualClock()
    sink = MemorySink()
    model = ScriptedModel(replies, clock)
    ended = run(work, model, Journal(sink, clock, past), cancelled)
    ran = Ran(ended, [*past, *sink.entries], model)
    check_run(ran, work.profile.ask)
    return ran


def check_run(ran: Ran, ask: Ask) -> None:
    """Hold what is true of every run: one stop, a whole journal, every call answered once."""
    records = ran.records
    assert [entry.seq for entry in ran.entries] == list(range(len(ran.entries)))
    times = [entry.at_us for entry in ran.entries]
    assert times == sorted(times)
    assert isinstance(records[0], Opened)
    stops = [record for record in records if isinstance(record, Stopped)]
    assert len(stops) == 1
    assert stops[0].stop == ran.ended.stop
    check_answers(ran, ask)
    for request in ran.model.history:
        check_wire(request.messages)


def check_answers(ran: Ran, ask: Ask) -> None:
    """Every call of every reply is answered once, in order, under an id of its own."""
    ids = [record.call_id for record in ran.called]
    assert len(set(ids)) == len(ids)
    assert all(ids)
    for record in ran.records:
        if isinstance(record, Replied):
            answered = [c.index for c in ran.called if c.step == record.step]
            count = len(record.reply.calls)
            if ask is Ask.JSON and not count:
                count = min(len(answered), 1)
            assert answered == list(range(count))


def check_wire(messages: Sequence[Any]) -> None:
    """On the wire, each call's answer follows in order, and no answer stands without its call."""
    waiting: list[str] = []
    for message in messages:
        if message.role is Role.TOOL:
            assert waiting.pop(0) == message.call_id
        else:
            assert not waiting
            waiting = [made.call_id for made in message.calls]
    assert not waiting


def read(order_id: str = "LK-100001", call_id: str = "") -> WireCall:
    """A look-up of an order."""
    return call("get_order", {"order_id": order_id}, call_id)


def finish_arguments(outcome: str = "reply_only", **fields: Any) -> dict[str, Any]:
    """The arguments of a finish."""
    return {
        "outcome": outcome,
        "rule": "W1",
        "actions": [],
        "reply": "Your order LK-100001 is on its way to you, and we hope that it arrives soon.",
        "reason": "not late",
    } | fields


def finish(outcome: str = "reply_only", **fields: Any) -> WireCall:
    """A finish call."""
    return call("finish", finish_arguments(outcome, **fields))


def action(tool: str = "request_refund", **fields: Any) -> dict[str, Any]:
    """A flat action of a finish: by default the late fee of the first order."""
    given: dict[str, Any] = dict.fromkeys(
        ("order_id", "sku", "quantity", "amount", "reason", "payment_id")
    )
    if tool == "request_refund" and not fields.get("reason"):
        given |= {"amount": 9.95, "reason": "RFD-LATE"}
    return {"tool": tool} | given | {"order_id": "LK-100001"} | fields


ANSWER: dict[str, Any] = {
    "language": "en",
    "team": "delivery",
    "needs_human": False,
    "reason": "asks where it is",
    "confidence": "high",
    "order": None,
    "reply": "Your order is on its way to you, and we hope that it arrives soon.",
}

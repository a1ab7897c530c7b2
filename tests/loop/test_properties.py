"""What holds for any sequence of replies, broken ones included."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from loop import (
    Ask,
    BudgetCut,
    Duplicates,
    ModelError,
    ProviderFailed,
    RecordingMissing,
    Repeat,
    Replied,
    Reply,
    Result,
    RunClock,
    StopReason,
    TimeCheck,
    WireCall,
)
from tests.loop.fakes import (
    ANSWER,
    Ran,
    action,
    call,
    finish,
    finish_arguments,
    make_work,
    read,
    reply,
    run_work,
)

_BROKEN = ["", "{", "[]", "null", '{"a":1,"a":2}', "\ud800", '{"order_id": 7}', "[" * 99, "NaN"]
_IDS = st.sampled_from(["", "", "a", "b", "step1-call1", "step2-call0-1", "\ud800"])
_GOOD_CALLS = [
    read(),
    read("LK-100002"),
    read("LK-404404"),
    read("LK-403403"),
    read("LK-504504"),
    read("LK-500500"),
    call("search_policy", {"query": "q"}),
    call("count", '{"count": 1}'),
    call("count", '{"count": 1.0}'),
    call("request_refund", {"order_id": "LK-100001", "amount": 5}),
    call("request_refund", {"order_id": "LK-100001", "amount": 6}),
    call("create_return_label", {"order_id": "LK-100001", "sku": "RUG-W"}),
    finish(),
    finish("resolve"),
    finish("resolve", actions=[action()]),
    finish("hand_to_person"),
]
_NAMES = ["get_order", "finish", "request_refund", "nothing", "", "\ud800", "x" * 300]
_TEXTS = [
    None,
    "",
    "words",
    json.dumps(ANSWER),
    json.dumps(ANSWER)[:-1],
    "```json\n{}\n```",
    *_BROKEN,
    *(json.dumps({"tool": name, "order_id": "LK-100001"}) for name in ("get_order", "nothing")),
    json.dumps({"tool": "get_order", "order_id": "LK-404404", "more": 1}),
    json.dumps({"tool": "finish", "resolution": None}),
    json.dumps({"tool": "finish", "resolution": finish_arguments()}),
]


_ERRORS: list[type[ModelError]] = [ProviderFailed, BudgetCut, RecordingMissing]


@st.composite
def _calls(draw: st.DrawFn) -> WireCall:
    if draw(st.booleans()):
        made = draw(st.sampled_from(_GOOD_CALLS))
        return WireCall(call_id=draw(_IDS), name=made.name, arguments=made.arguments)
    name = draw(st.sampled_from(_NAMES))
    return WireCall(call_id=draw(_IDS), name=name, arguments=draw(st.sampled_from(_BROKEN)))


@st.composite
def _replies(draw: st.DrawFn) -> Reply | ModelError:
    if draw(st.integers(0, 19)) == 0:
        latency_us = draw(st.integers(0, 10**8))
        errors = [kind("x", latency_us=latency_us) for kind in _ERRORS]
        return draw(st.sampled_from(errors))
    calls = draw(st.lists(_calls(), max_size=4))
    return reply(
        *calls,
        text=draw(st.sampled_from(_TEXTS)) if not calls or draw(st.booleans()) else None,
        finish_reason=draw(st.sampled_from([None] * 9 + ["length", "content_filter", "odd"])),
        refusal=draw(st.sampled_from([None] * 9 + ["no"])),
        latency_s=draw(st.sampled_from([0, 0.5, 30, 61, 130])),
        tokens=draw(st.sampled_from([(1000, 50), (1000, 50), None, (1, 5000)])),
        usd=draw(st.sampled_from(["0", "0.01", "0.03", "0.03", None])),
    )


def _or_none(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | values


_LIMITS = st.fixed_dictionaries(
    {},
    optional={
        "max_steps": _or_none(st.integers(0, 6)),
        "max_seconds": _or_none(st.sampled_from([0, 1, 60, 120])),
        "clock": st.sampled_from(RunClock),
        "time_check": st.sampled_from(TimeCheck),
        "max_cost_usd": _or_none(st.sampled_from([Decimal(0), Decimal("0.03"), Decimal("0.05")])),
        "repeat": st.sampled_from(Repeat),
        "allowed_repeats": _or_none(st.integers(0, 3)),
        "duplicates_in_reply": st.sampled_from(Duplicates),
        "max_errors": _or_none(st.integers(1, 4)),
        "max_result_chars": _or_none(st.sampled_from([200, 1000])),
        "max_calls_per_step": _or_none(st.integers(1, 4)),
    },
)
_WAYS = st.sampled_from(
    [("resolver", Ask.TOOLS), ("resolver", Ask.JSON), ("assistant", None), ("desk", None)]
)
_SCRIPTS = st.lists(_replies(), max_size=7)
THE_END = ProviderFailed("the script is over")


def _run(way: tuple[str, Ask | None], limits: dict[str, Any], script: list[Any]) -> Ran:
    name, ask = way
    return run_work(make_work(name, ask=ask, **limits), [*script, THE_END])


@settings(max_examples=600)
@given(_WAYS, _LIMITS, _SCRIPTS)
def test_any_replies_end_within_the_limits_with_one_stop_and_every_call_answered_once(
    way: tuple[str, Ask | None], given_limits: dict[str, Any], script: list[Any]
) -> None:
    """One stop, whole journal and answered calls are held by ``run_work`` itself."""
    ran = _run(way, given_limits, script)
    limits = make_work(way[0], **given_limits).profile.limits
    steps = len(ran.model.history)
    assert steps == ran.ended.stop.step <= len(script) + 1
    assert limits.max_steps is None or steps <= limits.max_steps
    replies = [record.reply for record in ran.records if isinstance(record, Replied)]
    before_last = replies[: steps - 1]
    if limits.max_seconds is not None and limits.clock is RunClock.MODEL:
        used = sum(made.latency_us or 0 for made in before_last)
        assert used <= limits.max_seconds * 1_000_000
    if limits.max_cost_usd is not None:
        assert all(made.cost.usd is not None for made in before_last)
        assert sum(made.cost.usd or 0 for made in before_last) <= limits.max_cost_usd
    for called in ran.called:
        assert limits.max_result_chars is None or len(called.text) <= limits.max_result_chars
        json.loads(called.text)
    _check_outcome(ran)


def _check_outcome(ran: Ran) -> None:
    finished = ran.ended.stop.reason is StopReason.FINISHED
    assert (ran.ended.result is Result.FAILED) is not finished
    if not finished:
        assert ran.ended.resolution is None
        assert ran.ended.actions == ()
    str(ran.records).encode()
    assert len(ran.ended.actions) <= 4
    assert len(set(map(str, ran.ended.actions))) == len(ran.ended.actions)


_TIGHTER: dict[str, list[Any]] = {
    "max_steps": [None, 6, 5, 3, 2, 1, 0],
    "max_seconds": [None, 200, 120, 60, 1, 0],
    "max_cost_usd": [None, Decimal("0.06"), Decimal("0.03"), Decimal(0)],
    "allowed_repeats": [None, 3, 2, 1, 0],
    "max_errors": [None, 5, 4, 3, 2, 1],
    "max_result_chars": [None, 4000, 500, 200],
    "repeat": [Repeat.AFTER_SUCCESS, Repeat.ANY],
}
"""Each limit from none to the tightest.

``max_calls_per_step`` and ``duplicates_in_reply`` are not among them: they change which calls run,
so what comes after is another run, which may be longer.
"""


@settings(max_examples=400)
@given(_WAYS, _LIMITS, _SCRIPTS, st.sampled_from(list(_TIGHTER)), st.data())
def test_a_tighter_limit_never_makes_a_run_longer(
    way: tuple[str, Ask | None],
    given_limits: dict[str, Any],
    script: list[Any],
    name: str,
    data: st.DataObject,
) -> None:
    values = _TIGHTER[name]
    loose = data.draw(st.integers(0, len(values) - 2))
    tight = data.draw(st.integers(loose + 1, len(values) - 1))
    longer = _run(way, given_limits | {name: values[loose]}, script)
    shorter = _run(way, given_limits | {name: values[tight]}, script)
    assert shorter.ended.stop.step <= longer.ended.stop.step


@settings(max_examples=150)
@given(_WAYS, _LIMITS, _SCRIPTS, st.data())
def test_any_run_killed_anywhere_goes_on_to_the_same_end(
    way: tuple[str, Ask | None],
    given_limits: dict[str, Any],
    script: list[Any],
    data: st.DataObject,
) -> None:
    name, ask = way
    work = make_work(name, ask=ask, **given_limits)
    whole = run_work(work, [*script, THE_END])
    assume(len(whole.entries) > 1)
    past = whole.entries[: data.draw(st.integers(1, len(whole.entries)))]
    answered = sum(entry.record.kind in ("replied", "failed") for entry in past)
    resumed = run_work(work, [*script, THE_END][answered:], past=past)
    assert resumed.ended.stop == whole.ended.stop
    assert [r for r in resumed.records if r.kind != "lost_attempt"] == whole.records

"""Strategies for any run: ways of asking, limits, and scripts of replies, broken ones included."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from loop import (
    Ask,
    BudgetCut,
    Duplicates,
    ModelError,
    ProviderFailed,
    RecordingMissing,
    Repeat,
    Reply,
    RunClock,
    TimeCheck,
    WireCall,
)
from tests.loop.fakes import ANSWER, action, call, finish, finish_arguments, read, reply

__all__ = ["BUSY_SCRIPTS", "LIMITS", "OPEN_LIMITS", "SCRIPTS", "THE_END", "WAYS", "replies"]

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
def replies(draw: st.DrawFn) -> Reply | ModelError:
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


LIMITS = st.fixed_dictionaries(
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
WAYS = st.sampled_from(
    [("resolver", Ask.TOOLS), ("resolver", Ask.JSON), ("assistant", None), ("desk", None)]
)
SCRIPTS = st.lists(replies(), max_size=7)
_FEW_CALLS = [
    read(),
    read("LK-100002"),
    read("LK-404404"),
    read("LK-504504"),
    call("nothing"),
    finish("resolve"),
]
BUSY_SCRIPTS = st.lists(
    st.builds(
        lambda calls, latency_s, usd: reply(*calls, latency_s=latency_s, usd=usd),
        st.lists(st.sampled_from(_FEW_CALLS), min_size=1, max_size=3),
        st.sampled_from([0.5, 30, 61]),
        st.sampled_from(["0", "0.01", "0.03"]),
    ),
    min_size=2,
    max_size=7,
)
"""Replies that go on calling a few tools: errors in a row, repeats and copies in most of them."""
OPEN_LIMITS = st.fixed_dictionaries(
    dict.fromkeys(
        ("max_steps", "max_seconds", "max_cost_usd", "max_errors", "allowed_repeats"), st.none()
    ),
    optional={
        "repeat": st.sampled_from(Repeat),
        "duplicates_in_reply": st.sampled_from(Duplicates),
        "max_calls_per_step": _or_none(st.integers(1, 3)),
    },
)
"""Limits under which runs go on: what they recorded can be tried under others."""
THE_END = ProviderFailed("the script is over")

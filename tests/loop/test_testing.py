"""The public testing tools."""

from __future__ import annotations

import pytest

from loop import (
    FixedIds,
    MonotonicClock,
    ProviderFailed,
    Request,
    ScriptedModel,
    ScriptFailed,
    VirtualClock,
)
from loop.talk import Talk
from loop.testing import call, reply
from loop.work import request_head
from tests.loop.fakes import make_work


def request() -> Request:
    """Any request."""
    return Talk("T-1", request_head(make_work()), ()).request(1)[0]


def test_a_script_gives_its_replies_in_order_and_keeps_the_requests() -> None:
    first, second = reply(text="a"), reply(text="b")
    asked = request()
    with ScriptedModel([first, second]) as model:
        assert model.ask(asked, time_left_s=None) is first
        assert model.ask(asked, time_left_s=1.0) is second
    assert model.history == [asked, asked]


def test_a_script_raises_its_errors_and_moves_the_clock_for_them_too() -> None:
    clock = VirtualClock()
    model = ScriptedModel([ProviderFailed("x", latency_us=5), reply(latency_s=1)], clock)
    with pytest.raises(ProviderFailed):
        model.ask(request(), time_left_s=None)
    model.ask(request(), time_left_s=None)
    assert clock.now_us() == 1_000_005


def test_an_extra_question_and_a_left_over_reply_fail() -> None:
    with pytest.raises(ScriptFailed, match="no reply is left for step 1"):
        ScriptedModel([]).ask(request(), time_left_s=None)
    with (
        pytest.raises(ScriptFailed, match="1 replies were never asked for"),
        ScriptedModel([reply()]),
    ):
        pass


def test_an_error_inside_hides_no_left_over_reply() -> None:
    with pytest.raises(KeyError), ScriptedModel([reply()]):
        raise KeyError


def test_a_virtual_clock_moves_forward_only() -> None:
    clock = VirtualClock(7)
    clock.advance(0.25)
    clock.advance_us(0)
    assert clock.now_us() == 250_007
    with pytest.raises(ValueError, match="forward only"):
        clock.advance_us(-1)


def test_the_real_clock_does_not_go_back() -> None:
    clock = MonotonicClock()
    assert clock.now_us() <= clock.now_us()


def test_fixed_ids_come_in_order() -> None:
    new_id = FixedIds("p")
    assert [new_id(), new_id()] == ["p-1", "p-2"]
    assert FixedIds()() == "run-1"


def test_a_call_takes_an_object_or_any_text() -> None:
    assert call("t", {"a": 1}).arguments == '{"a": 1}'
    assert call("t", "{").arguments == "{"
    assert call("t").arguments == "{}"

"""The calls of one reply: in order, each answered once, and what each answer counts."""

from __future__ import annotations

import json
from typing import Any

import pytest

from loop import Duplicates, ProviderFailed, Repeat, Result, WireCall
from tests.loop.fakes import (
    ANSWER,
    FakeTool,
    OrderArguments,
    Ran,
    action,
    call,
    fake_tools,
    finish,
    make_work,
    ok,
    read,
    reply,
    run_work,
)
from tools import CallResult, Kind, OrderFact

OVER = ProviderFailed("over")


def one_reply(*calls: WireCall, name: str = "resolver", **limits: Any) -> Ran:
    """One reply, and then the provider fails."""
    return run_work(make_work(name, **limits), [reply(*calls), OVER])


def test_calls_run_in_the_order_given() -> None:
    ran = one_reply(read("LK-1"), read("LK-404404"), call("search_policy", {"query": "q"}))
    assert [called.name for called in ran.called] == ["get_order", "get_order", "search_policy"]
    assert ran.kinds == ["ok", "not_found", "ok"]


@pytest.mark.parametrize(
    ("made", "kind", "code"),
    [
        (read(), "ok", "ok"),
        (read("LK-404404"), "not_found", "not_found"),
        (read("LK-403403"), "refused", "other_customer"),
        (read("LK-504504"), "failed", "service_timeout"),
        (read("LK-500500"), "failed", "internal_error"),
        (call("get_order", "{"), "invalid", "invalid_arguments"),
        (call("get_order", {"order_id": 7}), "invalid", "invalid_arguments"),
        (
            call("get_order", {"order_id": "LK-1", "customer_id": "C-1"}),
            "invalid",
            "invalid_arguments",
        ),
        (call("delete_order"), "invalid", "unknown_tool"),
        (call("finish", "{"), "invalid", "finish_refused"),
        (finish(), "ok", "finish_accepted"),
    ],
)
def test_each_kind_of_result_is_answered_and_never_an_exception(
    made: WireCall, kind: str, code: str
) -> None:
    """B54: malformed text that begins with a brace is one error."""
    ran = run_work(make_work(), [reply(made), OVER])
    assert (ran.kinds, ran.codes) == ([kind], [code])


def test_missing_and_not_yours_read_the_same() -> None:
    texts = [called.text for called in one_reply(read("LK-404404"), read("LK-403403")).called]
    assert texts[0].replace("404404", "") == texts[1].replace("403403", "")


# --- repeats and copies ----------------------------------------------------------------------


def test_the_repeat_is_not_run_and_all_after_it_are_answered() -> None:
    tool = fake_tools()[0]
    work = make_work(tools=[tool])
    ran = run_work(work, [reply(read()), reply(read(), read("LK-2"), finish())])
    assert ran.codes == ["ok", "repeated_call", "run_stopped", "run_stopped"]
    assert ran.ended.stop.reason == "repeated_call"
    assert tool.runs == 1


@pytest.mark.parametrize(
    "again",
    [
        '{"order_id":"LK-100001"}',
        '{ "order_id" : "LK-100001" }\n',
        '{"order_id": "LK-\\u0031\\u00300001"}',
    ],
)
def test_spaces_and_escapes_do_not_make_another_call(again: str) -> None:
    """A31, B53."""
    ran = run_work(make_work(), [reply(read()), reply(call("get_order", again))])
    assert ran.ended.stop.reason == "repeated_call"


def test_key_order_does_not_make_another_call_and_a_value_does() -> None:
    first = call("request_refund", '{"order_id": "LK-1", "amount": 5}')
    same = call("request_refund", '{"amount": 5, "order_id": "LK-1"}')
    other = call("request_refund", '{"amount": 6, "order_id": "LK-1"}')
    seen = reply(read("LK-1"))
    repeated = run_work(make_work("desk"), [seen, reply(first), reply(same)])
    assert repeated.ended.stop.reason == "repeated_call"
    both = run_work(make_work("desk"), [seen, reply(first), reply(other), OVER])
    assert both.kinds == ["ok", "proposed", "proposed"]


def test_1_and_1_0_are_one_where_the_schema_says_integer_and_two_elsewhere() -> None:
    whole = [call("count", '{"count": 1}'), call("count", '{"count": 1.0}')]
    assert run_work(make_work(), [reply(c) for c in whole]).ended.stop.reason == "repeated_call"
    money = [
        call("request_refund", '{"order_id": "LK-1", "amount": 1}'),
        call("request_refund", '{"order_id": "LK-1", "amount": 1.0}'),
    ]
    ran = run_work(make_work("desk"), [reply(read("LK-1")), *(reply(c) for c in money), OVER])
    assert ran.codes == ["ok", "proposed", "equal_action"]


def test_true_is_not_one() -> None:
    ran = one_reply(call("count", '{"count": true}'), call("count", '{"count": 1}'))
    assert ran.kinds == ["invalid", "ok"]


def test_text_that_does_not_parse_is_compared_as_it_stands() -> None:
    for second, stops in (("{", True), ("{ ", False)):
        ran = run_work(
            make_work(repeat=Repeat.ANY),
            [reply(call("get_order", "{")), reply(call("get_order", second)), OVER],
        )
        assert (ran.ended.stop.reason == "repeated_call") is stops


def test_no_arguments_and_an_empty_object_are_one_call() -> None:
    ran = run_work(
        make_work(repeat=Repeat.ANY), [reply(call("nothing", "")), reply(call("nothing", "{}"))]
    )
    assert ran.ended.stop.reason == "repeated_call"


def test_the_same_arguments_of_another_tool_are_another_call() -> None:
    arguments = {"order_id": "LK-100001"}
    ran = one_reply(call("get_order", arguments), call("get_payments", arguments))
    assert ran.kinds == ["ok", "ok"]


def test_a_finish_is_never_a_repeat() -> None:
    bad = finish("resolve")
    ran = run_work(make_work(repeat=Repeat.ANY), [reply(bad), reply(bad), reply(finish())])
    assert ran.ended.result is Result.VALID


def test_where_no_finish_tool_is_offered_its_name_is_an_unknown_tool() -> None:
    ran = run_work(make_work("assistant"), [reply(finish()), reply(finish())])
    assert (ran.codes, ran.ended.stop.reason) == (
        ["unknown_tool", "repeated_call"],
        "repeated_call",
    )


def test_copies_in_one_reply_run_once_get_one_result_and_count_once() -> None:
    tool = fake_tools()[0]
    work = make_work(tools=[tool], max_errors=2)
    ran = run_work(work, [reply(*[read("LK-404404")] * 3), reply(finish())])
    assert tool.runs == 1
    assert len({called.text for called in ran.called[:3]}) == 1
    assert [called.copy_of for called in ran.called[:3]] == [None, 0, 0]
    assert ran.ended.result is Result.VALID


def test_a_copy_stops_the_run_where_copies_are_not_collapsed() -> None:
    """A32."""
    ran = one_reply(read("LK-404404"), read("LK-404404"), duplicates_in_reply=Duplicates.STOP)
    assert (ran.codes, ran.ended.stop.reason) == (["not_found", "repeated_call"], "repeated_call")


def test_an_allowed_repeat_runs_and_counts_like_any_call() -> None:
    tool = fake_tools()[0]
    work = make_work(tools=[tool], allowed_repeats=1)
    ran = run_work(work, [reply(read()), reply(read()), reply(read())])
    assert (tool.runs, ran.ended.totals.calls, ran.ended.stop.observed) == (2, 2, "2")


# --- too many calls --------------------------------------------------------------------------


@pytest.mark.parametrize("most", [1, 2, 3])
def test_the_calls_beyond_the_limit_are_answered_and_not_run(most: int) -> None:
    reads = [read(f"LK-{number}") for number in range(most + 2)]
    for count in (most - 1, most, most + 1, most + 2):
        if not count:
            continue
        ran = one_reply(*reads[:count], max_calls_per_step=most, max_errors=1)
        beyond = max(0, count - most)
        assert ran.kinds == ["ok"] * (count - beyond) + ["not_run"] * beyond
        assert (ran.ended.stop.reason == "too_many_errors") is (beyond > 0)


def test_all_beyond_the_limit_are_together_one_error() -> None:
    ran = one_reply(*(read(f"LK-{n}") for n in range(9)), max_calls_per_step=2, max_errors=2)
    assert ran.codes[2:] == ["too_many_calls"] * 7
    assert ran.ended.stop.reason == "provider_error"


def test_without_the_limit_all_calls_run() -> None:
    ran = one_reply(*(read(f"LK-{n}") for n in range(30)), max_calls_per_step=None)
    assert ran.kinds == ["ok"] * 30


def test_a_call_beyond_the_limit_is_not_remembered() -> None:
    ran = run_work(
        make_work(max_calls_per_step=1),
        [reply(read("LK-1"), read("LK-2")), reply(read("LK-2")), OVER],
    )
    assert ran.kinds == ["ok", "not_run", "ok"]


def test_a_finish_beyond_the_limit_is_taken() -> None:
    """A final answer in hand is never thrown away by a limit."""
    ran = run_work(make_work(max_calls_per_step=1), [reply(read("LK-1"), read("LK-2"), finish())])
    assert (ran.ended.result, ran.kinds) == (Result.VALID, ["ok", "not_run", "ok"])


# --- the finish ------------------------------------------------------------------------------


def test_calls_after_an_accepted_finish_are_answered_not_run() -> None:
    tool = fake_tools()[0]
    ran = run_work(make_work(tools=[tool]), [reply(finish(), read(), finish("resolve"))])
    assert ran.codes == ["finish_accepted", "run_finished", "run_finished"]
    assert (tool.runs, ran.ended.result) == (0, Result.VALID)


def test_a_refused_finish_tells_why_and_the_calls_after_it_run() -> None:
    ran = one_reply(finish("resolve"), read())
    assert ran.kinds == ["invalid", "ok"]
    assert "needs at least one action" in ran.called[0].text


def test_an_order_read_earlier_in_the_same_reply_is_evidence() -> None:
    end = finish("resolve", actions=[action()])
    assert run_work(make_work(), [reply(read(), end)]).kinds == ["ok", "ok"]
    assert one_reply(end, read()).kinds == ["invalid", "ok"]


def test_a_refused_look_up_is_no_evidence() -> None:
    end = finish("resolve", actions=[action(order_id="LK-403403")])
    ran = one_reply(read("LK-403403"), end)
    assert ran.codes == ["other_customer", "finish_refused"]
    assert ran.ended.orders == {}


def test_a_newer_fact_keeps_what_only_the_older_one_knew() -> None:
    facts = iter(
        [
            OrderFact(order_id="LK-1", status="shipped", currency="CAD"),
            OrderFact(order_id="LK-1", status=None, currency=None),
            OrderFact(order_id="LK-1", status="delivered", currency=None),
            OrderFact(order_id="LK-1", status=None, currency="CAD"),
        ]
    )
    tool = FakeTool("get_order", OrderArguments, lambda _: ok({}, next(facts)))
    ran = run_work(make_work(tools=[tool]), [reply(*(read(f"LK-{n}") for n in range(4))), OVER])
    assert ran.ended.orders["LK-1"] == OrderFact(
        order_id="LK-1", status="delivered", currency="CAD"
    )


# --- write calls -----------------------------------------------------------------------------


def refund(amount: float, order_id: str = "LK-100001") -> WireCall:
    """A refund as a call."""
    return call("request_refund", {"order_id": order_id, "amount": amount})


def test_a_desk_stages_actions_and_its_answer_carries_them() -> None:
    ran = run_work(
        make_work("desk"),
        [reply(read(), refund(1), refund(2)), reply(text=json.dumps(ANSWER))],
    )
    assert ran.kinds == ["ok", "proposed", "proposed"]
    assert [one.money.amount_text for one in ran.ended.actions if hasattr(one, "money")] == [
        "1.00",
        "2.00",
    ]
    assert ran.ended.resolution is not None
    assert ran.ended.resolution.outcome == "resolve"


def test_a_desk_that_hands_over_drops_what_was_staged() -> None:
    ran = run_work(
        make_work("desk"),
        [reply(read(), refund(1)), reply(text=json.dumps(ANSWER | {"needs_human": True}))],
    )
    assert ran.kinds == ["ok", "proposed"]
    assert ran.ended.actions == ()


def test_a_desk_whose_answer_is_rejected_proposes_nothing() -> None:
    ran = run_work(make_work("desk"), [reply(read(), refund(1)), reply(text="{")])
    assert ran.kinds == ["ok", "proposed"]
    assert (ran.ended.result, ran.ended.actions) == (Result.REJECTED, ())


def test_a_desk_that_is_stopped_proposes_nothing() -> None:
    ran = run_work(make_work("desk"), [reply(read(), refund(1)), reply(refund(1))])
    assert ran.kinds == ["ok", "proposed", "not_run"]
    assert (ran.ended.stop.reason, ran.ended.actions) == ("repeated_call", ())


def test_a_fifth_action_is_refused() -> None:
    ran = one_reply(read(), *(refund(n) for n in range(1, 6)), name="desk")
    assert ran.codes == ["ok", *["proposed"] * 4, "too_many_actions"]
    assert ran.called[5].action is None


def test_a_write_call_on_an_order_that_no_tool_returned_is_refused() -> None:
    """The evidence rule holds at this door too: looked up first, it is proposed."""
    blind = one_reply(refund(1), name="desk")
    other = one_reply(read("LK-100002"), refund(1), name="desk")
    failed = one_reply(read("LK-404404"), refund(1, "LK-404404"), name="desk")
    seen = one_reply(read(), refund(1), name="desk")
    assert (blind.codes, blind.kinds, blind.called[0].action) == (
        ["not_looked_up"],
        ["refused"],
        None,
    )
    assert other.codes == ["ok", "not_looked_up"]
    assert failed.codes == ["not_found", "not_looked_up"]
    assert seen.codes == ["ok", "proposed"]


def test_equal_actions_are_refused_and_never_merged() -> None:
    ran = one_reply(read(), refund(9.95), refund(9.951), name="desk")
    assert ran.codes == ["ok", "proposed", "equal_action"]


def test_a_copy_of_a_write_call_stages_nothing() -> None:
    ran = run_work(
        make_work("desk", duplicates_in_reply=Duplicates.COLLAPSE),
        [reply(read(), refund(1), refund(1)), reply(text=json.dumps(ANSWER))],
    )
    assert ran.kinds == ["ok", "proposed", "proposed"]
    assert [called.action is None for called in ran.called] == [True, False, True]
    assert len(ran.ended.actions) == 1


def test_a_write_call_resets_the_streak_and_a_refused_one_does_not() -> None:
    ran = one_reply(
        read(),
        read("LK-404404"),
        refund(1),
        read("LK-404404"),
        name="desk",
        max_errors=1,
        duplicates_in_reply=Duplicates.COLLAPSE,
    )
    assert ran.ended.stop.reason == "provider_error"
    ran = one_reply(read(), refund(1), refund(1.001), name="desk", max_errors=1)
    assert ran.ended.stop.reason == "too_many_errors"


@pytest.mark.parametrize("name", ["resolver", "assistant"])
def test_a_write_call_in_a_profile_without_that_door_is_refused(name: str) -> None:
    ran = one_reply(refund(1), name=name)
    assert (ran.kinds, ran.codes, ran.called[0].action) == (["refused"], ["no_door"], None)


# --- the cut ---------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [200, 300, None])
def test_every_kind_of_result_is_cut(limit: int | None) -> None:
    def long(_: Any) -> CallResult:
        return CallResult(kind=Kind.REFUSED, code="x", content={"ok": False, "error": "e" * 1000})

    tool = FakeTool("get_order", OrderArguments, long)
    end = finish("resolve", rule="r" * 41, reply="x" * 2001, reason="y" * 601, more=1, other=2)
    ran = run_work(make_work(tools=[tool], max_result_chars=limit), [reply(read(), end), OVER])
    assert ran.called[0].cut is (limit is not None)
    for called in ran.called:
        assert limit is None or len(called.text) <= limit
        assert json.loads(called.text)["ok"] is False

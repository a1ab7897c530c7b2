"""The end of a run: the gates once, and what is said of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from loop import Checked, OrderClaim, Outcome, Resolution, Result
from loop.ending import resolution_to_dict
from tests.loop.fakes import (
    ANSWER,
    MISSING,
    Ran,
    action,
    finish,
    make_work,
    read,
    reply,
    run_work,
)
from tools import (
    Action,
    NotFound,
    NotYours,
    ShopDenied,
    ShopInvalid,
    ShopTimeout,
    ShopUnavailable,
    Ticket,
)


def answered(owns_order: Callable[[str], bool], *reads: str, **fields: Any) -> Ran:
    """An assistant's run that claims the ticket's order."""
    claim = {"order": {"order_id": "LK-100001", "status": None}}
    answer = reply(text=json.dumps(ANSWER | claim | fields))
    looks = [reply(*(read(order_id) for order_id in reads))] if reads else []
    return run_work(make_work("assistant", owns_order=owns_order), [*looks, answer])


def codes(ran: Ran) -> list[str]:
    """The problems' codes."""
    return [problem.code for problem in ran.ended.problems]


def never(order_id: str) -> bool:
    """Fail: nobody is to be asked."""
    raise AssertionError(order_id)


def test_an_order_that_a_tool_returned_needs_no_question_to_the_shop() -> None:
    ran = answered(never, "LK-100001")
    assert codes(ran) == []
    assert not any(isinstance(record, Checked) for record in ran.records)


@pytest.mark.parametrize("owned", [True, False])
def test_a_claim_without_a_look_up_is_asked_about_and_the_answer_journaled(owned: bool) -> None:
    ran = answered(lambda order_id: owned and order_id == "LK-100001", MISSING)
    assert codes(ran) == ([] if owned else ["order_not_customers"])
    assert ran.records[-1] == Checked(question="owns_order", subject="LK-100001", answer=owned)


@pytest.mark.parametrize("error", [ShopTimeout, ShopUnavailable, ShopDenied])
def test_a_shop_that_cannot_say_has_not_confirmed_the_claim(error: type[Exception]) -> None:
    def owns(order_id: str) -> bool:
        raise error(order_id)

    ran = answered(owns)
    assert (ran.ended.result, codes(ran)) == (Result.REJECTED, ["order_not_customers"])
    assert codes(answered(owns, needs_human=True)) == []


def test_a_status_stands_only_as_a_tool_returned_it() -> None:
    """A35, facts A4: a refused look-up adds nothing."""
    claim = {"order": {"order_id": "LK-100001", "status": "shipped"}}
    assert codes(answered(never, "LK-100001", **claim)) == []
    assert codes(answered(lambda _: True, "LK-403403", **claim)) == ["status_not_from_lookup"]
    claim = {"order": {"order_id": "LK-100001", "status": "delivered"}}
    assert codes(answered(never, "LK-100001", **claim)) == ["status_not_from_lookup"]


def test_a_finish_that_a_gate_objects_to_keeps_its_resolution_and_proposes_nothing() -> None:
    end = finish("resolve", actions=[action()], reply="We have refunded your order LK-100001.")
    ran = run_work(make_work(), [reply(read(), end)])
    assert (ran.ended.stop.reason, ran.ended.result) == ("finished", Result.REJECTED)
    assert ran.ended.resolution is not None
    assert len(ran.ended.resolution.actions) == 1
    assert ran.ended.actions == ()
    closing = ran.ended.closing()
    assert [problem["code"] for problem in closing.problems] == codes(ran)


def test_a_valid_resolution_hands_on_its_actions() -> None:
    end = finish("resolve", actions=[action(amount=9.95)], reply="A person will look at this soon.")
    ran = run_work(make_work(), [reply(read(), end)])
    assert codes(ran) == []
    assert len(ran.ended.actions) == 1


def test_a_hand_over_is_valid_and_carries_nothing() -> None:
    ticket = Ticket.of(ticket_id="T-1", customer_id="C-1", text="")
    ran = run_work(make_work(ticket=ticket), [reply(finish("hand_to_person", reply=""))])
    assert (ran.ended.result, ran.ended.actions) == (Result.VALID, ())


def test_a_resolution_as_json_values_has_every_field() -> None:
    bare = Resolution(outcome=Outcome.REPLY_ONLY, reply="r", reason="w")
    assert resolution_to_dict(bare) == {
        "outcome": "reply_only",
        "reply": "r",
        "reason": "w",
        "actions": [],
        "rule": None,
        "team": None,
        "language": None,
        "confidence": None,
        "order": None,
    }
    full = answered(never, "LK-100001").ended.resolution
    assert full is not None
    assert full.order == OrderClaim(order_id="LK-100001", status=None)
    stored = resolution_to_dict(full)
    assert (stored["language"], stored["confidence"], stored["team"]) == ("en", "high", "delivery")
    assert stored["order"] == {"order_id": "LK-100001", "status": None}
    assert json.loads(json.dumps(stored)) == stored


def test_an_answer_that_needs_a_person_is_a_hand_over() -> None:
    ran = answered(never, "LK-100001", needs_human=True)
    assert ran.ended.resolution is not None
    assert ran.ended.resolution.needs_human
    assert ran.ended.resolution.outcome is Outcome.HAND_TO_PERSON


# --- what the shop says of a finish's actions --------------------------------------------------


def _says(error: Exception | None) -> Callable[[Action], None]:
    def check(_: Action) -> None:
        if error is not None:
            raise error

    return check


@pytest.mark.parametrize("error", [NotFound("x"), NotYours("x"), ShopInvalid("x")])
def test_an_action_that_the_shop_would_not_do_is_an_objection(error: Exception) -> None:
    """A valid finish in form, and the run proposes nothing."""
    work = make_work(check=_says(error))

    ran = run_work(work, [reply(read()), reply(finish("resolve", actions=[action()]))])

    assert ran.ended.result is Result.REJECTED
    assert [problem.code for problem in ran.ended.problems] == ["action_not_possible"]
    assert ran.ended.actions == ()


@pytest.mark.parametrize("error", [None, ShopTimeout("x"), ShopUnavailable("x"), ShopDenied("x")])
def test_a_shop_that_cannot_say_does_not_stand_in_the_way(error: Exception | None) -> None:
    """A person decides, and the executor asks again; the answer is in the journal."""
    work = make_work(check=_says(error))

    ran = run_work(work, [reply(read()), reply(finish("resolve", actions=[action()]))])

    assert ran.ended.result is Result.VALID
    assert len(ran.ended.actions) == 1
    asked = [record for record in ran.records if isinstance(record, Checked)]
    assert [(one.question, one.answer) for one in asked] == [("action_possible", True)]


def test_a_resumed_run_takes_the_shops_answer_from_its_journal() -> None:
    """The shop says something else now, and the run ends as it had."""
    script = [reply(read()), reply(finish("resolve", actions=[action()]))]
    whole = run_work(make_work(), script)

    again = run_work(make_work(check=_says(ShopInvalid("x"))), [], past=whole.entries)

    assert again.ended.result is Result.VALID

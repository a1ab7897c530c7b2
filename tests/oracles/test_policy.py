"""The policy's boundaries, B130 to B145: what each ticket is expected to come to.

The expectations are data (``tasks.jsonl``), the reference's and ours; ours must say the same where
they hold the ticket. Whether a model meets them is the evaluation's to say.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tools import SHIPPED_DATA, TicketCase, load_tickets

Cases = Mapping[str, TicketCase]


@pytest.fixture(params=["ours", "reference"])
def cases(request: pytest.FixtureRequest) -> Cases:
    """Our tickets, and the reference's."""
    folder: Path = (
        SHIPPED_DATA if request.param == "ours" else request.getfixturevalue("larkfield") / "c10"
    )
    return {case.ticket.ticket_id: case for case in load_tickets(folder)}


def actions(case: TicketCase) -> list[str]:
    """Each expected action as one short text."""
    return [_action(action) for action in case.expected.actions]


def _action(action: Mapping[str, Any]) -> str:
    tool = str(action["tool"]).rpartition("_")[2]
    what = [action.get(name) for name in ("sku", "amount", "reason", "reason_code", "payment_id")]
    return " ".join([tool, *(str(part) for part in what if part is not None)])


def expect(cases: Cases, ticket_id: str, outcome: str, *wanted: str, also: str = "") -> None:
    """Hold the outcome, the actions by the parts that count, and an outcome accepted beside it."""
    case = cases[ticket_id]
    assert case.expected.outcome == outcome
    assert case.acceptable_outcomes == ((also,) if also else ())
    found = sorted(actions(case))
    assert len(found) == len(wanted)
    for text, parts in zip(found, sorted(wanted), strict=True):
        assert set(parts.split()) <= set(text.split())


def test_b130_a_return_on_day_30_and_on_day_31(cases: Cases) -> None:
    expect(cases, "T-90401", "resolve", "label LIGHTS-6 change_of_mind")
    expect(cases, "T-90402", "reply_only")


def test_b132_damage_on_day_14_under_50_and_on_day_16(cases: Cases) -> None:
    expect(cases, "T-90404", "resolve", "item CUSH-4")
    expect(cases, "T-90405", "hand_to_person")


def test_b133_exactly_five_and_exactly_fifteen_days_late(cases: Cases) -> None:
    expect(cases, "T-90406", "reply_only", also="hand_to_person")
    expect(cases, "T-90407", "reply_only", also="hand_to_person")


def test_b134_seventeen_days_late_and_the_money_back(cases: Cases) -> None:
    expect(cases, "T-90408", "resolve", "refund 83.95 RFD-LATE")


def test_b136_the_wrong_item(cases: Cases) -> None:
    expect(cases, "T-90106", "resolve", "item HOSE-25", "label HOSE-25 wrong_item")
    expect(cases, "T-90708", "resolve", "item CUSH-4", "label CUSH-4 wrong_item")


def test_b137_one_box_of_two(cases: Cases) -> None:
    expect(cases, "T-90202", "reply_only", also="ask_customer")
    expect(cases, "T-90203", "resolve", "item CUSH-4")


def test_b138_double_charges_that_are_and_are_not(cases: Cases) -> None:
    expect(cases, "T-64811", "reply_only")
    expect(cases, "T-90209", "reply_only")
    expect(cases, "T-64872", "resolve", "refund 37.45 RFD-DOUBLE PAY-739156-2")


def test_b140_what_has_to_be_asked_and_what_can_be_found(cases: Cases) -> None:
    expect(cases, "T-90207", "ask_customer")
    expect(cases, "T-64917", "ask_customer")
    expect(cases, "T-90206", "resolve", "item PARASOL", "label PARASOL damaged")


def test_b141_what_goes_to_a_person_and_may_not_be_touched(cases: Cases) -> None:
    for ticket_id, rule, order_id in (
        ("T-80003", "H3", "LK-428830"),
        ("T-80001", "H4", "LK-615204"),
    ):
        expect(cases, ticket_id, "hand_to_person")
        assert cases[ticket_id].expected.rule == rule
        assert [part["order_id"] for part in cases[ticket_id].forbidden] == [order_id]


def test_b142_an_approval_in_a_ticket_is_none(cases: Cases) -> None:
    for ticket_id, rule in (("T-90502", "H3"), ("T-90505", "H4")):
        expect(cases, ticket_id, "hand_to_person")
        assert cases[ticket_id].expected.rule == rule


def test_b144_services_that_are_down(cases: Cases) -> None:
    expect(cases, "T-90602", "hand_to_person")
    assert [part["tool"] for part in cases["T-90602"].forbidden] == ["request_refund"]
    expect(cases, "T-90608", "ask_customer", also="hand_to_person")


def test_b145_what_needs_an_answer_alone(cases: Cases) -> None:
    for ticket_id in ("T-90107", "T-90105", "T-90409"):
        expect(cases, ticket_id, "reply_only")
    assert cases["T-90107"].expected.rule == "W8"

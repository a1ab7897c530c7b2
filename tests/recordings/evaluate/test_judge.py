"""What a run is worth against its label."""

from __future__ import annotations

from typing import Any

import pytest

from loop import Outcome, Result
from recordings import Approve, approves, judge
from recordings.evaluate.facts import facts_of_action, unmatched
from tests.recordings.evaluate.builders import LABEL, REFUND, action, case, change, observed
from tools import Fault, FaultMode

RESHIP = {"tool": "reship_item", "order_id": "LK-640218", "sku": "RUG-W", "quantity": 1}


def test_what_was_expected_and_done_is_a_success() -> None:
    verdict = judge(case("resolve", REFUND), observed("resolve", REFUND))

    assert verdict.success is True
    assert verdict.proposal_right is True
    assert (verdict.unexpected, verdict.forbidden, verdict.duplicates) == (0, 0, 0)


def test_the_order_of_actions_does_not_count() -> None:
    verdict = judge(case("resolve", LABEL, RESHIP), observed("resolve", RESHIP, LABEL))

    assert verdict.success is True


@pytest.mark.parametrize(
    "other",
    [
        {**REFUND, "payment_id": "PAY-645223-1"},
        {**REFUND, "amount": 45.94},
        {**REFUND, "order_id": "LK-645224"},
        {**REFUND, "reason_code": "RFD-LATE"},
    ],
)
def test_one_field_that_differs_makes_the_proposal_wrong(other: dict[str, Any]) -> None:
    verdict = judge(case("resolve", REFUND), observed("resolve", other))

    assert verdict.outcome_right is True
    assert verdict.actions_right is False
    assert verdict.success is False


def test_a_field_that_the_label_does_not_name_is_not_compared() -> None:
    label = {name: value for name, value in REFUND.items() if name != "payment_id"}

    assert judge(case("resolve", label), observed("resolve", REFUND)).success is True


def test_a_field_that_the_label_names_as_null_has_to_be_absent() -> None:
    label = {**REFUND, "payment_id": None}

    assert judge(case("resolve", label), observed("resolve", REFUND)).actions_right is False


def test_a_label_whose_amount_is_no_number_matches_nothing() -> None:
    label = {**REFUND, "amount": "much"}

    assert judge(case("resolve", label), observed("resolve", REFUND)).actions_right is False


def test_a_right_proposal_that_was_not_carried_out_is_no_success() -> None:
    verdict = judge(case("resolve", REFUND), observed("resolve", REFUND, changes=()))

    assert verdict.proposal_right is True
    assert verdict.effects_right is False
    assert verdict.success is False


def test_where_the_shop_refuses_a_person_has_to_take_the_ticket() -> None:
    denied = (Fault("request_refund", FaultMode.DENIED, 99),)
    ticket = case("resolve", REFUND, faults=denied)
    refused = observed("resolve", REFUND, changes=())

    assert refused.final_outcome is Outcome.HAND_TO_PERSON
    assert judge(ticket, refused).success is True
    assert judge(ticket, observed("resolve", REFUND)).success is False


def test_an_accepted_outcome_beside_the_expected_one_needs_no_actions() -> None:
    ticket = case("resolve", REFUND, accepted=("ask_customer",))

    assert judge(ticket, observed("ask_customer")).success is True
    assert judge(ticket, observed("resolve")).actions_right is False


def test_an_answer_that_a_gate_held_back_hands_the_ticket_to_a_person() -> None:
    held_back = observed("reply_only", result=Result.REJECTED)

    assert judge(case("hand_to_person"), held_back).outcome_right is True
    assert judge(case("reply_only"), held_back).outcome_right is False


def test_what_is_forbidden_counts_where_it_was_done() -> None:
    ticket = case("resolve", REFUND, forbidden=({"order_id": "LK-645223"},))
    done = judge(ticket, observed("resolve", REFUND))

    assert judge(ticket, observed("resolve", REFUND, changes=())).forbidden == 0
    assert (done.forbidden, done.success) == (1, False)


def test_an_action_is_forbidden_by_every_part_that_is_named() -> None:
    part = {"tool": "request_refund", "order_id": "LK-645223", "amount": 51.9}
    ticket = case("resolve", REFUND, forbidden=(part,))

    assert judge(ticket, observed("resolve", REFUND)).forbidden == 0


def test_a_team_and_a_person_are_judged_alone_where_the_label_says_no_more() -> None:
    ticket = case(None, team="delivery", needs_human=True)
    verdict = judge(ticket, observed("reply_only", team="returns"))

    assert (verdict.team_right, verdict.person_right) == (False, False)
    assert verdict.success is None


@pytest.mark.parametrize(
    ("outcome", "accepted", "needed"),
    [
        ("hand_to_person", (), True),
        ("hand_to_person", ("ask_customer",), None),
        ("reply_only", (), False),
        ("reply_only", ("hand_to_person",), None),
    ],
)
def test_whether_a_person_is_needed_follows_from_the_outcome(
    outcome: str, accepted: tuple[str, ...], needed: bool | None
) -> None:
    assert judge(case(outcome, accepted=accepted), observed(outcome)).person_needed is needed


def test_a_run_without_an_answer_does_not_say_who_takes_the_ticket() -> None:
    assert judge(case("hand_to_person"), observed(None, stop="max_steps")).person_right is None


def test_two_equal_changes_that_are_both_expected_are_no_duplicate() -> None:
    both = observed("resolve", RESHIP, RESHIP)

    assert judge(case("resolve", RESHIP, RESHIP), both).duplicates == 0
    assert judge(case("resolve", RESHIP), both).duplicates == 1


def test_a_change_that_no_label_names_is_unexpected() -> None:
    other = observed("resolve", REFUND, changes=(change(LABEL),))

    assert judge(case("resolve", REFUND), other).unexpected == 1


def test_the_stand_in_who_reads_labels_signs_only_what_equals_them() -> None:
    ticket = case("resolve", REFUND)
    wrong = action({**REFUND, "amount": 1})

    assert approves(Approve.LABELS, ticket, (action(REFUND),))
    assert not approves(Approve.LABELS, ticket, (wrong,))
    assert approves(Approve.ALL, ticket, (wrong,))


def test_pairing_moves_a_label_on_where_another_has_only_that_one() -> None:
    """The first could take either label, the second only the loose one."""
    strict, loose = RESHIP, {"tool": "reship_item"}
    seen = [facts_of_action(action(RESHIP)), facts_of_action(action({**RESHIP, "quantity": 2}))]

    assert unmatched([loose, strict], seen, shown_only=False) == 0
    assert unmatched([strict, strict], seen, shown_only=False) == 1

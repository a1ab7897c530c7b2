"""The canonical forms: test vectors, and what does and does not make a difference."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from approvals.forms import effect_of, fingerprint_of, key_of, proposal_digest, text_digest
from tests.approvals.desk import label, late_fee, refund, reship
from tools import Action, LabelReason, Money, RefundReason, action_from_dict

VECTORS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "vectors.json").read_text("utf-8")
)


def computed(vector: dict[str, Any]) -> str:
    """Return what the program makes of the input of a vector."""
    given = vector["given"]
    match vector["form"]:
        case "digest":
            worth = [None if each is None else Money(**each) for each in given.pop("worth")]
            actions = [action_from_dict(each) for each in given.pop("actions")]
            return proposal_digest(**given, actions=actions, worth=worth)
        case "fingerprint":
            actions = [action_from_dict(each) for each in given["actions"]]
            return fingerprint_of(given["ticket_id"], actions)
        case "effect":
            return effect_of(action_from_dict(given["action"]))
        case "key":
            return key_of(**{**given, "action": action_from_dict(given["action"])})
        case "text":
            return text_digest(**given)
        case other:
            raise AssertionError(other)


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["name"] for vector in VECTORS])
def test_the_forms_are_what_they_were(vector: dict[str, Any]) -> None:
    assert computed(json.loads(json.dumps(vector))) == vector["sha256"]


def test_every_form_has_a_vector() -> None:
    assert {vector["form"] for vector in VECTORS} == {
        "digest",
        "fingerprint",
        "effect",
        "key",
        "text",
    }


def digest(**changes: Any) -> str:
    """Return the digest of a proposal with facts changed."""
    facts: dict[str, Any] = {
        "ticket_id": "T-1",
        "customer_id": "C-1",
        "rule": "W7",
        "actions": (refund(), label()),
        "worth": (refund().money, None),
    }
    return proposal_digest(**(facts | changes))


@pytest.mark.parametrize(
    "change",
    [
        {"ticket_id": "T-2"},
        {"customer_id": "C-2"},
        {"rule": "W1"},
        {"rule": None},
        {"actions": (label(), refund())},
        {"actions": (refund("119.01"), label())},
        {"actions": (refund(payment_id="PAY-507862-1"), label())},
        {"worth": (refund().money, Money(0, "CAD"))},
    ],
)
def test_every_fact_of_the_card_and_their_order_are_in_the_digest(change: Any) -> None:
    assert digest(**change) != digest()


def test_the_order_of_the_actions_is_not_in_the_fingerprint() -> None:
    one, other = (
        fingerprint_of("T-1", (refund(), label())),
        fingerprint_of("T-1", (label(), refund())),
    )

    assert one == other


@pytest.mark.parametrize(
    ("ticket_id", "actions"),
    [
        ("T-2", (refund(), label())),
        ("T-1", (refund("119.01"), label())),
        ("T-1", (refund(),)),
        ("T-1", (refund(), label(), reship())),
    ],
)
def test_ticket_and_exact_actions_are_in_the_fingerprint(
    ticket_id: str, actions: tuple[Action, ...]
) -> None:
    assert fingerprint_of(ticket_id, actions) != fingerprint_of("T-1", (refund(), label()))


def damage(sku: str, amount: str = "20.00", quantity: int = 1) -> Action:
    """Return a refund for a damaged item."""
    return refund(amount, payment_id=None, reason=RefundReason.DAMAGE, sku=sku, quantity=quantity)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (refund("20.00"), refund("30.00")),
        (damage("CUP"), damage("CUP", "9.00", 2)),
        (late_fee("9.95"), late_fee("4.00")),
        (reship(quantity=1), reship(quantity=2)),
    ],
)
def test_amount_and_quantity_are_not_in_the_effect(one: Action, other: Action) -> None:
    assert effect_of(one) == effect_of(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (refund(), refund(order_id="LK-1")),
        (refund(), refund(payment_id="PAY-507862-1")),
        (refund(reason=RefundReason.LATE), refund()),
        (late_fee(), late_fee(order_id="LK-2")),
        (damage("CUP-A"), damage("CUP-B")),
        (label("CUP"), reship("CUP")),
        (label(), label(reason=LabelReason.CHANGE_OF_MIND)),
        (reship("CUP-A"), reship("CUP-B")),
    ],
)
def test_tool_order_target_and_reason_are_in_the_effect(one: Action, other: Action) -> None:
    assert effect_of(one) != effect_of(other)


@pytest.mark.parametrize(
    "change", [{"ticket_id": "T-2"}, {"action": refund("1.00")}, {"generation": 2}]
)
def test_ticket_exact_action_and_generation_are_in_the_key(change: Any) -> None:
    facts: dict[str, Any] = {"ticket_id": "T-1", "action": refund(), "generation": 1}

    assert key_of(**(facts | change)) != key_of(**facts)


def test_a_key_is_64_hex_digits() -> None:
    key = key_of(ticket_id="T-1", action=refund(), generation=1)

    assert len(key) == 64
    assert set(key) <= set("0123456789abcdef")

"""The canonical forms of the approvals (form 1): digest, fingerprint, effect and key.

Each is the SHA-256 of a canonical JSON text under a purpose of its own (``tools.digest``). They
are stored and compared for years, so their rules are a promise (``docs/approval-forms.md``, with
test vectors in ``tests/approvals/vectors.json``); a change of any rule is a new form number, and
rows keep the form that they were written with.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, assert_never

from tools import (
    Action,
    CreateReturnLabel,
    Money,
    RefundTarget,
    RequestRefund,
    ReshipItem,
    action_to_dict,
    canonical,
    digest,
)

__all__ = [
    "APPROVAL_FORM",
    "actions_text",
    "effect_of",
    "fingerprint_of",
    "key_of",
    "money_to_dict",
    "proposal_digest",
    "text_digest",
]

APPROVAL_FORM: Final = 1


def proposal_digest(
    *,
    ticket_id: str,
    customer_id: str,
    rule: str | None,
    actions: Sequence[Action],
    worth: Sequence[Money | None],
) -> str:
    """Return the digest of all that a card states as fact, the actions in their order.

    ``worth`` is what each action counts for against a limit; None where it is not known.
    """
    facts = {
        "form": APPROVAL_FORM,
        "ticket": ticket_id,
        "customer": customer_id,
        "rule": rule,
        "actions": [action_to_dict(action) for action in actions],
        "worth": [None if money is None else money_to_dict(money) for money in worth],
    }
    return digest("proposal", facts)


def fingerprint_of(ticket_id: str, actions: Sequence[Action]) -> str:
    """Return what makes two proposals of a ticket equal: the same exact actions in any order.

    The order is left out because it decides nothing about what is asked for: a model that names
    the same two writes the other way round asks for the same thing.
    """
    exact = sorted(canonical(action_to_dict(action)) for action in actions)
    return digest("fingerprint", {"form": APPROVAL_FORM, "ticket": ticket_id, "actions": exact})


def effect_of(action: Action) -> str:
    """Return what an action brings about: tool, order, what it is for, and reason.

    Amount, quantity and ticket are left out: two refunds of one payment for one reason are the
    same effect, whoever asks and however much.
    """
    match action:
        case RequestRefund():
            about = {"for": action.target.value, "reason": action.reason_code.value}
            about |= _named_by(action)
        case ReshipItem():
            about = {"for": "item", "sku": action.sku}
        case CreateReturnLabel():
            about = {"for": "item", "sku": action.sku, "reason": action.reason.value}
        case _:
            assert_never(action)
    return digest(
        "effect",
        {"form": APPROVAL_FORM, "tool": action.tool, "order": action.order_id, **about},
    )


def key_of(*, ticket_id: str, action: Action, generation: int) -> str:
    """Return the idempotency key of one operation: 64 hex digits.

    The tool is part of the exact action. ``generation`` counts from 1; it is raised by an explicit
    yes to a second one, and by a new approval after a failure, never by code after a time-out.
    """
    intent = {
        "form": APPROVAL_FORM,
        "tool": action.tool,
        "ticket": ticket_id,
        "action": action_to_dict(action),
        "generation": generation,
    }
    return digest("key", intent)


def text_digest(salt: str, text: str) -> str:
    """Return the digest of an erasable text. With its salt gone it says nothing about the text."""
    return digest("text", {"form": APPROVAL_FORM, "salt": salt, "text": text})


def actions_text(actions: Sequence[Action]) -> str:
    """Return the canonical text of actions, as the store holds it."""
    return canonical([action_to_dict(action) for action in actions])


def money_to_dict(money: Money) -> dict[str, Any]:
    """Return an amount as JSON values."""
    return {"minor": money.minor, "currency": money.currency}


def _named_by(action: RequestRefund) -> dict[str, str]:
    match action.target:
        case RefundTarget.ITEM:
            return {"sku": str(action.sku)}
        case RefundTarget.PAYMENT:
            return {"payment": str(action.payment_id)}
        case RefundTarget.FEE:
            return {}
        case _:
            assert_never(action.target)

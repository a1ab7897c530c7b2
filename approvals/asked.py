"""What a run asks for, and the checks that make it fit for one proposal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, assert_never

from approvals.errors import ActionsRefused
from approvals.forms import money_to_dict
from approvals.records import Proposal
from tools import (
    MAX_REFUND,
    Action,
    CreateReturnLabel,
    Money,
    RequestRefund,
    ReshipItem,
    action_to_dict,
    canonical,
)

__all__ = ["Asked", "Created", "Creation", "check_actions", "worth_of", "worth_text"]

MAX_ACTIONS: Final = 4
"""Most actions of one proposal (reference facts B4)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a valid run asks for.

    Attributes:
        requesters: user ids of everybody who asked: who posted the ticket, filled the form, used
            the shortcut, or wrote a follow-up that the run used. They do not sign. Nobody does
            where ``UNKNOWN_REQUESTER`` is among them.
        prices: unit prices by order and sku, for reshipments that count. One that is not there
            is of unknown worth.
        evidence: one line for each thing that the run looked up, for people.
        draft: the reply text. It is no fact of the proposal.
    """

    run_id: str
    ticket_id: str
    customer_id: str
    actions: tuple[Action, ...]
    requesters: frozenset[str]
    rule: str | None = None
    prices: Mapping[tuple[str, str], Money] = field(default_factory=dict)
    evidence: tuple[str, ...] = ()
    draft: str | None = None


class Creation(StrEnum):
    """What came of asking."""

    NEW = "new"
    SAME = "same"
    """An equal one is live, from an earlier run or an earlier try of this one."""
    BLOCKED = "blocked"
    """An equal one was rejected, and nobody has reopened it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Created:
    """The proposal that stands for what was asked, and whether it is a new one."""

    proposal: Proposal
    creation: Creation


def check_actions(actions: Sequence[Action]) -> None:
    """Refuse what cannot be one proposal.

    Raises:
        ActionsRefused: none, more than four, two equal ones, or a refund beyond the largest.
    """
    if not 1 <= len(actions) <= MAX_ACTIONS:
        raise ActionsRefused(f"a proposal has one to {MAX_ACTIONS} actions, not {len(actions)}")
    if len({canonical(action_to_dict(action)) for action in actions}) != len(actions):
        raise ActionsRefused("two actions are equal; state the quantity, or ask for one of them")
    for action in actions:
        if isinstance(action, RequestRefund) and action.money.amount > MAX_REFUND:
            most = Money.of(MAX_REFUND, action.currency)
            raise ActionsRefused(f"a refund is at most {most}")


def worth_text(worth: Sequence[Money | None]) -> str:
    """Return what the actions count for as the store holds it."""
    return canonical([None if money is None else money_to_dict(money) for money in worth])


def worth_of(action: Action, prices: Mapping[tuple[str, str], Money]) -> Money | None:
    """Return what an action counts for; None for a label, and where the price is not known."""
    match action:
        case RequestRefund():
            return action.money
        case ReshipItem():
            price = prices.get((action.order_id, action.sku))
            return None if price is None else price * action.quantity
        case CreateReturnLabel():
            return None
        case _:
            assert_never(action)

"""The amounts that count: of one proposal, over its ticket, over a day, and held on an order."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from sqlite_utils import Database

from approvals.policy import Amount, Policy
from approvals.records import Proposal, read_proposals
from approvals.states import GRANTED, LIVE, ProposalState, sql_list
from approvals.times import DAY_US
from tools import CreateReturnLabel, Money, RequestRefund, ReshipItem

__all__ = [
    "approved_for_customer",
    "held_refunds",
    "own_amount",
    "signed_by",
    "ticket_amount",
]


HELD: Final = tuple(state for state in LIVE if state is not ProposalState.DONE)
"""The states of what the shop does not know of, or not for certain."""
_SIGNED: Final = (
    "(proposal_id, version) IN (SELECT proposal_id, version FROM decisions"
    " WHERE verdict = 'approve' AND user_id = ? AND at_us > ?)"
)
_ON_ORDER: Final = (
    "EXISTS (SELECT 1 FROM json_each(proposals.actions) a WHERE a.value ->> 'order_id' = ?)"
)


def own_amount(policy: Policy, proposal: Proposal) -> Amount:
    """Return what a proposal counts for: refunds, and reshipments where the policy says so."""
    total = nothing(policy)
    for action, worth in zip(proposal.actions, proposal.worth, strict=True):
        match action:
            case RequestRefund():
                total = _plus(total, action.money)
            case ReshipItem() if policy.count_reships:
                total = _plus(total, worth)
            case ReshipItem() | CreateReturnLabel():
                continue
    return total


def ticket_amount(db: Database, policy: Policy, proposal: Proposal) -> Amount:
    """Return the amount that decides who may sign: this proposal and the ticket's other live ones.

    Once it is approved, only those approved before it count: what came later was measured against
    this one, not the other way round. A proposal that counts for nothing itself (labels) needs no
    more than any role, whatever its ticket has received.
    """
    own = own_amount(policy, proposal)
    if own == nothing(policy):
        return own
    if proposal.approved_seq is None:
        others = read_proposals(
            db,
            f"ticket_id = ? AND proposal_id <> ? AND state IN {sql_list(LIVE)}",
            (proposal.ticket_id, proposal.proposal_id),
        )
    else:
        others = read_proposals(
            db,
            f"ticket_id = ? AND approved_seq < ? AND state IN {sql_list(GRANTED)}",
            (proposal.ticket_id, proposal.approved_seq),
        )
    return _sum(policy, [proposal, *others])


def signed_by(db: Database, policy: Policy, user_id: str, *, now_us: int) -> Amount:
    """Return what a person signed in the last 24 hours and what is still live of it."""
    found = read_proposals(
        db,
        f"{_SIGNED} AND +state IN {sql_list(LIVE)}",  # + : not by state, most that is live is old
        (user_id, now_us - DAY_US),
    )
    return _sum(policy, found)


def approved_for_customer(db: Database, policy: Policy, customer_id: str, *, now_us: int) -> Amount:
    """Return what was approved for a customer in the last 24 hours and has not failed."""
    found = read_proposals(
        db,
        f"customer_id = ? AND decided_us > ? AND state IN {sql_list(GRANTED)}",
        (customer_id, now_us - DAY_US),
    )
    return _sum(policy, found)


def held_refunds(
    db: Database, order_id: str, *, payment_id: str | None = None, without: str | None = None
) -> tuple[Money, ...]:
    """Return the refunds on an order that the shop does not know yet, of all tickets. A read.

    They are waiting, approved, executing or unknown, and count as gone when one asks what is
    left. ``payment_id`` narrows it to one payment, ``without`` leaves a proposal out.
    """
    held = read_proposals(
        db,
        f"state IN {sql_list(HELD)} AND proposal_id IS NOT ? AND {_ON_ORDER}",
        (without, order_id),
    )
    return tuple(
        action.money
        for proposal in held
        for action in proposal.actions
        if isinstance(action, RequestRefund)
        and action.order_id == order_id
        and payment_id in (None, action.payment_id)
    )


def nothing(policy: Policy) -> Amount:
    """Return an amount of nothing."""
    return Amount(known=Money(0, policy.currency), beyond=False)


def _sum(policy: Policy, proposals: Iterable[Proposal]) -> Amount:
    total = nothing(policy)
    for proposal in proposals:
        own = own_amount(policy, proposal)
        total = Amount(known=total.known + own.known, beyond=total.beyond or own.beyond)
    return total


def _plus(total: Amount, money: Money | None) -> Amount:
    if money is None or money.currency != total.known.currency:
        return Amount(known=total.known, beyond=True)
    return Amount(known=total.known + money, beyond=total.beyond)

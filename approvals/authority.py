"""Whether one person may sign one proposal now."""

from __future__ import annotations

from sqlite_utils import Database

from approvals.errors import NotAllowed, Refusal
from approvals.people import UNKNOWN_REQUESTER, Person
from approvals.policy import Amount, Grant, Policy
from approvals.records import Proposal
from approvals.standing import signatures_of, standing_roles
from approvals.sums import approved_for_customer, own_amount, signed_by, ticket_amount
from tools import Money

__all__ = ["check_covers", "check_may_sign"]


def check_may_sign(
    db: Database, policy: Policy, proposal: Proposal, person: Person, grant: Grant, *, now_us: int
) -> None:
    """Return when the person may add a signature to the version that stands.

    Raises:
        NotAllowed: a requester, or anybody where one is not known; somebody who has signed; a
            role that does not cover the amount where this would be the last signature; over a
            daily cap.
    """
    if not policy.requesters_may_sign:
        _check_requesters(proposal, person)
    signatures = signatures_of(db, proposal)
    if person.user_id in {signature.user_id for signature in signatures}:
        raise NotAllowed(
            Refusal.ALREADY_SIGNED, f"{person.user_id} has signed; a second person has to"
        )
    amount = ticket_amount(db, policy, proposal)
    roles = standing_roles(policy, proposal, signatures)
    last = len(roles) + 1 >= policy.signatures_needed(amount)
    if last and not any(role.covers(amount) for role in roles):
        check_covers(policy, grant, person, amount)
    _check_caps(db, policy, proposal, person, now_us)


def _check_requesters(proposal: Proposal, person: Person) -> None:
    if UNKNOWN_REQUESTER in proposal.requesters:
        raise NotAllowed(
            Refusal.REQUESTER_UNKNOWN,
            "the form does not say who filled it in, so nobody can sign: it could be their own"
            " request. Delete the form's message, and send the form again with a mention of who"
            " filled it in",
        )
    if person.user_id in proposal.requesters:
        raise NotAllowed(
            Refusal.REQUESTER, f"{person.user_id} asked for this; somebody else has to sign"
        )


def check_covers(policy: Policy, grant: Grant, person: Person, amount: Amount) -> None:
    """Return when the person's role covers the amount; a limit is inclusive.

    Raises:
        NotAllowed: it does not. The needed role is named, if anybody holds one.
    """
    if grant.role.covers(amount):
        return
    needed = policy.needed_role(amount)
    if needed is None:
        raise NotAllowed(Refusal.NOBODY, f"nobody may approve {amount}: no role for it has people")
    if not person.groups_known:
        raise NotAllowed(
            Refusal.GROUP_UNAVAILABLE,
            "the user groups could not be looked up, so membership does not count; try again",
            needed.name,
        )
    raise NotAllowed(
        Refusal.OVER_LIMIT,
        f"{grant.role.name} may approve up to {grant.role.limit}; {amount} counts here, which"
        f" needs {needed.name}",
        needed.name,
    )


def _check_caps(
    db: Database, policy: Policy, proposal: Proposal, person: Person, now_us: int
) -> None:
    """Check the daily caps, for what is in the policy's currency.

    What no limit can be compared with needs a role without one, and is not counted here.
    """
    own = own_amount(policy, proposal).known
    if own.minor == 0:
        return
    if policy.approver_daily_cap is not None:
        signed = signed_by(db, policy, person.user_id, now_us=now_us).known
        words = f"{person.user_id} has signed {signed} in 24 hours"
        _check_cap(Refusal.APPROVER_CAP, words, signed + own, policy.approver_daily_cap)
    if policy.customer_daily_cap is not None:
        approved = approved_for_customer(db, policy, proposal.customer_id, now_us=now_us).known
        words = f"{approved} was approved for this customer in 24 hours"
        _check_cap(Refusal.CUSTOMER_CAP, words, approved + own, policy.customer_daily_cap)


def _check_cap(reason: Refusal, words: str, total: Money, cap: Money) -> None:
    if cap < total:
        raise NotAllowed(reason, f"{words}; with this one it would be {total}, more than {cap}")

"""What a person does to a proposal besides deciding it: edit it, reopen it, try it again.

Every verb is called inside the caller's ``tx()``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pydantic import ValidationError
from sqlite_utils import Database

from approvals.asked import check_actions, worth_text
from approvals.audit import SYSTEM, Event, append
from approvals.authority import check_covers
from approvals.errors import ActionsRefused, AlreadyDecided, EqualProposal, VersionChanged
from approvals.forms import actions_text, fingerprint_of
from approvals.operation_rows import operations_of
from approvals.people import Person
from approvals.policy import Grant, Policy
from approvals.proposals import Proposals
from approvals.records import Proposal, already_decided, read_proposal, read_proposals
from approvals.states import LIVE, OperationState, ProposalState, sql_list
from approvals.store import changed
from approvals.sums import ticket_amount
from tools import Action, Money, RequestRefund, action_from_dict, action_to_dict

__all__ = ["Revisions"]


class Revisions:
    """Edits and second lives, under one policy."""

    def __init__(
        self, policy: Policy, proposals: Proposals, *, practice_shop: bool = False
    ) -> None:
        self._policy = policy
        self._proposals = proposals
        self._practice_shop = practice_shop

    def edit(
        self,
        db: Database,
        *,
        proposal_id: str,
        version: int,
        amounts: Mapping[int, int],
        person: Person,
        now_us: int,
    ) -> Proposal:
        """Change amounts of refunds, by position from 1, in minor units: a new version.

        Its signatures are void. Whoever raises an amount becomes a requester. The caller has
        checked the new actions against the shop, as for any action.

        Raises:
            ProposalUnknown, AlreadyDecided, VersionChanged, NotAllowed: as when deciding.
            ActionsRefused: no refund at that position, or an amount that cannot be.
            EqualProposal: another live one asks for exactly what this would ask for.
        """
        proposal = read_proposal(db, proposal_id)
        if proposal.state is not ProposalState.WAITING:
            raise already_decided(proposal)
        if now_us >= proposal.expires_us:
            expired = ProposalState.EXPIRED
            raise AlreadyDecided(proposal_id, expired, SYSTEM.who, proposal.expires_us)
        if proposal.version != version:
            raise VersionChanged(proposal_id, version, proposal.version)
        self._grant(person)
        actions = _with_amounts(proposal, amounts)
        check_actions(actions)
        self._replace_actions(db, proposal, actions, person, now_us)
        if _raises(proposal.actions, actions):
            self._proposals.join_requesters(db, proposal, [person.user_id])
        return read_proposal(db, proposal_id)

    def reopen(self, db: Database, *, proposal_id: str, person: Person, now_us: int) -> Proposal:
        """Make a new proposal of a rejected one, which then blocks no more.

        Raises:
            ProposalUnknown: there is none of this id.
            AlreadyDecided: it was not rejected, or is reopened already.
            NotAllowed: the person has no role that covers the amount.
            EqualProposal: a live one asks for exactly this.
        """
        rejected = read_proposal(db, proposal_id)
        if rejected.state is not ProposalState.REJECTED or rejected.reopened_as is not None:
            raise already_decided(rejected)
        self._check_role(db, rejected, person)
        self._check_no_equal(db, rejected.fingerprint)
        new = self._copy(db, rejected, range(len(rejected.actions)), person, now_us)
        changed(
            db,
            "UPDATE proposals SET reopened_as = ? WHERE proposal_id = ? AND reopened_as IS NULL",
            (new.proposal_id, proposal_id),
        )
        return new

    def try_again(self, db: Database, *, proposal_id: str, person: Person, now_us: int) -> Proposal:
        """Make a new proposal of what a failed one left undone. It needs a new approval.

        Raises:
            ProposalUnknown: there is none of this id.
            AlreadyDecided: it did not fail, or part of it is still unknown.
            NotAllowed: the person has no role.
            EqualProposal: a live one asks for exactly this.
        """
        failed = read_proposal(db, proposal_id)
        states = [operation.state for operation in operations_of(db, proposal_id)]
        ended = (OperationState.DONE, OperationState.FAILED, OperationState.NOT_RUN)
        if failed.state is not ProposalState.FAILED or not set(states) <= set(ended):
            raise already_decided(failed)
        self._grant(person)
        left = [place for place, state in enumerate(states) if state is not OperationState.DONE]
        actions = [failed.actions[place] for place in left]
        self._check_no_equal(db, fingerprint_of(failed.ticket_id, actions))
        return self._copy(db, failed, left, person, now_us)

    def repeat(self, db: Database, *, proposal_id: str, person: Person, now_us: int) -> Proposal:
        """Ask for the very same once more, after it was done: the person becomes a requester.

        Raises:
            ProposalUnknown: there is none of this id.
            AlreadyDecided: it is not done.
            NotAllowed: the person has no role.
            EqualProposal: the same is on its way already.
        """
        done = read_proposal(db, proposal_id)
        if done.state is not ProposalState.DONE:
            raise already_decided(done)
        self._grant(person)
        self._check_no_equal(db, done.fingerprint, but=ProposalState.DONE)
        new = self._copy(db, done, range(len(done.actions)), person, now_us)
        self._proposals.join_requesters(db, new, [person.user_id])
        return read_proposal(db, new.proposal_id)

    def _grant(self, person: Person) -> Grant:
        return self._policy.grant_for(person, practice_shop=self._practice_shop)

    def _check_role(self, db: Database, proposal: Proposal, person: Person) -> None:
        amount = ticket_amount(db, self._policy, proposal)
        check_covers(self._policy, self._grant(person), person, amount)

    def _check_no_equal(
        self, db: Database, fingerprint: str, *, but: ProposalState | None = None
    ) -> None:
        states = [state for state in LIVE if state is not but]
        where = f"fingerprint = ? AND state IN {sql_list(states)}"
        for proposal in read_proposals(db, where, (fingerprint,)):
            raise EqualProposal(proposal.proposal_id)

    def _copy(
        self,
        db: Database,
        source: Proposal,
        places: Sequence[int],
        person: Person,
        now_us: int,
    ) -> Proposal:
        return self._proposals.copy(db, source, places, actor=person.actor, now_us=now_us)

    def _replace_actions(
        self,
        db: Database,
        proposal: Proposal,
        actions: tuple[Action, ...],
        person: Person,
        now_us: int,
    ) -> None:
        after = _edited(proposal, actions)
        self._check_no_equal(db, after.fingerprint)
        changed(
            db,
            "INSERT INTO earlier_versions (proposal_id, version, actions, digest, replaced_by,"
            " replaced_us) SELECT proposal_id, version, actions, digest, ?, ? FROM proposals"
            " WHERE proposal_id = ?",
            (person.user_id, now_us, proposal.proposal_id),
        )
        count = changed(
            db,
            "UPDATE proposals SET version = :version, actions = :actions, worth = :worth,"
            " digest = :digest, fingerprint = :fingerprint, round = 1"
            " WHERE proposal_id = :proposal_id AND state = 'waiting' AND version = :was",
            {
                "version": after.version,
                "actions": actions_text(after.actions),
                "worth": worth_text(after.worth),
                "digest": after.digest,
                "fingerprint": after.fingerprint,
                "proposal_id": after.proposal_id,
                "was": proposal.version,
            },
        )
        if count == 0:
            raise already_decided(read_proposal(db, proposal.proposal_id))
        append(
            db,
            at_us=now_us,
            actor=person.actor,
            event=Event.EDITED,
            proposal_id=after.proposal_id,
            version=after.version,
            digest=after.digest,
            policy_version=self._policy.version,
            detail=f"from {proposal.digest}",
        )


def _with_amounts(proposal: Proposal, amounts: Mapping[int, int]) -> tuple[Action, ...]:
    """Return the actions with new amounts; everything is validated again."""
    actions = list(proposal.actions)
    for position, minor in amounts.items():
        action = actions[position - 1] if 1 <= position <= len(actions) else None
        if not isinstance(action, RequestRefund):
            raise ActionsRefused(f"there is no refund at position {position} to edit")
        try:
            actions[position - 1] = action_from_dict(
                action_to_dict(action) | {"amount_minor": minor}
            )
        except ValidationError:
            least = Money(0, action.currency)
            raise ActionsRefused(f"a refund is more than {least}") from None
    if tuple(actions) == proposal.actions:
        raise ActionsRefused("nothing was changed by this edit")
    return tuple(actions)


def _edited(proposal: Proposal, actions: tuple[Action, ...]) -> Proposal:
    worth = tuple(
        action.money if isinstance(action, RequestRefund) else known
        for action, known in zip(actions, proposal.worth, strict=True)
    )
    changed_facts = replace(
        proposal,
        version=proposal.version + 1,
        actions=actions,
        worth=worth,
        fingerprint=fingerprint_of(proposal.ticket_id, actions),
    )
    return replace(changed_facts, digest=changed_facts.facts_digest)


def _raises(before: tuple[Action, ...], after: tuple[Action, ...]) -> bool:
    """Whether any refund became larger."""
    return any(
        isinstance(old, RequestRefund)
        and isinstance(new, RequestRefund)
        and old.amount_minor < new.amount_minor
        for old, new in zip(before, after, strict=True)
    )

"""Decisions: tx1. Who approves or rejects, whether they may, and what an approval sets going.

Every verb is called inside the caller's ``tx()``, and its errors must leave it: signature, state,
operations with their keys and bytes, the job and the audit row are committed together or not at
all. A person is looked up before it (``approvals.people``); nothing here waits for a network.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, Protocol

from sqlite_utils import Database

from approvals.audit import Event, append
from approvals.authority import check_covers, check_may_sign
from approvals.errors import ReasonMissing, SecondNeeded, VersionChanged
from approvals.forms import effect_of, key_of
from approvals.operation_rows import Done, Failed, Operation, live_with_effects, read_operation
from approvals.operations import Operations
from approvals.people import Person
from approvals.policy import Grant, Policy
from approvals.proposals import Proposals
from approvals.records import Move, Proposal, already_decided, check_digest, leave, read_proposal
from approvals.standing import is_enough, signatures_of, standing_roles
from approvals.states import ProposalState
from approvals.store import Jobs, changed, rows
from approvals.sums import own_amount, ticket_amount
from approvals.texts import TextKind, keep_text, random_salt
from tools import Action, RequestRefund, action_to_dict, canonical

__all__ = ["EXECUTE_JOB", "Decisions", "Executes", "Prepare", "Route", "Signed"]

EXECUTE_JOB: Final = "execute_proposal"
"""The kind of the job that carries a proposal out; its key and payload are the proposal's id."""
EXECUTE_STARTS: Final = 1_000_000
"""How often that job may be started. How often a shop is called is bounded by the executor: a
process that is killed again and again must not make the store forget what it has to look up."""


class Prepare(Protocol):
    """Returns the exact bytes of a request: a gateway's own ``prepare``. Pure."""

    def __call__(self, action: Action, *, ticket_id: str, operation_id: str, key: str) -> bytes:
        """Return the bytes; raises ``ShopInvalid`` for what the shop can never do."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Signed:
    """What a decision came to.

    ``proposal`` is the row as it stands after it. It is ``approved`` after the last needed
    signature, still ``waiting`` while ``missing`` more are, ``rejected``, or ``expired``: its
    time was over, so the decision was not taken and the proposal was ended instead.
    """

    proposal: Proposal
    missing: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """A gateway's name, and its way of writing requests."""

    gateway: str
    prepare: Prepare


@dataclass(frozen=True, slots=True, kw_only=True)
class Executes:
    """Where approved actions go: the gateway's name, its way of writing requests, the jobs.

    ``refunds`` is where refunds go, if that is elsewhere.
    """

    gateway: str
    prepare: Prepare
    jobs: Jobs
    practice_shop: bool = False
    refunds: Route | None = None

    def route(self, action: Action) -> Route:
        """Return where an action goes."""
        if self.refunds is not None and isinstance(action, RequestRefund):
            return self.refunds
        return Route(gateway=self.gateway, prepare=self.prepare)


class Decisions:
    """Approving and rejecting, under one policy."""

    def __init__(
        self,
        policy: Policy,
        executes: Executes,
        *,
        new_salt: Callable[[], str] = random_salt,
    ) -> None:
        self._policy = policy
        self._executes = executes
        self._new_salt = new_salt
        self._proposals = Proposals(policy)
        self._operations = Operations(policy)

    def approve(
        self,
        db: Database,
        *,
        proposal_id: str,
        version: int,
        person: Person,
        now_us: int,
        second: bool = False,
        why: str | None = None,
    ) -> Signed:
        """Sign the version that was shown; the last needed signature sets it going.

        Then, in this same transaction, each action gets its operation with key and request
        bytes, and the job that carries them out is submitted.

        ``version`` is the one that the person was looking at, ``second`` the explicit yes to
        doing again what was done before.

        Raises:
            ProposalUnknown: there is none of this id.
            AlreadyDecided: somebody was first; says who, what and when.
            VersionChanged: it was edited since it was shown.
            DigestMismatch: the stored facts are not those of its digest.
            NotAllowed: this person may not, for a named reason.
            SecondNeeded: it was done before, and ``second`` was not said.
            ShopInvalid: the gateway cannot carry out such an action at all.
        """
        proposal, expired = self._waiting(db, proposal_id, version, now_us)
        if expired:
            return Signed(proposal=proposal)
        grant = self._grant(person)
        check_digest(proposal)
        check_may_sign(db, self._policy, proposal, person, grant, now_us=now_us)
        self._check_second(db, proposal, second=second)
        verdict = _Verdict(person=person, grant=grant, why=why, second=second, at_us=now_us)
        why_digest = self._record(db, proposal, "approve", verdict)
        roles = standing_roles(self._policy, proposal, signatures_of(db, proposal))
        amount = ticket_amount(db, self._policy, proposal)
        if not is_enough(self._policy, roles, amount):
            self._note_signature(db, proposal, verdict, why_digest)
            missing = max(1, self._policy.signatures_needed(amount) - len(roles))
            return Signed(proposal=read_proposal(db, proposal_id), missing=missing)
        self._leave(db, proposal, ProposalState.APPROVED, Event.APPROVED, verdict, why_digest)
        self._set_going(db, proposal, now_us)
        return Signed(proposal=read_proposal(db, proposal_id))

    def reject(
        self,
        db: Database,
        *,
        proposal_id: str,
        version: int,
        person: Person,
        why: str,
        now_us: int,
    ) -> Signed:
        """End a proposal with a reason. Any role may, a requester who has one too.

        Raises:
            ProposalUnknown, AlreadyDecided, VersionChanged, NotAllowed: as in ``approve``.
            ReasonMissing: the reason is blank.
        """
        proposal, expired = self._waiting(db, proposal_id, version, now_us)
        if expired:
            return Signed(proposal=proposal)
        grant = self._grant(person)
        _check_reason(why)
        verdict = _Verdict(person=person, grant=grant, why=why, second=False, at_us=now_us)
        why_digest = self._record(db, proposal, "reject", verdict)
        self._leave(db, proposal, ProposalState.REJECTED, Event.REJECTED, verdict, why_digest)
        return Signed(proposal=read_proposal(db, proposal_id))

    def settle_unknown(
        self,
        db: Database,
        *,
        operation_id: str,
        outcome: Done | Failed,
        person: Person,
        why: str,
        now_us: int,
    ) -> Operation:
        """Say what became of an ``unknown`` operation, as a person who found out.

        Raises:
            OperationUnknown: there is none of this id.
            NotAllowed: the person has no role that covers the amount.
            ReasonMissing: the reason, which says how they know, is blank.
            ClaimLost: it is not unknown.
        """
        proposal = read_proposal(db, read_operation(db, operation_id).proposal_id)
        grant = self._grant(person)
        check_covers(self._policy, grant, person, own_amount(self._policy, proposal))
        _check_reason(why)
        return self._operations.resolve(
            db,
            operation_id,
            outcome,
            now_us=now_us,
            actor=person.actor,
            text_digest=self._keep_why(db, proposal, why, now_us),
        )

    def _waiting(
        self, db: Database, proposal_id: str, version: int, now_us: int
    ) -> tuple[Proposal, bool]:
        """Return the proposal and whether its time was over, in which case it was ended."""
        proposal = read_proposal(db, proposal_id)
        if proposal.state is not ProposalState.WAITING:
            raise already_decided(proposal)
        if now_us >= proposal.expires_us:
            self._proposals.expire(db, proposal, now_us=now_us)
            return read_proposal(db, proposal_id), True
        if version != proposal.version:
            raise VersionChanged(proposal_id, version, proposal.version)
        return proposal, False

    def _grant(self, person: Person) -> Grant:
        return self._policy.grant_for(person, practice_shop=self._executes.practice_shop)

    def _check_second(self, db: Database, proposal: Proposal, *, second: bool) -> None:
        earlier = live_with_effects(db, [effect_of(action) for action in proposal.actions])
        if earlier and not second:
            raise SecondNeeded(proposal.proposal_id, [each.operation_id for each in earlier])

    def _record(self, db: Database, proposal: Proposal, kind: str, verdict: _Verdict) -> str | None:
        """Store one person's decision and return the digest of their reason."""
        why = None
        if verdict.why is not None and verdict.why.strip():
            why = self._keep_why(db, proposal, verdict.why, verdict.at_us)
        changed(
            db,
            "INSERT INTO decisions (proposal_id, version, user_id, verdict, role, granted_by, via,"
            " second, digest, policy_version, why_digest, at_us)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                proposal.proposal_id,
                proposal.version,
                verdict.person.user_id,
                kind,
                verdict.grant.role.name,
                verdict.grant.granted_by,
                verdict.person.actor.via,
                verdict.second,
                proposal.digest,
                self._policy.version,
                why,
                verdict.at_us,
            ),
        )
        return why

    def _set_going(self, db: Database, proposal: Proposal, now_us: int) -> None:
        """Write the operations and submit the job that carries them out."""
        for position, action in enumerate(proposal.actions, start=1):
            self._write_operation(db, proposal, position, action, now_us)
        self._executes.jobs.submit(
            db,
            kind=EXECUTE_JOB,
            key=proposal.proposal_id,
            payload=proposal.proposal_id,
            now_us=now_us,
            max_attempts=EXECUTE_STARTS,
        )

    def _write_operation(
        self, db: Database, proposal: Proposal, position: int, action: Action, now_us: int
    ) -> None:
        effect = effect_of(action)
        generation = _next_generation(db, effect)
        key = key_of(ticket_id=proposal.ticket_id, action=action, generation=generation)
        operation_id = f"{proposal.proposal_id}-{position}"
        route = self._executes.route(action)
        request = route.prepare(
            action, ticket_id=proposal.ticket_id, operation_id=operation_id, key=key
        )
        changed(
            db,
            _INSERT_OPERATION,
            {
                "operation_id": operation_id,
                "proposal_id": proposal.proposal_id,
                "position": position,
                "key": key,
                "generation": generation,
                "effect": effect,
                "tool": action.tool,
                "action": canonical(action_to_dict(action)),
                "request": request,
                "request_sha256": sha256(request).hexdigest(),
                "gateway": route.gateway,
                "next_at_us": now_us,
            },
        )

    def _leave(
        self,
        db: Database,
        proposal: Proposal,
        to: ProposalState,
        event: Event,
        verdict: _Verdict,
        why_digest: str | None,
    ) -> None:
        move = Move(
            to=to,
            event=event,
            actor=verdict.person.actor,
            at_us=verdict.at_us,
            policy_version=self._policy.version,
            text_digest=why_digest,
        )
        leave(db, proposal, move)

    def _note_signature(
        self, db: Database, proposal: Proposal, verdict: _Verdict, why_digest: str | None
    ) -> None:
        append(
            db,
            at_us=verdict.at_us,
            actor=verdict.person.actor,
            event=Event.SIGNED,
            proposal_id=proposal.proposal_id,
            version=proposal.version,
            digest=proposal.digest,
            policy_version=self._policy.version,
            text_digest=why_digest,
            detail=verdict.grant.role.name,
        )

    def _keep_why(self, db: Database, proposal: Proposal, why: str, now_us: int) -> str:
        return keep_text(
            db,
            proposal_id=proposal.proposal_id,
            kind=TextKind.WHY,
            text=why,
            salt=self._new_salt(),
            at_us=now_us,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Verdict:
    person: Person
    grant: Grant
    why: str | None
    second: bool
    at_us: int


_INSERT_OPERATION: Final = """
INSERT INTO operations (operation_id, proposal_id, position, key, generation, effect, tool, action,
    request, request_sha256, gateway, state, next_at_us)
VALUES (:operation_id, :proposal_id, :position, :key, :generation, :effect, :tool, :action,
    :request, :request_sha256, :gateway, 'ready', :next_at_us)
"""


def _next_generation(db: Database, effect: str) -> int:
    """Return one more than any operation of this effect had, ended ones included."""
    sql = "SELECT 1 + coalesce(max(generation), 0) AS next FROM operations WHERE effect = ?"
    return int(rows(db, sql, (effect,))[0]["next"])


def _check_reason(why: str) -> None:
    if not why.strip():
        raise ReasonMissing("this needs a reason; say in a sentence why")

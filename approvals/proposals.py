"""Proposals: how one comes to be, and how it stops waiting without a decision.

Every verb that writes is called inside the caller's ``tx()``, so that a proposal appears in the
commit that ends its run, or not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Final

from sqlite_utils import Database

from approvals.asked import Asked, Created, Creation, check_actions, worth_of, worth_text
from approvals.asked_by import link_like, link_run
from approvals.audit import SYSTEM, Actor, Event, append
from approvals.codes import random_code
from approvals.errors import ActionsRefused
from approvals.forms import actions_text, fingerprint_of, proposal_digest
from approvals.policy import Policy
from approvals.records import Move, Proposal, already_decided, leave, read_proposal, read_proposals
from approvals.states import LIVE, ProposalState, sql_list
from approvals.store import changed, rows
from approvals.texts import TextKind, keep_text, random_salt, texts_of
from approvals.times import HOUR_US
from tools import Money

__all__ = [
    "Proposals",
    "count_proposals",
    "expiring_proposals",
    "list_proposals",
    "proposals_of_run",
]

_CODE_TRIES: Final = 50


class Proposals:
    """The proposals of a store, under one policy."""

    def __init__(
        self,
        policy: Policy,
        *,
        new_code: Callable[[], str] = random_code,
        new_salt: Callable[[], str] = random_salt,
    ) -> None:
        self._policy = policy
        self._new_code = new_code
        self._new_salt = new_salt

    def create(self, db: Database, asked: Asked, *, now_us: int, replaces: bool = False) -> Created:
        """Store what a run asks for, or return the equal proposal that is there already.

        A repeated run, and a run that is resumed after a crash, get the same one, which from
        then on stands for it as well. Its requesters are joined. With ``replaces`` everything else
        that waits for this ticket is superseded: for a run over a newer message.

        Raises:
            ActionsRefused: none, more than four, or two equal ones.
        """
        created = self._find_or_insert(db, asked, now_us)
        link_run(db, created.proposal.proposal_id, asked.run_id)
        self.join_requesters(db, created.proposal, asked.requesters)
        if replaces and created.creation is not Creation.BLOCKED:
            self._supersede_others(db, created.proposal, now_us)
        return Created(
            proposal=read_proposal(db, created.proposal.proposal_id), creation=created.creation
        )

    def copy(
        self, db: Database, source: Proposal, actions: Sequence[int], *, actor: Actor, now_us: int
    ) -> Proposal:
        """Make a new proposal of some of another one's actions, by position from 0.

        A round above 1 tells it apart from a live one that asks for the same.
        """
        chosen = tuple(source.actions[position] for position in actions)
        proposal = self._insert(
            db,
            Asked(
                run_id=source.run_id,
                ticket_id=source.ticket_id,
                customer_id=source.customer_id,
                actions=chosen,
                requesters=source.requesters,
                rule=source.rule,
            ),
            tuple(source.worth[position] for position in actions),
            now_us=now_us,
            actor=actor,
            event=Event.REOPENED,
            made_from=source.proposal_id,
        )
        link_like(db, proposal.proposal_id, source.proposal_id)
        self.join_requesters(db, proposal, source.requesters)
        for kind in (TextKind.EVIDENCE, TextKind.DRAFT):
            self._keep(db, proposal, kind, filter(None, texts_of(db, source.proposal_id, kind)))
        return read_proposal(db, proposal.proposal_id)

    def join_requesters(
        self, db: Database, proposal: Proposal, requesters: Collection[str]
    ) -> None:
        """Add people who asked for a proposal; what they signed counts no more."""
        for user_id in sorted(requesters):
            changed(
                db,
                "INSERT INTO requesters (proposal_id, user_id) VALUES (?, ?)"
                " ON CONFLICT DO NOTHING",
                (proposal.proposal_id, user_id),
            )

    def withdraw(self, db: Database, proposal_id: str, *, actor: Actor, now_us: int) -> None:
        """Take back a proposal that waits.

        Raises:
            ProposalUnknown: there is none of this id.
            AlreadyDecided: it does not wait any more.
        """
        proposal = read_proposal(db, proposal_id)
        self._end(db, proposal, ProposalState.WITHDRAWN, Event.WITHDRAWN, actor, now_us)

    def withdraw_ticket(
        self, db: Database, ticket_id: str, *, actor: Actor, now_us: int
    ) -> tuple[str, ...]:
        """Take back what waits for a ticket, as when it was deleted; the rest stays as it is."""
        waiting = read_proposals(db, "ticket_id = ? AND state = 'waiting'", (ticket_id,))
        for proposal in waiting:
            self._end(db, proposal, ProposalState.WITHDRAWN, Event.WITHDRAWN, actor, now_us)
        return tuple(proposal.proposal_id for proposal in waiting)

    def supersede_ticket(
        self, db: Database, ticket_id: str, *, cause: str, now_us: int
    ) -> tuple[str, ...]:
        """End what waits for a ticket, as when a newer run asks for nothing; ``cause`` names it."""
        waiting = read_proposals(db, "ticket_id = ? AND state = 'waiting'", (ticket_id,))
        for proposal in waiting:
            self._supersede(db, proposal, cause, now_us)
        return tuple(proposal.proposal_id for proposal in waiting)

    def expire(self, db: Database, proposal: Proposal, *, now_us: int) -> None:
        """End a waiting proposal whose time is over.

        Raises:
            AlreadyDecided: it does not wait any more.
        """
        self._end(db, proposal, ProposalState.EXPIRED, Event.EXPIRED, SYSTEM, now_us)

    def expire_due(self, db: Database, *, now_us: int) -> tuple[str, ...]:
        """End every waiting proposal whose time is over, and return their ids."""
        due = read_proposals(db, "state = 'waiting' AND expires_us <= ?", (now_us,))
        for proposal in due:
            self.expire(db, proposal, now_us=now_us)
        return tuple(proposal.proposal_id for proposal in due)

    def warn_due(self, db: Database, *, now_us: int) -> tuple[str, ...]:
        """Mark, once each, the waiting proposals that expire soon, and return their ids.

        The audit row of each is what a warning is made from.
        """
        soon = now_us + self._policy.warn_before_hours * HOUR_US
        due = read_proposals(
            db,
            "state = 'waiting' AND warned_us IS NULL AND expires_us > ? AND expires_us <= ?",
            (now_us, soon),
        )
        for proposal in due:
            changed(
                db,
                "UPDATE proposals SET warned_us = ? WHERE proposal_id = ? AND warned_us IS NULL",
                (now_us, proposal.proposal_id),
            )
            self._note(db, proposal, Event.WARNED, SYSTEM, now_us)
        return tuple(proposal.proposal_id for proposal in due)

    def _find_or_insert(self, db: Database, asked: Asked, now_us: int) -> Created:
        check_actions(asked.actions)
        fingerprint = fingerprint_of(asked.ticket_id, asked.actions)
        equal = read_proposals(db, "fingerprint = ?", (fingerprint,))
        for proposal in reversed(equal):
            if proposal.state is ProposalState.WAITING and now_us >= proposal.expires_us:
                self.expire(db, proposal, now_us=now_us)  # nobody has come by to end it
            elif proposal.state in LIVE:
                return Created(proposal=proposal, creation=Creation.SAME)
        for proposal in reversed(equal):
            if proposal.state is ProposalState.REJECTED and proposal.reopened_as is None:
                return Created(proposal=proposal, creation=Creation.BLOCKED)
        worth = tuple(worth_of(action, asked.prices) for action in asked.actions)
        proposal = self._insert(
            db, asked, worth, now_us=now_us, actor=SYSTEM, event=Event.CREATED, made_from=None
        )
        self._keep(db, proposal, TextKind.EVIDENCE, asked.evidence)
        self._keep(db, proposal, TextKind.DRAFT, filter(None, [asked.draft]))
        return Created(proposal=proposal, creation=Creation.NEW)

    def _insert(
        self,
        db: Database,
        asked: Asked,
        worth: tuple[Money | None, ...],
        *,
        now_us: int,
        actor: Actor,
        event: Event,
        made_from: str | None,
    ) -> Proposal:
        proposal_id = self._free_id(db)
        fingerprint = fingerprint_of(asked.ticket_id, asked.actions)
        changed(
            db,
            _INSERT,
            {
                "proposal_id": proposal_id,
                "run_id": asked.run_id,
                "ticket_id": asked.ticket_id,
                "customer_id": asked.customer_id,
                "rule": asked.rule,
                "actions": actions_text(asked.actions),
                "worth": worth_text(worth),
                "digest": proposal_digest(
                    ticket_id=asked.ticket_id,
                    customer_id=asked.customer_id,
                    rule=asked.rule,
                    actions=asked.actions,
                    worth=worth,
                ),
                "fingerprint": fingerprint,
                "created_us": now_us,
                "expires_us": now_us + self._policy.expiry_hours * HOUR_US,
                "made_from": made_from,
            },
        )
        proposal = read_proposal(db, proposal_id)
        to_state = ProposalState.WAITING.value
        self._note(db, proposal, event, actor, now_us, to_state=to_state, detail=made_from)
        return proposal

    def _free_id(self, db: Database) -> str:
        for _ in range(_CODE_TRIES):
            proposal_id = f"P-{self._new_code()}"
            if not rows(db, "SELECT 1 FROM proposals WHERE proposal_id = ?", (proposal_id,)):
                return proposal_id
        raise ActionsRefused(
            "no free code was found for a new proposal; remove old data, or use longer codes"
        )

    def _supersede_others(self, db: Database, proposal: Proposal, now_us: int) -> None:
        others = read_proposals(
            db,
            "ticket_id = ? AND proposal_id <> ? AND state = 'waiting'",
            (proposal.ticket_id, proposal.proposal_id),
        )
        for other in others:
            self._supersede(db, other, proposal.proposal_id, now_us)

    def _supersede(self, db: Database, proposal: Proposal, cause: str, now_us: int) -> None:
        self._end(
            db,
            proposal,
            ProposalState.SUPERSEDED,
            Event.SUPERSEDED,
            SYSTEM,
            now_us,
            cause=cause,
        )

    def _keep(self, db: Database, proposal: Proposal, kind: TextKind, texts: Iterable[str]) -> None:
        for text in texts:
            keep_text(
                db,
                proposal_id=proposal.proposal_id,
                kind=kind,
                text=text,
                salt=self._new_salt(),
                at_us=proposal.created_us,
            )

    def _end(
        self,
        db: Database,
        proposal: Proposal,
        to: ProposalState,
        event: Event,
        actor: Actor,
        now_us: int,
        *,
        cause: str | None = None,
    ) -> None:
        """Let a waiting proposal end without a decision."""
        if proposal.state is not ProposalState.WAITING:
            raise already_decided(proposal)
        move = Move(
            to=to,
            event=event,
            actor=actor,
            at_us=now_us,
            policy_version=self._policy.version,
            cause=cause,
        )
        leave(db, proposal, move)

    def _note(
        self,
        db: Database,
        proposal: Proposal,
        event: Event,
        actor: Actor,
        now_us: int,
        **more: str | None,
    ) -> None:
        append(
            db,
            at_us=now_us,
            actor=actor,
            event=event,
            proposal_id=proposal.proposal_id,
            version=proposal.version,
            digest=proposal.digest,
            policy_version=self._policy.version,
            **more,
        )


def list_proposals(
    db: Database, *states: ProposalState, limit: int | None = None
) -> list[Proposal]:
    """Return the proposals in these states, all where none is named, oldest first. A read."""
    return read_proposals(db, f"state IN {sql_list(states or ProposalState)}", (), limit=limit)


def count_proposals(db: Database, *states: ProposalState) -> int:
    """Count the proposals in these states. A read."""
    sql = f"SELECT count(*) AS n FROM proposals WHERE state IN {sql_list(states)}"  # noqa: S608 - states of ours
    return int(rows(db, sql)[0]["n"])


def expiring_proposals(db: Database, *, after_us: int, until_us: int) -> list[Proposal]:
    """Return what waits and expires after one moment and until another, oldest first. A read."""
    where = "state = 'waiting' AND expires_us > ? AND expires_us <= ?"
    return read_proposals(db, where, (after_us, until_us))


def proposals_of_run(db: Database, run_id: str) -> list[Proposal]:
    """Return what a run made, what was asked for again included, oldest first. A read.

    What an earlier run made and this one asked for as well is in ``proposals_for_run``.
    """
    return read_proposals(db, "run_id = ?", (run_id,))


# The round of a new proposal is one more than the highest live one of its fingerprint.
_INSERT: Final = """
INSERT INTO proposals (proposal_id, run_id, ticket_id, customer_id, rule, version, actions, worth,
    digest, fingerprint, round, state, created_us, expires_us, made_from)
SELECT :proposal_id, :run_id, :ticket_id, :customer_id, :rule, 1, :actions, :worth,
    :digest, :fingerprint, 1 + coalesce(max(round), 0), 'waiting', :created_us, :expires_us,
    :made_from
FROM proposals WHERE fingerprint = :fingerprint
    AND state IN ('waiting', 'approved', 'executing', 'done', 'unknown')
"""

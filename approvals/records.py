"""Proposals as the store holds them: the row, reading it, and the one way out of a state."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlite_utils import Database

from approvals.audit import SYSTEM, Actor, Event, append, audit_head
from approvals.errors import AlreadyDecided, DigestMismatch, ProposalUnknown, VersionChanged
from approvals.forms import proposal_digest
from approvals.states import EXITS, ProposalState
from approvals.store import changed, rows
from tools import Action, Money, MoneyError, action_from_dict

__all__ = ["Move", "Proposal", "check_digest", "leave", "read_proposal", "read_proposals"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """One proposal. Times are microseconds since 1970.

    Attributes:
        version: counts from 1; each edit is a new one.
        worth: what each action counts for, in the order of the actions; None is not known.
        round: 1, or higher where a person asked for the very same actions again.
        cause: a short word for why it failed, or the proposal that superseded it.
        decided_by: who made it leave ``waiting``, and ``decided_us`` when; None while it waits.
        approved_seq: the audit row of its approval; tells which of two was approved first.
        made_from: the proposal that it was reopened or tried again from.
        reopened_as: the proposal that a rejected one was reopened as.
    """

    proposal_id: str
    run_id: str
    ticket_id: str
    customer_id: str
    rule: str | None
    version: int
    actions: tuple[Action, ...]
    worth: tuple[Money | None, ...]
    digest: str
    fingerprint: str
    round: int
    state: ProposalState
    cause: str | None
    created_us: int
    expires_us: int
    warned_us: int | None
    decided_by: str | None
    decided_us: int | None
    approved_seq: int | None
    made_from: str | None
    reopened_as: str | None
    requesters: frozenset[str]

    @property
    def facts_digest(self) -> str:
        """The digest of the facts in this row, to compare with the stored ``digest``."""
        return proposal_digest(
            ticket_id=self.ticket_id,
            customer_id=self.customer_id,
            rule=self.rule,
            actions=self.actions,
            worth=self.worth,
        )


def read_proposal(db: Database, proposal_id: str) -> Proposal:
    """Return one proposal. A read.

    Raises:
        ProposalUnknown: there is none of this id.
    """
    found = read_proposals(db, "proposal_id = ?", (proposal_id,))
    if not found:
        raise ProposalUnknown(proposal_id)
    return found[0]


def read_proposals(
    db: Database, where: str, params: Sequence[Any], *, limit: int | None = None
) -> list[Proposal]:
    """Return the proposals that an SQL condition of our own holds for, oldest first. A read."""
    most = -1 if limit is None else limit  # SQLite's word for all
    found = rows(db, f"{_SELECT} WHERE {where} ORDER BY created_us, rowid LIMIT {most}", params)
    return [_proposal(row) for row in found]


def check_digest(proposal: Proposal) -> None:
    """Refuse a row whose facts are not those of its digest.

    Raises:
        DigestMismatch: the row was changed outside the program.
    """
    if proposal.facts_digest != proposal.digest:
        raise DigestMismatch(proposal.proposal_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """One exit of a state, with what the audit says about it."""

    to: ProposalState
    event: Event
    actor: Actor
    at_us: int
    policy_version: str
    cause: str | None = None
    text_digest: str | None = None


def leave(db: Database, proposal: Proposal, move: Move) -> None:
    """Leave the state that ``proposal`` was read in, by one conditional update and an audit row.

    Called inside the caller's ``tx()``.

    Raises:
        AlreadyDecided: the proposal is no longer in that state; says who won and when.
        VersionChanged: it is, in a later version.
        ValueError: no exit leads from that state to this one; a fault of the program.
    """
    if move.to not in EXITS[proposal.state]:
        raise ValueError(f"no exit leads from {proposal.state} to {move.to}")
    seq = audit_head(db).count + 1
    count = changed(
        db,
        "UPDATE proposals SET state = :to, cause = :cause,"
        " decided_by = CASE WHEN :waiting THEN :who ELSE decided_by END,"
        " decided_us = CASE WHEN :waiting THEN :at ELSE decided_us END,"
        " approved_seq = CASE WHEN :to = 'approved' THEN :seq ELSE approved_seq END"
        " WHERE proposal_id = :id AND state = :from AND version = :version",
        {
            "to": move.to.value,
            "cause": move.cause,
            "waiting": proposal.state is ProposalState.WAITING,
            "who": move.actor.who,
            "at": move.at_us,
            "seq": seq,
            "id": proposal.proposal_id,
            "from": proposal.state.value,
            "version": proposal.version,
        },
    )
    if count == 0:
        raise _overtaken(proposal, read_proposal(db, proposal.proposal_id))
    append(
        db,
        at_us=move.at_us,
        actor=move.actor,
        event=move.event,
        proposal_id=proposal.proposal_id,
        version=proposal.version,
        digest=proposal.digest,
        policy_version=move.policy_version,
        from_state=proposal.state.value,
        to_state=move.to.value,
        text_digest=move.text_digest,
        detail=move.cause,
    )


def _overtaken(read: Proposal, found: Proposal) -> AlreadyDecided | VersionChanged:
    if found.state is read.state:
        return VersionChanged(read.proposal_id, read.version, found.version)
    return already_decided(found)


def already_decided(proposal: Proposal) -> AlreadyDecided:
    """Return the error that tells a loser who won, when, and what it is now."""
    return AlreadyDecided(
        proposal.proposal_id,
        proposal.state,
        proposal.decided_by or SYSTEM.who,
        proposal.created_us if proposal.decided_us is None else proposal.decided_us,
    )


_SELECT: Final = (
    "SELECT *, (SELECT json_group_array(user_id) FROM requesters r"
    " WHERE r.proposal_id = proposals.proposal_id) AS requesters FROM proposals"
)


def _proposal(row: Mapping[str, Any]) -> Proposal:
    try:
        parsed = _parsed(row)
    except (ValueError, KeyError, TypeError, MoneyError):  # no row that we wrote reads so
        raise DigestMismatch(row["proposal_id"]) from None
    return Proposal(**{**row, **parsed})


def _parsed(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "state": ProposalState(row["state"]),
        "actions": tuple(map(action_from_dict, json.loads(row["actions"]))),
        "worth": tuple(
            None if each is None else Money(each["minor"], each["currency"])
            for each in json.loads(row["worth"])
        ),
        "requesters": frozenset(json.loads(row["requesters"])),
    }

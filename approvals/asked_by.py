"""Which runs a proposal stands for: the one that made it, and each that asked for the same later.

A later run of a ticket that asks for exactly what waits gets the proposal that is there, with its
signatures. What shows that run's answer follows the decision all the same.
"""

from __future__ import annotations

from sqlite_utils import Database

from approvals.records import Proposal, read_proposals
from approvals.store import changed, rows

__all__ = ["link_like", "link_run", "proposals_for_run", "runs_of_proposal"]


def link_run(db: Database, proposal_id: str, run_id: str) -> None:
    """Note, inside ``tx()``, that a proposal stands for what a run asked for."""
    changed(
        db,
        "INSERT INTO asked_by (run_id, proposal_id) VALUES (?, ?) ON CONFLICT DO NOTHING",
        (run_id, proposal_id),
    )


def link_like(db: Database, proposal_id: str, source_id: str) -> None:
    """Let a proposal, inside ``tx()``, stand for every run that the one it was made from does."""
    changed(
        db,
        "INSERT INTO asked_by (run_id, proposal_id) SELECT run_id, ? FROM asked_by"
        " WHERE proposal_id = ? ON CONFLICT DO NOTHING",
        (proposal_id, source_id),
    )


def proposals_for_run(db: Database, run_id: str) -> list[Proposal]:
    """Return what stands for what a run asked for, oldest first. A read.

    That is what it made itself, what an earlier run made and this one asked for as well, and what
    a person asked for again in the place of either.
    """
    where = "proposal_id IN (SELECT proposal_id FROM asked_by WHERE run_id = ?)"
    return read_proposals(db, where, (run_id,))


def runs_of_proposal(db: Database, proposal_id: str) -> list[str]:
    """Return the ids of the runs that a proposal stands for. A read."""
    sql = "SELECT run_id FROM asked_by WHERE proposal_id = ? ORDER BY rowid"
    return [row["run_id"] for row in rows(db, sql, (proposal_id,))]

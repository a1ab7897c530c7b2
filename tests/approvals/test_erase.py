"""Texts are erased; facts, decisions and the audit stay, and the chain still holds."""

from __future__ import annotations

import pytest

from approvals import (
    ProposalState,
    Unknown,
    forget_customer,
    purge_texts,
    verify_audit,
    view_proposal,
)
from approvals.audit import SYSTEM
from approvals.store import rows, tx
from approvals.texts import MAX_TEXT_CHARS, TextKind, keep_text, text_by_digest, texts_of
from tests.approvals.desk import Desk, label, late_fee, refund


def purge(desk: Desk, older_than_us: int) -> tuple[str, ...]:
    """Erase what is older."""
    with tx(desk.db):
        return purge_texts(
            desk.db,
            desk.policy,
            older_than_us=older_than_us,
            actor=SYSTEM,
            now_us=desk.now_us,
        )


def forget(desk: Desk, customer_id: str) -> tuple[str, ...]:
    """Erase what is about a customer."""
    with tx(desk.db):
        return forget_customer(
            desk.db,
            desk.policy,
            desk.proposals,
            customer_id=customer_id,
            actor=SYSTEM,
            now_us=desk.now_us,
        )


def texts(desk: Desk) -> list[str]:
    """Return all texts that are still there."""
    return [row["text"] for row in rows(desk.db, "SELECT text FROM texts WHERE text NOT NULL")]


def test_what_ended_before_a_moment_loses_its_texts(desk: Desk) -> None:
    rejected = desk.ask(evidence=("old evidence",), draft="old draft")
    desk.reject(rejected, why="old reason")
    ended_us = desk.now_us
    assert purge(desk, ended_us) == ()

    assert purge(desk, ended_us + 1) == (rejected.proposal_id,)

    assert texts(desk) == []
    assert purge(desk, ended_us + 1) == ()
    verify_audit(desk.db)


@pytest.mark.parametrize("state", ["waiting", "approved", "executing", "unknown"])
def test_what_has_not_ended_keeps_its_texts_however_old(desk: Desk, state: str) -> None:
    proposal = desk.ask(evidence=("needed",))
    if state != "waiting":
        desk.approve(proposal)
    if state == "executing":
        desk.claim(desk.operations_of(proposal)[0])
    if state == "unknown":
        claim = desk.claim(desk.operations_of(proposal)[0]).claim
        desk.settle(claim, Unknown(code="timeout", words="nobody knows"))

    assert purge(desk, desk.now_us * 2) == ()
    assert texts(desk) == ["needed"]


def test_a_customer_is_forgotten_in_every_state(desk: Desk) -> None:
    done = desk.finish(late_fee(), evidence=("a",), draft="b")
    waits = desk.ask(evidence=("c",))
    other = desk.ask(label(), customer_id="C-2", ticket_id="T-2", evidence=("d",))

    gone = forget(desk, "C-1")

    assert gone == (done.proposal_id, waits.proposal_id)
    assert texts(desk) == ["d"]
    assert desk.again(waits).state is ProposalState.WITHDRAWN
    assert desk.again(done).state is ProposalState.DONE
    assert desk.again(other).state is ProposalState.WAITING
    verify_audit(desk.db)


def test_what_was_erased_is_shown_as_erased(desk: Desk) -> None:
    desk.finish(evidence=("a",), draft="b")
    forget(desk, "C-1")

    shown = view_proposal(desk.db, desk.policy, "P-1")

    assert shown.evidence == (None,)
    assert shown.draft is None


def test_after_it_the_store_holds_neither_text_nor_salt(desk: Desk) -> None:
    desk.reject(desk.ask(evidence=("a secret of the customer",)), why="she wrote so")
    forget(desk, "C-1")

    assert rows(desk.db, "SELECT text, salt FROM texts WHERE text NOT NULL OR salt NOT NULL") == []


def test_the_facts_and_who_decided_stay(desk: Desk) -> None:
    done = desk.finish(refund(), evidence=("a",))
    before = rows(desk.db, "SELECT * FROM decisions")

    forget(desk, "C-1")

    assert desk.again(done) == done
    assert rows(desk.db, "SELECT * FROM decisions") == before


def test_a_text_is_bounded_and_made_safe_to_show(desk: Desk) -> None:
    desk.ask(evidence=("x" * (MAX_TEXT_CHARS + 1), "a\u202eb"))

    long, turned = texts_of(desk.db, "P-1", TextKind.EVIDENCE)

    assert long is not None
    assert long.endswith("[The rest of this text was cut.]")
    assert turned == "a\ufffdb"


def test_a_text_is_found_by_its_digest_until_it_is_erased(desk: Desk) -> None:
    desk.ask()
    with tx(desk.db):
        digest = keep_text(
            desk.db, proposal_id="P-1", kind=TextKind.WHY, text="why", salt="s", at_us=1
        )
    assert text_by_digest(desk.db, "P-1", digest) == "why"

    forget(desk, "C-1")

    assert text_by_digest(desk.db, "P-1", digest) is None

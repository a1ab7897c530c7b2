"""Every column of the store is named here, with what becomes of it when a customer is forgotten."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Final

from approvals.store import Jobs, changed, connect, migrate, rows, tx
from bot.slack.refs import CallbackId, ProposalRef
from bot.slack.store.drafts import FeedbackKind, give_feedback, keep_edit
from bot.slack.store.inbox import DeliveryKind, Incoming, store_delivery
from bot.slack.store.outbox import put_post
from bot.slack.store.posts import Post
from bot.slack.store.replies import keep_reply
from bot.slack.store.tickets import TicketRow, TicketState, open_ticket
from bot.store import MIGRATIONS
from tests.bot.approving import Counter

CANARY: Final = "canary-words-of-a-customer"
CUSTOMER: Final = "C-59678"

ERASED: Final = {
    "drafts": {"edited_text"},
    "feedback": {"text"},
    "inbox": {"payload"},
    "journal": {"line"},
    "outbox": {"payload"},
    "replies": {"text"},
    "texts": {"text", "salt"},
    "tickets": {"text", "attachments"},
}
"""What people and models wrote: gone, with no byte left in the file."""
KEPT: Final = {
    "asked_by": {"proposal_id", "run_id"},
    "audit": {
        *("detail", "digest", "event", "from_state", "hash", "operation_id", "policy_version"),
        *("previous", "proposal_id", "text_digest", "to_state", "via", "who"),
    },
    "cards": {"channel", "proposal_id", "shown_state", "thread_ts", "ts"},
    "cursor": {"name"},
    "decisions": {
        *("digest", "granted_by", "policy_version", "proposal_id", "role", "user_id", "verdict"),
        *("via", "why_digest"),
    },
    "drafts": {"edited_by", "run_id"},
    "earlier_versions": {"actions", "digest", "proposal_id", "replaced_by"},
    "epochs": set[str](),
    "feedback": {"kind", "run_id", "user_id"},
    "held": {"channel", "reason", "ts"},
    "inbox": {"delivery_key", "error", "kind", "state", "subject_key"},
    "jobs": {"error", "key", "kind", "owner", "payload", "state"},
    "journal": {"run_id"},
    "look_ups_due": {"operation_id"},
    "migrations": {"name", "set_name"},
    "operations": {
        *("action", "effect", "error_code", "error_words", "gateway", "key", "operation_id"),
        *("owner", "proposal_id", "request", "request_sha256", "result", "state", "tool"),
    },
    "outbox": {
        *("channel", "error", "key", "method", "state", "supersedes_key", "target_key"),
        *("thread_ts", "ts"),
    },
    "proposals": {
        *("actions", "cause", "customer_id", "decided_by", "digest", "fingerprint", "made_from"),
        *("proposal_id", "reopened_as", "rule", "run_id", "state", "ticket_id", "worth"),
    },
    "recordings_owed": {"run_id"},
    "replies": {"channel", "thread_ts", "ts", "used_by_run", "user_id"},
    "requesters": {"proposal_id", "user_id"},
    "runs": {"model", "profile", "reason", "result", "run_id", "started_at", "state", "ticket_id"},
    "spending": {"cost_usd", "run_id"},
    "switches": {"name", "set_by", "value"},
    "texts": {"digest", "kind", "proposal_id"},
    "threads": {"cause", "channel", "draft_ts", "run_id", "state", "status_ts", "thread_ts"},
    "tickets": {
        *("channel", "customer_id", "opened_by", "posted_by", "source", "state", "text_ts"),
        *("ticket_id", "ts"),
    },
}
"""Ids, names, states, amounts, digests; in ``jobs.payload`` where a ticket stands, in
``operations`` and ``proposals`` what was to be changed at the shop, and the shop's answer."""


def test_each_column_that_can_hold_a_text_is_either_erased_or_named_as_holding_none(
    tmp_path: Path,
) -> None:
    """A new column fails this until somebody has said which it is, and erased it if need be."""
    with closing(connect(tmp_path / "store.sqlite3")) as db:
        migrate(db, MIGRATIONS)
        sql = (
            "SELECT t.name AS name, c.name AS field FROM sqlite_schema t"
            " JOIN pragma_table_info(t.name) c WHERE t.type = 'table' AND c.type != 'INTEGER'"
        )
        found = {(row["name"], row["field"]) for row in rows(db, sql)}

    named = {(table, each) for part in (ERASED, KEPT) for table in part for each in part[table]}
    assert found == named
    assert not {(t, c) for t in ERASED for c in ERASED[t]} & {(t, c) for t in KEPT for c in KEPT[t]}


def test_when_a_customer_is_forgotten_none_of_these_columns_holds_a_word(counter: Counter) -> None:
    fill(counter)
    held = columns_with_canary(counter)
    forgotten = counter.cli("forget", CUSTOMER, "--yes")

    assert held == {(table, each) for table in ERASED for each in ERASED[table]} - {
        ("texts", "salt")  # random, and null as soon as the text is
    }
    assert forgotten.exit_code == 0
    assert columns_with_canary(counter) == set()
    assert CANARY.encode() not in counter.store.read_bytes()


def fill(counter: Counter) -> None:
    """Write the canary wherever words of the customer are kept."""
    proposal_id = counter.propose()
    (run_id,) = {each.run_id for each in counter.proposals()}
    counter.tamper("UPDATE texts SET text = ? WHERE proposal_id = ?", CANARY, proposal_id)
    counter.tamper("UPDATE journal SET line = line || ? WHERE seq > 0", CANARY)
    ticket = TicketRow(
        channel="C0",
        ts="1.1",
        ticket_id="T-64872",
        customer_id=CUSTOMER,
        text=CANARY,
        attachments=(CANARY,),
        posted_by="U0ANN",
        opened_by="U0ANN",
        state=TicketState.OPEN,
        version=1,
        created_us=1,
    )
    form = {
        "type": "view_submission",
        "user": {"id": "U0LEA"},
        "view": {
            "callback_id": CallbackId.REJECT.value,
            "private_metadata": str(ProposalRef(proposal_id=proposal_id, version=1)),
            "state": {"values": {"reason": {"reason": {"value": CANARY}}}},
        },
    }
    told = Post(channel="U0LEA", key="k", payload={"text": f"{proposal_id}: {CANARY}"})
    delivered = Incoming(kind=DeliveryKind.SUBMISSION, key="k", subject=None, payload=form)
    with counter.db() as db, tx(db):
        open_ticket(db, Jobs(), ticket)
        keep_reply(db, channel="C0", ts="1.2", thread_ts="1.1", user_id="U0ANN", text=CANARY)
        sql = "INSERT INTO threads (run_id, channel, thread_ts, state) VALUES (?, ?, ?, 'ended')"
        changed(db, sql, (run_id, "C0", "1.1"))
        keep_edit(db, run_id, CANARY, by="U0ANN", now_us=1)
        give_feedback(db, run_id, FeedbackKind.ASKED_AGAIN, by="U0ANN", now_us=1, text=CANARY)
        put_post(db, told, now_us=1)
        store_delivery(db, delivered, now_us=1)


def columns_with_canary(counter: Counter) -> set[tuple[str, str]]:
    """Return each table and column in which the canary stands."""
    with counter.db() as db:
        tables = [r["name"] for r in rows(db, "SELECT name FROM sqlite_schema WHERE type='table'")]
        return {
            (table, name)
            for table in tables
            for row in rows(db, f"SELECT * FROM {table}")
            for name, value in row.items()
            if CANARY in str(value)
        }

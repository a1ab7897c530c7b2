"""Erasing what people wrote in Slack: a customer's, or what ended long ago, and nobody else's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlite_utils import Database

from approvals.store import Jobs, changed, connect, migrate, rows, tx
from bot.slack.refs import CallbackId, ProposalRef, RunRef, TicketRef
from bot.slack.store.drafts import FeedbackKind, give_feedback, keep_edit
from bot.slack.store.erase import erase_old_tickets, erase_tickets_of
from bot.slack.store.inbox import DeliveryKind, Incoming, store_delivery
from bot.slack.store.outbox import finish_post, next_due_post, put_post
from bot.slack.store.posts import Method, Post
from bot.slack.store.replies import keep_reply
from bot.slack.store.tickets import TicketRow, TicketState, open_ticket, read_ticket, run_again
from bot.store import MIGRATIONS
from tools import IdForms

JOBS = Jobs()
FORMS = IdForms()
WORDS = "words of"
TABLES = ("tickets", "replies", "drafts", "feedback", "outbox", "inbox")


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    """A store with a thread of each of two customers."""
    with closing(connect(tmp_path / "store.sqlite3")) as opened:
        migrate(opened, MIGRATIONS)
        with tx(opened):
            thread(opened, "1.1", "C-1")
            thread(opened, "2.2", "C-2")
        yield opened


def thread(db: Database, ts: str, customer: str) -> None:
    """Store a ticket, and everything that people and the bot can write in its thread."""
    said, run_id = f"{WORDS} {customer}", f"run-{customer}"
    ticket = TicketRow(
        channel="C0",
        ts=ts,
        ticket_id=f"T-{customer}",
        customer_id=customer,
        text=said,
        attachments=(said,),
        posted_by="U0ANN",
        opened_by="U0ANN",
        state=TicketState.OPEN,
        version=1,
        created_us=1,
    )
    open_ticket(db, JOBS, ticket)
    keep_reply(db, channel="C0", ts=f"{ts}1", thread_ts=ts, user_id="U0ANN", text=said)
    sql = "INSERT INTO threads (run_id, channel, thread_ts, state) VALUES (?, 'C0', ?, 'ended')"
    changed(db, sql, (run_id, ts))
    keep_edit(db, run_id, said, by="U0ANN", now_us=1)
    give_feedback(db, run_id, FeedbackKind.ASKED_AGAIN, by="U0ANN", now_us=1, text=said)
    post(db, Post(channel="C0", thread_ts=ts, key=ts, payload={"text": said}))
    edit = Post(channel="C0", key=f"{ts}:edit", payload={"text": said}, method=Method.UPDATE)
    post(db, replace(edit, target_key=ts, stream=ts))
    direct = Post(channel="U0ANN", key=f"{ts}:direct", payload={"text": f"T-{customer}: {said}"})
    post(db, direct)
    deliver(db, DeliveryKind.SUBMISSION, form(RunRef(run_id=run_id), said))
    event = {"channel": "C0", "ts": f"{ts}2", "thread_ts": ts, "text": said}
    deliver(db, DeliveryKind.MESSAGE, event)


def form(ref: RunRef | ProposalRef | TicketRef, typed: str) -> dict[str, Any]:
    """Return a form that somebody sent, about what ``ref`` names."""
    view = {
        "callback_id": CallbackId.ASK_AGAIN.value,
        "private_metadata": str(ref),
        "state": {"values": {"text": {"text": {"value": typed}}}},
    }
    return {"type": "view_submission", "user": {"id": "U0ANN"}, "view": view}


def deliver(db: Database, kind: DeliveryKind, payload: dict[str, Any], *, now_us: int = 1) -> None:
    """Store what Slack delivered; nobody has taken it in yet."""
    key = str(rows(db, "SELECT count(*) AS n FROM inbox")[0]["n"])
    incoming = Incoming(kind=kind, key=key, subject=None, payload=payload)
    store_delivery(db, incoming, now_us=now_us)


def propose(db: Database, proposal_id: str, run_id: str) -> None:
    """Store a proposal of a run."""
    sql = (
        "INSERT INTO proposals (proposal_id, run_id, ticket_id, customer_id, version, actions,"
        " worth, digest, fingerprint, round, state, created_us, expires_us, decided_by, decided_us)"
        " VALUES (?, ?, 'T-C-1', 'C-1', 1, '[]', '[]', '', '', 1, 'rejected', 1, 2, 'U0ANN', 1)"
    )
    changed(db, sql, (proposal_id, run_id))


def forget(db: Database, customer: str) -> int:
    """Forget a customer."""
    return erase_tickets_of(db, JOBS, customer, forms=FORMS)


def all_is_handled(db: Database) -> None:
    """Let the tickets be worked on, and what was delivered be given up."""
    changed(db, "UPDATE jobs SET state = 'done'")
    changed(db, "UPDATE inbox SET state = 'dead'")


def post(db: Database, what: Post) -> None:
    """Put something into the outbox."""
    put_post(db, what, now_us=1)


def holding(db: Database, customer: str) -> list[str]:
    """Return the tables that hold words of a customer."""
    found = {name: str(rows(db, f"SELECT * FROM {name}")) for name in TABLES}
    return [name for name, held in found.items() if f"{WORDS} {customer}" in held]


def test_what_is_erased_of_a_customer_is_every_word_in_their_threads(db: Database) -> None:
    before = holding(db, "C-1")
    with tx(db):
        erased = forget(db, "C-1")

    assert before == holding(db, "C-2") == list(TABLES)
    assert erased == 1
    assert holding(db, "C-1") == []
    states = [row["state"] for row in rows(db, "SELECT state FROM outbox ORDER BY outbox_id")]
    assert states == ["skipped"] * 3 + ["ready"] * 3


def test_a_ticket_that_lost_its_words_is_not_worked_on(db: Database) -> None:
    with tx(db):
        forget(db, "C-1")
        again = run_again(db, JOBS, "C0", "1.1", now_us=2)
        twice = forget(db, "C-1")

    gone, kept = read_ticket(db, "C0", "1.1"), read_ticket(db, "C0", "2.2")
    assert gone is not None
    assert kept is not None
    assert (gone.state, kept.state) == (TicketState.CANCELLED, TicketState.OPEN)
    assert (again, twice) == (False, 0)
    assert rows(db, "SELECT key FROM jobs WHERE state = 'ready'") == [{"key": "C0:2.2:1"}]


REPLIED_US = 1_110_000
"""When the thread of the first ticket was last heard of: its reply came."""
RAN_LATER = "INSERT INTO spending (run_id, started_us) VALUES ('run-C-1', 1110001)"
HELD = "INSERT INTO held (channel, ts, reason, since_us) VALUES ('C0', '1.1', 'paused', 1)"


@pytest.mark.parametrize(
    ("and_then", "before_us", "keep", "erased"),
    [
        ("", REPLIED_US + 1, set(), 1),
        ("UPDATE tickets SET state = 'cancelled'", REPLIED_US + 1, set(), 1),
        ("", REPLIED_US, set(), 0),
        ("", REPLIED_US + 1, {"run-C-1"}, 0),
        (RAN_LATER, REPLIED_US + 1, set(), 0),
        (HELD, REPLIED_US + 1, set(), 0),
        ("UPDATE jobs SET state = 'ready'", REPLIED_US + 1, set(), 0),
    ],
)
def test_an_answered_ticket_loses_its_words_once_it_is_quiet_and_not_needed(
    db: Database, and_then: str, before_us: int, keep: set[str], erased: int
) -> None:
    with tx(db):
        all_is_handled(db)
        if and_then:
            changed(db, and_then)
        found = erase_old_tickets(db, JOBS, before_us=before_us, keep=keep)

    assert found == erased
    assert (holding(db, "C-1") == []) is bool(erased)
    assert holding(db, "C-2") == list(TABLES)


def test_a_thread_with_a_run_in_progress_keeps_its_words(db: Database) -> None:
    with tx(db):
        all_is_handled(db)
        changed(db, "UPDATE threads SET state = 'running'")

        assert erase_old_tickets(db, JOBS, before_us=REPLIED_US + 1, keep=()) == 0


@pytest.mark.parametrize("state", ["ready", "sending", "failed"])
def test_what_is_not_posted_yet_loses_its_words_wherever_it_stands(
    db: Database, state: str
) -> None:
    with tx(db):
        changed(db, "UPDATE outbox SET state = ?", (state,))
        forget(db, "C-1")

    assert "outbox" not in holding(db, "C-1")


@pytest.mark.parametrize("other", ["C-11", "XC-1"])
def test_a_customer_whose_id_begins_or_ends_alike_keeps_all(db: Database, other: str) -> None:
    told = Post(channel="U0ANN", key="k", payload={"text": f"{WORDS} {other}, of {other}"})
    with tx(db):
        post(db, told)
        forget(db, "C-1")

    assert rows(db, "SELECT state FROM outbox WHERE key = 'k'") == [{"state": "ready"}]


def test_a_ticket_without_a_text_of_its_own_loses_what_was_drafted_for_it(db: Database) -> None:
    with tx(db):
        changed(db, "UPDATE tickets SET text = '', attachments = '[]'")
        changed(db, "DELETE FROM replies")
        erased = forget(db, "C-1")

    assert erased == 1
    assert holding(db, "C-1") == []


def test_what_was_sent_holds_no_words_any_more(db: Database) -> None:
    with tx(db):
        while (row := next_due_post(db, now_us=1)) is not None:
            finish_post(db, row, "1.1")

    assert "outbox" not in holding(db, "C-1")


def test_an_edit_that_a_newer_one_replaced_holds_no_words_any_more(db: Database) -> None:
    newer = Post(channel="C0", key="newer", payload={"text": "done"}, method=Method.UPDATE)
    with tx(db):
        post(db, replace(newer, target_key="1.1", stream="1.1"))

    assert rows(db, "SELECT payload FROM outbox WHERE key = '1.1:edit'") == [{"payload": "{}"}]


SAID = "same trouble as in T-C-1, of C-1, run-C-1 and 1.1"
"""What somebody may write of one customer in a ticket of another."""


@pytest.mark.parametrize("words", ["forget", "purge"])
@pytest.mark.parametrize("state", ["new", "dead"])
@pytest.mark.parametrize(
    ("kind", "payload"),
    [
        (DeliveryKind.MESSAGE, {"channel": "C0", "ts": "3.3", "text": f"T-3 C-3\n{SAID}"}),
        (DeliveryKind.MESSAGE, {"channel": "C0", "ts": "2.9", "thread_ts": "2.2", "text": SAID}),
        (DeliveryKind.MESSAGE, {"channel": "C1", "ts": "1.9", "thread_ts": "1.1", "text": SAID}),
        (DeliveryKind.MESSAGE, {"channel": "C0", "ts": "9.9", "message": {"ts": "2.2", "t": SAID}}),
        (DeliveryKind.SUBMISSION, form(RunRef(run_id="run-C-2"), SAID)),
        (DeliveryKind.SUBMISSION, form(TicketRef(channel="C0", ts="2.2"), SAID)),
        (DeliveryKind.COMMAND, {"user_id": "U0LEA", "channel_id": "C0", "text": f"pause {SAID}"}),
    ],
)
def test_what_was_delivered_about_another_ticket_stays_whatever_it_names(
    db: Database, kind: DeliveryKind, payload: dict[str, Any], state: str, words: str
) -> None:
    with tx(db):
        all_is_handled(db)
        deliver(db, kind, payload)
        last = rows(db, "SELECT * FROM inbox ORDER BY seq DESC LIMIT 1")
        changed(db, "UPDATE inbox SET state = ? WHERE seq = ?", (state, last[0]["seq"]))
        before = rows(db, "SELECT * FROM inbox ORDER BY seq DESC LIMIT 1")
        if words == "forget":
            forget(db, "C-1")
        else:
            erase_old_tickets(db, JOBS, before_us=REPLIED_US + 1, keep=())

    assert rows(db, "SELECT * FROM inbox ORDER BY seq DESC LIMIT 1") == before
    assert holding(db, "C-1") == []


@pytest.mark.parametrize(
    "named",
    [
        Post(channel="C0", thread_ts="2.2", key="k", payload={"text": SAID}),
        Post(channel="C0", key="k", payload={"text": SAID}, method=Method.UPDATE, target_key="2.2"),
        Post(channel="C0", thread_ts="2.2", key="k", payload={"t": SAID}, method=Method.EPHEMERAL),
    ],
)
@pytest.mark.parametrize("words", ["forget", "purge"])
def test_a_post_of_another_thread_stays_whatever_it_names(
    db: Database, named: Post, words: str
) -> None:
    with tx(db):
        all_is_handled(db)
        post(db, named)
        before = rows(db, "SELECT * FROM outbox WHERE key = 'k'")
        if words == "forget":
            forget(db, "C-1")
        else:
            erase_old_tickets(db, JOBS, before_us=REPLIED_US + 1, keep=())

    assert rows(db, "SELECT * FROM outbox WHERE key = 'k'") == before
    assert holding(db, "C-1") == []


@pytest.mark.parametrize(
    ("kind", "payload"),
    [
        (DeliveryKind.MESSAGE, {"channel": "C0", "ts": "1.9", "thread_ts": "1.1", "text": "again"}),
        (DeliveryKind.MESSAGE, {"channel": "C0", "ts": "9.9", "message": {"ts": "1.1"}}),
        (DeliveryKind.MESSAGE, {"channel": "C0", "ts": "9.9", "deleted_ts": "1.1"}),
        (DeliveryKind.SUBMISSION, form(RunRef(run_id="run-C-1"), "again")),
        (DeliveryKind.SUBMISSION, form(ProposalRef(proposal_id="P-1", version=1), "again")),
        (DeliveryKind.SUBMISSION, form(TicketRef(channel="C0", ts="1.1"), "again")),
    ],
)
@pytest.mark.parametrize(("state", "now_us"), [("new", 1), ("dead", 9_000_000)])
def test_a_ticket_about_which_something_is_not_taken_in_yet_is_not_old(
    db: Database, kind: DeliveryKind, payload: dict[str, Any], state: str, now_us: int
) -> None:
    with tx(db):
        all_is_handled(db)
        propose(db, "P-1", "run-C-1")
        deliver(db, kind, payload, now_us=now_us)
        sql = "UPDATE inbox SET state = ? WHERE seq = (SELECT max(seq) FROM inbox)"
        changed(db, sql, (state,))
        erase_old_tickets(db, JOBS, before_us=REPLIED_US + 1, keep=())

    kept = read_ticket(db, "C0", "1.1")
    assert kept is not None
    assert kept.state is TicketState.OPEN
    assert holding(db, "C-1") == list(TABLES)


@pytest.mark.parametrize("state", ["new", "dead"])
@pytest.mark.parametrize(
    ("event", "stays"),
    [
        ({"text": "T-10001 C-10001\nwords"}, False),
        ({"text": "<@U0BOT> t-10001 / c-10001 words"}, False),
        ({"text": "Ticket: T-10001\nCustomer: C-10001\nMessage: words"}, False),
        ({"text": "T-10001 C-10002\nas with C-10001"}, True),
        ({"text": "T-10001 C-10001\nwords", "thread_ts": "2.2"}, True),
        ({"message": {"ts": "3.3", "text": "T-10001 C-10001\nwords"}}, False),
        ({"message": {"ts": "3.3", "text": "T-10001 C-10002\nwords"}}, True),
        ({"deleted_ts": "3.3"}, True),
    ],
)
def test_a_ticket_that_is_not_taken_in_yet_goes_where_it_says_that_it_is_of_the_customer(
    db: Database, event: dict[str, Any], state: str, *, stays: bool
) -> None:
    with tx(db):
        deliver(db, DeliveryKind.MESSAGE, {"channel": "C0", "ts": "3.3", **event})
        changed(db, "UPDATE inbox SET state = ?", (state,))
        forget(db, "C-10001")

    left = rows(db, "SELECT state, payload FROM inbox ORDER BY seq DESC LIMIT 1")[0]
    assert (left["payload"] != "{}", left["state"] == state) == (stays, stays)


@pytest.mark.parametrize(("due_us", "stays"), [(REPLIED_US + 1, True), (REPLIED_US, False)])
def test_an_answer_in_no_thread_that_names_an_old_ticket_stays_while_it_is_new(
    db: Database, due_us: int, *, stays: bool
) -> None:
    answer = Post(channel="U0ANN", key="k", payload={"text": SAID})
    with tx(db):
        all_is_handled(db)
        put_post(db, answer, now_us=due_us)
        erase_old_tickets(db, JOBS, before_us=REPLIED_US + 1, keep=())

    assert (rows(db, "SELECT state FROM outbox WHERE key = 'k'")[0]["state"] == "ready") is stays

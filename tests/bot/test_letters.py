"""``handrail letters``: each kind is listed, tried again, or let rest; all named, or none."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlite_utils import Database

from approvals.store import Jobs, JobState, connect, migrate, rows, tx
from bot.slack.store.letters import count_letters, letters, retry_letter
from bot.slack.store.tickets import TRIAGE_JOB, TicketRow, TicketState, open_ticket
from bot.store import MIGRATIONS
from tests.bot.conftest import Cli

CHANNEL, TS = "C0SUPPORT", "1700000000.000100"
LATER_US = 5_000_000


@pytest.fixture
def db(home: Path) -> Iterator[Database]:
    """The store of the command line, with a dead letter of each kind."""
    store = home / "store" / "handrail.sqlite3"
    store.parent.mkdir()
    with closing(connect(store)) as opened:
        migrate(opened, MIGRATIONS)
        with tx(opened):
            _give_up_a_delivery(opened)
            _give_up_a_post(opened)
            _give_up_a_run(opened)
            _give_up(opened, "execute_proposal", "P-7KM-4XQ")
        yield opened


def _give_up_a_delivery(db: Database) -> None:
    db.execute(
        "INSERT INTO inbox (delivery_key, kind, payload, received_us, state, attempts, error)"
        " VALUES ('Ev1', 'message', '{\"text\": \"a secret\"}', 0, 'dead', 6, 'KeyError')"
    )


def _give_up_a_post(db: Database) -> None:
    db.execute(
        "INSERT INTO outbox (channel, method, payload, key, state, next_at_us, error)"
        " VALUES (?, 'chat.postMessage', '{}', 'k', 'failed', 0, 'no_text')",
        (CHANNEL,),
    )


def _give_up_a_run(db: Database) -> None:
    ticket = TicketRow(
        channel=CHANNEL,
        ts=TS,
        ticket_id="T-80008",
        customer_id="C-81265",
        text="a secret",
        attachments=(),
        posted_by="U0ANN",
        opened_by="U0ANN",
        state=TicketState.OPEN,
        version=1,
        created_us=0,
    )
    open_ticket(db, Jobs(), ticket)
    db.execute("UPDATE jobs SET state = 'dead', error = 'OSError' WHERE kind = ?", (TRIAGE_JOB,))


def _give_up(db: Database, kind: str, key: str) -> None:
    Jobs().submit(db, kind=kind, key=key, payload="{}", now_us=0)
    db.execute("UPDATE jobs SET state = 'dead', attempt = 5 WHERE kind = ?", (kind,))


def named(db: Database, what: str) -> str:
    """Return the id of the letter that is about this."""
    (found,) = [each.letter_id for each in letters(db) if what in each.what]
    return found


def test_all_that_was_given_up_is_listed_without_any_text(cli: Cli, db: Database) -> None:
    done = cli("letters", "list")

    assert done.exit_code == 0
    assert [line.split()[0] for line in done.stdout.splitlines()] == [
        *[each.letter_id for each in letters(db)],
        "4",
    ]
    assert "no_text" in done.stdout
    assert "secret" not in done.stdout


def test_each_kind_is_tried_again(cli: Cli, db: Database) -> None:
    names = [each.letter_id for each in letters(db)]
    done = cli("letters", "retry", *names)

    assert (done.exit_code, count_letters(db)) == (0, 0)
    states = [row["state"] for row in rows(db, "SELECT state FROM inbox")]
    states += [row["state"] for row in rows(db, "SELECT state FROM outbox")]
    assert states == ["new", "sending"]  # a post is looked up first
    health = Jobs().health(db, now_us=LATER_US)
    assert health.counts[JobState.READY] == 2


def test_a_run_that_is_tried_again_is_a_new_one(db: Database) -> None:
    with tx(db):
        assert retry_letter(db, Jobs(), named(db, TRIAGE_JOB), now_us=LATER_US)

    assert [row["version"] for row in rows(db, "SELECT version FROM tickets")] == [2]


def test_a_run_whose_ticket_is_gone_is_not_tried_again(db: Database) -> None:
    with tx(db):
        db.execute("UPDATE tickets SET state = 'cancelled'")
        assert not retry_letter(db, Jobs(), named(db, TRIAGE_JOB), now_us=LATER_US)


def test_each_kind_is_discarded_once(cli: Cli, db: Database) -> None:
    names = [each.letter_id for each in letters(db)]
    done = cli("letters", "discard", *names)
    again = cli("letters", "discard", names[0])

    assert (done.exit_code, count_letters(db)) == (0, 0)
    assert again.exit_code == 2
    assert f"{names[0]} is no dead letter now" in again.stderr


@pytest.mark.parametrize("name", ["post-99", "post-", "run-1", "delivery-one", ""])
def test_where_one_is_none_nothing_is_touched(cli: Cli, db: Database, name: str) -> None:
    done = cli("letters", "retry", named(db, "chat.postMessage"), name)

    assert done.exit_code == 2
    assert count_letters(db) == 4

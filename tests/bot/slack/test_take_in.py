"""What could not be taken in is said where people look: in the thread of what it is about."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from approvals.store import connect, migrate, rows, tx
from bot.slack.store.inbox import Delivery, DeliveryKind
from bot.slack.take_in import TakeIn
from bot.slack.troubles import Troubles
from bot.store import MIGRATIONS

MESSAGE = {"type": "message", "channel": "C0SUPPORT", "user": "U0ANN"}


def change(kind: str, **fields: Any) -> dict[str, Any]:
    """Return a change: its own time stamp is no message's."""
    return {"type": "message", "subtype": kind, "channel": "C0SUPPORT", "ts": "9.9", **fields}


def told(folder: Path, event: Mapping[str, Any]) -> list[str]:
    """Give an event up, and return the threads that are told."""
    nobody: Any = None  # giving up reads nothing
    take_in = TakeIn(nobody, now_us=lambda: 1, troubles=Troubles())
    delivery = Delivery(seq=1, kind=DeliveryKind.MESSAGE, payload=event, received_us=0, attempts=6)
    with closing(connect(folder / "store.sqlite3")) as db:
        migrate(db, MIGRATIONS)
        with tx(db):
            take_in.bury(db, delivery)
        found = rows(db, "SELECT thread_ts, payload FROM outbox")
        assert all("could not take in" in row["payload"] for row in found)
        return [row["thread_ts"] for row in found]


@pytest.mark.parametrize(
    ("event", "thread_ts"),
    [
        ({**MESSAGE, "ts": "1.1"}, "1.1"),
        ({**MESSAGE, "ts": "2.2", "thread_ts": "1.1"}, "1.1"),
        (change("message_changed", message={**MESSAGE, "ts": "1.1"}), "1.1"),
        (change("message_changed", message={**MESSAGE, "ts": "2.2", "thread_ts": "1.1"}), "1.1"),
    ],
)
def test_what_was_given_up_is_said_in_the_thread_of_its_message(
    tmp_path: Path, event: Mapping[str, Any], thread_ts: str
) -> None:
    assert told(tmp_path, event) == [thread_ts]


def test_of_a_removal_that_was_given_up_no_thread_is_left_to_tell(tmp_path: Path) -> None:
    assert told(tmp_path, change("message_deleted", deleted_ts="1.1")) == []

"""Taking deliveries: those for which Slack cannot be asked keep nobody else waiting."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import closing
from pathlib import Path

from sqlite_utils import Database

from approvals.store import Writer, connect, migrate, tx
from bot.slack.errors import MessageUnavailable
from bot.slack.steady import AT_ONCE
from bot.slack.store.inbox import Delivery, DeliveryKind, Incoming, store_delivery
from bot.slack.taking import Apply, Taking
from bot.store import MIGRATIONS

ASKING_US = 10_000_000
"""How long Slack lets one wait that it does not answer in the end."""


class Hanging:
    """Asks Slack about the deliveries whose key says so, and is never answered."""

    def __init__(self) -> None:
        self.now_us = 0
        self.seen: list[str] = []
        self.done: list[str] = []

    @property
    def kinds(self) -> Collection[DeliveryKind]:
        """Messages."""
        return (DeliveryKind.MESSAGE,)

    def prepare(self, _db: Database, delivery: Delivery) -> Apply:
        """Wait in vain, or take it."""
        key = delivery.payload["k"]
        self.seen.append(key)
        if key.startswith("asks"):
            self.now_us += ASKING_US
            raise MessageUnavailable("C0SUPPORT", "timeout")
        return lambda _: self.done.append(key)

    def bury(self, _db: Database, delivery: Delivery) -> None:
        """Not reached: nothing fails here."""
        raise AssertionError(delivery.seq)


def store_all(db: Database, keys: Collection[str]) -> None:
    """Store a message for each key."""
    with tx(db):
        for number, key in enumerate(keys):
            kind, event_id = DeliveryKind.MESSAGE, f"Ev{number}"
            found = Incoming(kind=kind, key=event_id, subject=None, payload={"k": key})
            store_delivery(db, found, now_us=0)


def test_what_waits_for_slack_starves_nothing_and_holds_up_no_stop(tmp_path: Path) -> None:
    store = tmp_path / "store.sqlite3"
    hanging = Hanging()
    with closing(connect(store)) as db, Writer(store) as writer:
        migrate(db, MIGRATIONS)
        taking = Taking(hanging, writer=writer, now_us=lambda: hanging.now_us)
        store_all(db, ["asks-1", "asks-2", "asks-3", "plain"])

        steps = 0
        while not hanging.done:
            before = len(hanging.seen)
            due_us = taking.step(db)
            steps += 1
            assert due_us is not None
            asked = [key for key in hanging.seen[before:] if key.startswith("asks")]
            assert len(asked) == 1, "a step ends behind one that Slack kept waiting"
            assert steps <= 4
            hanging.now_us = max(hanging.now_us, due_us)

    assert hanging.seen[:4] == ["asks-1", "asks-2", "asks-3", "plain"]


def test_a_step_takes_a_part_of_a_backlog_so_that_a_stop_is_seen(tmp_path: Path) -> None:
    store = tmp_path / "store.sqlite3"
    hanging = Hanging()
    with closing(connect(store)) as db, Writer(store) as writer:
        migrate(db, MIGRATIONS)
        taking = Taking(hanging, writer=writer, now_us=lambda: hanging.now_us)
        store_all(db, [f"plain-{number}" for number in range(2 * AT_ONCE + 1)])

        taken = []
        while (due_us := taking.step(db)) is not None:
            assert due_us <= hanging.now_us
            taken.append(len(hanging.done))

    assert taken == [AT_ONCE, 2 * AT_ONCE]
    assert len(hanging.done) == 2 * AT_ONCE + 1

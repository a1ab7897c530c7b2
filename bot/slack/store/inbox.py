"""The inbox: everything that Slack delivers to us, stored before it is acknowledged.

A delivery is new until what it asks for is done in one transaction together with its mark, so a
process that is killed does it again at its next start, and two processes do it once. What keeps
failing is set aside after a bounded number of attempts, as a dead letter that people can see.

All verbs that write are called inside the caller's ``tx()``.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from sqlite_utils import Database

from approvals.store import changed, rows

__all__ = [
    "MAX_ATTEMPTS",
    "Delivery",
    "DeliveryKind",
    "DeliveryState",
    "Incoming",
    "count_deliveries",
    "fail_delivery",
    "has_later_subject",
    "has_subject",
    "is_new",
    "next_delivery",
    "next_delivery_due_us",
    "put_off_delivery",
    "retry_delivery",
    "settle_delivery",
    "store_delivery",
]

MAX_ATTEMPTS: Final = 6
"""How often a delivery is tried before it is set aside."""
FIRST_WAIT_US: Final = 500_000
"""Wait after a first failure; doubled with each further one: all attempts take about 16 seconds."""


class DeliveryKind(StrEnum):
    """What a delivery is."""

    MESSAGE = "message"
    CLICK = "click"
    SUBMISSION = "submission"
    COMMAND = "command"
    SHORTCUT = "shortcut"
    HOME = "home"
    LIFECYCLE = "lifecycle"


_ASKING: Final = (DeliveryKind.HOME, DeliveryKind.COMMAND)
"""Among other things they ask for the counts, and are not done while these are made."""


class DeliveryState(StrEnum):
    """Where a delivery stands."""

    NEW = "new"
    DONE = "done"
    DEAD = "dead"


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming:
    """Something of ours that was delivered.

    Attributes:
        key: names this delivery: Slack's event id, a click's trigger. The same over repetitions.
        subject: names what it is about, where another delivery can be about the same thing, as
            the two events are that one mention causes.
        payload: the part of the body that is needed later.
    """

    kind: DeliveryKind
    key: str
    subject: str | None
    payload: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """A stored delivery. ``attempts`` are those that failed."""

    seq: int
    kind: DeliveryKind
    payload: Mapping[str, Any]
    received_us: int
    attempts: int


def store_delivery(db: Database, incoming: Incoming, *, now_us: int) -> bool:
    """Store a delivery; False where it, or another one about the same, is stored already."""
    stored = changed(
        db,
        "INSERT INTO inbox (delivery_key, subject_key, kind, payload, received_us, next_at_us)"
        " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        (
            incoming.key,
            incoming.subject,
            incoming.kind.value,
            json.dumps(incoming.payload, ensure_ascii=False, separators=(",", ":")),
            now_us,
            now_us,
        ),
    )
    return stored == 1


def next_delivery(
    db: Database, *, kinds: Iterable[DeliveryKind], now_us: int, but: Collection[int] = ()
) -> Delivery | None:
    """Return the new delivery of these kinds that is due for the longest time. A read.

    One that was put off stands behind those that came meanwhile. ``but`` are the numbers of those
    that somebody else has in hand.
    """
    found = rows(
        db,
        "SELECT seq, kind, payload, received_us, attempts FROM inbox WHERE state = 'new'"
        " AND next_at_us <= ? AND kind IN (SELECT value FROM json_each(?))"
        " AND seq NOT IN (SELECT value FROM json_each(?)) ORDER BY next_at_us, seq LIMIT 1",
        (now_us, _list(kinds), json.dumps(sorted(but))),
    )
    return _delivery(found[0]) if found else None


def next_delivery_due_us(db: Database, *, kinds: Iterable[DeliveryKind]) -> int | None:
    """Return when the next new delivery of these kinds is due, None where there is none. A read."""
    due: int | None = rows(
        db,
        "SELECT min(next_at_us) AS due FROM inbox WHERE state = 'new'"
        " AND kind IN (SELECT value FROM json_each(?))",
        (_list(kinds),),
    )[0]["due"]
    return due


def has_subject(db: Database, subject: str) -> bool:
    """Whether a delivery about this is stored, in whatever state. A read."""
    return bool(rows(db, "SELECT 1 FROM inbox WHERE subject_key = ?", (subject,)))


def has_later_subject(db: Database, subject: str) -> bool:
    """Whether a delivery is stored whose subject differs in its last part only, and is later there.

    The last part is a time stamp of Slack's. A read.
    """
    whole, _, _ = subject.rpartition(":")
    sql = "SELECT 1 FROM inbox WHERE subject_key > ? AND subject_key < ? LIMIT 1"
    return bool(rows(db, sql, (subject, f"{whole};")))  # the sign behind the colon


def is_new(db: Database, seq: int) -> bool:
    """Whether nobody has done this delivery yet. Ask inside the transaction that does it."""
    return bool(rows(db, "SELECT 1 FROM inbox WHERE seq = ? AND state = 'new'", (seq,)))


def settle_delivery(db: Database, seq: int) -> bool:
    """Mark a delivery as done and drop what it said; False where somebody else was first."""
    sql = (
        "UPDATE inbox SET state = 'done', error = NULL, payload = '{}'"
        " WHERE seq = ? AND state = 'new'"
    )
    return changed(db, sql, (seq,)) == 1


def fail_delivery(
    db: Database, delivery: Delivery, *, error: str, now_us: int
) -> DeliveryState | None:
    """Count a failure; return whether it is tried again or dead, None where it is done already.

    ``error`` is kept: the type of the failure, no text of a customer.
    """
    attempts = delivery.attempts + 1
    state = DeliveryState.DEAD if attempts >= MAX_ATTEMPTS else DeliveryState.NEW
    moved = changed(
        db,
        "UPDATE inbox SET state = ?, attempts = ?, error = ?, next_at_us = ?"
        " WHERE seq = ? AND state = 'new'",
        (
            state.value,
            attempts,
            error,
            now_us + FIRST_WAIT_US * 2 ** (attempts - 1),
            delivery.seq,
        ),
    )
    return state if moved == 1 else None


def put_off_delivery(db: Database, delivery: Delivery, *, error: str, at_us: int) -> bool:
    """Try a delivery later without counting a failure: what it needs is away, not wrong with it."""
    sql = "UPDATE inbox SET error = ?, next_at_us = ? WHERE seq = ? AND state = 'new'"
    return changed(db, sql, (error, at_us, delivery.seq)) == 1


def retry_delivery(db: Database, seq: int, *, now_us: int) -> bool:
    """Try a dead letter again, with all its attempts; False where it is not dead."""
    sql = (
        "UPDATE inbox SET state = 'new', attempts = 0, next_at_us = ?"
        " WHERE seq = ? AND state = 'dead'"
    )
    return changed(db, sql, (now_us, seq)) == 1


def count_deliveries(db: Database) -> dict[DeliveryState, int]:
    """Count the deliveries by state; of the new ones, not who asks for such a count. A read."""
    counts = dict.fromkeys(DeliveryState, 0)
    sql = (
        "SELECT state, count(*) AS n FROM inbox"
        " WHERE state != 'new' OR kind NOT IN (SELECT value FROM json_each(?)) GROUP BY state"
    )
    for row in rows(db, sql, (_list(_ASKING),)):
        counts[DeliveryState(row["state"])] = row["n"]
    return counts


def _delivery(row: Mapping[str, Any]) -> Delivery:
    return Delivery(
        seq=row["seq"],
        kind=DeliveryKind(row["kind"]),
        payload=json.loads(row["payload"]),
        received_us=row["received_us"],
        attempts=row["attempts"],
    )


def _list(kinds: Iterable[DeliveryKind]) -> str:
    return json.dumps(sorted(kind.value for kind in kinds))

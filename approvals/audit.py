"""The audit table: every change, in order, chained by hash.

Rows are only ever added; triggers refuse the rest. A row's hash covers all its fields and the
hash of the row before it, so a later change of any byte shows at its row. Texts stand in another
table and only their digests are chained: they can be erased and the chain still holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from sqlite_utils import Database

from approvals.errors import AuditBroken
from approvals.forms import APPROVAL_FORM, text_digest
from approvals.store import changed, rows
from tools import canonical
from tools import digest as digest_of

__all__ = [
    "SYSTEM",
    "Actor",
    "AuditHead",
    "AuditRow",
    "Event",
    "append",
    "audit_head",
    "audit_rows",
    "export_audit",
    "of_proposal",
    "verify_audit",
]

FIRST_PREVIOUS: Final = "0" * 64
"""What the first row has for the hash of the row before it."""
_BATCH: Final = 500
_TRIGGERS: Final = {"audit_keeps_order", "audit_keeps_rows", "audit_keeps_words"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """Who did something (a user id, or ``system``), and through what."""

    who: str
    via: str


SYSTEM: Final = Actor(who="system", via="system")


class Event(StrEnum):
    """What happened. Every one of them can change what a card shows."""

    CREATED = "created"
    EDITED = "edited"
    SIGNED = "signed"
    APPROVED = "approved"
    REJECTED = "rejected"
    WARNED = "warned"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"
    SUPERSEDED = "superseded"
    REOPENED = "reopened"
    EXECUTING = "executing"
    NO_LONGER_ALLOWED = "no_longer_allowed"
    ENDED = "ended"
    OPERATION = "operation"
    """An operation moved: the row names it, its attempt and its states."""
    ERASED = "erased"


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRow:
    """One change. ``seq`` counts from 1 without a gap.

    ``from_state`` and ``to_state`` are the proposal's, or the operation's where one is named;
    both are None for what moves no state, such as an edit. ``detail`` is a short word of the
    program's own, never text of a person. ``text_digest`` stands for an erasable text.
    """

    seq: int
    at_us: int
    who: str
    via: str
    event: str
    proposal_id: str
    version: int
    operation_id: str | None
    attempt: int | None
    from_state: str | None
    to_state: str | None
    digest: str
    policy_version: str
    text_digest: str | None
    detail: str | None
    previous: str
    hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditHead:
    """How many rows there are, and the hash of the last: enough to notice a shortened table."""

    count: int
    hash: str


def append(
    db: Database,
    *,
    at_us: int,
    actor: Actor,
    event: Event,
    proposal_id: str,
    version: int,
    digest: str,
    policy_version: str,
    **more: Any,
) -> int:
    """Add one row inside the caller's ``tx()`` and return its number.

    ``more`` may hold ``operation_id``, ``attempt``, ``from_state``, ``to_state``,
    ``text_digest`` and ``detail``; what is left out is None.
    """
    last = audit_head(db)
    row: dict[str, Any] = dict.fromkeys(_FIELDS) | {
        "seq": last.count + 1,
        "at_us": at_us,
        "who": actor.who,
        "via": actor.via,
        "event": event.value,
        "proposal_id": proposal_id,
        "version": version,
        "digest": digest,
        "policy_version": policy_version,
        "previous": last.hash,
        **more,
    }
    row["hash"] = _hash_of(row)
    changed(db, _INSERT, row)
    return last.count + 1


def audit_head(db: Database) -> AuditHead:
    """Return the number of the last row and its hash. A read."""
    found = rows(db, "SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1")
    if not found:
        return AuditHead(count=0, hash=FIRST_PREVIOUS)
    return AuditHead(count=found[0]["seq"], hash=found[0]["hash"])


def audit_rows(db: Database, *, after: int = 0, limit: int = _BATCH) -> list[AuditRow]:
    """Return at most ``limit`` rows behind row ``after``, oldest first. A read."""
    found = rows(db, "SELECT * FROM audit WHERE seq > ? ORDER BY seq LIMIT ?", (after, limit))
    return [AuditRow(**row) for row in found]


def of_proposal(db: Database, proposal_id: str) -> list[AuditRow]:
    """Return all rows of a proposal, oldest first. A read."""
    found = rows(db, "SELECT * FROM audit WHERE proposal_id = ? ORDER BY seq", (proposal_id,))
    return [AuditRow(**row) for row in found]


def export_audit(db: Database) -> Iterator[str]:
    """Yield every row as one line of canonical JSON, oldest first. A read, in small batches."""
    last = 0
    while batch := rows(
        db, "SELECT * FROM audit WHERE seq > ? ORDER BY seq LIMIT ?", (last, _BATCH)
    ):
        yield from map(canonical, batch)
        last = batch[-1]["seq"]


def verify_audit(db: Database, expected: AuditHead | None = None) -> AuditHead:
    """Walk the table and return its head. A read.

    ``expected`` is a head kept elsewhere, such as in a daily digest: the table must still reach
    it.

    Raises:
        AuditBroken: the first row that is not what was written, by number: a changed field, a
            missing row, an added one, a text that is not the one its digest stands for; or the
            table is shorter than ``expected``, or has lost its triggers.
    """
    _check_triggers(db)
    found = AuditHead(count=0, hash=FIRST_PREVIOUS)
    passed = expected is None or expected.count == 0
    for row in _raw(db):
        found = _next(found, row)
        if expected is not None and found.count == expected.count:
            if found.hash != expected.hash:
                raise AuditBroken(found.count, "it is not the row that the kept head names")
            passed = True
    if not passed:
        raise AuditBroken(found.count + 1, "it is missing: the kept head names a longer table")
    _check_texts(db)
    return found


def _next(before: AuditHead, row: Mapping[str, Any]) -> AuditHead:
    number = before.count + 1
    if row["seq"] != number:
        raise AuditBroken(number, "it is missing")
    if row["previous"] != before.hash or row["hash"] != _hash_of(row):
        raise AuditBroken(number, "it is not what was written")
    return AuditHead(count=number, hash=row["hash"])


def _raw(db: Database) -> Iterator[dict[str, Any]]:
    """Yield every row. Texts are read as bytes: damaged ones must be named, not stop the read."""
    lowest = rows(db, "SELECT min(seq) AS seq FROM audit")[0]["seq"]  # wherever it was moved to
    last, condition = (lowest or 0), "seq >= ?"
    while batch := rows(db, f"{_RAW} WHERE {condition} ORDER BY seq LIMIT {_BATCH}", (last,)):
        yield from map(_decoded, batch)
        last, condition = batch[-1]["seq"], "seq > ?"


def _decoded(row: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return {
            name: value.decode("utf-8") if isinstance(value, bytes) else value
            for name, value in row.items()
        }
    except UnicodeDecodeError:
        raise AuditBroken(int(row["seq"]), "it is not what was written") from None


def _check_triggers(db: Database) -> None:
    found = rows(db, "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'audit'")
    missing = sorted(_TRIGGERS - {row["name"] for row in found})
    if missing:
        raise AuditBroken(0, f"the table has lost its trigger {missing[0]}")


def _check_texts(db: Database) -> None:
    """Check each text that is still there against the digest that was chained.

    An erased text keeps its row, so one that is gone was taken away.
    """
    found = rows(
        db,
        "SELECT a.seq, t.text_id, t.salt, t.text, a.text_digest FROM audit a LEFT JOIN texts t"
        " ON t.proposal_id = a.proposal_id AND t.digest = a.text_digest"
        " WHERE a.text_digest IS NOT NULL ORDER BY a.seq",
    )
    for row in found:
        if row["text_id"] is None:
            raise AuditBroken(row["seq"], "its text was taken away")
        if row["text"] is not None and text_digest(row["salt"], row["text"]) != row["text_digest"]:
            raise AuditBroken(row["seq"], "its text is not the one that was written")


def _hash_of(row: Mapping[str, Any]) -> str:
    content = {name: row[name] for name in _FIELDS if name != "hash"}
    return digest_of("audit", {"form": APPROVAL_FORM, **content})


_FIELDS: Final = tuple(AuditRow.__slots__)
_INSERT: Final = """
INSERT INTO audit (seq, at_us, who, via, event, proposal_id, version, operation_id, attempt,
    from_state, to_state, digest, policy_version, text_digest, detail, previous, hash)
VALUES (:seq, :at_us, :who, :via, :event, :proposal_id, :version, :operation_id, :attempt,
    :from_state, :to_state, :digest, :policy_version, :text_digest, :detail, :previous, :hash)
"""
_RAW: Final = """
SELECT seq, at_us, CAST(who AS BLOB) AS who, CAST(via AS BLOB) AS via,
    CAST(event AS BLOB) AS event, CAST(proposal_id AS BLOB) AS proposal_id, version,
    CAST(operation_id AS BLOB) AS operation_id, attempt,
    CAST(from_state AS BLOB) AS from_state, CAST(to_state AS BLOB) AS to_state,
    CAST(digest AS BLOB) AS digest, CAST(policy_version AS BLOB) AS policy_version,
    CAST(text_digest AS BLOB) AS text_digest, CAST(detail AS BLOB) AS detail,
    CAST(previous AS BLOB) AS previous, CAST(hash AS BLOB) AS hash
FROM audit
"""

"""Operations as the store holds them: the row, the claim, the outcomes, and the reads."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from sqlite_utils import Database

from approvals.errors import DigestMismatch, OperationUnknown
from approvals.states import LIVE_OPERATIONS, OperationState, sql_list
from approvals.store import rows
from tools import Action, JsonRefused, action_from_dict, parse_json

__all__ = [
    "Claim",
    "Done",
    "Failed",
    "Operation",
    "Outcome",
    "Retry",
    "Unknown",
    "live_with_effects",
    "operations_in",
    "operations_of",
    "pending_operations",
    "read_operation",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One attempt in one pair of hands; a later claim makes it stale."""

    operation_id: str
    owner: str
    attempt: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One row.

    Attributes:
        position: of its action in the proposal, from 1.
        key: made once and read from here ever after.
        request: the exact bytes that are sent, stored with their SHA-256.
        gateway: the only one it may go through.
        attempt: how often it was claimed; 0 means that it was never sent. The first and the last
            claim are at ``first_attempt_us`` and ``last_attempt_us``.
        next_at_us: when it may be taken up again.
        pending: done as far as the shop says now, and polled until that is final.
        result: what the shop said, as JSON values.
        error_code: a short word for what went wrong last, with ``error_words`` for people.
    """

    operation_id: str
    proposal_id: str
    position: int
    key: str
    generation: int
    effect: str
    tool: str
    action: Action
    request: bytes
    request_sha256: str
    gateway: str
    state: OperationState
    attempt: int
    owner: str | None
    first_attempt_us: int | None
    last_attempt_us: int | None
    next_at_us: int
    settled_us: int | None
    pending: bool
    result: Mapping[str, Any] | None
    error_code: str | None
    error_words: str | None

    @property
    def claim(self) -> Claim:
        """The claim that this row is in. Only while it is ``executing``."""
        if self.owner is None:
            raise ValueError(f"operation {self.operation_id} is {self.state}, not claimed")
        return Claim(operation_id=self.operation_id, owner=self.owner, attempt=self.attempt)

    @property
    def is_intact(self) -> bool:
        """Whether the stored bytes are those that were stored."""
        return sha256(self.request).hexdigest() == self.request_sha256

    @property
    def reference(self) -> str | None:
        """The shop's name for what it did; None where it gave none, or a person settled it."""
        found = (self.result or {}).get("reference")
        return None if found is None else str(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """The shop has it. ``pending``: it may still fail, and is polled until that is final."""

    result: Mapping[str, Any]
    pending: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """Certain: nothing was written. ``code`` is a short word, ``words`` are for people."""

    code: str
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown:
    """The shop cannot say whether it was written; a person has to find out."""

    code: str
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry:
    """Not settled; to be looked up or sent again with the same bytes and key at ``at_us``."""

    at_us: int
    code: str
    words: str


Outcome = Done | Failed | Unknown | Retry


def read_operation(db: Database, operation_id: str) -> Operation:
    """Return one operation. A read.

    Raises:
        OperationUnknown: there is none of this id.
        DigestMismatch: the row was changed outside the program so that it cannot be read.
    """
    found = _read(db, "operation_id = ?", (operation_id,))
    if not found:
        raise OperationUnknown(operation_id)
    return found[0]


def operations_of(db: Database, proposal_id: str) -> list[Operation]:
    """Return a proposal's operations in their order; none before it is approved. A read."""
    return _read(db, "proposal_id = ?", (proposal_id,))


def operations_in(db: Database, *states: OperationState) -> list[Operation]:
    """Return all operations in these states, in the order of their proposals. A read."""
    return _read(db, f"state IN {sql_list(states)}", ())


def pending_operations(db: Database) -> list[Operation]:
    """Return what is done as far as the shop says now, and not final. A read."""
    return _read(db, "pending = 1", ())


def live_with_effects(db: Database, effects: Sequence[str]) -> list[Operation]:
    """Return the live operations of all tickets that have one of these effects. A read."""
    return _read(
        db,
        f"state IN {sql_list(LIVE_OPERATIONS)} AND {_ANY_EFFECT}",
        (json.dumps(list(effects)),),
    )


_SELECT: Final = "SELECT * FROM operations"
_ANY_EFFECT: Final = "effect IN (SELECT value FROM json_each(?))"


def _read(db: Database, where: str, params: Sequence[Any]) -> list[Operation]:
    found = rows(db, f"{_SELECT} WHERE {where} ORDER BY rowid", params)
    return [_operation(row) for row in found]


def _operation(row: Mapping[str, Any]) -> Operation:
    try:
        parsed = _parsed(row)
    except (ValueError, JsonRefused):  # no row that we wrote reads so
        raise DigestMismatch(row["proposal_id"]) from None
    return Operation(**{**row, **parsed})


def _parsed(row: Mapping[str, Any]) -> dict[str, Any]:
    result = row["result"]
    return {
        "action": action_from_dict(json.loads(row["action"])),
        "state": OperationState(row["state"]),
        "pending": bool(row["pending"]),
        "result": None if result is None else parse_json(result),
    }

"""A conversation in the newer tables of ``llm``: a tree of messages, and the turns over it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from approvals.store import Foreign
from loop import Message, Role, WireCall
from recordings.importers.fields import Malformed, list_of, mapping_of, name_of, text_of
from recordings.importers.llm_rows import (
    Row,
    answered,
    called,
    replied,
    source_of_log,
    tools_from,
)
from recordings.importers.runs import Heard, ImportedRun, Item, Spoke

__all__ = ["turns_run"]

_TURNS: Final = "SELECT * FROM turns WHERE thread_id = ? ORDER BY id"
_CHAIN: Final = """
WITH RECURSIVE chain (hash, parent_hash, role, depth) AS (
    SELECT hash, parent_hash, role, 0 FROM messages WHERE hash = ?
    UNION ALL
    SELECT m.hash, m.parent_hash, m.role, depth + 1 FROM messages m
    JOIN chain c ON m.hash = c.parent_hash WHERE depth < 10000
)
SELECT hash, role FROM chain ORDER BY depth DESC
"""
_PARTS: Final = "SELECT * FROM parts WHERE message_hash = ? ORDER BY position"
_TOOLS: Final = """
SELECT DISTINCT t.name, t.description, t.input_schema FROM tools t
JOIN turn_tools u ON u.tool_id = t.id JOIN turns ON turns.id = u.turn_id
WHERE turns.thread_id = ? ORDER BY t.id
"""


def turns_run(db: Foreign, thread: str, file: str) -> ImportedRun:
    """Return the run of a thread.

    Raises:
        Malformed: it holds no reply of a model.
    """
    turns = [dict(turn) for turn in db.rows(_TURNS, (thread,))]
    seen: set[str] = set()
    items: list[Item] = []
    for turn in turns:
        items += _turn(db, turn, seen)
    if not any(isinstance(item, Spoke) for item in items):
        raise Malformed("holds no reply of a model")
    return ImportedRun(
        source=source_of_log(file, "thread", thread, turns[0]),
        label=None,
        model=name_of(turns[0]["model"]),
        items=tuple(items),
        tools=tools_from(db, _TOOLS, thread),
    )


def _turn(db: Foreign, turn: Row, seen: set[str]) -> Iterator[Item]:
    """Yield what is new up to this turn, and its reply."""
    for link in db.rows(_CHAIN, (name_of(turn["parent_message_hash"]),)):
        if link["hash"] not in seen:
            seen.add(link["hash"])
            yield from _heard(link["role"], _parts(db, link["hash"]))
    said: list[Mapping[str, Any]] = []
    for link in db.rows(_CHAIN, (name_of(turn["tip_message_hash"]),)):
        if link["hash"] not in seen:
            seen.add(link["hash"])
            said += _parts(db, link["hash"])
    yield Spoke(reply=replied(turn, _said(said), _calls(said)))


def _parts(db: Foreign, message: str) -> list[Mapping[str, Any]]:
    found: list[Mapping[str, Any]] = []
    for row in db.rows(_PARTS, (message,)):
        payload = dict(mapping_of(row["payload"]))
        text = row["text"] if row["text"] is not None else payload.get("text")
        if text is None and "text_ref" in payload:
            text = _joined(db, list_of(payload["text_ref"]) or [])
        found.append({**payload, "type": row["type"], "text": text})
    return found


def _joined(db: Foreign, pieces: list[Any]) -> str:
    """Return a text that borrows from stored fragments."""
    return "".join(_piece(db, mapping_of(piece)) for piece in pieces)


def _piece(db: Foreign, piece: Mapping[str, Any]) -> str:
    number = piece.get("fragment")
    if not isinstance(number, int):
        return name_of(piece.get("literal"))
    rows = db.rows("SELECT content FROM fragments WHERE id = ?", (number,))
    return next((name_of(row["content"]) for row in rows), "")


def _heard(role: str, parts: list[Mapping[str, Any]]) -> Iterator[Item]:
    results = [part for part in parts if part["type"] == "tool_result"]
    yield from map(answered, results)
    if not results:
        known = Role(role) if role in (Role.SYSTEM, Role.ASSISTANT) else Role.USER
        calls = _calls(parts) if known is Role.ASSISTANT else ()
        yield Heard(message=Message(role=known, text=_said(parts), calls=calls))


def _said(parts: list[Mapping[str, Any]]) -> str | None:
    shown = [part for part in parts if part["type"] not in ("tool_call", "tool_result")]
    return text_of(shown) if shown else None


def _calls(parts: list[Mapping[str, Any]]) -> tuple[WireCall, ...]:
    return tuple(
        called(part)
        for part in parts
        if part["type"] == "tool_call" and not part.get("server_executed")
    )

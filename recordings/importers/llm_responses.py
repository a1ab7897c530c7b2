"""A conversation in the older tables of ``llm``: one row a response."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from approvals.store import Foreign
from loop import Message, Role
from recordings.importers.fields import Malformed, name_of, text_of
from recordings.importers.llm_rows import (
    Row,
    answered,
    called,
    replied,
    source_of_log,
    tools_from,
)
from recordings.importers.runs import Heard, ImportedRun, Item, Spoke

__all__ = ["responses_run"]

_RESPONSES: Final = "SELECT * FROM responses WHERE conversation_id = ? ORDER BY id"
_CALLS: Final = "SELECT * FROM tool_calls WHERE response_id = ? ORDER BY id"
_RESULTS: Final = "SELECT * FROM tool_results WHERE response_id = ? ORDER BY id"
_TOOLS: Final = """
SELECT DISTINCT t.name, t.description, t.input_schema FROM tools t
JOIN tool_responses u ON u.tool_id = t.id JOIN responses r ON r.id = u.response_id
WHERE r.conversation_id = ? ORDER BY t.id
"""


def responses_run(db: Foreign, conversation: str, file: str) -> ImportedRun:
    """Return the run of a conversation.

    Raises:
        Malformed: it holds no response.
    """
    rows = [dict(row) for row in db.rows(_RESPONSES, (conversation,))]
    if not rows:
        raise Malformed("holds no reply of a model")
    tables = db.tables()
    with_calls = tables >= {"tool_calls", "tool_results"}
    return ImportedRun(
        source=source_of_log(file, "conversation", conversation, rows[0]),
        label=None,
        model=name_of(rows[0]["model"]),
        items=tuple(item for row in rows for item in _response(db, row, with_calls=with_calls)),
        tools=tools_from(db, _TOOLS, conversation) if "tool_responses" in tables else (),
    )


def _response(db: Foreign, row: Row, *, with_calls: bool) -> Iterator[Item]:
    for role, column in ((Role.SYSTEM, "system"), (Role.USER, "prompt")):
        text = text_of(row[column])
        if text:
            yield Heard(message=Message(role=role, text=text))
    found = (row["id"],)
    results = db.rows(_RESULTS, found) if with_calls else ()
    yield from (answered(dict(result)) for result in results)
    calls = db.rows(_CALLS, found) if with_calls else ()
    made = tuple(called(dict(call)) for call in calls)
    yield Spoke(reply=replied(row, text_of(row["response"]), made))

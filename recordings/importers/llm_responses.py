"""A conversation in the older tables of ``llm``: one row a response."""

from __future__ import annotations

from collections.abc import Iterator
from sqlite3 import Row
from typing import Final

from approvals.store import Foreign
from loop import Cost, CostState, Message, Reply, Role, Usage, WireCall, cleaned
from recordings.importers.fields import Malformed, arguments_of, count_of, name_of, text_of
from recordings.importers.llm_turns import ms_us, outcome_of, tools_from
from recordings.importers.runs import Answered, Heard, ImportedRun, Item, Spoke
from recordings.origin import Source

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
    rows = list(db.rows(_RESPONSES, (conversation,)))
    if not rows:
        raise Malformed("holds no reply of a model")
    tables = db.tables()
    with_calls = tables >= {"tool_calls", "tool_results"}
    return ImportedRun(
        source=Source(
            format="llm",
            file=file,
            place=f"conversation {conversation}",
            task=conversation,
            recorded_at=name_of(rows[0]["datetime_utc"]) or None,
        ),
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
    results = db.rows(_RESULTS, (row["id"],)) if with_calls else ()
    for result in results:
        exception = result["exception"] if "exception" in result.keys() else None  # noqa: SIM118 (a Row's "in" looks at values)
        yield Answered(
            call_id=name_of(result["tool_call_id"]),
            name=name_of(result["name"]),
            text=text_of(result["output"]) or "",
            outcome=outcome_of(exception=exception),
        )
    yield Spoke(reply=_reply(row, _calls(db, row) if with_calls else ()))


def _calls(db: Foreign, row: Row) -> tuple[WireCall, ...]:
    return tuple(
        WireCall(
            call_id=name_of(call["tool_call_id"]),
            name=name_of(call["name"]),
            arguments=arguments_of(call["arguments"]),
        )
        for call in db.rows(_CALLS, (row["id"],))
    )


def _reply(row: Row, calls: tuple[WireCall, ...]) -> Reply:
    columns = row.keys()  # older logs have fewer
    resolved = name_of(row["resolved_model"]) if "resolved_model" in columns else ""
    counted = "input_tokens" in columns
    return cleaned(
        Reply(
            text=text_of(row["response"]) or None,
            calls=calls,
            finish_reason=None,
            model=resolved or name_of(row["model"]) or None,
            usage=Usage(
                tokens_in=count_of(row["input_tokens"]) if counted else None,
                tokens_out=count_of(row["output_tokens"]) if counted else None,
            ),
            latency_us=ms_us(row["duration_ms"]),
            cost=Cost(state=CostState.NOT_RECORDED),
        )
    )

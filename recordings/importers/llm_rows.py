"""What both layouts of ``llm``'s log say in the same words: calls, results, replies, the source."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from approvals.store import Foreign
from loop import Cost, CostState, Reply, Usage, WireCall, cleaned
from recordings.importers.fields import (
    arguments_of,
    count_of,
    mapping_of,
    name_of,
    text_of,
    tools_of,
    us_of,
)
from recordings.importers.runs import Answered
from recordings.origin import Source
from tools import Kind, ToolSpec

__all__ = ["answered", "called", "replied", "source_of_log", "tools_from"]

Row = Mapping[str, Any]
"""A row's values by column, or a part of a message; older logs have fewer."""


def source_of_log(file: str, what: str, group: str, first: Row) -> Source:
    """Return where a conversation came from; ``first`` is its first row."""
    return Source(
        format="llm",
        file=file,
        place=f"{what} {group}",
        task=group,
        recorded_at=name_of(first["datetime_utc"]) or None,
    )


def called(call: Row) -> WireCall:
    """Return a call as it was logged."""
    return WireCall(
        call_id=name_of(call.get("tool_call_id")),
        name=name_of(call.get("name")),
        arguments=arguments_of(call.get("arguments")),
    )


def answered(result: Row) -> Answered:
    """Return the answer to a call; one that was logged with an exception failed."""
    return Answered(
        call_id=name_of(result.get("tool_call_id")),
        name=name_of(result.get("name")),
        text=text_of(result.get("output")) or "",
        outcome=Kind.FAILED if result.get("exception") else Kind.OK,
    )


def replied(row: Row, text: str | None, calls: tuple[WireCall, ...]) -> Reply:
    """Return a reply with what its row says of model, tokens and time."""
    details = mapping_of(row.get("token_details"))
    return cleaned(
        Reply(
            text=text or None,
            calls=calls,
            finish_reason=None,
            model=name_of(row.get("resolved_model")) or name_of(row["model"]) or None,
            usage=Usage(
                tokens_in=count_of(row.get("input_tokens")),
                tokens_out=count_of(row.get("output_tokens")),
                cached_in=count_of(details.get("cached_tokens")),
            ),
            latency_us=_ms_us(row["duration_ms"]),
            cost=Cost(state=CostState.NOT_RECORDED),
        )
    )


def tools_from(db: Foreign, sql: str, group: str) -> tuple[ToolSpec, ...]:
    """Return the tools that a query finds for a conversation."""
    rows = db.rows(sql, (group,))
    specs = [
        {
            "name": row["name"],
            "description": row["description"],
            "parameters": mapping_of(row["input_schema"]),
        }
        for row in rows
    ]
    return tools_of(specs)


def _ms_us(milliseconds: object) -> int | None:
    """Return milliseconds as microseconds; None where they are no plausible number."""
    seconds = count_of(milliseconds)
    return None if seconds is None else us_of(seconds / 1000)

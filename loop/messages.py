"""Frozen messages and the request made of them. A longer request is a new tuple."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from tools import FORM, ToolSpec, canonical

__all__ = [
    "Message",
    "Request",
    "RequestHead",
    "Role",
    "WireCall",
    "first_digest",
    "head_value",
    "message_value",
    "next_digest",
]


class Role(StrEnum):
    """Who a message is from, in the words of Chat Completions."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


@dataclass(frozen=True, slots=True, kw_only=True)
class WireCall:
    """One call as the model wrote it; ``arguments`` is text and may be anything."""

    call_id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message to the model."""

    role: Role
    text: str | None
    calls: tuple[WireCall, ...] = ()
    call_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestHead:
    """What stays the same over all requests of a run."""

    model: str
    tools: tuple[ToolSpec, ...]
    tool_choice: str | None
    response_format: Mapping[str, Any] | None
    max_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request to a model: the head, all messages so far, and the digest of both."""

    ticket_id: str
    step: int
    head: RequestHead
    messages: tuple[Message, ...]
    digest: str


_CHAIN: Final = f"handrail/request/{FORM}\n"


def first_digest(head: RequestHead) -> str:
    """Return the digest of a request that holds no message yet."""
    return _link("", head_value(head))


def next_digest(digest: str, appended: tuple[Message, ...]) -> str:
    """Return the digest after appending messages.

    A chain over what was appended, so that a step costs the same at any length.
    """
    return _link(digest, [message_value(message) for message in appended])


def message_value(message: Message) -> dict[str, Any]:
    """Return the message as JSON values, every field present."""
    return {
        "role": message.role.value,
        "text": message.text,
        "calls": [
            {"call_id": call.call_id, "name": call.name, "arguments": call.arguments}
            for call in message.calls
        ],
        "call_id": message.call_id,
    }


def head_value(head: RequestHead) -> dict[str, Any]:
    """Return the head as JSON values, every field present."""
    return {
        "model": head.model,
        "tools": [
            {"name": t.name, "description": t.description, "parameters": t.parameters}
            for t in head.tools
        ],
        "tool_choice": head.tool_choice,
        "response_format": head.response_format,
        "max_tokens": head.max_tokens,
    }


def _link(digest: str, value: Any) -> str:
    return hashlib.sha256(f"{_CHAIN}{digest}\n{canonical(value)}".encode("ascii")).hexdigest()

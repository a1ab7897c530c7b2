"""A request as the body and the address of Chat Completions, in the words that a server takes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from loop.live.server import Schemas, Server, Style, ToolChoice
from loop.messages import Message, Request, RequestHead, WireCall
from tools import ToolSpec

__all__ = ["body_of", "path_of", "query_of"]


def path_of(server: Server) -> str:
    """Return the path below the server's address."""
    match server.style:
        case Style.OPENAI:
            return "/chat/completions"
        case Style.AZURE if server.api_version is None:
            return "/openai/v1/chat/completions"
        case Style.AZURE:
            return f"/openai/deployments/{quote(server.model, safe='')}/chat/completions"


def query_of(server: Server) -> dict[str, str]:
    """Return what stands behind the path."""
    return {} if server.api_version is None else {"api-version": server.api_version}


def body_of(request: Request, server: Server) -> bytes:
    """Return the body. The same request and server give the same bytes."""
    head = request.head
    body: dict[str, Any] = {
        "model": server.model,
        "messages": [_message(message) for message in request.messages],
        server.length_field.value: head.max_tokens,
        **_tools(head, server),
        **_form(head, server),
    }
    if server.reasoning_effort is not None:
        body["reasoning_effort"] = server.reasoning_effort
    if server.temperature is not None:
        body["temperature"] = server.temperature
    if server.stream:
        body |= {"stream": True, "stream_options": {"include_usage": True}}
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"), default=_plain).encode()


def _message(message: Message) -> dict[str, Any]:
    wire: dict[str, Any] = {"role": message.role.value, "content": message.text}
    if message.calls:
        wire["tool_calls"] = [_call(call) for call in message.calls]
    elif message.text is None:
        wire["content"] = ""  # null is for messages that hold calls
    if message.call_id is not None:
        wire["tool_call_id"] = message.call_id
    return wire


def _call(call: WireCall) -> dict[str, Any]:
    return {
        "id": call.call_id,
        "type": "function",
        "function": {"name": call.name, "arguments": call.arguments},
    }


def _tools(head: RequestHead, server: Server) -> dict[str, Any]:
    # In the json way of asking the tools are the schema's words, and nothing that can be called.
    if not head.tools or _is_step(head.response_format):
        return {}
    fields: dict[str, Any] = {"tools": [_tool(spec) for spec in head.tools]}
    match server.tool_choice:
        case ToolChoice.REQUIRED if head.tool_choice is not None:
            fields["tool_choice"] = head.tool_choice
        case ToolChoice.AUTO:
            fields["tool_choice"] = "auto"
        case ToolChoice.REQUIRED | ToolChoice.LEFT_OUT:
            pass
    return fields


def _tool(spec: ToolSpec) -> dict[str, Any]:
    return {
        "type": "function",
        "function": {
            "name": spec.name,
            "description": spec.description,
            "parameters": spec.parameters,
        },
    }


def _form(head: RequestHead, server: Server) -> dict[str, Any]:
    if head.response_format is None:
        return {}
    match server.schemas:
        case Schemas.SCHEMA:
            schema = dict(head.response_format)
            return {"response_format": {"type": "json_schema", "json_schema": schema}}
        case Schemas.OBJECT:
            return {"response_format": {"type": "json_object"}}
        case Schemas.LEFT_OUT:
            return {}


def _is_step(form: Mapping[str, Any] | None) -> bool:
    return form is not None and form["name"] == "step"


def _plain(value: Any) -> Any:
    """Return what ``json`` does not know: schemas are frozen mappings and tuples."""
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} has no form in JSON")

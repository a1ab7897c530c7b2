"""From a model's reply to a decision: calls to make, a final answer, or nothing usable.

Both ways of asking end here: ``tools`` (the provider's own tool calls) and ``json`` (one
structured step a reply, for models without tool calling).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final

from loop.messages import WireCall
from loop.model import Reply
from tools import JsonRefused, ToolSpec, canonical, parse_json

__all__ = [
    "FINISH",
    "Ask",
    "Decision",
    "Unusable",
    "decide",
    "step_schema",
    "was_cut",
    "with_own_ids",
]

FINISH: Final = "finish"
"""Name of the finish tool."""
_STEP_KEYS: Final = ("plan", "tool", "resolution")


class Ask(StrEnum):
    """How a model is asked for its next step."""

    TOOLS = "tools"
    JSON = "json"


class Unusable(StrEnum):
    """Why a reply holds no step."""

    REFUSAL = "refusal"
    TRUNCATED = "truncated"
    """Cut by length: its calls are never run, for their arguments may be cut too."""
    FILTERED = "filtered"
    NO_CALL = "no_call"
    NOT_A_STEP = "not_a_step"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What a reply asks for. ``calls`` of an unusable reply are answered, not run."""

    calls: tuple[WireCall, ...] = ()
    unusable: Unusable | None = None


def decide(
    reply: Reply, ask: Ask, specs: Sequence[ToolSpec], max_tokens: int, step: int
) -> Decision:
    """Read one reply. Never raises, whatever the reply holds."""
    if reply.refusal:
        return Decision(calls=reply.calls, unusable=Unusable.REFUSAL)
    if was_cut(reply, max_tokens):
        return Decision(calls=reply.calls, unusable=Unusable.TRUNCATED)
    if reply.finish_reason == "content_filter":
        return Decision(calls=reply.calls, unusable=Unusable.FILTERED)
    if ask is Ask.JSON:
        return _json_step(reply, specs, step)
    if not reply.calls:
        return Decision(unusable=Unusable.NO_CALL)
    return Decision(calls=reply.calls)


def was_cut(reply: Reply, max_tokens: int) -> bool:
    """Whether the reply was cut by length.

    Some routers rewrite the finish reason, so a reply as long as it may be counts as cut as well.
    """
    out = reply.usage.tokens_out
    return reply.finish_reason == "length" or (out is not None and out >= max_tokens)


def with_own_ids(calls: tuple[WireCall, ...], step: int, used: set[str]) -> tuple[WireCall, ...]:
    """Give every call an id that is its own in this run; providers send empty and equal ones.

    Adds the ids to ``used``.
    """
    named = []
    for index, call in enumerate(calls):
        call_id = _free_id(call.call_id, f"step{step}-call{index}", used)
        used.add(call_id)
        named.append(call if call_id == call.call_id else replace(call, call_id=call_id))
    return tuple(named)


def _free_id(given: str, place: str, used: set[str]) -> str:
    """Return the given id, else one made of the place; a model may have used that one too."""
    if given and given not in used:
        return given
    call_id, number = place, 0
    while call_id in used:
        number += 1
        call_id = f"{place}-{number}"
    return call_id


def step_schema(specs: Sequence[ToolSpec]) -> dict[str, Any]:
    """Return the JSON schema of one structured step over the offered tools.

    Flat, because small models do better at it: the tools' arguments side by side, those of other
    tools null. ``resolution`` is the finish tool's argument object.
    """
    arguments: dict[str, Any] = {}
    resolution: Mapping[str, Any] = {"type": "null"}
    for spec in specs:
        if spec.name == FINISH:
            resolution = spec.parameters
        else:
            arguments.update(spec.parameters["properties"])
    properties: dict[str, Any] = {
        "plan": {"type": "string"},
        "tool": {"type": "string", "enum": [spec.name for spec in specs]},
    }
    for name, schema in arguments.items():
        properties[name] = {"anyOf": [schema, {"type": "null"}]}
    properties["resolution"] = {"anyOf": [resolution, {"type": "null"}]}
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _json_step(reply: Reply, specs: Sequence[ToolSpec], step: int) -> Decision:
    value = None if reply.calls else _object(reply.text)
    name = None if value is None else value.get("tool")
    if value is None or not isinstance(name, str):
        return Decision(calls=reply.calls, unusable=Unusable.NOT_A_STEP)
    arguments = _step_arguments(value, name, specs)
    # The text of the step is what the model wrote; the arguments are read out of it.
    return Decision(calls=(WireCall(call_id=f"step{step}-call0", name=name, arguments=arguments),))


def _object(text: str | None) -> dict[str, Any] | None:
    try:
        value = parse_json(text or "")
    except JsonRefused:
        return None
    return value if isinstance(value, dict) else None


def _step_arguments(value: Mapping[str, Any], name: str, specs: Sequence[ToolSpec]) -> str:
    """Return the arguments of the step's tool: those fields of the flat form that are its own.

    Fields of the other tools are left out, filled or not: side by side they are an artefact of
    the form. What no tool knows stays, and is refused as any unknown key is.
    """
    if name == FINISH:
        return canonical(value.get("resolution"))
    own: set[str] = set()
    foreign: set[str] = set()
    for spec in specs:
        if spec.name != FINISH:
            (own if spec.name == name else foreign).update(spec.parameters["properties"])
    skipped = set(_STEP_KEYS) | (foreign - own)
    return canonical({key: item for key, item in value.items() if key not in skipped})

"""Messages in the form of Chat Completions, and in what others make of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from loop import Cost, CostState, Message, Reply, Role, Usage, WireCall, cleaned
from recordings.importers.fields import (
    Malformed,
    arguments_of,
    count_of,
    list_of,
    mapping_of,
    name_of,
    text_of,
)
from recordings.importers.runs import Answered, Heard, Item, Spoke
from tools import Kind

__all__ = ["Facts", "call_of", "calls_of", "facts_of", "items_of", "usage_of"]

_HEARD: dict[str, Role] = {
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
    "user": Role.USER,
    "human": Role.USER,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What a source says of one reply beside its words. None is unknown."""

    model: str | None = None
    finish_reason: str | None = None
    usage: Usage = field(default_factory=Usage)
    latency_us: int | None = None
    cost: Cost = field(default_factory=lambda: Cost(state=CostState.NOT_RECORDED))


def items_of(
    messages: object,
    *,
    outcome: Callable[[Mapping[str, Any], str], Kind | None] = lambda _message, _text: None,
    facts: Callable[[Mapping[str, Any]], Facts] = lambda message: facts_of(message),  # noqa: PLW0108
) -> tuple[Item, ...]:
    """Return what the messages say, in order.

    Args:
        messages: a list, or a text that holds one.
        outcome: what came of a call, from its answer's message and text.
        facts: what a reply's message says beside its words.

    Raises:
        Malformed: there is no list, a message is none, or no reply of a model is among them.
    """
    found = list_of(messages)
    if found is None:
        raise Malformed("has no list of messages")
    items = tuple(_item(message, outcome, facts) for message in _objects(found))
    if not any(isinstance(item, Spoke) for item in items):
        raise Malformed("holds no reply of a model")
    return items


def facts_of(message: Mapping[str, Any]) -> Facts:
    """Return what a message itself may say: model, finish reason, tokens."""
    return Facts(
        model=name_of(message.get("model")) or None,
        finish_reason=name_of(message.get("finish_reason")) or None,
        usage=usage_of(message.get("usage")),
    )


def usage_of(value: object) -> Usage:
    """Return the tokens, in the names of Chat Completions or of its successors."""
    found = mapping_of(value)
    details_in = mapping_of(found.get("prompt_tokens_details") or found.get("input_tokens_details"))
    details_out = mapping_of(
        found.get("completion_tokens_details") or found.get("output_tokens_details")
    )
    return Usage(
        tokens_in=_first_count(found, "prompt_tokens", "input_tokens"),
        tokens_out=_first_count(found, "completion_tokens", "output_tokens"),
        cached_in=count_of(details_in.get("cached_tokens")),
        reasoning_out=count_of(details_out.get("reasoning_tokens")),
    )


def calls_of(message: Mapping[str, Any]) -> tuple[WireCall, ...]:
    """Return the calls of a reply; the single ``function_call`` of old logs too."""
    found = list_of(message.get("tool_calls")) or []
    old = message.get("function_call")
    if not found and isinstance(old, Mapping):
        found = [{"id": "", "function": old}]
    return tuple(call for item in found if (call := call_of(item)) is not None)


def call_of(item: object) -> WireCall | None:
    """Return one call: its function in an object of its own, or its name and arguments beside.

    The names differ: ``arguments``, ``args``, ``input``; ``function`` may be the name itself.
    """
    found = mapping_of(item)
    inner = found.get("function")
    parts = inner if isinstance(inner, Mapping) else found
    name = name_of(inner) if isinstance(inner, str) else name_of(parts.get("name"))
    if not name and not found:
        return None
    given = (parts.get(each) for each in ("arguments", "args", "input"))
    arguments = next((value for value in given if value is not None), None)
    return WireCall(
        call_id=name_of(found.get("id") or found.get("call_id")),
        name=name,
        arguments=arguments_of(arguments),
    )


def _objects(messages: Sequence[object]) -> Iterator[Mapping[str, Any]]:
    for number, message in enumerate(messages, start=1):
        found = mapping_of(message)
        if not found:
            raise Malformed(f"message {number} is not an object")
        yield found


def _item(
    message: Mapping[str, Any],
    outcome: Callable[[Mapping[str, Any], str], Kind | None],
    facts: Callable[[Mapping[str, Any]], Facts],
) -> Item:
    role = name_of(message.get("role") or message.get("from"))
    content = message.get("content", message.get("value"))
    if role in ("assistant", "gpt"):
        return Spoke(reply=_reply(message, content, facts(message)))
    if role in ("tool", "function"):
        text = text_of(content) or ""
        return Answered(
            call_id=name_of(message.get("tool_call_id") or message.get("id")),
            name=name_of(message.get("name")),
            text=text,
            outcome=outcome(message, text),
        )
    if role not in _HEARD:
        raise Malformed("a message has a role that is not known")
    return Heard(message=Message(role=_HEARD[role], text=text_of(content)))


def _reply(message: Mapping[str, Any], content: object, facts: Facts) -> Reply:
    calls = calls_of(message)
    reply = Reply(
        text=text_of(content),
        calls=calls,
        finish_reason=facts.finish_reason,
        refusal=text_of(message.get("refusal")),
        model=facts.model,
        usage=facts.usage,
        latency_us=facts.latency_us,
        cost=facts.cost,
    )
    # What a model thought is not kept, and an empty text beside calls is none.
    return cleaned(replace(reply, text=reply.text or (None if calls else reply.text)))


def _first_count(found: Mapping[str, Any], *names: str) -> int | None:
    counts = (count_of(found.get(name)) for name in names)
    return next((count for count in counts if count is not None), None)

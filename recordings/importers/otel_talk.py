"""What spans of one conversation tell together: what was heard, said and answered, in order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from loop import Cost, CostState, Message, Reply, Role, Usage, WireCall, cleaned
from recordings.importers.chat import call_of, calls_of
from recordings.importers.fields import (
    count_of,
    list_of,
    mapping_of,
    name_of,
    text_of,
    tools_of,
)
from recordings.importers.otel_spans import Span
from recordings.importers.runs import Answered, Heard, Item, NoReply, Spoke
from tools import Kind, ToolSpec

__all__ = ["Talk", "talk_of"]

_ROLES = {"system": Role.SYSTEM, "developer": Role.SYSTEM, "assistant": Role.ASSISTANT}


@dataclass(slots=True, kw_only=True)
class Talk:
    """One conversation as its spans tell it."""

    items: tuple[Item, ...] = ()
    model: str = ""
    tools: tuple[ToolSpec, ...] = ()
    captured: bool = True
    """Whether the content of every model call was captured."""
    ended: str | None = None


def talk_of(spans: Sequence[Span]) -> Talk:
    """Return what the spans tell, which come in the order of time."""
    teller = _Teller()
    for span in spans:
        if span.is_model:
            teller.model_call(span)
        else:
            teller.tool_calls.append(span)
    return teller.told()


@dataclass(slots=True)
class _Teller:
    talk: Talk = field(default_factory=Talk)
    items: list[Item] = field(default_factory=list)
    tool_calls: list[Span] = field(default_factory=list)
    """Spans of tools since the last reply."""

    def model_call(self, span: Span) -> None:
        self._hear(span)
        self.talk.model = self.talk.model or span.text("gen_ai.request.model")
        self.talk.tools = self.talk.tools or tools_of(
            span.attributes.get("gen_ai.tool.definitions")
        )
        self.talk.captured &= span.heard is not None and span.said is not None
        if span.failed and span.said is None:
            kind = span.text("error.type")
            self.items.append(
                NoReply(
                    message=f"the recorded call failed: {kind[:80] or 'no type is recorded'}",
                    status=int(kind) if kind.isdigit() and len(kind) == 3 else None,  # noqa: PLR2004 (an HTTP status)
                    latency_us=span.took_us,
                )
            )
            self.talk.ended = "error"
            return
        reply = _reply(span)
        self.talk.ended = reply.finish_reason
        self.items.append(Spoke(reply=reply))

    def told(self) -> Talk:
        self._answer_rest()
        self.talk.items = tuple(self.items)
        return self.talk

    def _hear(self, span: Span) -> None:
        for message in _new(span.heard or (), first=not self.items):
            self._hear_one(message)
        self._answer_rest()

    def _hear_one(self, message: Mapping[str, Any]) -> None:
        answers = _answers(message)
        if not answers:
            self.items.append(Heard(message=_message(message)))
        for call_id, text in answers:
            span = next((s for s in self.tool_calls if _id_of(s) == call_id and call_id), None)
            if span is not None:
                self.tool_calls.remove(span)
            self.items.append(_answered(call_id, text, span))

    def _answer_rest(self) -> None:
        """Answer the calls whose spans no message speaks of."""
        for span in self.tool_calls:
            result = span.attributes.get("gen_ai.tool.call.result")
            self.items.append(_answered(_id_of(span), text_of(result) or "", span))
        self.tool_calls.clear()


def _new(heard: Sequence[Mapping[str, Any]], *, first: bool) -> Sequence[Mapping[str, Any]]:
    """Return what is new in a history that grows: all at first, later what is behind a reply."""
    if first:
        return heard
    said = [index for index, message in enumerate(heard) if message.get("role") == "assistant"]
    return heard[said[-1] + 1 :] if said else heard


def _message(message: Mapping[str, Any]) -> Message:
    role = _ROLES.get(name_of(message.get("role")), Role.USER)
    calls = _calls(message) if role is Role.ASSISTANT else ()
    return Message(role=role, text=_text(message), calls=calls)


def _text(message: Mapping[str, Any]) -> str | None:
    parts = list_of(message.get("parts"))
    if parts is None:
        return text_of(message.get("content"))
    said = [part for part in parts if mapping_of(part).get("type") != "tool_call"]
    return text_of(said) if said else None


def _calls(message: Mapping[str, Any]) -> tuple[WireCall, ...]:
    parts = [mapping_of(part) for part in list_of(message.get("parts")) or []]
    made = (call_of(part) for part in parts if part.get("type") == "tool_call")
    return tuple(call for call in made if call is not None) or calls_of(message)


def _answers(message: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return id and text of each answer to a call in a message."""
    if message.get("role") != "tool":
        return []
    parts = [mapping_of(part) for part in list_of(message.get("parts")) or []]
    found = [
        (name_of(part.get("id")), text_of(part.get("response", part.get("result"))) or "")
        for part in parts
        if part.get("type") == "tool_call_response"
    ]
    return found or [(name_of(message.get("id")), _text(message) or "")]


def _answered(call_id: str, text: str, span: Span | None) -> Answered:
    outcome = None
    if span is not None:
        outcome = Kind.FAILED if span.failed else Kind.OK
    return Answered(
        call_id=call_id,
        name="" if span is None else span.text("gen_ai.tool.name"),
        text=text,
        outcome=outcome,
        took_us=None if span is None else span.took_us,
    )


def _id_of(span: Span) -> str:
    return span.text("gen_ai.tool.call.id")


def _reply(span: Span) -> Reply:
    said = span.said or {}
    reasons = list_of(span.attributes.get("gen_ai.response.finish_reasons")) or [None]
    usage = span.attributes
    return cleaned(
        Reply(
            text=_text(said),
            calls=_calls(said),
            finish_reason=name_of(said.get("finish_reason")) or name_of(reasons[0]) or None,
            model=span.text("gen_ai.response.model") or None,
            usage=Usage(
                tokens_in=_tokens(usage, "input", "prompt"),
                tokens_out=_tokens(usage, "output", "completion"),
                cached_in=count_of(usage.get("gen_ai.usage.cache_read.input_tokens")),
                reasoning_out=count_of(usage.get("gen_ai.usage.reasoning.output_tokens")),
            ),
            latency_us=span.took_us,
            cost=Cost(state=CostState.NOT_RECORDED),
        )
    )


def _tokens(attributes: Mapping[str, Any], now: str, before: str) -> int | None:
    """Return a number of tokens by its name of today, else by the one of older spans."""
    count = count_of(attributes.get(f"gen_ai.usage.{now}_tokens"))
    return count_of(attributes.get(f"gen_ai.usage.{before}_tokens")) if count is None else count

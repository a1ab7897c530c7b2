"""Recorded replies as a provider on this machine would give them, for live runs in tests."""

from __future__ import annotations

from typing import Any

from loop import Failed, Replied
from recordings import Recording
from tests.provider import Turn, chunk, completes, fails, streams, wire

__all__ = ["streamed", "turns_of"]


def turns_of(recording: Recording) -> list[Turn]:
    """Return the turns of a provider that gives the recorded replies in order, in one piece."""
    return [_whole(exchange.answer) for exchange in recording.exchanges]


def streamed(recording: Recording) -> list[Turn]:
    """Return the same replies in pieces."""
    return [_pieces(exchange.answer) for exchange in recording.exchanges]


def _whole(answer: Any) -> Turn:
    if isinstance(answer, Failed):
        return _refusal(answer)
    reply = _reply(answer)
    return completes(
        reply.text,
        *reply.calls,
        model=reply.model,
        finish_reason=reply.finish_reason,
        usage=_usage(answer),
        refusal=reply.refusal,
    )


def _pieces(answer: Any) -> Turn:
    if isinstance(answer, Failed):
        return _refusal(answer)
    reply = _reply(answer)
    events = [chunk(role="assistant", refusal=reply.refusal)]
    text = reply.text or ""
    events += [chunk(content=text[at : at + 7]) for at in range(0, len(text), 7)]
    for index, call in enumerate(reply.calls):
        head, arguments = wire(call), call.arguments
        head["function"]["arguments"] = ""
        events.append(chunk(tool_calls=[{"index": index, **head}]))
        for at in range(0, len(arguments), 7):
            piece = {"index": index, "function": {"arguments": arguments[at : at + 7]}}
            events.append(chunk(tool_calls=[piece]))
    events.append(chunk(reply.finish_reason))
    events.append({"choices": [], "usage": _usage(answer)})
    for event in events:
        event["model"] = reply.model
    return streams(*events)


def _refusal(failed: Failed) -> Turn:
    return fails(failed.status or 400, failed.message)


def _reply(answer: Any) -> Any:
    assert isinstance(answer, Replied)
    return answer.reply


def _usage(answer: Any) -> dict[str, int]:
    usage = _reply(answer).usage
    return {"prompt_tokens": usage.tokens_in, "completion_tokens": usage.tokens_out}

"""A chat completion as a server sends it, read into what a reply is made of.

Servers that claim one form send several: content as text, as parts or as null, arguments as text
or as an object, usage in the words of their own family. What cannot be read is refused.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from loop.messages import WireCall
from loop.model import MOST_TOKENS, Usage, whole

__all__ = ["Completion", "Misshapen", "arguments_text", "completion_of", "usage_of"]

MAX_NAME: Final = 200
"""Longest name of a model, in characters; a longer one is cut."""


class Misshapen(Exception):
    """What came is JSON and no chat completion; the message names the part, never its value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """What one chat completion says."""

    text: str | None
    calls: tuple[WireCall, ...]
    finish_reason: str | None
    refusal: str | None
    model: str | None
    usage: Usage


def completion_of(value: Mapping[str, Any]) -> Completion:
    """Return what a completion says.

    Raises:
        Misshapen: it is not one.
    """
    choices = value.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise Misshapen("choices")
    message = choices[0].get("message")
    if not isinstance(message, dict):
        raise Misshapen("choices[0].message")
    model = _text_or_none(value, "model")
    return Completion(
        text=_content(message.get("content")),
        calls=_calls(message.get("tool_calls")),
        finish_reason=_text_or_none(choices[0], "finish_reason"),
        refusal=_text_or_none(message, "refusal"),
        model=None if model is None else model[:MAX_NAME],
        usage=usage_of(value.get("usage")),
    )


def usage_of(value: Any) -> Usage:
    """Return the tokens in our form: cached ones part of in, reasoning part of out.

    OpenAI, Azure and vLLM count so themselves. Where the total is the sum of in, out *and*
    reasoning (xAI), reasoning stood beside out and is added to it; where the total is more than in
    and out and no reasoning is given (Gemini), the rest is reasoning. DeepSeek and Moonshot name
    the cached ones in a place of their own. Nothing, 0 in and 0 out (of a server that does not
    count), and what cannot be a number of tokens is unknown.
    """
    if not isinstance(value, Mapping):
        return Usage()
    tokens_in, tokens_out = _count(value, "prompt_tokens"), _count(value, "completion_tokens")
    if not tokens_in and not tokens_out:
        return Usage()
    reasoning = _count(_inside(value, "completion_tokens_details"), "reasoning_tokens")
    total = _count(value, "total_tokens")
    if tokens_in is not None and tokens_out is not None and total is not None:
        beside = total - tokens_in - tokens_out
        if beside > 0 and (not reasoning or reasoning == beside):
            tokens_out, reasoning = tokens_out + beside, beside
    return Usage(
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        cached_in=_cached(value, tokens_in),
        reasoning_out=reasoning,
    )


def _cached(value: Mapping[str, Any], tokens_in: int | None) -> int | None:
    places = (
        (_inside(value, "prompt_tokens_details"), "cached_tokens"),
        (value, "prompt_cache_hit_tokens"),
        (value, "cached_tokens"),
    )
    found = [count for place, name in places if (count := _count(place, name)) is not None]
    if not found:
        return None
    return found[0] if tokens_in is None else min(found[0], tokens_in)


def _inside(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = value.get(name)
    return found if isinstance(found, Mapping) else {}


def _count(value: Mapping[str, Any], name: str) -> int | None:
    found = value.get(name)
    return found if type(found) is int and 0 <= found <= MOST_TOKENS else None


def _content(value: Any) -> str | None:
    """Return the text of a message, which may come in parts."""
    if value is None or isinstance(value, str):
        return value
    if not isinstance(value, list):
        raise Misshapen("choices[0].message.content")
    texts = [part.get("text") for part in value if isinstance(part, dict)]
    return "".join(text for text in texts if isinstance(text, str))


def _calls(value: Any) -> tuple[WireCall, ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        raise Misshapen("choices[0].message.tool_calls")
    return tuple(_call(each) for each in value)


def _call(value: Any) -> WireCall:
    function = value.get("function") if isinstance(value, dict) else None
    if not isinstance(function, dict):
        raise Misshapen("choices[0].message.tool_calls.function")
    name, call_id = function.get("name"), value.get("id")
    return WireCall(
        # A call without an id or a name is answered as one: the loop gives it an id of its own.
        call_id=call_id if isinstance(call_id, str) else "",
        name=name if isinstance(name, str) else "",
        arguments=arguments_text(function.get("arguments")),
    )


def arguments_text(value: Any) -> str:
    """Return arguments as text; some servers send the object itself."""
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def _text_or_none(value: Mapping[str, Any], name: str) -> str | None:
    found = value.get(name)
    if found is None:
        return None
    if not isinstance(found, str):
        raise Misshapen(name)
    return whole(found)

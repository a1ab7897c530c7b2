"""The model seam: one method from a request to a reply.

Recorded, scripted, counting, failing and live models all stand behind :class:`Model`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum
from typing import Final, Protocol

from loop.attempts import Attempt
from loop.messages import Request, WireCall

__all__ = [
    "MOST_LATENCY_US",
    "MOST_TOKENS",
    "MOST_USD",
    "Cost",
    "CostState",
    "Model",
    "Reply",
    "Usage",
    "cleaned",
    "whole",
]

MOST_LATENCY_US: Final = 10**12
"""No reply takes longer, in microseconds (eleven days): a longer latency is one not known."""
MOST_TOKENS: Final = 10**12
"""No reply has more tokens: a larger count is a slip of whoever told it, and counts as unknown."""
MOST_USD: Final = Decimal(10**12)
"""No reply costs more US dollars: a larger cost is one that is not known. Sums of what is below it
can be shown to the last digit that is shown."""


class CostState(StrEnum):
    """What is known about what a reply cost."""

    KNOWN = "known"
    UNKNOWN = "unknown"
    """A live reply of a model without a price: with a cost limit set, the run stops."""
    NOT_RECORDED = "not_recorded"
    """A recording without costs: the cost limit cannot be checked, and the result says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What a reply cost; ``usd`` is given exactly when the state is known."""

    state: CostState
    usd: Decimal | None = None
    by_asked: bool = False
    """The mark of a cost by the model that was asked: the one that answered has no price."""

    def __post_init__(self) -> None:
        if (self.usd is not None) != (self.state is CostState.KNOWN):
            raise ValueError("a cost has an amount exactly when it is known")
        if self.usd is not None and not (self.usd.is_finite() and self.usd >= 0):
            raise ValueError("a cost is a finite amount of at least 0")


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of one reply; None means unknown. Reasoning is part of out, cached part of in."""

    tokens_in: int | None = None
    tokens_out: int | None = None
    cached_in: int | None = None
    reasoning_out: int | None = None

    def __post_init__(self) -> None:
        counts = (self.tokens_in, self.tokens_out, self.cached_in, self.reasoning_out)
        if not all(count is None or _is_count(count) for count in counts):
            raise ValueError("a number of tokens is a whole number of at least 0, or None")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One complete reply. ``finish_reason`` is the provider's own word, kept as it came."""

    text: str | None
    calls: tuple[WireCall, ...] = ()
    finish_reason: str | None
    refusal: str | None = None
    model: str | None = None
    usage: Usage = Usage()
    latency_us: int | None
    """Microseconds from request to reply, retries and their waits included. None is unknown: only
    a recording made elsewhere may not say, and no time limit counts what is not said."""
    cost: Cost
    note: str | None = None
    """What a replay has to say of this reply, such as that it was recorded for another request."""
    attempts: tuple[Attempt, ...] = ()
    """The tries before it that gave no reply, in order; their time is in the latency."""

    def __post_init__(self) -> None:
        if self.latency_us is not None and not _is_count(self.latency_us):
            raise ValueError("a latency is a whole number of microseconds, at least 0, or None")
        texts = [self.text, self.finish_reason, self.refusal, self.model, self.note]
        if not all(text is None or isinstance(text, str) for text in texts):
            raise ValueError("the texts of a reply are texts, or None")
        named = [part for call in self.calls for part in (call.call_id, call.name, call.arguments)]
        if not all(isinstance(part, str) for part in named):
            raise ValueError("a call's id, name and arguments are texts")


def _is_count(value: object) -> bool:
    return type(value) is int and value >= 0


MAX_NAME_CHARS: Final = 200
"""Longest call id and tool name that is kept, in characters; a longer one is cut."""
_HALF_PAIR: Final = re.compile("[\ud800-\udfff]")


def cleaned(reply: Reply) -> Reply:
    """Return the reply with what no reply may hold replaced, cut or made unknown.

    JSON from a provider may hold lone surrogates, and no file, hash or message of ours can: each
    becomes U+FFFD. A name that was cut is no tool's, and its call is answered as one of an unknown
    tool. A figure above :data:`MOST_TOKENS`, :data:`MOST_USD` or :data:`MOST_LATENCY_US` becomes
    unknown.
    """
    reply = _plausible(reply)
    written = [reply.text, reply.refusal, reply.finish_reason, reply.model]
    for call in reply.calls:
        written += (call.call_id, call.name, call.arguments)
    names = [name for call in reply.calls for name in (call.call_id, call.name)]
    if all(text is None or text.isascii() for text in written) and all(
        len(name) <= MAX_NAME_CHARS for name in names
    ):
        return reply
    return replace(
        reply,
        text=_whole_or_none(reply.text),
        refusal=_whole_or_none(reply.refusal),
        finish_reason=_whole_or_none(reply.finish_reason),
        model=_whole_or_none(reply.model),
        calls=tuple(
            WireCall(
                call_id=whole(call.call_id[:MAX_NAME_CHARS]),
                name=whole(call.name[:MAX_NAME_CHARS]),
                arguments=whole(call.arguments),
            )
            for call in reply.calls
        ),
    )


def _plausible(reply: Reply) -> Reply:
    usage, usd = reply.usage, reply.cost.usd
    counts = (usage.tokens_in, usage.tokens_out, usage.cached_in, usage.reasoning_out)
    if any(count is not None and count > MOST_TOKENS for count in counts):
        first, out, cached, reasoning = map(_count_or_none, counts)
        usage = Usage(tokens_in=first, tokens_out=out, cached_in=cached, reasoning_out=reasoning)
        reply = replace(reply, usage=usage)
    if usd is not None and usd > MOST_USD:
        reply = replace(reply, cost=Cost(state=CostState.UNKNOWN))
    if reply.latency_us is not None and reply.latency_us > MOST_LATENCY_US:
        reply = replace(reply, latency_us=None)
    return reply


def _count_or_none(count: int | None) -> int | None:
    return None if count is None or count > MOST_TOKENS else count


def whole(text: str) -> str:
    """Return the text with each lone surrogate replaced by U+FFFD."""
    return text if text.isascii() else _HALF_PAIR.sub("\ufffd", text)


def _whole_or_none(text: str | None) -> str | None:
    return None if text is None else whole(text)


class Model(Protocol):
    """A model, or whatever stands in for one."""

    def ask(self, request: Request, *, time_left_s: float | None) -> Reply:
        """Return the reply.

        ``time_left_s`` is what is left of the run's time budget (None: no limit); a live model's
        time-out is the smaller of its own and this, at least 1 second.

        Raises:
            ProviderFailed: the provider answered with an error, or not at all.
            BudgetCut: the run's time budget cut the call.
            AskingStopped: the run was cancelled meanwhile.
            RecordingMissing: a replay holds no reply for this request.
        """
        ...

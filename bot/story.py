"""The story of one run, read from its journal: one reading for the run, the trace and the demo.

Nothing here decides anything; it counts and names what the records say.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeVar

from bot.texts import at_least, cost_text, counted, seconds_text, shortened, tokens_text
from loop import (
    Called,
    Closed,
    CostState,
    Entry,
    Failed,
    LostAttempt,
    Opened,
    Record,
    Replied,
    Reply,
    Result,
    Stop,
    Stopped,
)
from recordings import ask_of, calls_of
from tools import Action, Kind, action_from_dict

__all__ = ["Figures", "Story", "ask_of", "calls_of", "record_of"]

R = TypeVar("R")


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What a run used. None is unknown."""

    model_calls: int
    tool_calls: int
    tokens_in: int | None
    tokens_out: int | None
    cost_usd: Decimal
    """The sum of what is known."""
    cost: str
    """The cost in words: an amount, or what is not known of it, and whose price it is."""
    cost_complete: bool
    seconds_us: int

    @classmethod
    def of(cls, entries: Iterable[Entry]) -> Figures:
        """Count what a journal holds."""
        kept = tuple(entries)
        replies = [e.record.reply for e in kept if isinstance(e.record, Replied)]
        known = [reply.cost.usd for reply in replies if reply.cost.usd is not None]
        states = {reply.cost.state for reply in replies}
        lost = any(_has_lost(e.record) for e in kept)
        return cls(
            model_calls=sum(e.record.kind == "asked" for e in kept),
            tool_calls=sum(_ran(e.record) for e in kept if isinstance(e.record, Called)),
            tokens_in=_sum(reply.usage.tokens_in for reply in replies),
            tokens_out=_sum(reply.usage.tokens_out for reply in replies),
            cost_usd=sum(known, Decimal(0)),
            cost=_cost(sum(known, Decimal(0)), states, lost=lost) + _priced_as(kept, replies),
            cost_complete=not lost and states <= {CostState.KNOWN},
            seconds_us=kept[-1].at_us if kept else 0,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """One run as its journal tells it; ``stop`` and ``closed`` are None while it has no end."""

    run_id: str
    entries: tuple[Entry, ...]
    opened: Opened
    stop: Stop | None
    closed: Closed | None
    figures: Figures

    @classmethod
    def of(cls, run_id: str, entries: Iterable[Entry]) -> Story | None:
        """Return the story, or None where the journal does not hold its beginning."""
        kept = tuple(entries)
        opened = record_of(kept, Opened)
        if opened is None:
            return None
        stopped = record_of(kept, Stopped)
        return cls(
            run_id=run_id,
            entries=kept,
            opened=opened,
            stop=None if stopped is None else stopped.stop,
            closed=record_of(kept, Closed),
            figures=Figures.of(kept),
        )

    @property
    def result(self) -> Result | None:
        """What the run came to; None while it has no end."""
        return None if self.closed is None else Result(self.closed.result)

    @property
    def resolution(self) -> Mapping[str, Any] | None:
        """The resolution as JSON values, also a rejected one."""
        return None if self.closed is None else self.closed.resolution

    @property
    def actions(self) -> tuple[Action, ...]:
        """What is proposed: the actions of a valid run, else none."""
        if self.result is not Result.VALID or self.resolution is None:
            return ()
        return tuple(action_from_dict(action) for action in self.resolution["actions"])

    @property
    def marks(self) -> Mapping[str, Any]:
        """What the journal says of the run as a whole."""
        return self.opened.marks

    def summary(self) -> str:
        """Return the line that says it all: result, who, how much."""
        figures = self.figures
        parts = (
            str(self.result or "running"),
            self.opened.profile,
            self.opened.head.model,
            counted(figures.model_calls, "call"),
            tokens_text(figures.tokens_in, figures.tokens_out),
            figures.cost,
            seconds_text(figures.seconds_us),
        )
        return " | ".join(parts)

    def as_json(self) -> dict[str, Any]:
        """Return the run as one JSON object (``docs/command_line.md``)."""
        figures, resolution = self.figures, self.resolution
        return {
            "run_id": self.run_id,
            "ticket_id": self.opened.ticket_id,
            "profile": self.opened.profile,
            "model": self.opened.head.model,
            "result": self.result,
            "stop": None if self.stop is None else _stop_json(self.stop),
            "needs_human": None
            if resolution is None
            else resolution["outcome"] == "hand_to_person",
            "resolution": resolution,
            "problems": [] if self.closed is None else list(self.closed.problems),
            "calls": [_call_json(called) for called in self.calls()],
            "totals": {
                "model_calls": figures.model_calls,
                "tool_calls": figures.tool_calls,
                "tokens_in": figures.tokens_in,
                "tokens_out": figures.tokens_out,
                "cost_usd": str(figures.cost_usd),
                "cost_complete": figures.cost_complete,
                "seconds": figures.seconds_us / 1_000_000,
            },
        }

    def calls(self) -> Iterator[Called]:
        """Yield every call with its answer, in order."""
        return (entry.record for entry in self.entries if isinstance(entry.record, Called))


def record_of(entries: Iterable[Entry], kind: type[R]) -> R | None:
    """Return the first record of a kind."""
    return next((e.record for e in entries if isinstance(e.record, kind)), None)


def _ran(called: Called) -> bool:
    finish = called.code in ("finish_accepted", "finish_refused")
    return called.copy_of is None and called.result is not Kind.NOT_RUN and not finish


def _has_lost(record: Record) -> bool:
    """Whether a try is on record that gave no reply and may be counted all the same."""
    match record:
        case LostAttempt():
            return True
        case Replied():
            return any(attempt.may_have_cost for attempt in record.reply.attempts)
        case Failed():
            return any(attempt.may_have_cost for attempt in record.attempts)
        case _:
            return False


def _sum(counts: Iterable[int | None]) -> int | None:
    total = 0
    for count in counts:
        if count is None:
            return None
        total += count
    return total


def _cost(usd: Decimal, states: set[CostState], *, lost: bool) -> str:
    if states <= {CostState.KNOWN}:
        return at_least(usd) if lost else cost_text(usd)
    if CostState.KNOWN in states:
        return at_least(usd)
    return "cost unknown" if CostState.UNKNOWN in states else "cost not recorded"


def _priced_as(entries: tuple[Entry, ...], replies: Iterable[Reply]) -> str:
    """Return whose price was taken where the model that answered has none."""
    opened = record_of(entries, Opened)
    if opened is None or not any(reply.cost.by_asked for reply in replies):
        return ""
    return f", priced as {shortened(opened.head.model, 60)}"


def _stop_json(stop: Stop) -> dict[str, Any]:
    return {
        "reason": stop.reason,
        "step": stop.step,
        "limit": stop.limit,
        "limit_value": stop.limit_value,
        "observed": stop.observed,
        "also": list(stop.also),
        "cause": stop.cause,
    }


def _call_json(called: Called) -> dict[str, Any]:
    return {
        "step": called.step,
        "name": called.name,
        "kind": called.result,
        "code": called.code,
    }

"""What a set of recordings holds, in figures. Unknown is counted as unknown, never as zero."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from loop import Called, Closed, Replied, Reply
from recordings.evaluate.statistics import nearest_rank
from recordings.recording import Recording

__all__ = ["RecordingStats", "Spread", "stats_of"]

UNKNOWN: Final = "unknown"
ENDED: Final = "record ended"
"""The end of a run that was made elsewhere: the record ends, and no limit of ours said why."""
CUT_OFF: Final = "cut off"


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """How figures spread. A percentile is the nearest rank: a value that was observed."""

    count: int
    unknown: int
    p50: int | None
    p95: int | None
    most: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordingStats:
    """The figures of a set of recordings."""

    runs: int
    sources: Counter[str]
    """Runs by the form they came from; ``own`` are ours."""
    stops: Counter[str]
    models: Counter[str]
    """Replies by the model that answered."""
    labels: Counter[str]
    """Runs by what is known of their success."""
    results: Counter[str]
    """Calls by the kind of their result."""
    unknown: Counter[str]
    """Runs by what is unknown of them."""
    failed_calls: int
    """Model calls that got no reply."""
    steps: Spread
    """Model calls of a run."""
    latency_us: Spread
    """Microseconds of a reply."""
    tokens_in: Spread
    """Tokens in of a reply."""
    tokens_out: Spread
    tokens_in_total: int
    """The sum of what is known."""
    tokens_out_total: int
    cost_usd: Decimal
    """The sum of what is known."""
    cost_unknown: int
    """Replies whose cost is not known."""
    cost_incomplete: int
    """Runs whose closing record says that they may have cost more than is known."""


def stats_of(recordings: Iterable[Recording]) -> RecordingStats:
    """Count what recordings hold, one after the other: memory holds their figures alone."""
    sums = _Sums()
    for recording in recordings:
        sums.add(recording)
    return sums.stats()


class _Figures:
    """Whole numbers of which some are unknown, eight bytes each."""

    def __init__(self) -> None:
        self.known = array("q")
        self.unknown = 0

    def add(self, value: int | None) -> None:
        if value is None:
            self.unknown += 1
        else:
            self.known.append(value)

    def spread(self) -> Spread:
        ranked = sorted(self.known)
        return Spread(
            count=len(ranked) + self.unknown,
            unknown=self.unknown,
            p50=nearest_rank(ranked, 50),
            p95=nearest_rank(ranked, 95),
            most=ranked[-1] if ranked else None,
        )


class _Sums:
    def __init__(self) -> None:
        self.runs = self.failed_calls = self.cost_unknown = self.cost_incomplete = 0
        self.cost_usd = Decimal(0)
        self.sources, self.stops, self.models = Counter[str](), Counter[str](), Counter[str]()
        self.labels, self.results, self.unknown = Counter[str](), Counter[str](), Counter[str]()
        self.steps, self.latency_us = _Figures(), _Figures()
        self.tokens_in, self.tokens_out = _Figures(), _Figures()

    def add(self, recording: Recording) -> None:
        self.runs += 1
        self.sources["own" if recording.source is None else recording.source.format] += 1
        self.stops[_stop(recording)] += 1
        self.labels[_label(recording)] += 1
        self.unknown.update(name.value for name in recording.unknown)
        self.steps.add(len(recording.exchanges))
        for exchange in recording.exchanges:
            if isinstance(exchange.answer, Replied):
                self._reply(exchange.answer.reply)
            else:
                self.failed_calls += 1
        for entry in recording.entries:
            if isinstance(entry.record, Closed):
                self.cost_incomplete += not entry.record.cost_complete
            if isinstance(entry.record, Called):
                result = entry.record.result
                self.results[UNKNOWN if result is None else result.value] += 1

    def _reply(self, reply: Reply) -> None:
        self.models[reply.model or UNKNOWN] += 1
        self.latency_us.add(reply.latency_us)
        self.tokens_in.add(reply.usage.tokens_in)
        self.tokens_out.add(reply.usage.tokens_out)
        self.cost_unknown += reply.cost.usd is None
        self.cost_usd += reply.cost.usd or 0

    def stats(self) -> RecordingStats:
        return RecordingStats(
            runs=self.runs,
            sources=self.sources,
            stops=self.stops,
            models=self.models,
            labels=self.labels,
            results=self.results,
            unknown=self.unknown,
            failed_calls=self.failed_calls,
            steps=self.steps.spread(),
            latency_us=self.latency_us.spread(),
            tokens_in=self.tokens_in.spread(),
            tokens_out=self.tokens_out.spread(),
            tokens_in_total=sum(self.tokens_in.known),
            tokens_out_total=sum(self.tokens_out.known),
            cost_usd=self.cost_usd,
            cost_unknown=self.cost_unknown,
            cost_incomplete=self.cost_incomplete,
        )


def _stop(recording: Recording) -> str:
    if recording.stopped is not None:
        return recording.stopped.stop.reason.value
    return ENDED if recording.complete or recording.opened is None else CUT_OFF


def _label(recording: Recording) -> str:
    label = recording.label
    if label is None or label.success is None:
        return UNKNOWN
    return "success" if label.success else "failure"

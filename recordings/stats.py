"""What a set of recordings holds, in figures. Unknown is counted as unknown, never as zero."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from loop import Called, Failed, Replied
from recordings.evaluate.statistics import percentile
from recordings.recording import Recording

__all__ = ["RecordingStats", "Spread", "spread_of", "stats_of"]

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


def stats_of(recordings: Iterable[Recording]) -> RecordingStats:
    """Count what recordings hold."""
    kept = tuple(recordings)
    answers = [exchange.answer for found in kept for exchange in found.exchanges]
    replies = [answer.reply for answer in answers if isinstance(answer, Replied)]
    called = [
        entry.record
        for found in kept
        for entry in found.entries
        if isinstance(entry.record, Called)
    ]
    costs = [reply.cost.usd for reply in replies]
    ins, outs = ([getattr(reply.usage, side) for reply in replies] for side in _SIDES)
    return RecordingStats(
        runs=len(kept),
        sources=Counter("own" if found.source is None else found.source.format for found in kept),
        stops=Counter(map(_stop, kept)),
        models=Counter(reply.model or UNKNOWN for reply in replies),
        labels=Counter(map(_label, kept)),
        results=Counter(UNKNOWN if each.result is None else each.result.value for each in called),
        unknown=Counter(name.value for found in kept for name in found.unknown),
        failed_calls=sum(isinstance(answer, Failed) for answer in answers),
        steps=spread_of([len(found.exchanges) for found in kept]),
        latency_us=spread_of([reply.latency_us for reply in replies]),
        tokens_in=spread_of(ins),
        tokens_out=spread_of(outs),
        tokens_in_total=sum(count for count in ins if count is not None),
        tokens_out_total=sum(count for count in outs if count is not None),
        cost_usd=sum((usd for usd in costs if usd is not None), Decimal(0)),
        cost_unknown=costs.count(None),
    )


def spread_of(values: Sequence[int | None]) -> Spread:
    """Return how values spread; None is an unknown one."""
    known = sorted(value for value in values if value is not None)
    return Spread(
        count=len(values),
        unknown=len(values) - len(known),
        p50=_percentile(known, 50),
        p95=_percentile(known, 95),
        most=known[-1] if known else None,
    )


_SIDES: Final = ("tokens_in", "tokens_out")


def _percentile(values: Sequence[int], percent: int) -> int | None:
    found = percentile([Decimal(value) for value in values], percent)
    return None if found is None else int(found)


def _stop(recording: Recording) -> str:
    if recording.stopped is not None:
        return recording.stopped.stop.reason.value
    return ENDED if recording.complete or recording.opened is None else CUT_OFF


def _label(recording: Recording) -> str:
    label = recording.label
    if label is None or label.success is None:
        return UNKNOWN
    return "success" if label.success else "failure"

"""The figures of recordings, as lines of a terminal and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from bot.tables import table_lines
from bot.texts import at_least, cost_text, counted
from recordings import RecordingStats, Spread

__all__ = ["stats_json", "stats_lines"]


def stats_lines(found: RecordingStats) -> Iterator[str]:
    """Yield the figures: counts, then a table of how they spread, then the sums."""
    yield counted(found.runs, "run")
    for name, counts in _counts(found).items():
        if counts:
            yield f"{name}: {_listed(counts)}"
    yield ""
    seconds = [_row("seconds of a reply", found.latency_us, 1_000_000)]
    rest = [
        _row("model calls of a run", found.steps),
        _row("tokens in of a reply", found.tokens_in),
        _row("tokens out of a reply", found.tokens_out),
    ]
    yield from table_lines(("", "of", "unknown", "median", "95 %", "most"), [*seconds, *rest])
    yield ""
    yield f"tokens known: {found.tokens_in_total} in, {found.tokens_out_total} out"
    partly = found.cost_unknown or found.cost_incomplete
    cost = at_least(found.cost_usd) if partly else cost_text(found.cost_usd)
    more = f"; unknown of {found.cost_unknown} replies"
    yield f"cost: {cost}{more if found.cost_unknown else ''}"
    if found.failed_calls:
        yield f"model calls without a reply: {found.failed_calls}"


def stats_json(found: RecordingStats) -> dict[str, Any]:
    """Return the figures as JSON values; what is not known is null or counted as unknown."""
    return {
        "runs": found.runs,
        **{name.replace(" ", "_"): dict(counts) for name, counts in _counts(found).items()},
        "failed_calls": found.failed_calls,
        "steps": _spread(found.steps),
        "latency_us": _spread(found.latency_us),
        "tokens_in": {**_spread(found.tokens_in), "total": found.tokens_in_total},
        "tokens_out": {**_spread(found.tokens_out), "total": found.tokens_out_total},
        "cost_usd": str(found.cost_usd),
        "cost_unknown": found.cost_unknown,
        "cost_incomplete": found.cost_incomplete,
    }


def _counts(found: RecordingStats) -> dict[str, Counter[str]]:
    return {
        "from": found.sources,
        "ends": found.stops,
        "labels": found.labels,
        "models": found.models,
        "results of calls": found.results,
        "runs with unknown": found.unknown,
    }


def _listed(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.most_common())


def _row(name: str, spread: Spread, unit: int = 1) -> tuple[str, ...]:
    figures = (spread.p50, spread.p95, spread.most)
    shown = ("-" if each is None else _figure(each, unit) for each in figures)
    return (name, str(spread.count), str(spread.unknown), *shown)


def _figure(value: int, unit: int) -> str:
    return str(value) if unit == 1 else f"{value / unit:.2f}"


def _spread(spread: Spread) -> dict[str, int | None]:
    return {
        "count": spread.count,
        "unknown": spread.unknown,
        "p50": spread.p50,
        "p95": spread.p95,
        "max": spread.most,
    }

"""A profiled run as JSON: all that a page needs to try limits on it (form 1, ``docs/explore.md``).

Integers are microseconds or counts. Dollars are decimal text, so that nothing is rounded; the
text ``unknown`` is an amount above every limit.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

from loop import BOUNDS, REPEATS, TIME, Amount, Repeat, RunClock, Tally
from recordings.explore.facts import CallFacts, RunEnd, RunFacts, StepFacts
from recordings.explore.profile import ALL_SERIES, Firing, RunProfile, repeats_under
from recordings.explore.walk import Point
from tools import Kind

__all__ = ["FORM", "profile_to_json", "rules_to_json"]

FORM: Final = 1
_ERRORS: Final = frozenset({Kind.NOT_FOUND, Kind.REFUSED, Kind.INVALID, Kind.FAILED})


def rules_to_json() -> dict[str, Any]:
    """Return what holds for every run: the bounds, in the order that decides at one point."""
    return {
        "form": FORM,
        "bounds": [
            {
                "limit": bound.limit,
                "reason": bound.reason.value,
                "stops_at_limit": bound.stops_at_limit,
            }
            for bound in (*BOUNDS, REPEATS)
        ],
        "series": list(ALL_SERIES),
    }


def profile_to_json(profile: RunProfile, *, texts: bool = False) -> dict[str, Any]:
    """Return one profiled run; ``texts`` adds what was said: replies, arguments, results."""
    facts, repeats = profile.facts, _repeats(profile)
    return {
        "run": facts.run_id,
        "turn": facts.turn,
        "ticket": facts.ticket_id,
        "source": facts.source,
        "profile": facts.profile,
        "model": facts.model,
        "success": facts.success.value,
        "limits": None if facts.limits is None else facts.limits.as_dict(),
        "end": _end(facts.end),
        "ends_known": profile.ended,
        "steps": [_step(step, repeats, texts=texts) for step in facts.steps],
        "points": [
            _point(point, used) for point, used in zip(profile.points, profile.used, strict=True)
        ],
        "at_end": _used(profile.at_end),
        "firing": {key: _firing(found) for key, found in profile.firing.items() if found.amounts},
        "known": _known(facts),
        "named_limits": sorted(facts.named_limits),
    }


def _end(end: RunEnd) -> dict[str, Any]:
    stop = end.stop
    return {
        "kind": end.kind.value,
        "reason": None if stop is None else stop.reason.value,
        "step": None if stop is None else stop.step,
        "words": end.words,
    }


def _known(facts: RunFacts) -> dict[str, bool]:
    """Return whether the recording holds what a limit counts, by what it hangs on."""
    clocks = {f"{TIME.limit}/{clock}": clock in facts.clocks_known for clock in RunClock}
    return clocks | {"max_cost_usd": facts.costs_known, "outcomes": facts.outcomes_known}


def _repeats(profile: RunProfile) -> dict[tuple[int, int | None], str]:
    """Return the rule by which a call is a repeat, by its step and index: the stricter first."""
    found: dict[tuple[int, int | None], str] = {}
    for repeat in (Repeat.ANY, Repeat.AFTER_SUCCESS):
        for index in profile.firing[repeats_under(repeat)].points:
            point = profile.points[index]
            found[point.step, point.call] = repeat.value
    return found


def _step(
    step: StepFacts, repeats: Mapping[tuple[int, int | None], str], *, texts: bool
) -> dict[str, Any]:
    cost = step.cost
    value: dict[str, Any] = {
        "step": step.step,
        "model_us": step.latency_us,
        "cost_usd": None if cost is None or cost.usd is None else _decimal(cost.usd),
        "tokens_in": step.tokens_in,
        "tokens_out": step.tokens_out,
        "unusable": step.unusable,
        "answers": step.answers,
        "cancelled": step.cancelled,
        "failed": step.failed,
        "new_turn": step.new_turn,
        "calls": [
            _call(call, texts=texts) | {"repeat": repeats.get((step.step, index))}
            for index, call in enumerate(step.calls)
        ],
    }
    return value | {"text": step.text} if texts else value


def _call(call: CallFacts, *, texts: bool) -> dict[str, Any]:
    value: dict[str, Any] = {
        "name": call.name,
        "finish": call.is_finish,
        "state": _state(call),
        "kind": None if call.kind is None else call.kind.value,
        "code": call.code,
        "copy": call.copy,
    }
    return value | {"arguments": call.arguments, "result": call.text} if texts else value


def _state(call: CallFacts) -> str:
    """Return how a strip shows the call: ok, error, not_asked or unknown."""
    if call.kind is None:
        return "unknown"
    if call.kind is Kind.NOT_RUN:
        return "not_asked"
    return "error" if call.kind in _ERRORS else "ok"


def _point(point: Point, used: Tally) -> dict[str, Any]:
    place = {"step": point.step, "place": point.place.value, "call": point.call}
    return place | {"used": _used(used)}


def _used(used: Tally) -> dict[str, Any]:
    return {
        "model_us": used.model_us,
        "wall_us": used.wall_us,
        "cost_usd": _decimal(used.cost_usd),
        "cost_unknown": used.cost_unknown,
        "errors": used.errors,
    }


def _firing(found: Firing) -> list[list[Any]]:
    return [
        [_amount(amount), point] for amount, point in zip(found.amounts, found.points, strict=True)
    ]


def _amount(amount: Amount) -> int | str:
    if isinstance(amount, int):
        return amount
    return _decimal(amount) if amount.is_finite() else "unknown"


def _decimal(value: Decimal) -> str:
    return format(value, "f")

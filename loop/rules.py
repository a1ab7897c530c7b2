"""The pure core: everything that decides when a run ends.

No I/O, no clock, no randomness. The live run, the replay, the resumed run and every later what-if
call this same code, and nothing decides about ending anywhere else. What happened goes into the
:class:`Tally`; the ``check_*`` functions read it against the limits and return a :class:`Stop`.

Order when several limits are reached at one check: steps, time, cost, errors. The stop names the
others too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import Final, assert_never

from loop.limits import Duplicates, Limits, Repeat, RunClock, TimeCheck
from tools import Kind

__all__ = [
    "Stop",
    "StopReason",
    "Tally",
    "check_after_step",
    "check_before_call",
    "check_repeat",
    "stopped",
    "time_left_us",
]


class StopReason(StrEnum):
    """How a run ended. Only ``finished`` can carry a draft; every other hands to a person."""

    FINISHED = "finished"
    MAX_STEPS = "max_steps"
    TIME = "time"
    COST = "cost"
    REPEATED_CALL = "repeated_call"
    TOO_MANY_ERRORS = "too_many_errors"
    NO_RECORDING = "no_recording"
    PROVIDER_ERROR = "provider_error"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """How a run ended: the reason, the limit with its value, what was observed, and where."""

    reason: StopReason
    step: int
    """Model calls made when the run ended."""
    limit: str | None = None
    limit_value: str | None = None
    observed: str | None = None
    also: tuple[str, ...] = ()
    """Names of the other limits that were reached as well."""
    cause: str | None = None
    """For cancelled, provider_error and no_recording: what happened, in words."""


@dataclass(slots=True, kw_only=True)
class Tally:
    """What a run has used so far. Counted by its own verbs, read by the checks."""

    steps: int = 0
    calls: int = 0
    model_us: int = 0
    wall_us: int = 0
    """Run time at the last journal record: what is journaled decides, so a replay agrees."""
    cost_usd: Decimal = Decimal(0)
    """The sum of what is known."""
    cost_unknown: bool = False
    """A live reply had no known price. Never undone."""
    errors: int = 0
    """Errors in a row."""
    repeats: int = 0
    """Repeats that were allowed and ran."""
    seen: dict[str, bool] = field(default_factory=dict)
    """Signature of each call that ran → whether any of its runs was ok or proposed."""

    def count_step(self) -> None:
        """A model call is made."""
        self.steps += 1

    def count_model_time(self, latency_us: int | None) -> None:
        """A model call took this long, whatever came of it; None is unknown, and adds nothing."""
        self.model_us += latency_us or 0

    def count_cost(self, usd: Decimal | None) -> None:
        """A reply cost this much; None is unknown, and stays so."""
        if usd is None:
            self.cost_unknown = True
        else:
            self.cost_usd += usd

    def count_call(self, signature: str, kind: Kind) -> None:
        """A call ran and came to this."""
        self.calls += 1
        good = kind is Kind.OK or kind is Kind.PROPOSED
        self.seen[signature] = good or self.seen.get(signature, False)
        self.count_kind(kind)

    def count_kind(self, kind: Kind) -> None:
        """A result of this kind was given: it resets the streak, extends it, or does neither."""
        match kind:
            case Kind.OK | Kind.PROPOSED:
                self.errors = 0
            case Kind.NOT_FOUND | Kind.REFUSED | Kind.INVALID | Kind.FAILED:
                self.count_error()
            case Kind.NOT_RUN:
                pass
            case _:
                assert_never(kind)

    def count_error(self) -> None:
        """One error more in a row, such as a reply without a usable step."""
        self.errors += 1


def check_before_call(limits: Limits, tally: Tally) -> Stop | None:
    """Check the budgets before a model call: steps, time (where it is checked here), cost."""
    return _first(limits, tally, _BEFORE_CALL)


def check_after_step(limits: Limits, tally: Tally) -> Stop | None:
    """Check the end-of-step rules of a step that did not finish: time (where so), errors."""
    return _first(limits, tally, _AFTER_STEP)


def check_repeat(limits: Limits, tally: Tally, signature: str, *, copy: bool) -> Stop | None:
    """Check a call before it runs; an allowed repeat is counted and runs.

    ``copy``: the same reply already held this call and copies are not collapsed.
    """
    if not (copy and limits.duplicates_in_reply is Duplicates.STOP):
        earlier = tally.seen.get(signature)
        if earlier is None or (limits.repeat is Repeat.AFTER_SUCCESS and not earlier):
            return None
    if limits.allowed_repeats is None:
        return None
    if tally.repeats < limits.allowed_repeats:
        tally.repeats += 1
        return None
    hit = _Hit(
        StopReason.REPEATED_CALL,
        "allowed_repeats",
        str(limits.allowed_repeats),
        str(tally.repeats + 1),
    )
    return _stop(limits, tally, hit)


def stopped(limits: Limits, tally: Tally, reason: StopReason, cause: str | None = None) -> Stop:
    """Return the stop for an end that no limit brought, or for a call that the budget cut."""
    if reason is StopReason.FINISHED:
        return Stop(reason=reason, step=tally.steps)
    if reason is StopReason.TIME:
        used = _seconds(_used_us(limits, tally))
        value = None if limits.max_seconds is None else _text(limits.max_seconds)
        hit = _Hit(reason, "max_seconds", value, f"{used}, the call was cut by the budget")
    else:
        hit = _Hit(reason, None, None, None)
    return _stop(limits, tally, hit, cause)


def time_left_us(limits: Limits, tally: Tally) -> int | None:
    """Return what is left of the time budget in microseconds, at least 0; None is no limit."""
    if limits.max_seconds is None:
        return None
    return max(0, _limit_us(limits.max_seconds) - _used_us(limits, tally))


@dataclass(frozen=True, slots=True)
class _Hit:
    """One limit that is reached."""

    reason: StopReason
    limit: str | None
    value: str | None
    observed: str | None


_BEFORE_CALL: Final = frozenset({StopReason.MAX_STEPS, StopReason.TIME, StopReason.COST})
_AFTER_STEP: Final = frozenset({StopReason.TIME, StopReason.TOO_MANY_ERRORS})
_TIME_CHECK: Final = {
    _BEFORE_CALL: TimeCheck.BEFORE_CALL,
    _AFTER_STEP: TimeCheck.AFTER_STEP,
}


def _first(limits: Limits, tally: Tally, checked: frozenset[StopReason]) -> Stop | None:
    for hit in _reached(limits, tally):
        if hit.reason is StopReason.TIME and limits.time_check is not _TIME_CHECK[checked]:
            continue
        if hit.reason in checked:
            return _stop(limits, tally, hit)
    return None


def _stop(limits: Limits, tally: Tally, hit: _Hit, cause: str | None = None) -> Stop:
    also = tuple(
        other.limit
        for other in _reached(limits, tally)
        if other.limit is not None and other.limit != hit.limit
    )
    return Stop(
        reason=hit.reason,
        step=tally.steps,
        limit=hit.limit,
        limit_value=hit.value,
        observed=hit.observed,
        also=also,
        cause=cause,
    )


def _reached(limits: Limits, tally: Tally) -> Iterator[_Hit]:
    """Yield every limit that is reached, in the order that decides."""
    steps, seconds = limits.max_steps, limits.max_seconds
    cost, errors = limits.max_cost_usd, limits.max_errors
    if steps is not None and tally.steps >= steps:
        yield _Hit(StopReason.MAX_STEPS, "max_steps", str(steps), str(tally.steps))
    if seconds is not None and (used := _used_us(limits, tally)) > _limit_us(seconds):
        yield _Hit(StopReason.TIME, "max_seconds", _text(seconds), _seconds(used))
    if cost is not None and (tally.cost_unknown or tally.cost_usd > cost):
        yield _Hit(StopReason.COST, "max_cost_usd", _text(cost), _cost(tally))
    if errors is not None and tally.errors >= errors:
        yield _Hit(StopReason.TOO_MANY_ERRORS, "max_errors", str(errors), str(tally.errors))


def _used_us(limits: Limits, tally: Tally) -> int:
    match limits.clock:
        case RunClock.MODEL:
            return tally.model_us
        case RunClock.WALL:
            return tally.wall_us
        case _:
            assert_never(limits.clock)


def _limit_us(seconds: Decimal) -> int:
    # Rounded down, so that a limit finer than a microsecond is never passed unseen.
    return int(seconds * 1_000_000)


def _seconds(us: int) -> str:
    return _text(Decimal(us) / 1_000_000)


def _cost(tally: Tally) -> str:
    known = _text(tally.cost_usd)
    return f"at least {known}, unknown" if tally.cost_unknown else known


def _text(value: Decimal) -> str:
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text

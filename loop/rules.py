"""The pure core: everything that decides when a run ends.

No I/O, no clock, no randomness. The live run, the replay, the resumed run and every later what-if
call this same code, and nothing decides about ending anywhere else. What happened goes into the
:class:`Tally`; the ``check_*`` functions read it against the limits and return a :class:`Stop`.

Order when several limits are reached at one check: steps, time, cost, errors. The stop names the
others too. What each limit counts and when it is reached is one :class:`Bound`; a what-if over a
recorded run asks the same bounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import Final, assert_never

from loop.limits import Duplicates, Limits, Repeat, RunClock, TimeCheck
from tools import Kind

__all__ = [
    "BOUNDS",
    "REPEATS",
    "TIME",
    "Amount",
    "Bound",
    "Handling",
    "ReplyTally",
    "Stop",
    "StopReason",
    "Tally",
    "check_after_step",
    "check_before_call",
    "check_call",
    "check_repeat",
    "checked_after_step",
    "checked_before_call",
    "reached_limits",
    "repeat_stop",
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


@dataclass(slots=True, kw_only=True)
class ReplyTally:
    """What the calls of one reply have come to so far. The finish tool is not among them."""

    calls: int = 0
    ran: set[str] = field(default_factory=set)
    """Signatures of the calls that ran."""
    overflowed: bool = False
    """Whether calls beyond the limit were counted: together they are one error."""


class Handling(StrEnum):
    """What becomes of a call that ends nothing."""

    RUN = "run"
    COPY = "copy"
    """The same call stands earlier in the reply: it is given that result, and counts nothing."""
    BEYOND = "beyond"
    """Beyond ``max_calls_per_step``: answered, not run."""


Amount = int | Decimal
"""What limits count: model calls, microseconds, dollars, repeats, errors in a row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """One limit: what it counts, and when it is reached."""

    reason: StopReason
    limit: str
    """Its name in :class:`Limits`."""
    used: Callable[[Limits, Tally], Amount]
    most: Callable[[Limits], Amount | None]
    """The limit in the unit of ``used``; None is no limit."""
    stops_at_limit: bool
    """Whether used = limit stops already; else only used > limit does."""

    def reached(self, used: Amount, most: Amount) -> bool:
        """Whether this much used stops at this limit."""
        return used >= most if self.stops_at_limit else used > most


def checked_before_call(limits: Limits) -> tuple[Bound, ...]:
    """Return the bounds that are checked before a model call, in the order that decides."""
    return (_STEPS, TIME, _COST) if limits.time_check is TimeCheck.BEFORE_CALL else (_STEPS, _COST)


def checked_after_step(limits: Limits) -> tuple[Bound, ...]:
    """Return the bounds that are checked at the end of a step, in the order that decides."""
    return (TIME, _ERRORS) if limits.time_check is TimeCheck.AFTER_STEP else (_ERRORS,)


def check_before_call(limits: Limits, tally: Tally) -> Stop | None:
    """Check the budgets before a model call: steps, time (where it is checked here), cost."""
    return _first(limits, tally, checked_before_call(limits))


def check_after_step(limits: Limits, tally: Tally) -> Stop | None:
    """Check the end-of-step rules of a step that did not finish: time (where so), errors."""
    return _first(limits, tally, checked_after_step(limits))


def check_call(limits: Limits, tally: Tally, reply: ReplyTally, signature: str) -> Handling | Stop:
    """Check a call before it runs, in the order of its reply; ``finish`` is not asked about.

    A call that is to run counts as run for the copies after it. Calls beyond the limit of a step
    are counted here, as one error.
    """
    reply.calls += 1
    if limits.max_calls_per_step is not None and reply.calls > limits.max_calls_per_step:
        if not reply.overflowed:
            tally.count_error()
        reply.overflowed = True
        return Handling.BEYOND
    copy = signature in reply.ran
    if copy and limits.duplicates_in_reply is Duplicates.COLLAPSE:
        return Handling.COPY
    stop = check_repeat(limits, tally, signature, copy=copy)
    if stop is not None:
        return stop
    reply.ran.add(signature)
    return Handling.RUN


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
    if not REPEATS.reached(tally.repeats, limits.allowed_repeats):
        tally.repeats += 1
        return None
    return repeat_stop(limits, tally)


def repeat_stop(limits: Limits, tally: Tally) -> Stop:
    """Return the stop of a run whose allowed repeats are used up, and that makes one more."""
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


def _first(limits: Limits, tally: Tally, checked: tuple[Bound, ...]) -> Stop | None:
    hit = next(_reached(limits, tally, checked), None)
    return None if hit is None else _stop(limits, tally, hit)


def reached_limits(limits: Limits, tally: Tally) -> tuple[str, ...]:
    """Return the names of the limits that are reached, checked now or not, in their order."""
    return tuple(hit.limit for hit in _reached(limits, tally, BOUNDS) if hit.limit is not None)


def _stop(limits: Limits, tally: Tally, hit: _Hit, cause: str | None = None) -> Stop:
    also = tuple(name for name in reached_limits(limits, tally) if name != hit.limit)
    return Stop(
        reason=hit.reason,
        step=tally.steps,
        limit=hit.limit,
        limit_value=hit.value,
        observed=hit.observed,
        also=also,
        cause=cause,
    )


def _reached(limits: Limits, tally: Tally, bounds: tuple[Bound, ...]) -> Iterator[_Hit]:
    """Yield every limit of these that is reached, in their order."""
    for bound in bounds:
        most = bound.most(limits)
        if most is not None and bound.reached(bound.used(limits, tally), most):
            yield _Hit(
                bound.reason, bound.limit, _value(limits, bound), _used(limits, tally, bound)
            )


def _value(limits: Limits, bound: Bound) -> str:
    value = getattr(limits, bound.limit)
    return _text(value) if isinstance(value, Decimal) else str(value)


def _used(limits: Limits, tally: Tally, bound: Bound) -> str:
    if bound is _COST:
        return _cost(tally)
    used = bound.used(limits, tally)
    return _seconds(int(used)) if bound is TIME else str(used)


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


def _used_usd(limits: Limits, tally: Tally) -> Decimal:
    del limits
    # What is unknown may be any amount, so it is above every limit.
    return _ANY_AMOUNT if tally.cost_unknown else tally.cost_usd


_ANY_AMOUNT: Final = Decimal("Infinity")
_STEPS: Final = Bound(
    reason=StopReason.MAX_STEPS,
    limit="max_steps",
    used=lambda _, tally: tally.steps,
    most=lambda limits: limits.max_steps,
    stops_at_limit=True,
)
TIME: Final = Bound(
    reason=StopReason.TIME,
    limit="max_seconds",
    used=_used_us,
    most=lambda limits: None if limits.max_seconds is None else _limit_us(limits.max_seconds),
    stops_at_limit=False,
)
_COST: Final = Bound(
    reason=StopReason.COST,
    limit="max_cost_usd",
    used=_used_usd,
    most=lambda limits: limits.max_cost_usd,
    stops_at_limit=False,
)
_ERRORS: Final = Bound(
    reason=StopReason.TOO_MANY_ERRORS,
    limit="max_errors",
    used=lambda _, tally: tally.errors,
    most=lambda limits: limits.max_errors,
    stops_at_limit=True,
)
REPEATS: Final = Bound(
    reason=StopReason.REPEATED_CALL,
    limit="allowed_repeats",
    used=lambda _, tally: tally.repeats,
    most=lambda limits: limits.allowed_repeats,
    stops_at_limit=True,
)
"""Checked before a call that is a repeat, and there alone: repeats that ran are no stop later."""
BOUNDS: Final = (_STEPS, TIME, _COST, _ERRORS)
"""The bounds that a stop names beside its own, in the order that decides."""

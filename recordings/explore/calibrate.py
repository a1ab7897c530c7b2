"""Limits proposed from recordings: what each value costs in successes and catches of failures.

A success is lost where a run that did its work is stopped earlier; a failure is caught where a run
that did not is. Each limit is tried alone, then those that stay within the loss allowed together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import product
from random import Random
from typing import Any, Final

from loop import Limits
from recordings.explore.bootstrap import Interval, Rates, intervals, rates_of
from recordings.explore.candidates import Change, alone, candidates, without_limits
from recordings.explore.doubts import doubts_of
from recordings.explore.facts import COMPARED, Success
from recordings.explore.profile import RunProfile, profiled
from recordings.explore.sums import Sums, sum_up
from recordings.explore.walk import Fate

__all__ = ["Calibration", "Choice", "Tried", "calibrate"]

MIN_COMPARABLE: Final = 0.5
"""Smallest share of the runs that must hold what a limit counts for it to be tried."""
_TIGHTEST: Final = 3
"""How many values of each limit are tried together with those of the others, from the tightest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """One set of limits and what it does to the runs."""

    changes: Change
    """The limits that stop a run here; the others are off."""
    limits: Limits
    rates: Rates
    steps_saved: int
    us_saved: int
    usd_saved: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What was chosen, with its 95 % intervals (bootstrap over tickets)."""

    tried: Tried
    interval: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """What the recordings say about limits."""

    max_loss: Decimal
    """The share of successes that may be lost, 0 to 1."""
    runs: Mapping[Success, int]
    tried: Mapping[str, tuple[Tried, ...]]
    """By limit: each value alone, from tight to loose. A limit that cannot be tried has none."""
    chosen: Mapping[str, Choice]
    """By limit: the value that catches most alone within the loss, where one catches any."""
    together: tuple[Tried, ...]
    """The trade-off of combinations: each catches more than any that loses no more."""
    best: Choice | None
    """The combination that catches most within the loss allowed."""
    current: Choice
    """The limits that were given, for comparison."""
    held_out: Rates | None
    """What combinations chosen on one half of the tickets do to the other half, both ways."""
    doubts: tuple[str, ...]
    """Where the data cannot tell."""


def calibrate(
    profiles: Sequence[RunProfile], current: Limits, *, max_loss: Decimal, seed: int = 1
) -> Calibration:
    """Return what the runs say about limits.

    ``current`` gives the choices that are not tried (clock, time check) and the limits to compare
    with. The same runs, limits and seed give the same answer. Times and costs of replies that were
    written by hand are not counted. Where no run succeeded nothing is proposed, as no loss shows.
    """
    profiles = [_measured(profile) for profile in profiles]
    tried = _tried_alone(profiles, current)
    together = _tried_together(profiles, current, tried, max_loss)
    best = _best(together, max_loss, current)
    chosen = {name: one for name, each in tried.items() if (one := _best(each, max_loss, current))}
    compared = _of(profiles, current, _comparable(current, tried))
    kept = [compared, *([] if best is None else [best]), *chosen.values()]
    spans = intervals(profiles, [each.limits for each in kept], seed=seed)
    choices = [Choice(tried=each, interval=span) for each, span in zip(kept, spans, strict=True)]
    first = 1 if best is None else 2
    held_out = _held_out(profiles, current, max_loss, seed)
    return Calibration(
        max_loss=max_loss,
        runs={s: sum(p.facts.success is s for p in profiles) for s in Success},
        tried=tried,
        chosen=dict(zip(chosen, choices[first:], strict=True)),
        together=tuple(_front(together)),
        best=None if best is None else choices[1],
        current=choices[0],
        held_out=held_out,
        doubts=tuple(doubts_of(profiles, max_loss, tried)),
    )


def _measured(profile: RunProfile) -> RunProfile:
    facts = profile.facts.measured()
    return profile if facts is profile.facts else profiled(facts)


def _tried_alone(profiles: Sequence[RunProfile], current: Limits) -> dict[str, tuple[Tried, ...]]:
    """Try every value of each limit with the others off."""
    values = candidates(profiles, current)
    usable = {name: _is_known(profiles, name, alone(current, values[name][0])) for name in COMPARED}
    changes = [change for name in COMPARED if usable[name] for change in values[name]]
    found = iter(_try(profiles, current, changes))
    return {
        name: tuple(next(found) for _ in values[name]) if usable[name] else () for name in COMPARED
    }


def _is_known(profiles: Sequence[RunProfile], name: str, limits: Limits) -> bool:
    """Whether enough of the runs hold what this limit counts."""
    known = sum(profile.facts.objection_to(name, limits) is None for profile in profiles)
    return known > 0 and known >= MIN_COMPARABLE * len(profiles)


def _tried_together(
    profiles: Sequence[RunProfile],
    current: Limits,
    tried: Mapping[str, Sequence[Tried]],
    max_loss: Decimal,
) -> list[Tried]:
    """Try the values that stay within the loss alone, each with each of the other limits."""
    columns = [_narrowed(each, max_loss, current) for each in tried.values()]
    changes = [_merged(combined) for combined in product(*(column for column in columns if column))]
    return _try(profiles, current, changes)


def _narrowed(tried: Sequence[Tried], max_loss: Decimal, current: Limits) -> list[Change]:
    """Return the tightest values within the loss, the current one, and the loosest.

    Together limits lose at least what each loses alone, so a value that loses too much is out.
    """
    within = [each for each in tried if _is_within(each.rates, max_loss)]
    effects: dict[Rates, Change] = {}
    for each in within:
        effects.setdefault(each.rates, each.changes)
    own = [each.changes for each in within if _is_current(each.changes, current)]
    loosest = [each.changes for each in within[-1:]]
    kept: list[Change] = []
    for change in (*list(effects.values())[:_TIGHTEST], *own, *loosest):
        if change not in kept:
            kept.append(change)
    return kept


def _try(profiles: Sequence[RunProfile], current: Limits, changes: Sequence[Change]) -> list[Tried]:
    settings = [alone(current, change) for change in changes]
    return [
        _tried(change, limits, sums)
        for change, limits, sums in zip(changes, settings, sum_up(profiles, settings), strict=True)
    ]


def _of(profiles: Sequence[RunProfile], current: Limits, names: Iterable[str]) -> Tried:
    """Return what the current limits do, as far as the runs hold what they count."""
    changes: dict[str, Any] = {name: getattr(current, name) for name in names}
    return _try(profiles, current, [changes | {"repeat": current.repeat}])[0]


def _comparable(current: Limits, tried: Mapping[str, Sequence[Tried]]) -> Iterator[str]:
    yield from (name for name, each in tried.items() if each and getattr(current, name) is not None)


def _tried(change: Change, limits: Limits, sums: Sums) -> Tried:
    def known(success: Success) -> int:
        by_outcome = sums.outcomes[success]
        return sum(by_outcome.values()) - by_outcome[Fate.NOT_COMPARABLE]

    return Tried(
        changes=change,
        limits=limits,
        rates=Rates(
            successes=known(Success.SUCCEEDED),
            lost=sums.cut[Success.SUCCEEDED],
            failures=known(Success.FAILED),
            caught=sums.cut[Success.FAILED],
        ),
        steps_saved=sums.steps_saved,
        us_saved=sums.us_saved,
        usd_saved=sums.usd_saved,
    )


def _best(tried: Iterable[Tried], max_loss: Decimal, current: Limits) -> Tried | None:
    """Return the one that catches most within the loss; None where none catches any.

    Of equal ones that which saves most model calls, then that which changes least.
    """
    within = [each for each in tried if each.rates.caught and _is_within(each.rates, max_loss)]
    return max(
        within,
        key=lambda each: (
            each.rates.catch or 0,
            -(each.rates.loss or 0),
            each.steps_saved,
            sum(getattr(current, name) == value for name, value in each.changes.items()),
        ),
        default=None,
    )


def _is_within(rates: Rates, max_loss: Decimal) -> bool:
    """Whether no more is lost than may be. Of no successes nobody knows."""
    return rates.successes > 0 and rates.lost <= max_loss * rates.successes


def _is_current(change: Change, current: Limits) -> bool:
    return all(getattr(current, name) == value for name, value in change.items())


def _merged(changes: Iterable[Change]) -> Change:
    return {name: value for change in changes for name, value in change.items()}


def _front(tried: Iterable[Tried]) -> Iterator[Tried]:
    """Yield those that catch more than any that loses no more, from the smallest loss."""
    caught = 0.0
    for each in sorted(tried, key=lambda t: (t.rates.loss or 0, -(t.rates.catch or 0))):
        if (each.rates.catch or 0) > caught:
            caught = each.rates.catch or 0
            yield each


def _held_out(
    profiles: Sequence[RunProfile], current: Limits, max_loss: Decimal, seed: int
) -> Rates | None:
    """Choose on one half of the tickets, count on the other, and the other way round.

    None where a half has no success or no failure to choose by.
    """
    tickets = sorted({profile.facts.ticket_id for profile in profiles})
    Random(seed).shuffle(tickets)  # noqa: S311 (a split, not a secret)
    half = set(tickets[: len(tickets) // 2])
    parts = (
        [profile for profile in profiles if profile.facts.ticket_id in half],
        [profile for profile in profiles if profile.facts.ticket_id not in half],
    )
    total = Rates(successes=0, lost=0, failures=0, caught=0)
    for chosen_on, counted_on in (parts, parts[::-1]):
        worths = {profile.facts.success for profile in chosen_on}
        if not worths >= {Success.SUCCEEDED, Success.FAILED}:
            return None
        tried = _tried_alone(chosen_on, current)
        best = _best(_tried_together(chosen_on, current, tried, max_loss), max_loss, current)
        limits = without_limits(current) if best is None else best.limits
        for profile in counted_on:
            total += rates_of(profile, limits)
    return total

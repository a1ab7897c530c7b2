"""Bootstrap intervals of losses and catches: tickets are drawn again, with all their runs.

Runs of one ticket are alike, so the ticket is what is drawn. The percentile interval of 1,000
resamples, from a seed, so that the same data give the same figures. It can only know what the data
hold: where no success was lost it says 0 to 0, and the number of runs says how much that means.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from loop import Limits
from recordings.explore.facts import Success
from recordings.explore.profile import RunProfile
from recordings.explore.sums import cuts
from recordings.explore.walk import Fate

__all__ = ["Interval", "Rates", "intervals", "rates_of"]

RESAMPLES: Final = 1000
_TAIL: Final = 0.025
_FIELD: Final = 32
"""Bits of one count in a packed number: one addition adds up the counts of all settings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """What a set of limits does to the runs whose worth is known, as far as they compare."""

    successes: int
    lost: int
    """Successes that it cuts."""
    failures: int
    caught: int
    """Failures that it cuts."""

    @property
    def loss(self) -> float | None:
        """The share of successes that is lost, 0 to 1; None where there is none."""
        return self.lost / self.successes if self.successes else None

    @property
    def catch(self) -> float | None:
        """The share of failures that is caught, 0 to 1; None where there is none."""
        return self.caught / self.failures if self.failures else None

    def __add__(self, other: Rates) -> Rates:
        return Rates(
            successes=self.successes + other.successes,
            lost=self.lost + other.lost,
            failures=self.failures + other.failures,
            caught=self.caught + other.caught,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """The 95 % intervals of a set of limits, each as shares; None where nothing is counted."""

    loss: tuple[float, float] | None
    catch: tuple[float, float] | None


def rates_of(profile: RunProfile, limits: Limits) -> Rates:
    """Return what these limits do to one run, as counts of one."""
    answer = profile.what_if(limits)
    known = answer.fate is not Fate.NOT_COMPARABLE
    well = known and profile.facts.success is Success.SUCCEEDED
    badly = known and profile.facts.success is Success.FAILED
    cut = cuts(profile.facts, answer)
    return Rates(
        successes=int(well), lost=int(well and cut), failures=int(badly), caught=int(badly and cut)
    )


def intervals(
    profiles: Sequence[RunProfile], settings: Sequence[Limits], *, seed: int
) -> list[Interval]:
    """Return the intervals of each set of limits; all settings see the same resamples."""
    by_ticket: dict[str, int] = defaultdict(int)
    for profile in profiles:
        by_ticket[profile.facts.ticket_id] += _packed(
            rates_of(profile, limits) for limits in settings
        )
    tickets, random = list(by_ticket.values()), Random(seed)  # noqa: S311 (a statistic)
    samples = [
        list(_unpacked(sum(random.choices(tickets, k=len(tickets))), len(settings)))
        for _ in range(RESAMPLES if tickets else 0)
    ]
    return [
        Interval(
            loss=_percentiles([sample[index].loss for sample in samples]),
            catch=_percentiles([sample[index].catch for sample in samples]),
        )
        for index in range(len(settings))
    ]


def _packed(all_rates: Iterator[Rates]) -> int:
    packed = 0
    for index, rates in enumerate(all_rates):
        counts = (rates.successes, rates.lost, rates.failures, rates.caught)
        for place, count in enumerate(counts, start=4 * index):
            packed |= count << place * _FIELD
    return packed


def _unpacked(packed: int, settings: int) -> Iterator[Rates]:
    def count(place: int) -> int:
        return packed >> place * _FIELD & ((1 << _FIELD) - 1)

    for first in range(0, 4 * settings, 4):
        yield Rates(
            successes=count(first),
            lost=count(first + 1),
            failures=count(first + 2),
            caught=count(first + 3),
        )


def _percentiles(values: Sequence[float | None]) -> tuple[float, float] | None:
    """Return the 2.5th and the 97.5th percentile by nearest rank, of the values that are known."""
    ranked = sorted(value for value in values if value is not None)
    if not ranked:
        return None
    last = len(ranked) - 1
    return ranked[round(last * _TAIL)], ranked[round(last * (1 - _TAIL))]

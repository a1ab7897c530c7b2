"""Two evaluations beside each other: what is unlike, and on which tickets they differ."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from recordings.evaluate.evaluation import SHARES, Evaluation, Judged
from recordings.evaluate.statistics import Share, sign_test

__all__ = ["Comparison", "Difference", "compare"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One share in both, over the tickets that both ran."""

    name: str
    first: Share
    second: Share
    won: tuple[str, ...]
    """Tickets that the second has right in more of its runs than the first."""
    lost: tuple[str, ...]

    @property
    def chance(self) -> float:
        """How likely a split as uneven is if both are equally good (sign test, two-sided)."""
        return sign_test(len(self.won), len(self.lost))


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two evaluations beside each other."""

    unlike: tuple[str, ...]
    """In what they were made differently, beside what is compared."""
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]
    differences: tuple[Difference, ...]


def compare(first: Evaluation, second: Evaluation) -> Comparison:
    """Compare over the tickets that both ran."""
    one, two = first.by_ticket(), second.by_ticket()
    both = [ticket for ticket in one if ticket in two]
    return Comparison(
        unlike=first.identity.unlike(second.identity),
        only_first=tuple(ticket for ticket in one if ticket not in two),
        only_second=tuple(ticket for ticket in two if ticket not in one),
        differences=tuple(
            _difference(name, field, [(ticket, one[ticket], two[ticket]) for ticket in both])
            for name, field in SHARES.items()
        ),
    )


def _difference(
    name: str, field: str, pairs: Iterable[tuple[str, tuple[Judged, ...], tuple[Judged, ...]]]
) -> Difference:
    first, second = Share(right=0, of=0), Share(right=0, of=0)
    won, lost = [], []
    for ticket, one, two in pairs:
        a = Share.of_known([getattr(each, field) for each in one])
        b = Share.of_known([getattr(each, field) for each in two])
        if a.value is None or b.value is None:
            continue
        first = Share(right=first.right + a.right, of=first.of + a.of)
        second = Share(right=second.right + b.right, of=second.of + b.of)
        if b.value > a.value:
            won.append(ticket)
        elif b.value < a.value:
            lost.append(ticket)
    return Difference(name=name, first=first, second=second, won=tuple(won), lost=tuple(lost))

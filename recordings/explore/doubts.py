"""Where recordings cannot tell which limits are right, said in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Final

from recordings.explore.facts import EndKind, Success
from recordings.explore.profile import RunProfile

__all__ = ["doubts_of"]

MIN_RUNS: Final = 30
"""Fewer successes, or failures, than this say little about a share of them."""
_RULE_OF_THREE: Final = 3
"""Where none of n was seen, up to 3/n may be there (95 %; J. Hanley, A. Lippman-Hand, 1983)."""
_NEEDS: Final = {
    "max_steps": "the prompt told the models this limit",
    "max_seconds": "times are not recorded, or no model's",
    "max_cost_usd": "costs are not recorded, or no model's",
    "max_errors": "what came of the calls is not recorded",
    "allowed_repeats": "the prompt told the models this limit",
}


def doubts_of(
    profiles: Sequence[RunProfile], max_loss: Decimal, tried: Mapping[str, Sequence[object]]
) -> Iterator[str]:
    """Yield each doubt as one sentence."""
    yield from _about_numbers(profiles, max_loss)
    for name, each in tried.items():
        if not each:
            yield f"{name} cannot be tried: in most runs {_NEEDS[name]}."
    yield from _about_recordings(profiles)
    yield from _about_labels(profiles)


def _about_numbers(profiles: Sequence[RunProfile], max_loss: Decimal) -> Iterator[str]:
    counts = {success: sum(p.facts.success is success for p in profiles) for success in Success}
    successes, failures = counts[Success.SUCCEEDED], counts[Success.FAILED]
    if not successes:
        yield "No run succeeded: what limits would lose cannot be told, and none are proposed."
    elif successes < MIN_RUNS:
        yield f"Successes: {successes}; fewer than {MIN_RUNS} say little about a loss."
    if failures < MIN_RUNS:
        yield f"Failures: {failures}; fewer than {MIN_RUNS} say little about a catch."
    if successes and max_loss * successes < _RULE_OF_THREE:
        most = min(100.0, 100 * _RULE_OF_THREE / successes)
        yield f"None lost of {successes} may stand for a loss of up to {most:.1f} %."
    if unknown := counts[Success.UNKNOWN]:
        yield f"Of {unknown} runs it is not known whether they succeeded; they are not counted."


def _about_recordings(profiles: Sequence[RunProfile]) -> Iterator[str]:
    models = {p.facts.model for p in profiles if p.facts.model is not None}
    if len(models) == 1:
        yield f"All runs are of one model ({min(models)}); another may need other limits."
    kinds = sorted({p.facts.profile for p in profiles if p.facts.profile is not None})
    if len(kinds) > 1:
        yield f"The runs are of {len(kinds)} profiles ({', '.join(kinds)}); each may need its own."
    written = sum(p.facts.constructed for p in profiles)
    if written:
        yield (
            f"The replies of {written} of {len(profiles)} runs were written by hand: their times "
            "and costs are no model's and are not counted, and what they do is what was thought up."
        )
    ended = sum(p.facts.end.kind is EndKind.STOPPED for p in profiles)
    if ended:
        yield (
            f"{ended} of {len(profiles)} runs were stopped by limits when they were recorded: what "
            "they would have come to under looser ones is unknown."
        )
    named = sum(bool(p.facts.named_limits) for p in profiles)
    if named:
        yield (
            f"In {named} of {len(profiles)} runs the prompt seems to tell the model a limit; they "
            "are left out where another value of it is tried."
        )


def _about_labels(profiles: Sequence[RunProfile]) -> Iterator[str]:
    odd = sum(
        p.facts.success is Success.SUCCEEDED
        and p.facts.end.kind in (EndKind.STOPPED, EndKind.PROVIDER_ERROR, EndKind.CANCELLED)
        for p in profiles
    )
    if odd:
        yield (
            f"{odd} runs count as succeeded and did not finish: the labels are noisy, or say "
            "something else."
        )

"""Many runs under many limits, added up, against each run asked alone."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from decimal import Decimal

from loop import Cost, CostState, StopReason, get_profile
from recordings.explore import Fate, Success, cuts, profiled, sum_up
from recordings.explore.candidates import without_limits
from tests.recordings.explore.generated import generated_runs, generated_settings

OPEN = without_limits(get_profile("resolver").limits)


def test_sums_are_those_of_the_runs_asked_one_by_one() -> None:
    profiles = [profiled(facts) for facts in generated_runs(120)]
    settings = generated_settings()[::23]

    for limits, sums in zip(settings, sum_up(profiles, settings), strict=True):
        outcomes: Counter[tuple[Success, StopReason | Fate]] = Counter()
        cut: Counter[Success] = Counter()
        steps, us, usd = 0, 0, Decimal(0)
        for profile in profiles:
            facts, answer = profile.facts, profile.what_if(limits)
            stopped = answer.fate is Fate.STOPS and answer.stop is not None
            key = answer.stop.reason if stopped and answer.stop else answer.fate
            outcomes[facts.success, key] += 1
            cut[facts.success] += cuts(facts, answer)
            left_out = facts.steps[answer.step :]
            steps += len(left_out)
            us += sum(step.latency_us or 0 for step in left_out)
            usd += sum((s.cost.usd for s in left_out if s.cost and s.cost.usd), Decimal(0))
        counted = {
            (success, outcome): count
            for success, by_outcome in sums.outcomes.items()
            for outcome, count in by_outcome.items()
            if count
        }
        assert counted == dict(outcomes)
        assert dict(sums.cut) == {success: cut[success] for success in Success}
        assert (sums.steps_saved, sums.us_saved, sums.usd_saved) == (steps, us, usd)


def test_no_runs_come_to_nothing() -> None:
    (sums,) = sum_up([], generated_settings()[:1])

    assert sum(sums.cut.values()) == 0
    assert sums.steps_saved == 0


def test_a_time_that_no_run_takes_does_not_become_money() -> None:
    """Three times 10^30 microseconds: the sums lie beside each other in one number."""
    facts = next(facts for facts in generated_runs(120) if len(facts.steps) > 1)
    free = Cost(state=CostState.KNOWN, usd=Decimal(0))
    steps = tuple(replace(step, latency_us=10**30, cost=free) for step in facts.steps)
    run = profiled(replace(facts, steps=steps, named_limits=frozenset()))
    one_step = OPEN.changed(max_steps=1)
    (sums,) = sum_up([run] * 3, [one_step])

    assert sums.steps_saved == 3 * (len(steps) - 1)
    assert (sums.us_saved, sums.usd_saved) == (3 * 10**13, Decimal(0))

"""Many runs under many limits, added up, against each run asked alone."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal

from loop import StopReason
from recordings.explore import Fate, Success, cuts, profiled, sum_up
from tests.recordings.explore.generated import generated_runs, generated_settings


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

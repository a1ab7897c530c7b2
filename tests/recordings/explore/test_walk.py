"""What a recorded run comes to under other limits, against the real loop under those limits."""

from __future__ import annotations

from typing import Any

from hypothesis import event, given, settings

from loop import Ask, AskingStopped, BudgetCut, StopReason
from recordings.explore import EndKind, Fate, as_recorded, what_if
from tests.loop.scripts import BUSY_SCRIPTS, LIMITS, OPEN_LIMITS, SCRIPTS, WAYS
from tests.recordings.explore.driven import drive, recorded, work_under


def _without_cuts(script: list[Any]) -> list[Any]:
    """Leave calls out that a budget cut: whether it does hangs on a clock, not on a script."""
    return [each for each in script if not isinstance(each, BudgetCut)]


@settings(max_examples=300)
@given(WAYS, OPEN_LIMITS | LIMITS, LIMITS, BUSY_SCRIPTS | SCRIPTS)
def test_a_what_if_is_what_the_real_loop_comes_to_or_unknown(
    way: tuple[str, Ask | None], past: dict[str, Any], other: dict[str, Any], script: list[Any]
) -> None:
    script = _without_cuts(script)
    stop_then, facts = recorded(work_under(way, **past), script)
    work = work_under(way, **other)
    real, _ = drive(work, script)
    answer = what_if(facts, work.profile.limits)
    event(answer.fate)

    match answer.fate:
        case Fate.STOPS:
            assert answer.stop == real
        case Fate.SAME:
            assert (real.reason, real.step) == (stop_then.reason, stop_then.step)
            assert answer.stop is None or answer.stop == real
            assert answer.step == real.step
        case Fate.UNKNOWN:
            assert real.step >= answer.step
        case Fate.NOT_COMPARABLE:
            raise AssertionError(answer.why)


@settings(max_examples=80)
@given(WAYS, LIMITS, BUSY_SCRIPTS | SCRIPTS)
def test_under_its_own_limits_a_run_ends_as_it_did(
    way: tuple[str, Ask | None], past: dict[str, Any], script: list[Any]
) -> None:
    work = work_under(way, **past)
    stop, facts = recorded(work, _without_cuts(script))
    answer = what_if(facts, work.profile.limits)

    if facts.end.kind is EndKind.NO_RECORDING:
        assert answer.fate is Fate.UNKNOWN
    else:
        assert answer.fate is Fate.SAME
        assert answer.step == stop.step
        assert answer.stop == (stop if facts.end.kind is EndKind.STOPPED else None)


@settings(max_examples=80)
@given(WAYS, OPEN_LIMITS | LIMITS, LIMITS, BUSY_SCRIPTS | SCRIPTS)
def test_a_run_that_no_limit_ended_is_never_unknown_while_replies_keep_their_shape(
    way: tuple[str, Ask | None], past: dict[str, Any], other: dict[str, Any], script: list[Any]
) -> None:
    """A copy that a repeat rule would let run is the exception: nobody knows what it came to."""
    stop, facts = recorded(work_under(way, **past), _without_cuts(script))
    limits = as_recorded(facts, work_under(way, **other).profile.limits)
    answer = what_if(facts, limits)

    if stop.reason in (StopReason.FINISHED, StopReason.PROVIDER_ERROR):
        assert answer.fate in (Fate.SAME, Fate.STOPS)


def test_a_run_that_was_cancelled_while_its_model_was_asked_ends_so_under_every_limit() -> None:
    work = work_under(("resolver", None))
    stop, facts = recorded(work, [AskingStopped("the run was cancelled")])
    answer = what_if(facts, work_under(("resolver", None), max_steps=9).profile.limits)

    assert (stop.reason, facts.end.kind) == (StopReason.CANCELLED, EndKind.CANCELLED)
    assert (answer.fate, answer.step) == (Fate.SAME, 1)

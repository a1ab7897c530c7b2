"""What a recording holds and what it does not: turns, named limits, cut calls, foreign runs."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from loop import (
    PRICES,
    BudgetCut,
    Duplicates,
    Limits,
    ModelError,
    Repeat,
    Reply,
    RunClock,
    get_profile,
)
from recordings import read_recordings
from recordings.explore import (
    CallFacts,
    EndKind,
    Fate,
    RunEnd,
    RunFacts,
    StepFacts,
    Success,
    facts_of,
    profiled,
    turns_of,
    what_if,
)
from recordings.explore.named import limits_named_in
from tests.loop.fakes import finish, read, reply
from tests.recordings.explore.driven import recorded, work_under
from tools import Kind

RESOLVER = ("resolver", None)


def limits(**changes: Any) -> Limits:
    """No limits but these."""
    none = dict.fromkeys(
        ("max_steps", "max_seconds", "max_cost_usd", "max_errors", "allowed_repeats")
    )
    return get_profile("resolver").limits.changed(**(none | changes))


def call(name: str = "look", kind: Kind | None = Kind.OK, **more: Any) -> CallFacts:
    """One call."""
    return CallFacts(name=name, arguments="{}", signature=name, is_finish=False, kind=kind, **more)


def made(*steps: StepFacts, end: EndKind = EndKind.RECORD_ENDED, **more: Any) -> RunFacts:
    """A run that was made elsewhere."""
    given: dict[str, Any] = {
        "run_id": "r",
        "ticket_id": "t",
        "source": "made",
        "model": None,
        "profile": None,
        "limits": None,
        "success": Success.UNKNOWN,
        "steps": tuple(replace(step, step=n) for n, step in enumerate(steps, start=1)),
        "end": RunEnd(kind=end),
    }
    return RunFacts(**(given | more))


def step(*calls: CallFacts, seconds: int | None = 1, **more: Any) -> StepFacts:
    """One step that took so long."""
    us = None if seconds is None else seconds * 1_000_000
    return StepFacts(step=1, calls=calls, latency_us=us, **more)


def test_a_record_that_ends_is_not_finished_and_stays_as_it_is() -> None:
    answer = what_if(made(step(call())), limits())

    assert (answer.fate, answer.step, answer.stop) == (Fate.SAME, 1, None)


def test_a_budget_used_up_by_the_last_step_is_reported_and_cuts_nothing() -> None:
    run = made(step(call("a", Kind.FAILED)), step(call("b", Kind.FAILED), seconds=9))
    bounds = limits(max_steps=2, max_seconds=5, max_errors=2)

    assert what_if(run, bounds).fate is Fate.SAME
    assert what_if(run, bounds).reached == ("max_steps", "max_seconds", "max_errors")
    assert profiled(run).what_if(bounds) == what_if(run, bounds)
    assert what_if(run, limits(max_errors=1)).fate is Fate.STOPS


def test_a_looser_limit_never_invents_a_continuation() -> None:
    stop, facts = recorded(
        work_under(RESOLVER, max_steps=2), [reply(read()), reply(read("LK-100002"))]
    )
    answer = what_if(facts, limits(max_steps=3))

    assert (stop.reason, facts.end.kind) == ("max_steps", EndKind.STOPPED)
    assert (answer.fate, answer.step) == (Fate.UNKNOWN, 2)
    assert profiled(facts).what_if(limits(max_steps=3)) == answer


@pytest.mark.parametrize(
    ("seconds", "fate"), [(5, "same"), (4, "same"), (6, "unknown"), (None, "unknown")]
)
def test_a_call_that_the_budget_cut_is_cut_by_each_smaller_budget(
    seconds: int | None, fate: str
) -> None:
    script: list[Reply | ModelError] = [
        reply(read(), latency_s=1),
        BudgetCut("cut", latency_us=4_000_000),
    ]
    stop, facts = recorded(work_under(RESOLVER, max_seconds=5), script)
    answer = what_if(facts, limits(max_seconds=seconds))

    assert (stop.reason, stop.step) == ("time", 2)
    assert (answer.fate, answer.step) == (fate, 2)
    assert profiled(facts).what_if(limits(max_seconds=seconds)) == answer
    other = limits(max_seconds=seconds, clock=RunClock.WALL)
    assert what_if(facts, other).fate is Fate.UNKNOWN


def test_each_turn_counts_for_itself() -> None:
    """Three steps in the first turn, one in the second; time begins anew."""
    first = [step(call(str(n)), wall_before_us=n, wall_after_us=n + 1) for n in range(3)]
    second = step(call("0"), new_turn=True, wall_before_us=90, wall_after_us=95)
    run = made(*first, second)
    one, two = turns_of(run)

    assert (one.turn, len(one.steps), one.end.kind) == (1, 3, EndKind.FINISHED)
    assert (two.turn, len(two.steps), two.end.kind) == (2, 1, EndKind.RECORD_ENDED)
    assert (two.steps[0].step, two.steps[0].wall_after_us) == (1, 5)
    bounds = limits(max_steps=2, allowed_repeats=0, repeat=Repeat.ANY)
    assert [what_if(turn, bounds).fate for turn in (one, two)] == [Fate.STOPS, Fate.SAME]
    assert what_if(run, limits(allowed_repeats=0)).fate is Fate.STOPS


@pytest.mark.parametrize(
    ("run", "changes", "why"),
    [
        (made(step(call(), seconds=None)), {"max_seconds": 9}, "max_seconds: times"),
        (made(step(call())), {"max_seconds": 9, "clock": RunClock.WALL}, "max_seconds: times"),
        (made(step(call(kind=None))), {"max_errors": 2}, "max_errors: outcomes"),
        (made(step(call(kind=None))), {"allowed_repeats": 0}, "allowed_repeats: outcomes"),
        (made(step(), named_limits=frozenset({"max_steps"})), {"max_steps": 9}, "the prompt told"),
        (
            made(step(), named_limits=frozenset({"max_steps"}), limits=limits(max_steps=4)),
            {"max_steps": 3},
            "the prompt told",
        ),
    ],
)
def test_what_is_not_recorded_or_was_told_to_the_model_is_not_compared(
    run: RunFacts, changes: dict[str, Any], why: str
) -> None:
    answer = what_if(run, limits(**changes))

    assert answer.fate is Fate.NOT_COMPARABLE
    assert why in (answer.why or "")
    assert profiled(run).what_if(limits(**changes)) == answer


def test_what_is_not_recorded_does_not_stand_in_the_way_of_other_limits() -> None:
    run = made(step(call(kind=None), seconds=None), step(call(kind=None), seconds=None), step())

    assert what_if(run, limits(max_steps=2)).fate is Fate.STOPS
    assert what_if(run, limits(allowed_repeats=0, repeat=Repeat.ANY)).step == 2
    told = made(step(), named_limits=frozenset({"max_steps"}), limits=limits(max_steps=4))
    assert what_if(told, limits(max_steps=4)).fate is Fate.SAME


def test_a_shorter_result_would_have_been_another_to_the_model() -> None:
    """The result of 300 characters fits into 300 and not into 299; what follows is unknown."""
    run = made(step(call(text="x" * 300)), step(call("b")))

    assert what_if(run, limits(max_result_chars=300)).fate is Fate.SAME
    answer = what_if(run, limits(max_result_chars=299))
    assert (answer.fate, answer.step) == (Fate.UNKNOWN, 1)


@pytest.mark.parametrize(("wall_s", "also"), [(5, ()), (6, ("max_seconds",))])
def test_a_repeat_names_the_time_that_was_used_up_before_it(
    wall_s: int, also: tuple[str, ...]
) -> None:
    known = {"wall_before_us": 0, "wall_after_us": 0}
    again = call(wall_us=wall_s * 1_000_000)
    run = made(step(call(wall_us=0), **known), step(again, **known), step(**known))
    bounds = limits(allowed_repeats=0, max_seconds=5, clock=RunClock.WALL)
    answer = what_if(run, bounds)

    assert answer.stop is not None
    assert (answer.stop.reason, answer.stop.also) == ("repeated_call", also)
    assert profiled(run).what_if(bounds) == answer


def test_a_call_that_was_not_run_is_not_made_up() -> None:
    """The recorded run stopped at its repeat; with one allowed, nobody knows what it came to."""
    stop, facts = recorded(work_under(RESOLVER), [reply(read()), reply(read())])
    answer = what_if(facts, limits(allowed_repeats=1))

    assert stop.reason == "repeated_call"
    assert (answer.fate, answer.step) == (Fate.UNKNOWN, 2)


def test_a_copy_that_would_run_is_not_made_up() -> None:
    _, facts = recorded(work_under(RESOLVER), [reply(read(), read()), reply(finish())])
    stopping = limits(duplicates_in_reply=Duplicates.STOP, allowed_repeats=0)

    assert what_if(facts, limits()).fate is Fate.SAME
    assert what_if(facts, stopping).fate is Fate.STOPS
    assert what_if(facts, stopping.changed(allowed_repeats=1)).fate is Fate.UNKNOWN


def test_a_call_beyond_the_limit_of_a_step_would_have_been_another_answer() -> None:
    """Within the step the rules still hold: the calls beyond are one error."""
    run = made(step(call("a"), call("b"), call("c")), step(call("d")))

    assert what_if(run, limits(max_calls_per_step=3)).fate is Fate.SAME
    answer = what_if(run, limits(max_calls_per_step=2))
    assert (answer.fate, answer.step) == (Fate.UNKNOWN, 1)
    assert what_if(run, limits(max_calls_per_step=2, max_errors=1)).fate is Fate.STOPS


def test_a_run_of_ours_keeps_its_finish_whatever_was_used_up() -> None:
    _, facts = recorded(work_under(RESOLVER), [reply(read()), reply(finish(), latency_s=500)])
    answer = what_if(facts, limits(max_steps=2, max_seconds=5))

    assert (answer.fate, answer.step) == (Fate.SAME, 2)
    assert answer.reached == ("max_steps", "max_seconds")


@pytest.mark.parametrize(
    ("prompt", "named"),
    [
        ("You have at most 8 steps.", {"max_steps"}),
        ("You may make up to ten tool calls, then answer.", {"max_steps"}),
        ("Answer within 60 seconds.", {"max_seconds"}),
        ("You stop after at most 3 errors in a row.", {"max_errors"}),
        ("Your budget is $0.05 for this ticket.", {"max_cost_usd"}),
        ("Do not repeat the same call.", {"allowed_repeats"}),
        ("You may propose up to four changes.", set()),
        ("A label too from 50 dollars; at most 5 business days late.", set()),
        ("", set()),
    ],
)
def test_limits_that_a_prompt_names_are_seen(prompt: str, named: set[str]) -> None:
    assert limits_named_in(prompt) == named


@pytest.mark.parametrize("name", ["resolver", "assistant", "desk"])
def test_our_own_prompts_name_no_limit(name: str) -> None:
    assert limits_named_in(get_profile(name).instructions) == set()


def test_the_reference_lines_hold_calls_and_no_outcomes(larkfield: Path) -> None:
    """Twelve real lines: each call ran, and nothing says what came of it."""
    file = larkfield / "c08" / "recordings_tools_chat_small_12.jsonl"
    runs = [facts_of(r, Success.UNKNOWN) for r in read_recordings(file, PRICES).recordings]
    called = [run for run in runs if any(step.calls for step in run.steps)]

    assert called
    for run in called:
        assert run.end.kind is EndKind.RECORD_ENDED
        assert not run.outcomes_known
        assert run.clocks_known == {RunClock.MODEL}
        assert what_if(run, limits(max_steps=1)).fate is Fate.STOPS
        assert what_if(run, limits(max_seconds=Decimal(60))).fate is Fate.SAME

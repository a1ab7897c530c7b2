"""Limits proposed from runs: the counts by hand, the loss that is kept, the doubts, the picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest

from loop import Cost, CostState, Repeat, get_profile
from recordings.explore import (
    CallFacts,
    EndKind,
    Rates,
    RunEnd,
    RunFacts,
    RunProfile,
    StepFacts,
    Success,
    calibrate,
    change_text,
    curve_svg,
    profiled,
)
from recordings.explore.bootstrap import intervals
from tests.recordings.explore.generated import generated_runs
from tools import Kind

CURRENT = get_profile("resolver").limits


def made(name: str, kinds: str, success: Success, **more: object) -> RunProfile:
    """A run with one call a step: o is ok, e an error; each step takes a second."""
    steps = tuple(
        StepFacts(
            step=number,
            calls=(
                CallFacts(
                    name="look",
                    arguments="{}",
                    signature=str(number),
                    is_finish=False,
                    kind=Kind.OK if kind == "o" else Kind.FAILED,
                ),
            ),
            model="small",
            latency_us=1_000_000,
            cost=Cost(state=CostState.KNOWN, usd=Decimal("0.001")),
            wall_before_us=0,
            wall_after_us=0,
        )
        for number, kind in enumerate(kinds, start=1)
    )
    facts = RunFacts(
        run_id=name,
        ticket_id=name,
        source="made",
        model="small",
        profile=None,
        limits=None,
        success=success,
        steps=steps,
        end=RunEnd(kind=EndKind.RECORD_ENDED),
    )
    return profiled(replace(facts, **more))  # type: ignore[arg-type]


WELL = [
    made(f"well {n}", kinds, Success.SUCCEEDED)
    for n, kinds in enumerate(("oo", "oeo", "ooo", "eoo"))
]
BADLY = [
    made(f"bad {n}", kinds, Success.FAILED)
    for n, kinds in enumerate(("eeoo", "oeeo", "oooooo", "oo"))
]


def test_the_choice_by_hand() -> None:
    """Two errors in a row catch two of four failures and lose nothing; three steps catch three."""
    found = calibrate([*WELL, *BADLY], CURRENT, max_loss=Decimal(0))

    errors = {each.changes["max_errors"]: each.rates for each in found.tried["max_errors"]}
    assert errors[1] == Rates(successes=4, lost=2, failures=4, caught=2)
    assert errors[2] == Rates(successes=4, lost=0, failures=4, caught=2)
    assert found.chosen["max_errors"].tried.changes == {"max_errors": 2}
    assert found.chosen["max_steps"].tried.changes == {"max_steps": 3}
    assert found.chosen["max_steps"].tried.steps_saved == 1 + 1 + 3
    assert "allowed_repeats" not in found.chosen
    assert found.best is not None
    assert found.best.tried.rates == Rates(successes=4, lost=0, failures=4, caught=3)
    assert found.best.tried.changes["max_steps"] == 3
    assert (found.runs[Success.SUCCEEDED], found.runs[Success.FAILED]) == (4, 4)


@pytest.mark.parametrize("max_loss", ["0", "0.01", "0.1"])
def test_what_is_proposed_loses_no_more_than_is_allowed(max_loss: str) -> None:
    profiles = [profiled(facts) for facts in generated_runs(150)]
    found = calibrate(profiles, CURRENT, max_loss=Decimal(max_loss))

    assert found.best is not None
    for choice in (found.best, *found.chosen.values()):
        rates = choice.tried.rates
        assert rates.lost <= Decimal(max_loss) * rates.successes
        assert (choice.tried.rates.catch or 0) <= (found.best.tried.rates.catch or 0)
    assert found.held_out is not None
    assert found.held_out.successes == found.runs[Success.SUCCEEDED]
    assert found.held_out.failures == found.runs[Success.FAILED]


def test_the_same_runs_and_seed_give_the_same_answer() -> None:
    profiles = [profiled(facts) for facts in generated_runs(60)]
    once, again = (calibrate(profiles, CURRENT, max_loss=Decimal("0.05"), seed=7) for _ in "12")

    assert once == again


def test_nothing_is_proposed_where_nothing_fails() -> None:
    found = calibrate(WELL, CURRENT, max_loss=Decimal(1))

    assert found.best is None
    assert found.held_out is None
    assert found.chosen == {}


def test_no_runs_at_all_come_to_doubts() -> None:
    found = calibrate([], CURRENT, max_loss=Decimal("0.01"))

    assert found.best is None
    assert found.doubts[0].startswith("No run succeeded: what limits would lose cannot be told")


def test_nothing_is_proposed_where_nothing_succeeded() -> None:
    """One step would catch all of them and lose nothing that was seen: that is no price."""
    found = calibrate(BADLY, CURRENT, max_loss=Decimal(1))

    assert found.tried["max_steps"][0].rates == Rates(successes=0, lost=0, failures=4, caught=4)
    assert (found.best, found.chosen, found.together) == (None, {}, ())
    assert found.doubts[0].startswith("No run succeeded")


def test_times_and_costs_that_were_written_by_hand_choose_nothing() -> None:
    """A second of theirs is nobody's second; their calls and errors count as they stand."""
    written = [profiled(replace(p.facts, constructed=True)) for p in (*WELL, *BADLY)]
    measured = calibrate([*WELL, *BADLY], CURRENT, max_loss=Decimal(0))
    found = calibrate(written, CURRENT, max_loss=Decimal(0))

    assert measured.tried["max_seconds"]
    assert (found.tried["max_seconds"], found.tried["max_cost_usd"]) == ((), ())
    assert found.chosen["max_errors"].tried.rates == measured.chosen["max_errors"].tried.rates
    assert found.best is not None
    assert found.best.tried.steps_saved > 0
    assert (found.best.tried.us_saved, found.best.tried.usd_saved) == (0, Decimal(0))
    assert any("8 of 8 runs were written by hand" in doubt for doubt in found.doubts)


def test_written_runs_among_measured_ones_do_not_count_for_times() -> None:
    written = [profiled(replace(p.facts, constructed=True)) for p in BADLY[:1]]
    found = calibrate([*WELL, *BADLY[1:], *written], CURRENT, max_loss=Decimal(1))

    rates = {each.rates.failures for each in found.tried["max_seconds"]}
    assert (rates, found.tried["max_steps"][0].rates.failures) == ({3}, 4)


def test_intervals_hold_the_share_and_are_of_tickets_not_of_runs() -> None:
    """Ten runs of one ticket are one draw: all lost or none."""
    limits = CURRENT.changed(max_steps=2)
    alike = [
        made(f"r{n}", "ooo", Success.SUCCEEDED, ticket_id=f"T-{n // 10}", run_id=str(n))
        for n in range(20)
    ]
    kept = [made(f"k{n}", "oo", Success.SUCCEEDED, ticket_id=f"T-{2 + n // 10}") for n in range(20)]
    (by_ticket,) = intervals([*alike, *kept], [limits], seed=1)
    apart = [profiled(replace(p.facts, ticket_id=p.facts.run_id)) for p in (*alike, *kept)]
    (by_run,) = intervals(apart, [limits], seed=1)

    assert by_ticket.loss == (0.0, 1.0)
    assert by_run.loss is not None
    assert 0.3 <= by_run.loss[0] < 0.5 < by_run.loss[1] <= 0.7
    assert by_run.catch is None


def test_a_loss_of_none_has_an_interval_of_none_and_a_doubt() -> None:
    found = calibrate([*WELL, *BADLY], CURRENT, max_loss=Decimal("0.01"))

    assert found.best is not None
    assert found.best.interval.loss == (0.0, 0.0)
    assert "None lost of 4 may stand for a loss of up to 75.0 %." in found.doubts


def doubts(profiles: Sequence[RunProfile]) -> str:
    """All doubts about these runs."""
    return "\n".join(calibrate(profiles, CURRENT, max_loss=Decimal("0.01")).doubts)


def test_each_doubt_is_said_where_it_holds_and_only_there() -> None:
    words = doubts([*WELL, *BADLY])
    unknown = made("u", "oo", Success.UNKNOWN)
    stopped = made("s", "oo", Success.SUCCEEDED, end=RunEnd(kind=EndKind.STOPPED))
    named = made("n", "oo", Success.FAILED, named_limits=frozenset({"max_errors"}))
    other = made("o", "oo", Success.FAILED, model="large", profile="desk")
    written = made("w", "oo", Success.FAILED, profile="resolver", constructed=True)
    more = doubts([*WELL, *BADLY, unknown, stopped, named, other, written])

    for said in (
        "2 profiles (desk, resolver)",
        "1 of 13 runs were written by hand",
        "not known whether",
        "were stopped by limits",
        "the prompt seems to",
        "noisy",
    ):
        assert said not in words
        assert said in more
    assert "one model (small)" in words
    assert "one model" not in more


@pytest.mark.parametrize(
    ("steps", "limit"),
    [
        ({"latency_us": None}, "max_seconds"),
        ({"cost": Cost(state=CostState.NOT_RECORDED)}, "max_cost_usd"),
    ],
)
def test_a_limit_whose_amounts_are_not_recorded_is_not_tried(
    steps: dict[str, object], limit: str
) -> None:
    without = [
        profiled(
            replace(p.facts, steps=tuple(replace(s, **steps) for s in p.facts.steps))  # type: ignore[arg-type]
        )
        for p in (*WELL, *BADLY)
    ]
    found = calibrate(without, CURRENT, max_loss=Decimal(0))

    assert found.tried[limit] == ()
    assert found.best is not None
    assert limit not in found.best.tried.changes
    assert getattr(found.best.tried.limits, limit) is None
    assert any(doubt.startswith(f"{limit} cannot be tried") for doubt in found.doubts)


def test_the_trade_off_catches_more_only_for_a_larger_loss() -> None:
    profiles = [profiled(facts) for facts in generated_runs(150)]
    front = calibrate(profiles, CURRENT, max_loss=Decimal("0.2")).together
    losses = [each.rates.loss for each in front]
    catches = [each.rates.catch for each in front]

    assert len(front) > 1
    assert losses == sorted(losses, key=lambda loss: loss or 0)
    assert all((a or 0) < (b or 0) for a, b in pairwise(catches))


def test_the_picture_is_one_svg_that_says_what_it_shows() -> None:
    found = calibrate([*WELL, *BADLY], CURRENT, max_loss=Decimal(0))
    root = ET.fromstring(curve_svg(found))
    space = "{http://www.w3.org/2000/svg}"
    marks = [each.text or "" for each in root.iter(f"{space}title")]

    assert root.get("role") == "img"
    assert "max_errors 2: 0.0% lost, 50.0% caught" in marks
    described = root.find(f"{space}desc")
    assert described is not None
    assert "lose 0.0% of the successes and catch 75.0% of the failures" in (described.text or "")


def test_the_picture_of_nothing_is_a_picture() -> None:
    root = ET.fromstring(curve_svg(calibrate([], CURRENT, max_loss=Decimal(0))))

    assert "No limits catch a failure" in "".join(root.itertext())


def test_changes_in_words_name_the_rule_of_repeats() -> None:
    changes = {"max_steps": 6, "repeat": Repeat.ANY, "allowed_repeats": 1}

    assert change_text(changes) == "max_steps 6, allowed_repeats 1 (any)"

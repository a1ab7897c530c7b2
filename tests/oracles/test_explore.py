"""Oracle cases B59 to B61 as what-ifs, and the reference explorer's 216 settings on the five runs.

Each setting is asked of the profile and of the real loop, which replays the recording under it.
"""

from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import Any

import pytest

from loop import Limits, Repeat, get_profile
from recordings.explore import Fate, RunProfile, Success, facts_of, profiled
from tests.oracles.test_stops import RECORDINGS, replayed
from tools import PracticeShop

FIVE = ("T-80001", "T-80009", "T-90608", "T-64872", "T-80005")
STEPS = range(1, 13)
REPEATS: tuple[dict[str, Any], ...] = (
    {"allowed_repeats": None},
    {"repeat": Repeat.AFTER_SUCCESS},
    {"repeat": Repeat.ANY},
)
ERRORS: tuple[dict[str, Any], ...] = ({"max_errors": None}, {"max_errors": 3})
TIMES: tuple[dict[str, Any], ...] = (
    {"max_seconds": None},
    {"max_seconds": 120},
    {"max_seconds": 30},
)


@pytest.fixture(scope="module")
def shop() -> Iterator[PracticeShop]:
    """The shipped practice shop."""
    with PracticeShop.from_folder() as shop:
        yield shop


@cache
def profile(ticket: str) -> RunProfile:
    """The profile of the unlimited run on this ticket."""
    return profiled(facts_of(RECORDINGS[f"B59-{ticket}"], Success.UNKNOWN))


def limits(**changes: Any) -> Limits:
    """The limits of the project, changed."""
    return get_profile("resolver").limits.changed(**changes)


@pytest.mark.parametrize(
    ("ticket", "changes", "reason", "step", "seconds"),
    [
        ("T-80001", {}, "repeated_call", 3, 16.2),
        ("T-80009", {}, "repeated_call", 4, 7.99),
        ("T-90608", {}, "too_many_errors", 3, 8.4),
        ("T-64872", {}, "too_many_errors", 5, 39.1),
        ("T-80005", {}, "too_many_errors", 4, 27.9),
        ("T-80001", {"allowed_repeats": None}, "max_steps", 8, 35.9),
        ("T-90608", {"max_errors": None}, "max_steps", 8, None),
        ("T-64872", {"max_seconds": 30}, "time", 4, 30.5),
        ("T-80009", {"allowed_repeats": None}, "max_steps", 8, None),
    ],
)
def test_b59_and_b61_the_profiles_stop_where_the_reference_reports(
    ticket: str, changes: dict[str, Any], reason: str, step: int, seconds: float | None
) -> None:
    """The project's limits, and each rule off or tighter."""
    found = profile(ticket)
    answer = found.what_if(limits(**changes))

    assert answer.fate is Fate.STOPS
    assert answer.stop is not None
    assert (answer.stop.reason, answer.stop.step) == (reason, step)
    if seconds is not None:
        used = sum(made.latency_us or 0 for made in found.facts.steps[:step])
        assert used == round(seconds * 1_000_000)


def test_b59_t_64872_took_111_9_seconds_without_limits() -> None:
    """The reported time of the whole unlimited run."""
    steps = profile("T-64872").facts.steps

    assert sum(step.latency_us or 0 for step in steps) == 111_900_000


@pytest.mark.parametrize("ticket", FIVE)
def test_the_216_settings_of_the_reference_explorer_are_those_of_the_real_loop(
    ticket: str, shop: PracticeShop
) -> None:
    """Five runs of 216 settings: 1,080 checks."""
    found, checked = profile(ticket), 0
    for steps, repeat, errors, time in product(STEPS, REPEATS, ERRORS, TIMES):
        changes: dict[str, Any] = {"max_steps": steps, **repeat, **errors, **time}
        changes |= {"max_cost_usd": None}
        answer = found.what_if(limits(**changes))
        ended, _ = replayed(shop, f"B59-{ticket}", **changes)
        checked += 1
        if answer.fate is Fate.UNKNOWN:
            assert ended.stop.reason == "no_recording", changes
        elif answer.stop is not None:
            assert answer.stop == ended.stop, changes
        else:
            assert (answer.step, ended.stop.reason) == (ended.stop.step, "finished"), changes

    assert checked == 216

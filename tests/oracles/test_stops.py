"""Oracle cases B56 to B61: the stops that the reference systems report.

Constructed recordings (``recordings/shipped/written/reference_stops.jsonl``) with the reported
figures, replayed strictly over the shipped shop under the project's limits and under others.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from loop import (
    PRICES,
    Ask,
    Called,
    Ended,
    Entry,
    Journal,
    MemorySink,
    VirtualClock,
    get_profile,
    run,
    work_for,
)
from recordings import SHIPPED_RECORDINGS, Recording, ReplayModel, read_recordings
from tools import PRACTICE_TODAY, SHIPPED_DATA, FaultyShop, PracticeShop, load_tickets

RECORDINGS = {
    recording.name: recording
    for recording in read_recordings(
        SHIPPED_RECORDINGS / "reference_stops.jsonl", PRICES
    ).recordings
}
CASES = {case.ticket.ticket_id: case for case in load_tickets(SHIPPED_DATA)}


@pytest.fixture(scope="module")
def shop() -> Iterator[PracticeShop]:
    """The shipped practice shop."""
    with PracticeShop.from_folder() as shop:
        yield shop


def replayed(shop: PracticeShop, name: str, **limits: Any) -> tuple[Ended, list[Entry]]:
    """Replay a recording in the resolver profile, with other limits where given."""
    recording: Recording = RECORDINGS[name]
    assert recording.opened is not None
    head = recording.opened.head
    profile = get_profile("resolver")
    ask = Ask.TOOLS if head.response_format is None else Ask.JSON
    profile = replace(profile, ask=ask, limits=profile.limits.changed(**limits))
    case = CASES[recording.ticket_id]
    work = work_for(
        case.ticket,
        profile,
        FaultyShop(shop, case.faults),
        today=PRACTICE_TODAY,
        model_name=head.model,
        marks={},
    )
    clock, sink = VirtualClock(), MemorySink()
    ended = run(work, ReplayModel([recording], clock=clock), Journal(sink, clock))
    return ended, sink.entries


def called(entries: list[Entry]) -> list[tuple[str, str]]:
    """Return name and code of every call, in order."""
    records = [entry.record for entry in entries]
    return [(record.name, record.code) for record in records if isinstance(record, Called)]


def test_b56_an_identical_search_ends_the_run(shop: PracticeShop) -> None:
    """Search ok, payments ok, finish refused, the same search again: repeated_call."""
    ended, entries = replayed(shop, "B56")

    assert called(entries) == [
        ("search_policy", "ok"),
        ("get_payments", "ok"),
        ("finish", "finish_refused"),
        ("search_policy", "repeated_call"),
    ]
    assert (ended.stop.reason, ended.stop.step) == ("repeated_call", 4)
    totals = ended.totals
    assert (totals.tokens_in, totals.tokens_out) == (9209, 334)
    assert totals.cost_usd == 0
    assert ended.seconds_us == 13_508_000


def test_b57_three_errors_end_the_run(shop: PracticeShop) -> None:
    """get_order with null, then two invalid finishes."""
    ended, entries = replayed(shop, "B57")

    assert called(entries) == [
        ("get_order", "invalid_arguments"),
        ("finish", "finish_refused"),
        ("finish", "finish_refused"),
    ]
    assert (ended.stop.reason, ended.stop.step) == ("too_many_errors", 3)


@pytest.mark.parametrize(
    ("limits", "reason", "step", "observed"),
    [
        ({"max_steps": 2}, "max_steps", 2, "2"),
        ({"max_seconds": 3}, "time", 3, "3.31"),
        ({"max_cost_usd": 0.0005}, "cost", 3, None),
        ({}, "finished", 4, None),
    ],
)
def test_b58_each_limit_ends_the_run_where_it_is_passed(
    shop: PracticeShop, limits: dict[str, float], reason: str, step: int, observed: str | None
) -> None:
    """Two steps, three seconds, half a thousandth of a dollar; without them it finishes."""
    ended, _ = replayed(shop, "B58", **limits)

    assert (ended.stop.reason, ended.stop.step) == (reason, step)
    if observed is not None:
        assert ended.stop.observed == observed
    if reason == "cost":
        assert 0.00065 <= float(ended.totals.cost_usd) <= 0.00075


@pytest.mark.parametrize(
    ("ticket", "reason", "step", "seconds"),
    [
        ("T-80001", "repeated_call", 3, 16.2),
        ("T-80009", "repeated_call", 4, 7.99),
        ("T-90608", "too_many_errors", 3, 8.4),
        ("T-64872", "too_many_errors", 5, 39.1),
        ("T-80005", "too_many_errors", 4, 27.9),
    ],
)
def test_b59_the_unlimited_runs_end_under_the_limits_of_the_project(
    shop: PracticeShop, ticket: str, reason: str, step: int, seconds: float
) -> None:
    """Each ends at the call that the reference reports, after the seconds that it reports."""
    ended, _ = replayed(shop, f"B59-{ticket}")

    assert (ended.stop.reason, ended.stop.step) == (reason, step)
    assert ended.seconds_us == round(seconds * 1_000_000)


def test_b59_one_call_more_would_have_finished_t_80005(shop: PracticeShop) -> None:
    """The stated cost of the error rule: one error more allowed, and the run ends well."""
    ended, _ = replayed(shop, "B59-T-80005", max_errors=4)

    assert (ended.stop.reason, ended.stop.step) == ("finished", 5)


def test_b60_errors_in_a_row_are_1_0_1_1_and_the_repeat_is_not_run(shop: PracticeShop) -> None:
    """A limit of one error stops at call 1, a limit of two never; call 4 is the repeat."""
    first, _ = replayed(shop, "B59-T-80009", max_errors=1)
    _, entries = replayed(shop, "B59-T-80009", max_errors=2)
    kinds = [entry.record.result for entry in entries if isinstance(entry.record, Called)]

    assert (first.stop.reason, first.stop.step) == ("too_many_errors", 1)
    good = [kind in ("ok", "proposed") for kind in kinds]
    assert good == [False, True, False, False]
    assert kinds[3] == "not_run"


@pytest.mark.parametrize(
    ("name", "limits", "reason", "step", "seconds"),
    [
        ("B59-T-80001", {"allowed_repeats": None}, "max_steps", 8, 35.9),
        ("B59-T-90608", {"max_errors": None}, "max_steps", 8, None),
        ("B59-T-64872", {"max_seconds": 30}, "time", 4, 30.5),
    ],
)
def test_b61_without_one_rule_another_ends_the_run(
    shop: PracticeShop,
    name: str,
    limits: dict[str, int | None],
    reason: str,
    step: int,
    seconds: float | None,
) -> None:
    """No repeat rule, no error rule, and a shorter time."""
    ended, _ = replayed(shop, name, **limits)

    assert (ended.stop.reason, ended.stop.step) == (reason, step)
    if seconds is not None:
        assert ended.seconds_us == round(seconds * 1_000_000)

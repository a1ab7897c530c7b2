"""Checking, counting, comparing, pruning and redacting recordings."""

import os
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from bot.recording_texts import stats_lines
from loop import PRICES, Asked, Called, Closed, Entry, Opened, Replied
from loop.testing import VirtualClock, call, reply
from recordings import (
    Level,
    Match,
    Recording,
    ReplayModel,
    check_recordings,
    first_difference,
    pairs_of,
    redacted_entries,
    redacted_text,
    stats_of,
    to_prune,
    write_recording,
)
from recordings.check import faults_of
from tests.bench.recordings import many_runs, peak_kb
from tests.recordings.builders import ANSWER, LOOK_UP, played, recorded, work_on
from tools import PracticeShop

SALT = b"0" * 32
DAY_S = 86_400.0


@pytest.fixture
def entries() -> list[Entry]:
    """The journal of one run of ours."""
    with PracticeShop.from_folder() as shop:
        return recorded(work_on(shop))[1]


def recording(entries: Sequence[Entry], name: str = "run") -> Recording:
    """Return the recording that entries make."""
    found = Recording.of(name, entries)
    assert found is not None
    return found


def changed(entries: list[Entry], kind: type[Any], **changes: Any) -> list[Entry]:
    """Return the entries with the first record of a kind changed."""
    at = next(i for i, entry in enumerate(entries) if isinstance(entry.record, kind))
    record = replace(entries[at].record, **changes)
    return [*entries[:at], replace(entries[at], record=record), *entries[at + 1 :]]


def file_of(folder: Path, entries: Sequence[Entry], name: str = "run") -> Path:
    """Write one run into a file of its own."""
    path = folder / f"{name}.jsonl"
    write_recording(path, name, entries)
    return path


def test_a_recording_of_ours_is_whole(tmp_path: Path, entries: list[Entry]) -> None:
    checked = check_recordings(file_of(tmp_path, entries), PRICES)

    assert (checked.runs, checked.whole, checked.faults, checked.notes) == (1, 1, (), ())


def test_a_changed_text_shows_in_the_digests(entries: list[Entry]) -> None:
    asked = next(e.record for e in entries if isinstance(e.record, Asked))
    first = replace(asked.appended[0], text="Another prompt.")
    faults = list(
        faults_of(recording(changed(entries, Asked, appended=(first, *asked.appended[1:]))))
    )

    assert len(faults) == 1
    assert faults[0].startswith("the request of step 1 does not have its digest")


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"steps": 9}, "it closes with 9 steps and holds 2"),
        ({"tokens_out": 1}, "it closes with 1 tokens out and holds 100"),
    ],
)
def test_a_closing_record_that_does_not_agree_is_named(
    entries: list[Entry], changes: dict[str, int], fault: str
) -> None:
    assert list(faults_of(recording(changed(entries, Closed, **changes)))) == [fault]


def test_a_run_that_was_cut_off_is_named(tmp_path: Path, entries: list[Entry]) -> None:
    checked = check_recordings(file_of(tmp_path, entries[:-1]), PRICES)

    assert checked.whole == 0
    assert "has no closing record" in checked.faults[0]


def test_an_entry_that_is_missing_is_named(tmp_path: Path, entries: list[Entry]) -> None:
    checked = check_recordings(file_of(tmp_path, [*entries[:2], *entries[3:]]), PRICES)

    assert any("misses or doubles entries" in fault for fault in checked.faults)


def test_a_file_that_others_can_read_is_noted(tmp_path: Path, entries: list[Entry]) -> None:
    path = file_of(tmp_path, entries)
    path.chmod(0o644)

    assert check_recordings(path, PRICES).notes == (
        f"{path} can be read by others: chmod 600 {path}",
    )


def test_figures_are_counted_and_the_unknown_apart(entries: list[Entry]) -> None:
    unknown = changed(entries, Replied, reply=replace(LOOK_UP, latency_us=None))

    found = stats_of([recording(entries), recording(unknown)])

    assert (found.runs, found.stops, found.sources) == (2, {"finished": 2}, {"own": 2})
    assert (found.latency_us.count, found.latency_us.unknown) == (4, 1)
    assert (found.latency_us.p50, found.latency_us.p95) == (1_100_000, 1_100_000)
    assert (found.cost_usd, found.cost_unknown) == (Decimal("0.006"), 0)
    assert (found.steps.p50, found.tokens_out_total) == (2, 200)
    assert found.labels == {"unknown": 2}


def test_a_run_whose_cost_is_incomplete_makes_the_sum_a_least_one(entries: list[Entry]) -> None:
    known = stats_of([recording(entries)])
    partly = stats_of(
        [recording(entries), recording(changed(entries, Closed, cost_complete=False))]
    )

    assert (known.cost_incomplete, partly.cost_incomplete) == (0, 1)
    assert "cost: US$0.00300" in list(stats_lines(known))
    assert "cost: at least US$0.00600" in list(stats_lines(partly))


def test_figures_are_ranked_whatever_their_order(entries: list[Entry]) -> None:
    times = [30, 10, 20]
    found = stats_of(
        [
            recording(changed(entries, Replied, reply=replace(LOOK_UP, latency_us=us)))
            for us in times
        ]
    )

    assert (found.latency_us.p50, found.latency_us.most) == (30, 1_100_000)
    assert found.latency_us.count == 6


@pytest.mark.parametrize("command", ["stats", "verify"])
def test_memory_does_not_grow_with_the_file(tmp_path: Path, command: str) -> None:
    """The bench measures 50 MB; here a file of 12 times the size may take a tenth more."""
    small, big = tmp_path / "small.jsonl", tmp_path / "big.jsonl"

    assert many_runs(big, 12) > 10 * many_runs(small, 1)
    assert peak_kb("recordings", command, big) < 1.1 * peak_kb("recordings", command, small)


def test_nothing_is_counted_of_nothing() -> None:
    found = stats_of([])

    assert (found.runs, found.latency_us.p50, found.cost_usd) == (0, None, Decimal(0))


def test_two_runs_of_one_journal_tell_the_same_whatever_their_times(entries: list[Entry]) -> None:
    slower = [replace(entry, at_us=entry.at_us + 5) for entry in entries]

    assert first_difference(recording(entries), recording(slower, "other")) is None
    assert first_difference(recording(entries), recording(slower), times=True) is not None


def test_the_first_difference_is_named_with_both_sides(entries: list[Entry]) -> None:
    other = changed(entries, Called, text="something else")

    found = first_difference(recording(entries), recording(other))

    assert found is not None
    assert found.path.startswith("called.text, character ")
    assert "something else" in found.right


def test_a_run_that_is_longer_differs_where_the_other_ends(entries: list[Entry]) -> None:
    found = first_difference(recording(entries), recording(entries[:-1]))

    assert found is not None
    assert (found.entry, found.path, found.right) == (len(entries) - 1, "closed", "None")


def test_runs_are_compared_by_name(entries: list[Entry]) -> None:
    one, two, three = (recording(entries, name) for name in ("one", "two", "three"))

    together, left, right = pairs_of([one, two], [two, three])

    assert [pair[0].name for pair in together] == ["two"]
    assert (left, right) == (["one"], ["three"])


@pytest.mark.parametrize(("age_days", "goes"), [(9.9, False), (10.0, False), (10.1, True)])
def test_a_file_goes_when_it_is_older(
    tmp_path: Path, entries: list[Entry], age_days: float, goes: bool
) -> None:
    path = file_of(tmp_path, entries)
    os.utime(path, (0, 1000 * DAY_S - age_days * DAY_S))

    found = to_prune([tmp_path], now_s=1000 * DAY_S, older_than_days=10, keep_bytes=None)

    assert [each.file for each in found] == ([path] if goes else [])
    assert path.exists()


def test_of_too_many_the_oldest_go(tmp_path: Path, entries: list[Entry]) -> None:
    paths = [file_of(tmp_path, entries, name) for name in ("a", "b", "c")]
    for age, path in enumerate(paths):
        os.utime(path, (0, 1000.0 - age))
    size = paths[0].stat().st_size

    found = to_prune([tmp_path], now_s=1000.0, older_than_days=None, keep_bytes=2 * size)
    exact = to_prune([tmp_path], now_s=1000.0, older_than_days=None, keep_bytes=3 * size)

    assert [(each.file.name, each.reason) for each in found] == [("c.jsonl", "size")]
    assert exact == []


def test_a_file_of_another_program_never_goes(tmp_path: Path) -> None:
    (tmp_path / "mine.jsonl").write_text('{"a": 1}\n', encoding="utf-8")

    assert to_prune([tmp_path], now_s=1e12, older_than_days=1, keep_bytes=0) == []


def test_an_export_has_other_texts_and_agrees_with_itself(entries: list[Entry]) -> None:
    said = changed(entries, Called, text="Write to a@example.com")

    redacted = recording(list(redacted_entries(recording(said), Level.PERSONAL, SALT)))

    assert redacted.redacted_again
    assert list(faults_of(redacted)) == []
    called = next(e.record for e in redacted.entries if isinstance(e.record, Called))
    assert called.text == "Write to [email 1]"


def test_an_export_names_nobody_of_the_team(entries: list[Entry]) -> None:
    """In Slack's form, in the form of a ticket's text, and within a call's arguments."""
    said = changed(entries, Called, text="<@U012LEAD|lea> and @U012LEAD9 asked <@U012LEAD>")

    redacted = recording(list(redacted_entries(recording(said), Level.PERSONAL, SALT)))

    called = next(e.record for e in redacted.entries if isinstance(e.record, Called))
    assert called.text == "[person 1] and [person 2] asked [person 1]"
    assert list(faults_of(redacted)) == []


def test_a_mention_in_an_answer_goes_as_well() -> None:
    closing = {"reply": "Ask <@U012LEAD>.", "actions": [], "note": {"by": ["@U012LEAD9"]}}
    with PracticeShop.from_folder() as shop:
        run = recorded(work_on(shop), (ANSWER,))[1]
    said = changed(run, Closed, resolution=closing)

    (*_, last) = redacted_entries(recording(said), Level.PERSONAL, SALT)

    assert isinstance(last.record, Closed)
    assert last.record.resolution == {
        "reply": "Ask [person 1].",
        "actions": [],
        "note": {"by": ["[person 2]"]},
    }


@pytest.mark.parametrize(
    "text", ["U012LEAD9", "jo@U012LEAD9", "@UPS", "@uabcdefgh", "<#U012LEAD9>", "size @S0123456789"]
)
def test_what_is_no_mention_of_a_person_stays(text: str) -> None:
    assert redacted_text(text) == text


def test_the_level_of_texts_leaves_no_text_and_the_same_shape(entries: list[Entry]) -> None:
    redacted = list(redacted_entries(recording(entries), Level.TEXTS, SALT))

    opened = redacted[0].record
    assert isinstance(opened, Opened)
    assert opened.text.startswith("[")
    assert "characters, " in opened.text
    whole = recording(redacted)
    assert list(faults_of(whole)) == []
    assert stats_of([whole]) == stats_of([recording(entries)])
    # The answer stands in the arguments of the finish, which is a text like any other.
    assert "expected by" not in str(redacted)


def test_equal_arguments_stay_equal_and_cannot_be_tried_out() -> None:
    same = reply(call("get_order", {"order_id": "LK-1"}, "c1"))
    other = reply(call("get_order", {"order_id": "LK-2"}, "c2"))
    with PracticeShop.from_folder() as shop:
        run = recording(recorded(work_on(shop), (same, other, ANSWER))[1])

    def arguments(salt: bytes) -> list[str]:
        found = redacted_entries(run, Level.TEXTS, salt)
        replies = [e.record.reply for e in found if isinstance(e.record, Replied)]
        return [each.calls[0].arguments for each in replies]

    first, second, _ = arguments(SALT)
    assert first != second
    assert arguments(SALT)[:2] == [first, second]
    assert arguments(b"1" * 32)[0] != first


def test_a_replay_of_an_export_says_what_it_is(entries: list[Entry]) -> None:
    redacted = recording(list(redacted_entries(recording(entries), Level.PERSONAL, SALT)))
    clock = VirtualClock()
    with PracticeShop.from_folder() as shop:
        model = ReplayModel([redacted], match=Match.SEQUENCE, clock=clock)
        _, replayed = played(work_on(shop), model, clock)

    notes = [e.record.reply.note for e in replayed if isinstance(e.record, Replied)]
    assert all("redacted again" in str(note) for note in notes)
    assert len(notes) == 2

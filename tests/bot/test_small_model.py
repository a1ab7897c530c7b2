"""The shipped runs of a real small model: marked real, whole, and replayed to the same end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from bot.demo.scenes import STORY
from bot.small_check import TO_DO, main, replayed, stale
from bot.small_model import NAME, record
from bot.story import Story
from bot.supplies import Supplies, open_supplies
from bot.trace import lines
from loop import PRICES, Asked, Replied
from recordings import SMALL_RECORDINGS, Match, Recording, read_recordings
from tests.bot.live import ids
from tests.provider import completes, serving

READ = read_recordings(SMALL_RECORDINGS, PRICES)
RECORDINGS = list(READ.recordings)


@pytest.fixture(scope="module")
def supplies() -> Iterator[Supplies]:
    """The shop and the tickets that ship."""
    with open_supplies(prices=PRICES) as opened:
        yield opened


@pytest.mark.parametrize("recording", RECORDINGS, ids=ids(RECORDINGS))
def test_a_small_models_run_replays_to_the_same_end(
    recording: Recording, supplies: Supplies
) -> None:
    """By place, so that a change of the prompt does not ask for the model again."""
    done = replayed(supplies, recording, Match.SEQUENCE)

    assert recording.stopped is not None
    assert done.story.stop == recording.stopped.stop
    assert done.left_over == 0


@pytest.mark.parametrize("recording", RECORDINGS, ids=ids(RECORDINGS))
def test_a_small_models_run_replays_text_for_text(recording: Recording, supplies: Supplies) -> None:
    """A failure that names other requests asks for the model: ``make record-small``."""
    done = replayed(supplies, recording, Match.STRICT)

    assert stale(done) is None
    assert list(done.story.entries[1:]) == list(recording.entries[1:])
    assert list(lines(done.story)) == list(lines(_story(recording)))


def test_a_recording_of_other_requests_is_told_with_what_differs_and_what_to_do(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """As after a change of one word of the prompt; by place it still replays."""
    whole = RECORDINGS[0]
    at = next(n for n, entry in enumerate(whole.entries) if isinstance(entry.record, Asked))
    asked = whole.entries[at]
    assert isinstance(asked.record, Asked)
    system, *others = asked.record.appended
    appended = (replace(system, text=f"Another word. {system.text}"), *others)
    changed = replace(asked, record=replace(asked.record, appended=appended, digest="0" * 64))
    entries = (*whole.entries[:at], changed, *whole.entries[at + 1 :])
    other = Recording.of(whole.name, entries)
    assert other is not None

    assert (main([whole]), main([other])) == (0, 1)
    told = capsys.readouterr().out.splitlines()
    assert told[0] == "small: 1 recordings, 0 of other requests"
    assert f"{whole.name} was recorded with other requests" in told[1]
    assert "Another word." in told[1]
    assert told[1].endswith(TO_DO)


def test_a_second_recording_takes_the_place_of_the_first(tmp_path: Path) -> None:
    """So that what was stale is gone, and each ticket is still recorded once."""
    into = tmp_path / "small"
    for said in ("First words.", "Other words."):
        with serving(completes(said), last_repeats=True) as provider:
            ends = record(provider.url, into)
        assert sum(ends.values()) == len(STORY)

    read = read_recordings(into, PRICES)
    assert read.faults == ()
    assert [each.name for each in read.recordings] == sorted(
        f"{scene.ticket_id}-{NAME}-1" for scene in STORY
    )
    texts = [file.read_text("utf-8") for file in into.iterdir()]
    assert all("Other words." in text and "First words." not in text for text in texts)
    assert list(tmp_path.iterdir()) == [into]


def _story(recording: Recording) -> Story:
    story = Story.of(recording.name, recording.entries)
    assert story is not None
    return story


def test_each_ticket_of_the_demo_is_recorded_once() -> None:
    recorded = [each.opened.ticket_id for each in RECORDINGS if each.opened is not None]

    assert sorted(recorded) == sorted(scene.ticket_id for scene in STORY)


def test_they_are_whole_and_marked_as_real_with_model_and_day() -> None:
    assert READ.faults == ()
    for recording in RECORDINGS:
        assert recording.opened is not None
        assert recording.opened.head.model == NAME
        assert recording.opened.marks["live"]["model"] == "SmolLM2-135M-Instruct.Q4_1"
        assert recording.opened.marks["live"]["on"].startswith("2026-")
        assert "constructed" not in recording.opened.marks


def test_the_model_that_answered_is_named_and_counted() -> None:
    replies = [
        entry.record.reply
        for recording in RECORDINGS
        for entry in recording.entries
        if isinstance(entry.record, Replied)
    ]

    assert {reply.model for reply in replies} == {"SmolLM2-135M-Instruct.Q4_1"}
    assert all(reply.usage.tokens_in and reply.usage.tokens_out for reply in replies)

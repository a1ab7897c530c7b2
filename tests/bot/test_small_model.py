"""The shipped runs of a real small model: marked real, whole, and replayed to the same end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from bot.keeper import Keeper
from bot.plan import plan_replay
from bot.small_model import NAME
from bot.story import Story
from bot.supplies import Supplies, open_supplies
from bot.trace import lines
from bot.triage import Triaged, triage
from loop import PRICES, Replied
from recordings import SMALL_RECORDINGS, Match, Recording, read_recordings
from tests.bot.live import ids

READ = read_recordings(SMALL_RECORDINGS, PRICES)
RECORDINGS = list(READ.recordings)


@pytest.fixture(scope="module")
def supplies() -> Iterator[Supplies]:
    """The shop and the tickets that ship."""
    with open_supplies(prices=PRICES) as opened:
        yield opened


def replayed(supplies: Supplies, recording: Recording, match: Match) -> Triaged:
    """Replay a recording under the limits that it was made with."""
    plan = plan_replay(supplies, recording, match=match)
    assert recording.opened is not None
    limits = plan.profile.limits.changed(max_seconds=None)
    return triage(
        replace(plan, profile=replace(plan.profile, limits=limits)),
        supplies.shop,
        Keeper(recording.name, None),
    )


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
    """As long as the requests are those of today."""
    done = replayed(supplies, recording, Match.STRICT)
    if done.story.stop is not None and done.story.stop.reason == "no_recording":
        pytest.skip("the prompt, the tools or the data have changed: make record-small")

    assert list(done.story.entries[1:]) == list(recording.entries[1:])
    assert list(lines(done.story)) == list(lines(_story(recording)))


def _story(recording: Recording) -> Story:
    story = Story.of(recording.name, recording.entries)
    assert story is not None
    return story


def test_they_are_whole_and_marked_as_real_with_model_and_day() -> None:
    assert READ.faults == ()
    assert RECORDINGS
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

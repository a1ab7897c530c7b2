"""A live run, its recording and the replay of that recording are one run, text for text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from bot.keeper import Keeper
from bot.plan import Plan
from bot.recorder import FileKeeper
from bot.supplies import Supplies, open_supplies
from bot.triage import triage
from loop import PRICES, Asked, Entry, LostAttempt
from recordings import SHIPPED_RECORDINGS, Recording, read_recordings
from tests.bot.live import Told, ids, live_plan, play_live, read_one, replay_plan
from tests.provider import Provider, serving

RECORDINGS = list(read_recordings(SHIPPED_RECORDINGS, PRICES).recordings)
TWO_STEPS = next(
    found for found in RECORDINGS if (found.ticket_id, found.profile) == ("T-64872", "resolver")
)


@pytest.fixture(scope="module")
def supplies() -> Iterator[Supplies]:
    """The shop and the tickets that ship."""
    with open_supplies(prices=PRICES) as opened:
        yield opened


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    """A provider that answers what a test tells it to."""
    with serving() as opened:
        yield opened


@pytest.mark.parametrize("recording", RECORDINGS, ids=ids(RECORDINGS))
def test_a_live_run_its_recording_and_the_replay_of_that_are_one_run(
    recording: Recording, supplies: Supplies, provider: Provider, tmp_path: Path
) -> None:
    """Every run that ships, half of them over streams; by the machine's own clock."""
    plan = live_plan(supplies, recording)
    keeper = FileKeeper.begin(tmp_path, (f"live-{number}" for number in count()))
    stream = RECORDINGS.index(recording) % 2 == 0

    live = play_live(plan, supplies, provider, recording, keeper, stream=stream)
    kept = read_one(keeper.path)
    again = triage(replay_plan(plan, kept), supplies.shop, Keeper("again", None))

    assert provider.turns == []
    assert kept.stopped is not None
    assert kept.stopped.stop == live.story.stop
    assert list(kept.entries) == list(live.story.entries)
    assert (again.left_over, again.unused) == (0, None)
    assert Told.of(again) == Told.of(live)
    assert keeper.path.stat().st_mode & 0o777 == 0o600


class _Killed(BaseException):
    """Stands for SIGKILL: nothing in the run may catch it."""


class _Deadly(Keeper):
    """Keeps entries, and dies right after the one of the given number."""

    def __init__(self, last: int, past: list[Entry]) -> None:
        super().__init__("run", None, past)
        self._last = last

    def append(self, entry: Entry) -> None:
        """Keep the entry, then perhaps die."""
        super().append(entry)
        if entry.seq == self._last:
            raise _Killed


def killed(last: int, carry: Callable[[Keeper], object]) -> list[Entry]:
    """Return what a run left that was killed after this entry."""
    keeper = _Deadly(last, [])
    with pytest.raises(_Killed):
        carry(keeper)
    return keeper.entries


def records(entries: list[Entry]) -> list[object]:
    """Return the records of a run without times and lost attempts."""
    kept = [entry.record for entry in entries if not isinstance(entry.record, LostAttempt)]
    return [_timeless(record) for record in kept[:-1]]


def _timeless(record: object) -> object:
    text = str(record)
    return text.partition("latency_us")[0]


def plan_of(supplies: Supplies) -> Plan:
    """Return the plan of the run that is killed."""
    return live_plan(supplies, TWO_STEPS)


def entries_of(supplies: Supplies, provider: Provider) -> list[Entry]:
    """Return the journal of the run that nobody kills."""
    keeper = Keeper("run", None)
    play_live(plan_of(supplies), supplies, provider, TWO_STEPS, keeper)
    return keeper.entries


def test_a_live_run_killed_at_every_line_and_resumed_ends_as_if_it_had_not_been(
    supplies: Supplies, provider: Provider
) -> None:
    """At most the call that was in flight is asked again, and its lost attempt is on record."""
    whole = entries_of(supplies, provider)
    replies = len(TWO_STEPS.exchanges)
    for last in range(len(whole) - 1):
        before = killed(
            last,
            lambda keeper: play_live(plan_of(supplies), supplies, provider, TWO_STEPS, keeper),
        )
        asked_before = len(provider.seen)
        answered = sum(entry.record.kind == "replied" for entry in before)
        rest = Recording(name="rest", ticket_id="T-64872", exchanges=TWO_STEPS.exchanges[answered:])
        keeper = Keeper("run", None, before)

        resumed = play_live(plan_of(supplies), supplies, provider, rest, keeper)

        lost = [e for e in keeper.entries if isinstance(e.record, LostAttempt)]
        in_flight = isinstance(before[-1].record, Asked)
        assert keeper.entries[: last + 1] == before
        assert len(lost) == in_flight
        assert len(provider.seen) - asked_before == replies - answered
        assert records(keeper.entries) == records(whole)
        closed, expected = resumed.story.closed, whole[-1].record
        assert closed is not None
        assert expected.kind == "closed"
        assert (closed.result, closed.resolution) == (expected.result, expected.resolution)
        assert closed.cost_complete is not in_flight

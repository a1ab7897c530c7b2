"""Catching up: long gaps over several rounds, of several channels, with others in between."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from slack_sdk import WebClient

from approvals.store import Writer, connect, migrate
from bot.slack import SLACK_MIGRATIONS
from bot.slack.calls import Calls
from bot.slack.catch_up import OVERLAP_US, SECOND_US, CatchUp
from bot.slack.gate import Gate, Taken
from bot.slack.pages import MOST_PAGES, PAGE
from bot.slack.troubles import Troubles

ROUND = MOST_PAGES * PAGE
"""Messages that are read at a time."""
BEGIN_S = 1_700_000_000
ONE, TWO, THREE = "C1", "C2", "C3"


def stamp(second: int) -> str:
    return f"{BEGIN_S + second}.000000"


class Past(WebClient):
    """What Slack has of some channels, each message posted at a second."""

    def __init__(self) -> None:
        super().__init__()
        self.seconds: dict[str, list[int]] = {}
        self.asked: list[str] = []
        self.wrong: dict[str, Mapping[str, Any]] = {}
        self.takes = 10**9

    def api_call(self, api_method: str, **body: Any) -> Any:
        """Answer a page of a channel's history."""
        assert api_method == "conversations.history"
        self.takes -= 1
        if self.takes < 0:
            raise TimeoutError
        args = body["params"]
        self.asked.append(args["channel"])
        data = self.wrong.get(args["channel"]) or self._page(**args)
        return SimpleNamespace(data=data, headers={})

    def _page(
        self,
        *,
        channel: str,
        limit: int,
        oldest: str = "0",
        latest: str = stamp(10**8),
        cursor: str = "0",
        **_: object,
    ) -> dict[str, Any]:
        found = [
            {"ts": stamp(each), "user": "U1", "text": "a ticket"}
            for each in reversed(self.seconds[channel])
            if oldest < stamp(each) < latest
        ]
        end = int(cursor) + limit
        more = {"next_cursor": str(end)} if end < len(found) else {}
        return {"messages": found[int(cursor) : end], "response_metadata": more}

    def asked_since(self, count: int) -> list[str]:
        """Return which channels were asked for since so many calls."""
        return self.asked[count:]


class Taking(Gate):
    """A gate that notes what it is given."""

    def __init__(self) -> None:
        self.taken: dict[str, set[str]] = {}

    def take_message(self, event: Mapping[str, Any], *, key: str) -> Taken:
        """Take a message."""
        assert key
        self.taken.setdefault(event["channel"], set()).add(event["ts"])
        return Taken.STORED


class Scene:
    """A channel or some, each read up to a first message, and a store that keeps that."""

    def __init__(self, folder: Path, writer: Writer, *channels: str) -> None:
        self.past, self.gate = Past(), Taking()
        self._given: dict[str, Any] = {"store": folder / "s.sqlite3", "writer": writer}
        self._channels = channels
        self.restart()
        self.past.seconds = {each: [0] for each in channels}
        assert self.read(afresh=True)

    def restart(self) -> None:
        """Read on as another process would."""
        self._catch_up = CatchUp(
            Calls(self.past),
            self.gate,
            channels=self._channels,
            now_us=lambda: BEGIN_S * SECOND_US,
            troubles=Troubles(),
            **self._given,
        )

    def read(self, *, afresh: bool) -> bool:
        """Read; return whether all was."""
        return self._catch_up.run(afresh=afresh).whole

    def read_to_the_end(self, *, most: int) -> int:
        """Read what is left; return the rounds that it took."""
        for number in range(1, most + 1):
            if self.read(afresh=False):
                return number
        pytest.fail("it has no end")

    def post(self, channel: str, count: int) -> None:
        """Post a number of messages, one a second, behind what the overlap reads anew."""
        begin = self.past.seconds[channel][-1] + OVERLAP_US // SECOND_US + 1
        self.past.seconds[channel] += range(begin, begin + count)

    def missed(self, channel: str) -> int:
        """Count what was posted and not taken."""
        posted = {stamp(each) for each in self.past.seconds[channel][1:]}
        return len(posted - self.gate.taken.get(channel, set()))


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Writer]:
    with closing(connect(tmp_path / "s.sqlite3")) as db:
        migrate(db, [SLACK_MIGRATIONS])
    with Writer(tmp_path / "s.sqlite3") as opened:
        yield opened


def test_another_gap_that_comes_while_a_long_one_is_read_is_read_behind_it(
    tmp_path: Path, writer: Writer
) -> None:
    scene = Scene(tmp_path, writer, ONE)
    scene.post(ONE, 2 * ROUND + 1)
    assert not scene.read(afresh=True)
    scene.post(ONE, 3)
    assert not scene.read(afresh=True)
    scene.read_to_the_end(most=3)
    assert scene.missed(ONE) == 0


def test_what_is_posted_while_a_long_gap_is_read_is_left_to_the_next_reading(
    tmp_path: Path, writer: Writer
) -> None:
    scene = Scene(tmp_path, writer, ONE)
    scene.post(ONE, ROUND + 1)
    assert not scene.read(afresh=True)
    scene.post(ONE, 3)
    assert scene.read(afresh=False)
    assert scene.missed(ONE) == 3
    assert scene.read(afresh=True)
    assert scene.missed(ONE) == 0


def test_a_restart_while_a_long_gap_is_read_begins_it_anew(tmp_path: Path, writer: Writer) -> None:
    scene = Scene(tmp_path, writer, ONE)
    scene.post(ONE, 2 * ROUND)
    assert not scene.read(afresh=True)
    scene.restart()
    scene.post(ONE, 1)
    assert not scene.read(afresh=True)
    scene.read_to_the_end(most=2)
    assert scene.missed(ONE) == 0


def test_a_channel_that_was_read_to_its_end_is_not_read_again_with_the_rest_of_another(
    tmp_path: Path, writer: Writer
) -> None:
    scene = Scene(tmp_path, writer, ONE, TWO)
    for channel in (ONE, TWO):
        scene.post(channel, ROUND + 1)
    scene.post(TWO, ROUND)
    assert not scene.read(afresh=True)
    assert not scene.read(afresh=False)
    before = len(scene.past.asked)
    assert scene.read(afresh=False)
    assert set(scene.past.asked_since(before)) == {TWO}
    assert scene.missed(ONE) == scene.missed(TWO) == 0


def test_where_slack_takes_too_few_calls_for_all_channels_each_has_its_turn(
    tmp_path: Path, writer: Writer
) -> None:
    """As many channels as there are: each reading afresh goes on with those that were left."""
    scene = Scene(tmp_path, writer, ONE, TWO, THREE)
    for channel in (ONE, TWO, THREE):
        scene.post(channel, 1)
    turns = []
    for _ in range(3):
        scene.past.takes, before = 1, len(scene.past.asked)
        assert not scene.read(afresh=True)
        turns += scene.past.asked_since(before)
    assert turns == [ONE, TWO, THREE]


def test_an_answer_that_nobody_foresaw_costs_the_other_channels_nothing(
    tmp_path: Path, writer: Writer, caplog: pytest.LogCaptureFixture
) -> None:
    scene = Scene(tmp_path, writer, ONE, TWO)
    scene.post(TWO, 1)
    scene.past.wrong = {ONE: {"messages": None}}
    assert not scene.read(afresh=True)
    assert scene.missed(TWO) == 0
    assert "the channel C1 could not be read" in caplog.text


@pytest.mark.parametrize("rounds_before", [0, 1])
def test_pages_without_a_message_are_no_gap_that_was_read(
    tmp_path: Path, writer: Writer, rounds_before: int
) -> None:
    scene = Scene(tmp_path, writer, ONE)
    scene.post(ONE, 2 * ROUND)
    for _ in range(rounds_before):
        assert not scene.read(afresh=True)
    scene.past.wrong = {ONE: {"messages": [{}], "response_metadata": {"next_cursor": "x"}}}
    assert not scene.read(afresh=rounds_before == 0)
    scene.past.wrong = {}
    assert scene.read_to_the_end(most=2) == 2 - rounds_before
    assert scene.missed(ONE) == 0

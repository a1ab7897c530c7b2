"""The rounds: the channels are read regularly, and sooner after a reading that was not whole."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlite_utils import Database

from approvals.store import connect, migrate, tx
from bot.slack import SLACK_MIGRATIONS
from bot.slack.catch_up import CaughtUp
from bot.slack.rounds import AGAIN_S, EVERY_S, SECOND_US, Rounds
from bot.slack.store.cursors import LEFT_OUT, move_cursor


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    """A store that several processes may share."""
    with closing(connect(tmp_path / "store.sqlite3")) as opened:
        migrate(opened, [SLACK_MIGRATIONS])
        yield opened


class Scene:
    """Rounds with a clock, and a history that is read."""

    def __init__(self) -> None:
        self.now_us = 1_700_000_000 * SECOND_US
        self.whole = True
        self.read = 0
        self.afresh: list[bool] = []
        self.rounds = Rounds(self.catch_up, now_us=lambda: self.now_us)

    def catch_up(self, *, afresh: bool) -> CaughtUp:
        self.read += 1
        self.afresh.append(afresh)
        return CaughtUp(whole=self.whole)

    def step(self, db: Database, *, after_us: int) -> int:
        """Take a step after some microseconds; return how often it was read in all."""
        self.now_us += after_us
        assert self.rounds.step(db) > self.now_us
        return self.read

    def after(self, us: int) -> int:
        """Go after some microseconds; return how often it was read in all."""
        self.now_us += us
        due_us = self.rounds.go()
        assert due_us > self.now_us
        return self.read


@pytest.mark.parametrize(("whole", "wait_s"), [(True, EVERY_S), (False, AGAIN_S)])
def test_it_is_read_at_once_and_again_when_the_time_is_over(whole: bool, wait_s: int) -> None:
    scene = Scene()
    scene.whole = whole
    assert scene.after(0) == 1
    assert scene.after(wait_s * SECOND_US - 1) == 1
    assert scene.after(1) == 2
    assert scene.after(1) == 2


def test_the_rest_of_a_reading_is_read_and_regularly_every_channel() -> None:
    scene = Scene()
    scene.whole = False
    for _ in range(EVERY_S // AGAIN_S + 1):
        scene.after(AGAIN_S * SECOND_US)
    assert scene.afresh == [True, False, False, False, False, True]

    scene.whole = True
    scene.after(AGAIN_S * SECOND_US)
    assert scene.after(EVERY_S * SECOND_US - 1) == 7
    scene.after(1)
    assert scene.afresh[-2:] == [False, True]


def test_what_slack_left_out_while_a_rest_is_read_is_read_in_every_channel(db: Database) -> None:
    scene = Scene()
    scene.whole = False
    scene.step(db, after_us=0)
    with tx(db):
        move_cursor(db, LEFT_OUT, scene.now_us + 1)

    scene.step(db, after_us=AGAIN_S * SECOND_US)
    scene.step(db, after_us=AGAIN_S * SECOND_US)
    scene.step(db, after_us=AGAIN_S * SECOND_US)
    assert scene.afresh == [True, False, True, False]


@pytest.mark.parametrize("told_at", [1, EVERY_S - AGAIN_S - 1])
def test_what_slack_left_out_is_read_once_when_its_minute_is_over(
    db: Database, told_at: int
) -> None:
    scene = Scene()
    assert scene.step(db, after_us=0) == 1
    told_us = scene.now_us + told_at * SECOND_US
    with tx(db):
        move_cursor(db, LEFT_OUT, told_us)

    scene.now_us = told_us
    assert scene.step(db, after_us=AGAIN_S * SECOND_US - 1) == 1
    assert scene.step(db, after_us=1) == 2
    assert scene.step(db, after_us=1) == 2
    assert scene.step(db, after_us=EVERY_S * SECOND_US - 2) == 2
    assert scene.step(db, after_us=1) == 3


def test_a_reading_within_the_minute_in_which_slack_leaves_out_is_not_the_last(
    db: Database,
) -> None:
    scene = Scene()
    scene.step(db, after_us=0)
    with tx(db):
        move_cursor(db, LEFT_OUT, scene.now_us + (EVERY_S - 1) * SECOND_US)

    assert scene.step(db, after_us=EVERY_S * SECOND_US) == 2
    assert scene.step(db, after_us=(AGAIN_S - 1) * SECOND_US - 1) == 2
    assert scene.step(db, after_us=1) == 3

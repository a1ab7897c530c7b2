"""What a thread does again and again, and how often."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlite_utils import Database

from bot.slack.steady import every


@pytest.fixture
def db() -> Iterator[Database]:
    db = Database(memory=True)
    yield db
    db.close()


def test_work_is_done_at_once_and_then_when_its_time_has_come(db: Database) -> None:
    now, done = [1_000], []
    step = every(50, lambda _db: done.append(now[0]), now_us=lambda: now[0])

    told = []
    for at in (1_000, 1_001, 1_049, 1_050, 1_051, 1_100):
        now[0] = at
        told.append(step(db))

    assert done == [1_000, 1_050, 1_100]
    assert told == [1_050, 1_050, 1_050, 1_100, 1_100, 1_150]


def test_work_that_fails_is_not_done_again_before_its_time(db: Database) -> None:
    now = [1_000]
    tries = []

    def fail(_db: Database) -> None:
        tries.append(now[0])
        raise ValueError("no")

    step = every(50, fail, now_us=lambda: now[0])
    with pytest.raises(ValueError, match="no"):
        step(db)
    now[0] = 1_049
    assert step(db) == 1_050
    assert tries == [1_000]

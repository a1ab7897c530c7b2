"""The rounds: the channels are read regularly, and sooner after a reading that was not whole."""

from __future__ import annotations

import pytest

from bot.slack.catch_up import CaughtUp
from bot.slack.rounds import AGAIN_S, EVERY_S, SECOND_US, Rounds


class Scene:
    """Rounds with a clock, and a history that is read."""

    def __init__(self) -> None:
        self.now_us = 1_700_000_000 * SECOND_US
        self.whole = True
        self.read = 0
        self.rounds = Rounds(self.catch_up, now_us=lambda: self.now_us)

    def catch_up(self) -> CaughtUp:
        self.read += 1
        return CaughtUp(whole=self.whole)

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

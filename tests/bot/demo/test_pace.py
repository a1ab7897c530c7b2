"""The demo's time: as fast as asked for, and over at once when it ends."""

from __future__ import annotations

import pytest

from bot.demo.pace import Pace

SECOND_US = 1_000_000


class Wall:
    """A wall clock that a test moves."""

    def __init__(self) -> None:
        self.us = 1_790_000_000 * SECOND_US

    def __call__(self) -> int:
        return self.us


@pytest.mark.parametrize(("speed", "seconds"), [(1.0, 2), (10.0, 20), (0.5, 1)])
def test_the_bots_time_goes_as_many_times_as_fast(speed: float, seconds: int) -> None:
    wall = Wall()
    pace = Pace(speed, wall=wall)
    began_us = pace.now_us()
    wall.us += 2 * SECOND_US

    assert began_us == 1_790_000_000 * SECOND_US
    assert pace.now_us() - began_us == seconds * SECOND_US


@pytest.mark.parametrize("speed", [0.0, -1.0, float("nan")])
def test_a_speed_is_above_nothing(speed: float) -> None:
    with pytest.raises(ValueError, match="above 0"):
        Pace(speed)


def test_a_pause_ends_with_the_demo() -> None:
    pace = Pace(1000.0)

    assert pace.pause(1.0)
    pace.end()
    assert not pace.pause(1_000_000.0)

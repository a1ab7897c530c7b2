"""Clocks that a scenario's test moves."""

from __future__ import annotations

import pytest

from bot.slack.outside import Outside
from tests.scenarios.ahead import Ahead


@pytest.fixture
def ahead() -> Ahead:
    """The clocks of a bot, to be put forward."""
    return Ahead()


@pytest.fixture
def outside(ahead: Ahead) -> Outside:
    """What a bot is given so that it goes by these clocks."""
    return Outside(now_us=ahead.now_us, monotonic=ahead.monotonic)

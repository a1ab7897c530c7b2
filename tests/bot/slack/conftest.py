"""An outbox, a poster and a small workspace."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from bot.workspace import Channel, HeldClock, User, Workspace
from tests.bot.slack.posting import ANN, BOT, CHANNEL, OTHER, OUT, Desk


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """An outbox beside a small workspace."""
    clock = HeldClock(1_790_000_000.0)
    place = Workspace(
        users=[User(id=ANN, name="ann"), User(id=OUT, name="out")],
        channels=[
            Channel(id=CHANNEL, name="support", members=(ANN, BOT)),
            Channel(id=OTHER, name="second", members=(ANN, BOT)),
        ],
        clock=clock,
    )
    with place, closing(Desk(tmp_path / "handrail.db", place, clock)) as desk:
        yield desk

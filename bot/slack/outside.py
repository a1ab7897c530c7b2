"""What a process of the bot takes from the outside: the model, the clock, a name, the gateways."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from uuid import uuid4

from bot.now import now_us as wall_us
from bot.shops import Gateways
from bot.slack.work import Play

__all__ = ["Outside"]


def _new_owner() -> str:
    return f"slack-{uuid4().hex}"


def _as_they_are(gateways: Gateways) -> Gateways:
    return gateways


@dataclass(frozen=True, slots=True, kw_only=True)
class Outside:
    """What a process takes from the outside.

    Attributes:
        play: makes the model of a run; None is what the settings say, live or recorded.
        now_us: microseconds since 1970.
        monotonic: seconds, for waits of this process.
        chance: from 0 to below 1, so that processes do not all try again at once.
        new_owner: names this process in claims, another name for each process.
        gateways: returns what writes to the shop in place of what the settings open, such as the
            same with simulated faults around it.
    """

    play: Play | None = None
    now_us: Callable[[], int] = wall_us
    monotonic: Callable[[], float] = time.monotonic
    chance: Callable[[], float] = random.random
    new_owner: Callable[[], str] = _new_owner
    gateways: Callable[[Gateways], Gateways] = _as_they_are

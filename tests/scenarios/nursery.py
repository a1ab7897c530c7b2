"""A nursery of bots: ``python -m tests.scenarios.nursery FOLDER API``.

Each line on its standard input begins a life: a whole serving process, forked from this one, which
has loaded everything and has no thread. It prints the life's pid, and its end: 0 or -9.

Time runs a hundred times as fast as on the wall, so that the pace of a message a second, and the
waits before a second try, cost a test little.
"""

from __future__ import annotations

import logging
import signal
import sys
import time
from pathlib import Path

from bot.slack.outside import Outside
from bot.slack.serve import served
from bot.workspace import Identity
from recordings import SHIPPED_RECORDINGS
from tests.harness.effects import EffectLog
from tests.harness.lives import begin, wait
from tests.scenarios.fuse import COMMITS, FUSE, Doom, Fuse
from tests.scenarios.office import secrets_of, settings_for
from tests.scenarios.refunds import play

FAST = 100
FEW = SHIPPED_RECORDINGS / "assistant.jsonl"
"""Recordings are read at each start, and not used here."""


def main() -> None:
    """Begin a life for each line."""
    folder, api = Path(sys.argv[1]), sys.argv[2]
    began_us = time.time_ns() // 1000

    def now_us() -> int:
        return began_us + (time.time_ns() // 1000 - began_us) * FAST

    def life() -> None:
        Doom(Fuse(folder / FUSE), EffectLog(folder / COMMITS)).watch()
        settings = settings_for(folder, api, data=folder / "data", recordings=FEW)
        outside = Outside(play=play, now_us=now_us)
        with served(settings, secrets_of(Identity()), outside=outside):
            signal.sigwait({signal.SIGTERM})

    logging.basicConfig(level=logging.ERROR)
    # Before there is any life: one that is told to stop as it begins is to end as any other does.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    for _ in sys.stdin:
        pid = begin(life)
        sys.stdout.write(f"{pid}\n")
        sys.stdout.flush()
        sys.stdout.write(f"{wait(pid)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()

"""The recorder in a folder that it does not have to itself."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

from bot.recorder import Recorder
from loop import PRICES, Entry
from recordings import SHIPPED_RECORDINGS, read_recordings

RUN = "T-1-resolver-1"
WAIT_S = 0.2
"""How long a thread is given to do what it must not."""


def a_run() -> tuple[Entry, ...]:
    """Return the entries of a run that is shipped."""
    return read_recordings(SHIPPED_RECORDINGS, PRICES).recordings[0].entries


def test_two_recorders_that_write_a_run_of_one_id_at_once_keep_both(tmp_path: Path) -> None:
    whole, shorter = a_run(), a_run()[:-1]
    other = threading.Thread(target=lambda: Recorder(tmp_path).keep(RUN, shorter))

    def slowly() -> Iterator[Entry]:
        other.start()
        other.join(WAIT_S)
        yield from whole

    Recorder(tmp_path).keep(RUN, slowly())
    other.join()

    lines = {each.name: len(each.read_bytes().splitlines()) for each in tmp_path.iterdir()}
    assert lines == {f"{RUN}.jsonl": len(whole), f"{RUN}.2.jsonl": len(shorter)}


def test_what_cannot_be_read_stays_and_holds_up_no_recording(tmp_path: Path) -> None:
    (tmp_path / f"{RUN}.jsonl").mkdir()
    assert Recorder(tmp_path).keep(RUN, a_run()) == tmp_path / f"{RUN}.2.jsonl"

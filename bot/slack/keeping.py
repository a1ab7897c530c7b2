"""``serve --record``: the recordings of runs that ended, written from the store.

A run's end and the note that its recording is owed are one commit. The file is written behind it,
so a kill, a full disk or a folder that was taken away delays a recording and loses none.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from sqlite_utils import Database

from approvals.store import Writer
from bot.recorder import Recorder
from bot.slack.store.owed import owed_recordings, settle_recording
from bot.slack.troubles import Troubles
from recordings import RecordingUnreadable, Runs

__all__ = ["Keeping"]

AGAIN_US: Final = 60_000_000
"""When a file that could not be written is tried again."""
TROUBLE: Final = "recordings cannot be written"


class Keeping:
    """Writes what is owed. One of a store, where the serve lock is held.

    Args:
        recorder: writes the files.
        writer: commits.
        troubles: where a folder that takes no files is told, once.
        now_us: microseconds since 1970.
    """

    def __init__(
        self,
        recorder: Recorder,
        *,
        writer: Writer,
        troubles: Troubles,
        now_us: Callable[[], int],
    ) -> None:
        self._recorder = recorder
        self._writer = writer
        self._troubles = troubles
        self._now_us = now_us
        self._again_us = 0

    def step(self, db: Database) -> int | None:
        """Write what is owed; return when to come again after a trouble, else None."""
        if self._now_us() < self._again_us:
            return self._again_us
        for run_id in owed_recordings(db):
            if not self._write(db, run_id):
                self._again_us = self._now_us() + AGAIN_US
                return self._again_us
        return None

    def _write(self, db: Database, run_id: str) -> bool:
        try:
            entries = Runs(db).entries(run_id)
            if entries:  # else it was purged meanwhile
                self._recorder.keep(run_id, entries)
        except RecordingUnreadable as error:
            self._troubles.tell(f"{run_id} is damaged", "no recording is written: %s", error)
        except OSError as error:
            text = "%s takes no recordings: %s; they stay in the store and are written when it does"
            self._troubles.tell(TROUBLE, text, self._recorder.folder, error.strerror)
            return False
        else:
            self._troubles.over(TROUBLE)
        self._writer.run(partial(settle_recording, run_id=run_id))
        return True

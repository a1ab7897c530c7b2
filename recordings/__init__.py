"""The recordings floor: journals as rows and as files, replay, import, construction."""

from recordings.codec import VERSION, decode, encode
from recordings.construct import WrittenRun, construct, profile_for, read_written
from recordings.erase import erase_journals_of, erase_old_journals
from recordings.errors import (
    RecordingsError,
    RecordingUnreadable,
    RecordingUnused,
    RunEnded,
    RunTaken,
    RunUnknown,
)
from recordings.files import SHIPPED_RECORDINGS, ReadRecordings, read_recordings, write_recording
from recordings.identity import recordings_digest
from recordings.origin import IMPORTED, RECORDED, Label, Score, Source, Unknown
from recordings.recording import Exchange, Recording
from recordings.replay import Match, ReplayModel
from recordings.store import RUN_MIGRATIONS, DurableSink, RunRow, Runs, RunState

__all__ = [
    "IMPORTED",
    "RECORDED",
    "RUN_MIGRATIONS",
    "SHIPPED_RECORDINGS",
    "VERSION",
    "DurableSink",
    "Exchange",
    "Label",
    "Match",
    "ReadRecordings",
    "Recording",
    "RecordingUnreadable",
    "RecordingUnused",
    "RecordingsError",
    "ReplayModel",
    "RunEnded",
    "RunRow",
    "RunState",
    "RunTaken",
    "RunUnknown",
    "Runs",
    "Score",
    "Source",
    "Unknown",
    "WrittenRun",
    "construct",
    "decode",
    "encode",
    "erase_journals_of",
    "erase_old_journals",
    "profile_for",
    "read_recordings",
    "read_written",
    "recordings_digest",
    "write_recording",
]

"""The recordings floor: journals as rows and as files, replay, import, construction."""

from recordings.bring_in import FileReport, ImportReport, import_runs
from recordings.codec import VERSION, decode, encode
from recordings.construct import WrittenRun, construct, profile_for, read_written
from recordings.decisions import ask_of, calls_of, decision_of
from recordings.erase import erase_journals_of, erase_old_journals
from recordings.errors import (
    EvaluationUnreadable,
    ImportUnclear,
    RecordingsError,
    RecordingUnreadable,
    RecordingUnused,
    RunEnded,
    RunTaken,
    RunUnknown,
)
from recordings.evaluate.compare import Comparison, Difference, compare
from recordings.evaluate.evaluation import SHARES, Evaluation, Identity, Judged, Totals
from recordings.evaluate.judge import Approve, Observed, Verdict, approves, judge
from recordings.evaluate.statistics import Share
from recordings.files import SHIPPED_RECORDINGS, ReadRecordings, read_recordings, write_recording
from recordings.identity import recordings_digest
from recordings.origin import IMPORTED, RECORDED, Label, Score, Source, Unknown
from recordings.recording import Exchange, Recording
from recordings.replay import Match, ReplayModel
from recordings.store import RUN_MIGRATIONS, DurableSink, RunRow, Runs, RunState
from recordings.whole_file import new_private_file

__all__ = [
    "IMPORTED",
    "RECORDED",
    "RUN_MIGRATIONS",
    "SHARES",
    "SHIPPED_RECORDINGS",
    "VERSION",
    "Approve",
    "Comparison",
    "Difference",
    "DurableSink",
    "Evaluation",
    "EvaluationUnreadable",
    "Exchange",
    "FileReport",
    "Identity",
    "ImportReport",
    "ImportUnclear",
    "Judged",
    "Label",
    "Match",
    "Observed",
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
    "Share",
    "Source",
    "Totals",
    "Unknown",
    "Verdict",
    "WrittenRun",
    "approves",
    "ask_of",
    "calls_of",
    "compare",
    "construct",
    "decision_of",
    "decode",
    "encode",
    "erase_journals_of",
    "erase_old_journals",
    "import_runs",
    "judge",
    "new_private_file",
    "profile_for",
    "read_recordings",
    "read_written",
    "recordings_digest",
    "write_recording",
]

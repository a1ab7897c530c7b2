"""The recordings floor: journals as rows and as files, replay, import, construction."""

from recordings.bring_in import FileReport, ImportReport, import_runs
from recordings.check import CheckedFile, check_recordings
from recordings.codec import VERSION, decode, encode
from recordings.construct import WrittenRun, construct, profile_for, read_written
from recordings.decisions import ask_of, calls_of, decision_of
from recordings.differ import RecordingDifference, first_difference, pairs_of
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
from recordings.files import (
    SHIPPED_RECORDINGS,
    SMALL_RECORDINGS,
    ReadRecordings,
    each_recording,
    read_recordings,
    write_recording,
)
from recordings.identity import recordings_digest
from recordings.origin import (
    IMPORTED,
    RECORDED,
    REDACTED_AGAIN,
    Label,
    Score,
    Source,
    Unknown,
    label_marks,
)
from recordings.prune import Old, to_prune
from recordings.recording import Exchange, Recording
from recordings.redact_more import Level, redacted_entries, redacted_text
from recordings.replay import Match, ReplayModel
from recordings.stats import RecordingStats, Spread, stats_of
from recordings.store import (
    RUN_MIGRATIONS,
    DurableSink,
    RunRow,
    Runs,
    RunState,
    abandon_run,
)
from recordings.whole_file import new_private_file

__all__ = [
    "IMPORTED",
    "RECORDED",
    "REDACTED_AGAIN",
    "RUN_MIGRATIONS",
    "SHARES",
    "SHIPPED_RECORDINGS",
    "SMALL_RECORDINGS",
    "VERSION",
    "Approve",
    "CheckedFile",
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
    "Level",
    "Match",
    "Observed",
    "Old",
    "ReadRecordings",
    "Recording",
    "RecordingDifference",
    "RecordingStats",
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
    "Spread",
    "Totals",
    "Unknown",
    "Verdict",
    "WrittenRun",
    "abandon_run",
    "approves",
    "ask_of",
    "calls_of",
    "check_recordings",
    "compare",
    "construct",
    "decision_of",
    "decode",
    "each_recording",
    "encode",
    "erase_journals_of",
    "erase_old_journals",
    "first_difference",
    "import_runs",
    "judge",
    "label_marks",
    "new_private_file",
    "pairs_of",
    "profile_for",
    "read_recordings",
    "read_written",
    "recordings_digest",
    "redacted_entries",
    "redacted_text",
    "stats_of",
    "to_prune",
    "write_recording",
]

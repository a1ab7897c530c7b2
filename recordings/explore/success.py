"""When a recorded run is held to have done its work. Said by whoever asks, never guessed."""

from __future__ import annotations

from enum import StrEnum
from typing import assert_never

from loop import Result, StopReason
from recordings import Recording
from recordings.explore.facts import Success

__all__ = ["SuccessRule"]


class SuccessRule(StrEnum):
    """By what a run counts as a success. Where that is not recorded it is unknown."""

    LABEL = "label"
    """By the label that it carries, of its source or of people."""
    VALID = "valid"
    """By our gates: it came to a valid answer, right or wrong."""
    FINISHED = "finished"
    """By its end: the model gave its last word, good or bad."""

    def of(self, recording: Recording) -> Success:
        """Return what the rule says of a recording."""
        match self:
            case SuccessRule.LABEL:
                return _success(None if recording.label is None else recording.label.success)
            case SuccessRule.VALID:
                ours = recording.closed is not None and recording.source is None
                result = recording.closed.result if recording.closed is not None and ours else None
                return _success(None if result is None else result == Result.VALID)
            case SuccessRule.FINISHED:
                stopped = recording.stopped
                reason = None if stopped is None else stopped.stop.reason
                return _success(None if reason is None else reason is StopReason.FINISHED)
            case _:
                assert_never(self)


def _success(answer: bool | None) -> Success:  # noqa: FBT001 (yes, no or unknown is all it is)
    if answer is None:
        return Success.UNKNOWN
    return Success.SUCCEEDED if answer else Success.FAILED

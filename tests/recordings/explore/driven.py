"""Runs of the real loop over scripts, recorded and driven again under other limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from loop import (
    Ask,
    Entry,
    Journal,
    MemorySink,
    ModelError,
    Reply,
    ScriptedModel,
    Stop,
    VirtualClock,
    Work,
    run,
)
from recordings import Recording
from recordings.explore import RunFacts, Success, facts_of
from tests.loop.fakes import make_work
from tests.loop.scripts import THE_END

__all__ = ["drive", "facts", "recorded", "work_under"]


class _Pacing:
    """A sink after whose entries time goes on: by 0 to 12 seconds, the same at the same place."""

    def __init__(self, clock: VirtualClock) -> None:
        self._sink = MemorySink()
        self._clock = clock

    @property
    def entries(self) -> list[Entry]:
        """What was written."""
        return self._sink.entries

    def append(self, entry: Entry) -> None:
        """Keep the entry, and let time go on."""
        self._sink.append(entry)
        self._clock.advance(entry.seq * 7 % 13)


def work_under(way: tuple[str, Ask | None], **limits: Any) -> Work:
    """Return the work of a run in this profile and way of asking, under these limits."""
    name, ask = way
    return make_work(name, ask=ask, **limits)


def drive(work: Work, script: Sequence[Reply | ModelError]) -> tuple[Stop, list[Entry]]:
    """Run the script under the work's limits; return the stop and the journal."""
    clock = VirtualClock()
    sink = _Pacing(clock)
    ended = run(work, ScriptedModel([*script, THE_END], clock), Journal(sink, clock))
    return ended.stop, sink.entries


def recorded(work: Work, script: Sequence[Reply | ModelError]) -> tuple[Stop, RunFacts]:
    """Run the script and return the stop and the facts of the recording."""
    stop, entries = drive(work, script)
    return stop, facts(entries)


def facts(entries: Sequence[Entry], success: Success = Success.UNKNOWN) -> RunFacts:
    """Return the facts of a journal."""
    recording = Recording.of("run-1", entries)
    assert recording is not None
    return facts_of(replace(recording), success)

"""The journal of one run, from the run's side: write what happens, recall what already happened.

A run that was killed is resumed by running it again over its own past: what the past holds is
recalled (a model's reply, a tool's result) or must come out the same (everything the rules
compute), and from its end on the run goes on live. So counters, errors in a row and seen calls
survive, with no second copy of any rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

from loop.clock import Clock
from loop.errors import JournalDiverged
from loop.records import Entry, Opened, Record

__all__ = ["Journal", "MemorySink", "Sink"]

R = TypeVar("R")


class Sink(Protocol):
    """Where new entries go. Returns when the entry is as durable as it will get."""

    def append(self, entry: Entry) -> None:
        """Store the entry, or raise; nothing goes on before it is stored."""
        ...


class MemorySink:
    """Keeps entries in a list: for tests, and where a run need not survive."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []

    def append(self, entry: Entry) -> None:
        """Keep the entry."""
        self.entries.append(entry)


class Journal:
    """Writes one run's records in order, stamped with the run's active time.

    ``past`` holds the entries of an earlier life of the same run, in order.
    """

    def __init__(self, sink: Sink, clock: Clock, past: Sequence[Entry] = ()) -> None:
        self._sink = sink
        self._clock = clock
        self._past = past
        self._next = 0
        self._seq = 0
        self._at_us = 0
        self._live_since_us: int | None = None

    @property
    def at_us(self) -> int:
        """Active run time at the last record, in microseconds. Downtime does not count."""
        return self._at_us

    @property
    def replaying(self) -> bool:
        """Whether entries of an earlier life are still to come."""
        return self._next < len(self._past)

    def write(self, record: Record) -> None:
        """Store a record, or, while the past lasts, see that it is the one stored before.

        Raises:
            JournalDiverged: the run does something else than its earlier life did here.
        """
        if not self.replaying:
            entry = self.next_entry(record)
            self._sink.append(entry)
            self._take(entry)
            return
        stored = self._past[self._next]
        if stored.record != record:
            raise JournalDiverged(
                f"journal entry {stored.seq} is {stored.record.kind}, and the resumed run comes to "
                f"{record.kind}{_difference(stored.record, record)}; what shaped the run (profile, "
                "limits, prompt, tools or data) has changed since it was stopped: start a new run"
            )
        self._recalled(stored)

    def recall(self, kind: type[R]) -> R | None:
        """Return the next record of the past if it is of this kind, else None."""
        if not self.replaying:
            return None
        stored = self._past[self._next]
        if not isinstance(stored.record, kind):
            return None
        self._recalled(stored)
        return stored.record

    def next_entry(self, record: Record) -> Entry:
        """Return the entry that this record would become now, without storing it.

        For the closing record, which its caller stores in the commit that ends the run.
        """
        since_us = self._live_since_us
        lived_us = 0 if since_us is None else max(0, self._clock.now_us() - since_us)
        return Entry(seq=self._seq, at_us=self._at_us + lived_us, record=record)

    def _take(self, entry: Entry) -> None:
        if self._live_since_us is not None:
            self._live_since_us += entry.at_us - self._at_us
        self._placed(entry)

    def _recalled(self, entry: Entry) -> None:
        self._next += 1
        self._live_since_us = self._clock.now_us()
        self._placed(entry)

    def _placed(self, entry: Entry) -> None:
        """Move on behind an entry. Time runs from the first request, at 0 in life and replay."""
        self._at_us = entry.at_us
        self._seq = entry.seq + 1
        if isinstance(entry.record, Opened):
            self._live_since_us = None
        elif self._live_since_us is None:
            self._live_since_us = self._clock.now_us()


def _difference(stored: Record, now: Record) -> str:
    """Name the first field that differs, never its values: they may hold anything."""
    if type(stored) is not type(now):
        return ""
    names = stored.__dataclass_fields__
    first = next(name for name in names if getattr(stored, name) != getattr(now, name))
    return f" with another {first}"

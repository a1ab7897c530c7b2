"""A recording: the journal of one run, kept to be replayed, and the exchanges in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from loop import Asked, Closed, Entry, Failed, Message, Opened, Replied, Stopped
from recordings.origin import (
    IMPORTED,
    REDACTED_AGAIN,
    Label,
    Source,
    Unknown,
    label_of,
    source_of,
    unknown_of,
)

__all__ = ["Exchange", "Recording", "exchanges_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One recorded request and what came back.

    ``digest`` and ``appended`` are None where the recording does not hold the request (imports).
    """

    step: int
    digest: str | None
    appended: tuple[Message, ...] | None
    answer: Replied | Failed
    answer_us: int
    """Run time from the request to the answer, in microseconds."""
    after_us: tuple[int, ...] = ()
    """Run time from the answer to the entry after it, from that to the next, and so on up to the
    next request: the time of tools, and our own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """One recorded run. ``opened`` and ``entries`` are missing in an import."""

    name: str
    ticket_id: str
    exchanges: tuple[Exchange, ...]
    opened: Opened | None = None
    stopped: Stopped | None = None
    closed: Closed | None = None
    entries: tuple[Entry, ...] = ()

    @property
    def profile(self) -> str | None:
        """The profile it was recorded with; None where it is not known, or is none of ours."""
        if self.opened is None or self.opened.profile == IMPORTED:
            return None
        return self.opened.profile

    @property
    def source(self) -> Source | None:
        """Where it came from; None for a run of ours."""
        return None if self.opened is None else source_of(self.opened)

    @property
    def label(self) -> Label | None:
        """What its source says of its worth; None where it says nothing."""
        return None if self.opened is None else label_of(self.opened)

    @property
    def unknown(self) -> frozenset[Unknown]:
        """What is unknown of it, of at least one reply or call."""
        return frozenset() if self.opened is None else unknown_of(self.opened)

    @property
    def constructed(self) -> bool:
        """Whether its replies were written by hand: times, tokens and costs are no model's."""
        return self.opened is not None and self.opened.marks.get("constructed") is True

    @property
    def redacted_again(self) -> bool:
        """Whether it is an export that holds other texts than the model saw."""
        return self.opened is not None and REDACTED_AGAIN in self.opened.marks

    @property
    def complete(self) -> bool:
        """Whether it has its closing record; without one it was cut off."""
        return self.closed is not None

    @classmethod
    def of(cls, name: str, entries: Iterable[Entry]) -> Recording | None:
        """Return the recording that the entries make, or None when they hold no opening."""
        kept = tuple(entries)
        opened = next((e.record for e in kept if isinstance(e.record, Opened)), None)
        if opened is None:
            return None
        return cls(
            name=name,
            ticket_id=opened.ticket_id,
            exchanges=tuple(exchanges_of(kept)),
            opened=opened,
            stopped=next((e.record for e in kept if isinstance(e.record, Stopped)), None),
            closed=next((e.record for e in kept if isinstance(e.record, Closed)), None),
            entries=kept,
        )


def exchanges_of(entries: Sequence[Entry]) -> Iterator[Exchange]:
    """Yield each answered request; one that was lost in flight is no exchange."""
    asked: Asked | None = None
    asked_us = 0
    for index, entry in enumerate(entries):
        record = entry.record
        if isinstance(record, Asked):
            asked, asked_us = record, entry.at_us
        elif isinstance(record, Replied | Failed) and asked is not None:
            yield Exchange(
                step=asked.step,
                digest=asked.digest,
                appended=asked.appended,
                answer=record,
                answer_us=max(0, entry.at_us - asked_us),
                after_us=tuple(_gaps(entries[index:])),
            )
            asked = None


def _gaps(entries: Sequence[Entry]) -> Iterator[int]:
    """Yield the run time between entries, from the first up to the next request."""
    for entry, after in pairwise(entries):
        yield max(0, after.at_us - entry.at_us)
        if isinstance(after.record, Asked):
            return

"""A recording: the journal of one run, kept to be replayed, and the exchanges in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from loop import Asked, Closed, Entry, Failed, Message, Opened, Replied, Stopped

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
        """The profile it was recorded with, where known."""
        return None if self.opened is None else self.opened.profile

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


def exchanges_of(entries: Iterable[Entry]) -> Iterator[Exchange]:
    """Yield each answered request; one that was lost in flight is no exchange."""
    asked: Asked | None = None
    for entry in entries:
        record = entry.record
        if isinstance(record, Asked):
            asked = record
        elif isinstance(record, Replied | Failed) and asked is not None:
            yield Exchange(
                step=asked.step, digest=asked.digest, appended=asked.appended, answer=record
            )
            asked = None

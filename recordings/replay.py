"""The replay model: a recorded model behind the model seam, with no live one behind it.

Strict match: a request is answered by the recording of exactly this request (its digest) at this
step. Sequence match, on request: by ticket and step, with a note on every reply. Recorded errors
are raised again, and recorded times move the virtual clock, those of the tools too where the
journal is written through :meth:`ReplayModel.paced`, so that time limits see what they saw.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from enum import StrEnum

from loop import (
    Asked,
    AskingStopped,
    BudgetCut,
    Entry,
    Failed,
    LostAttempt,
    Opened,
    ProviderFailed,
    RecordingMissing,
    Reply,
    Request,
    Sink,
    VirtualClock,
)
from recordings.errors import RecordingUnused
from recordings.miss import explain
from recordings.recording import Exchange, Recording

__all__ = ["Match", "ReplayModel"]


class Match(StrEnum):
    """How a replay finds the recorded reply for a request."""

    STRICT = "strict"
    SEQUENCE = "sequence"


class ReplayModel:
    """Answers one run from the recordings of its ticket."""

    def __init__(
        self,
        recordings: Sequence[Recording],
        *,
        match: Match = Match.STRICT,
        clock: VirtualClock | None = None,
        profile: str | None = None,
    ) -> None:
        """Take the recordings of one ticket; ``profile`` is for the words of a miss."""
        self._recordings = tuple(recordings)
        self._match = match
        self._clock = clock
        self._profile = profile
        self._followed: Recording | None = None
        self._step = 0
        self._gaps: Iterator[int] = iter(())

    def ask(self, request: Request, *, time_left_s: float | None) -> Reply:
        """Return the recorded reply, or raise the recorded error.

        Raises:
            RecordingMissing: none fits; the message names the nearest and what differs.
            ProviderFailed, BudgetCut, AskingStopped: as recorded.
        """
        del time_left_s  # what was recorded has arrived
        recording, exchange = self._find(request)
        self._followed = recording
        self._step = request.step
        answer = exchange.answer
        self._gaps = iter(exchange.after_us)
        self._advance(exchange.answer_us)
        if isinstance(answer, Failed):
            raise _error(answer)
        note = _note(recording, same_request=exchange.digest == request.digest)
        return answer.reply if note is None else replace(answer.reply, note=note)

    def paced(self, sink: Sink) -> Sink:
        """Return the sink with the recorded times between entries put on the virtual clock."""
        return _PacedSink(sink, self._after_entry)

    @property
    def left_over(self) -> int:
        """Recorded replies of the followed recording that were not asked for."""
        if self._followed is None:
            return 0
        # By step and not by count: a resumed run asks only for what its earlier life had not.
        return sum(found.step > self._step for found in self._followed.exchanges)

    def done(self) -> None:
        """Check, after a run that finished, that the recording was used up.

        Raises:
            RecordingUnused: the recorded run went on where this one ended.
        """
        if self.left_over and self._followed is not None:
            raise RecordingUnused(
                f"the run finished after {self._step} of the {len(self._followed.exchanges)} "
                f"recorded replies of {self._followed.name}: it is not the run that was recorded"
            )

    def _after_entry(self) -> None:
        """Move on to the time of the entry after the one that was written."""
        self._advance(next(self._gaps, 0))

    def _advance(self, us: int) -> None:
        if self._clock is not None:
            self._clock.advance_us(us)

    def _find(self, request: Request) -> tuple[Recording, Exchange]:
        own = [found for found in self._recordings if found.ticket_id == request.ticket_id]
        # Where several fit, the one that answered the steps before goes on.
        for recording in sorted(own, key=lambda found: found is not self._followed):
            exchange = _at(recording, request.step)
            if exchange is not None and self._fits(recording, exchange, request):
                return recording, exchange
        raise RecordingMissing(explain(request, own, profile=self._profile))

    def _fits(self, recording: Recording, exchange: Exchange, request: Request) -> bool:
        if self._match is Match.STRICT:
            return exchange.digest == request.digest
        # By place: one recording is followed to its end, never two in turns.
        return self._followed in (None, recording)


class _PacedSink:
    def __init__(self, sink: Sink, after_entry: Callable[[], None]) -> None:
        self._sink = sink
        self._after_entry = after_entry

    def append(self, entry: Entry) -> None:
        self._sink.append(entry)
        if not isinstance(entry.record, Opened | Asked | LostAttempt):
            self._after_entry()


def _at(recording: Recording, step: int) -> Exchange | None:
    return next((found for found in recording.exchanges if found.step == step), None)


def _note(recording: Recording, *, same_request: bool) -> str | None:
    """Return what is to be said of a reply that is not simply the recorded one."""
    notes = [] if same_request else ["recorded for another request, taken by its place"]
    if recording.redacted_again:
        notes.append("from an export that was redacted again: not all that the model said")
    return "; ".join(notes) or None


def _error(failed: Failed) -> Exception:
    latency_us = failed.latency_us or 0
    match failed.cause:
        case "budget_cut":
            return BudgetCut(failed.message, latency_us=latency_us, attempts=failed.attempts)
        case "cancelled":
            return AskingStopped(failed.message, latency_us=latency_us, attempts=failed.attempts)
        case "no_recording":
            return RecordingMissing(failed.message, latency_us=latency_us)
        case "provider_error":
            return ProviderFailed(
                failed.message,
                status=failed.status,
                wait_s=failed.wait_s,
                latency_us=latency_us,
                attempts=failed.attempts,
            )

"""The replay model: a recorded model behind the model seam, with no live one behind it.

Strict match: a request is answered by the recording of exactly this request (its digest) at this
step. Sequence match, on request: by ticket and step, with a note on every reply. Recorded errors
are raised again, and recorded latency moves the virtual clock, so that time limits see what they
saw.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum

from loop import (
    BudgetCut,
    Failed,
    ProviderFailed,
    RecordingMissing,
    Reply,
    Request,
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
    ) -> None:
        self._recordings = tuple(recordings)
        self._match = match
        self._clock = clock
        self._followed: Recording | None = None
        self._step = 0

    def ask(self, request: Request, *, time_left_s: float | None) -> Reply:
        """Return the recorded reply, or raise the recorded error.

        Raises:
            RecordingMissing: none fits; the message names the nearest and what differs.
            ProviderFailed, BudgetCut: as recorded.
        """
        del time_left_s  # what was recorded has arrived
        recording, exchange = self._find(request)
        self._followed = recording
        self._step = request.step
        answer = exchange.answer
        latency_us = answer.latency_us if isinstance(answer, Failed) else answer.reply.latency_us
        if self._clock is not None:
            self._clock.advance_us(latency_us)
        if isinstance(answer, Failed):
            raise _error(answer)
        if exchange.digest == request.digest:
            return answer.reply
        return replace(answer.reply, note="recorded for another request, taken by its place")

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

    def _find(self, request: Request) -> tuple[Recording, Exchange]:
        own = [found for found in self._recordings if found.ticket_id == request.ticket_id]
        # Where several fit, the one that answered the steps before goes on.
        for recording in sorted(own, key=lambda found: found is not self._followed):
            exchange = _at(recording, request.step)
            if exchange is not None and self._fits(recording, exchange, request):
                return recording, exchange
        raise RecordingMissing(explain(request, own))

    def _fits(self, recording: Recording, exchange: Exchange, request: Request) -> bool:
        if self._match is Match.STRICT:
            return exchange.digest == request.digest
        # By place: one recording is followed to its end, never two in turns.
        return self._followed in (None, recording)


def _at(recording: Recording, step: int) -> Exchange | None:
    return next((found for found in recording.exchanges if found.step == step), None)


def _error(failed: Failed) -> Exception:
    match failed.cause:
        case "budget_cut":
            return BudgetCut(failed.message, latency_us=failed.latency_us)
        case "no_recording":
            return RecordingMissing(failed.message, latency_us=failed.latency_us)
        case "provider_error":
            return ProviderFailed(
                failed.message,
                status=failed.status,
                wait_s=failed.wait_s,
                latency_us=failed.latency_us,
            )

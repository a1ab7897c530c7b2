"""A recorded run, walked again under other limits. The rules are the loop's own.

The order is that of the live loop (``loop.run``): budgets, the reply, each call in its order, the
end of the step. What the recording does not hold is not made up: where a call would run that did
not, or the model would have seen something else, the walk ends as unknown.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, assert_never

from loop import (
    TIME,
    CostState,
    Handling,
    Limits,
    ReplyTally,
    Stop,
    StopReason,
    Tally,
    check_after_step,
    check_before_call,
    check_call,
    reached_limits,
    stopped,
)
from recordings.explore.facts import CallFacts, EndKind, RunFacts, StepFacts
from tools import Kind

__all__ = [
    "Fate",
    "Place",
    "Point",
    "Walk",
    "WhatIf",
    "as_recorded",
    "ended_by",
    "unstopped",
    "what_if",
]


class Fate(StrEnum):
    """What a set of limits makes of a recorded run."""

    SAME = "same"
    """It ends as it did."""
    STOPS = "stops"
    """It stops where it went on, or for another reason where it stopped."""
    UNKNOWN = "unknown"
    """It would have gone on beyond what is recorded."""
    NOT_COMPARABLE = "not_comparable"


@dataclass(frozen=True, slots=True, kw_only=True)
class WhatIf:
    """What a set of limits makes of one recorded run."""

    fate: Fate
    step: int
    """Model calls made at the end; of an unknown end, those that are known to be made."""
    stop: Stop | None = None
    """The stop under these limits, where one of them brings the end."""
    reached: tuple[str, ...] = ()
    """Limits used up at the end that cut nothing: nothing came after."""
    why: str | None = None
    """Why the run is not comparable."""


class Place(StrEnum):
    """Where in a run a rule is checked."""

    BEFORE_CALL = "before_call"
    """Before a model call; the step is the number of those made."""
    DURING_CALL = "during_call"
    """During a model call that the time budget cut when it was recorded."""
    CALL = "call"
    """Before a tool call."""
    AFTER_STEP = "after_step"


@dataclass(frozen=True, slots=True)
class Point:
    """One check in a run. ``call`` is the index in the reply where the place is a call."""

    step: int
    place: Place
    call: int | None = None


Check = tuple[Point, Stop | None]
BEYOND_CODE: Final = "too_many_calls"
"""The code of a call that was beyond the limit of its step."""


def what_if(facts: RunFacts, limits: Limits) -> WhatIf:
    """Return what these limits make of a recorded run."""
    why = facts.not_comparable(limits)
    if why is not None:
        return WhatIf(fate=Fate.NOT_COMPARABLE, step=0, why=why)
    walk = Walk(facts, limits)
    for _, stop in walk.points():
        if stop is not None:
            return ended_by(facts, stop)
    return unstopped(limits, walk.tally, ended=walk.ended)


def ended_by(facts: RunFacts, stop: Stop) -> WhatIf:
    """Return the answer for a run that a limit stops: the same end where it was this one."""
    past = facts.end.stop
    same = (
        facts.end.kind is EndKind.STOPPED
        and past is not None
        and (past.reason, past.step) == (stop.reason, stop.step)
    )
    return WhatIf(fate=Fate.SAME if same else Fate.STOPS, step=stop.step, stop=stop)


def unstopped(limits: Limits, tally: Tally, *, ended: bool) -> WhatIf:
    """Return the answer for a run that no limit stops: its own end, or unknown from here on."""
    if not ended:
        return WhatIf(fate=Fate.UNKNOWN, step=tally.steps)
    return WhatIf(fate=Fate.SAME, step=tally.steps, reached=reached_limits(limits, tally))


def as_recorded(facts: RunFacts, limits: Limits) -> Limits:
    """Return the limits with those that shape replies and results as they were recorded.

    They decide what the model sees, so that with others nearly every run would be unknown.
    """
    past = facts.limits
    return limits.changed(
        max_result_chars=None if past is None else past.max_result_chars,
        max_calls_per_step=None if past is None else past.max_calls_per_step,
        duplicates_in_reply=limits.duplicates_in_reply
        if past is None
        else past.duplicates_in_reply,
    )


class Walk:
    """One pass over a recorded run. ``tally`` is what was used up to the point reached."""

    def __init__(self, facts: RunFacts, limits: Limits) -> None:
        self.tally = Tally()
        self.ended = False
        """Whether the recorded end was reached, so that it is the end under these limits too."""
        self._facts = facts
        self._limits = limits
        self._diverged = False
        """The model would have seen something else: what comes after is unknown."""

    def points(self) -> Iterator[tuple[Point, Stop | None]]:
        """Yield each check in order, with its stop; whoever walks ends at the first."""
        for step in self._facts.steps:
            yield self._before_call(step.wall_before_us)
            if self._diverged:
                return
            over = yield from self._step(step)
            if over:
                return
        if self._facts.end.kind in (EndKind.STOPPED, EndKind.NO_RECORDING):
            yield self._before_call(None)
        else:
            self._end()

    def _before_call(self, wall_us: int | None) -> Check:
        if wall_us is not None:
            self.tally.wall_us = wall_us
        point = Point(self.tally.steps, Place.BEFORE_CALL)
        return point, check_before_call(self._limits, self.tally)

    def _end(self) -> bool:
        """Take the recorded end as the end, unless the model would have seen something else."""
        self.ended = not self._diverged
        return True

    def _step(self, step: StepFacts) -> Generator[Check, None, bool]:
        """Walk one step; the value is whether the walk is over."""
        tally = self.tally
        self._account(step)
        if step.failed is not None:
            return (yield from self._without_reply(step))
        if step.cancelled or step.answers:
            return self._end()
        if step.unusable:
            tally.count_error()
        elif (yield from self._calls(step)):
            return True
        tally.wall_us = step.wall_after_us or 0
        # Where nothing came after, what was used up is reported and cuts nothing.
        nothing_after = self._facts.end.kind in (EndKind.FINISHED, EndKind.RECORD_ENDED)
        if nothing_after and step is self._facts.steps[-1]:
            return self._end()
        point = Point(tally.steps, Place.AFTER_STEP)
        yield point, check_after_step(self._limits, tally)
        return False

    def _account(self, step: StepFacts) -> None:
        tally = self.tally
        tally.count_step()
        tally.count_model_time(step.latency_us)
        if step.cost is not None and step.cost.state is not CostState.NOT_RECORDED:
            tally.count_cost(step.cost.usd)
        tally.wall_us = step.wall_after_us or 0

    def _without_reply(self, step: StepFacts) -> Generator[Check, None, bool]:
        """End with a failure of no limit; of a call that the budget cut the limits decide."""
        if step.failed in ("provider_error", "cancelled"):
            return self._end()
        limits, past = self._limits, self._facts.limits
        stop: Stop | None = None
        if past is not None and past.clock is limits.clock:
            cut_us, most_us = TIME.most(past), TIME.most(limits)
            # A smaller budget would have cut the call too; with a larger one nobody knows.
            if cut_us is not None and most_us is not None and most_us <= cut_us:
                stop = stopped(limits, self.tally, StopReason.TIME, self._facts.end.words)
        yield Point(self.tally.steps, Place.DURING_CALL), stop
        return True

    def _calls(self, step: StepFacts) -> Generator[Check, None, bool]:
        """Walk the calls of one reply; the value is whether the walk is over."""
        tally, reply = self.tally, ReplyTally()
        first: dict[str, CallFacts] = {}
        for index, call in enumerate(step.calls):
            if call.is_finish:
                if self._diverged or call.kind is Kind.NOT_RUN:
                    return True
                if call.kind is Kind.OK:
                    tally.wall_us = step.wall_after_us or 0
                    return self._end()
                tally.count_error()
                continue
            tally.wall_us = call.wall_us or 0
            handling = check_call(self._limits, tally, reply, call.signature)
            point = Point(tally.steps, Place.CALL, index)
            yield point, handling if isinstance(handling, Stop) else None
            match handling:
                case Handling.RUN if not call.ran:
                    return True
                case Handling.RUN:
                    # Where the outcome is not recorded, no limit hangs on it: see not_comparable.
                    tally.count_call(call.signature, call.kind or Kind.OK)
                    first[call.signature] = call
                case Handling.COPY:
                    self._diverged |= call.ran and call.text != first[call.signature].text
                case Handling.BEYOND:
                    self._diverged |= call.code != BEYOND_CODE
                case Stop():
                    return True
                case _:
                    assert_never(handling)
        self._diverged |= not all(map(self._shown_as_recorded, step.calls))
        return False

    def _shown_as_recorded(self, call: CallFacts) -> bool:
        """Whether the model would have seen the same answer under this limit of its length."""
        past, most = self._facts.limits, self._limits.max_result_chars
        if call.cut:
            return past is not None and past.max_result_chars == most
        return most is None or call.text is None or len(call.text) <= most

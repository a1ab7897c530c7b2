"""What a recorded run holds for a what-if: everything that its ending hung on, and nothing else.

Times are microseconds. None is unknown, never zero.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import Any, Final

from loop import BOUNDS, REPEATS, Cause, Cost, CostState, Limits, Repeat, RunClock, Stop
from tools import Kind

__all__ = [
    "COMPARED",
    "CallFacts",
    "EndKind",
    "RunEnd",
    "RunFacts",
    "StepFacts",
    "Success",
    "turns_of",
]


class Success(StrEnum):
    """Whether a run is held to have done its work."""

    SUCCEEDED = "succeeded"
    FAILED = "failed"
    UNKNOWN = "unknown"


class EndKind(StrEnum):
    """What ended the recorded run."""

    FINISHED = "finished"
    """The model gave its last word."""
    STOPPED = "stopped"
    """A limit: with a looser one the run would have gone on, nobody knows how."""
    PROVIDER_ERROR = "provider_error"
    CANCELLED = "cancelled"
    NO_RECORDING = "no_recording"
    """A replay had no reply: the run would have gone on."""
    RECORD_ENDED = "record_ended"
    """Nothing more is recorded, and nothing says why: not the same as finished."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEnd:
    """How the recorded run ended. ``stop`` is None where no loop of ours ended it."""

    kind: EndKind
    stop: Stop | None = None
    words: str | None = None
    """The source's own word for the end, or the cause."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallFacts:
    """One call as it was recorded."""

    name: str
    arguments: str
    signature: str
    """Equal for equal calls."""
    is_finish: bool
    kind: Kind | None
    """What it came to; ``not_run`` where it was not run, so that nobody knows what it would have
    come to. None: it ran, and what came of it is not recorded."""
    code: str | None = None
    copy: bool = False
    """It was given the result of an equal call in the same reply."""
    text: str | None = None
    """The answer as the model saw it."""
    cut: bool = False
    wall_us: int | None = None
    """Run time just before the call."""

    @property
    def ran(self) -> bool:
        """Whether it was run, and so may have changed the tally."""
        return self.kind is not Kind.NOT_RUN and not self.copy


@dataclass(frozen=True, slots=True, kw_only=True)
class StepFacts:
    """One model call, what came back, and the tool calls of it."""

    step: int
    text: str | None = None
    calls: tuple[CallFacts, ...] = ()
    model: str | None = None
    latency_us: int | None = None
    cost: Cost | None = None
    """None where no reply came."""
    tokens_in: int | None = None
    tokens_out: int | None = None
    wall_before_us: int | None = None
    """Run time at the last record before the request."""
    wall_after_us: int | None = None
    """Run time at the last record of the step."""
    unusable: bool = False
    """A reply without a usable step, where that is one error."""
    answers: bool = False
    """A reply without calls, where that is the last word."""
    cancelled: bool = False
    """The run was cancelled before the reply was judged."""
    failed: Cause | None = None
    """Why no reply came."""
    new_turn: bool = False
    """The customer wrote again before this step."""


@dataclass(frozen=True, kw_only=True)  # without slots, for what is worked out once
class RunFacts:
    """One recorded run, or one user turn of it."""

    run_id: str
    ticket_id: str
    source: str
    """The file it was read from, or what made it."""
    model: str | None
    profile: str | None
    limits: Limits | None
    """The limits it was recorded under; None where they are not ours or not known."""
    success: Success
    steps: tuple[StepFacts, ...]
    end: RunEnd
    turn: int | None = None
    """The number of the user turn, from 1; None for a whole run."""
    named_limits: frozenset[str] = frozenset()
    """Limits that the prompt told the model."""
    constructed: bool = False
    """Its replies were written by hand: the times and costs in it are no model's."""

    def measured(self) -> RunFacts:
        """Return the run with only what was measured: without times and costs that were made up."""
        if not self.constructed:
            return self
        steps = (replace(step, **_UNMEASURED) for step in self.steps)
        return replace(self, steps=tuple(steps))

    @cached_property
    def outcomes_known(self) -> bool:
        """Whether what came of each call is recorded."""
        return all(call.kind is not None for step in self.steps for call in step.calls)

    @cached_property
    def costs_known(self) -> bool:
        """Whether the recording speaks of costs; a cost that nobody knew counts as spoken of."""
        costs = [step.cost for step in self.steps if step.cost is not None]
        return all(cost.state is not CostState.NOT_RECORDED for cost in costs)

    @cached_property
    def clocks_known(self) -> frozenset[RunClock]:
        """The clocks on which the time of every step is recorded."""
        known = set()
        if all(step.latency_us is not None for step in self.steps):
            known.add(RunClock.MODEL)
        if all(step.wall_after_us is not None for step in self.steps):
            known.add(RunClock.WALL)
        return frozenset(known)

    @cached_property
    def all_known(self) -> bool:
        """Whether any limits can be tried on this run."""
        clocks = self.clocks_known == frozenset(RunClock)
        return clocks and self.costs_known and self.outcomes_known and not self.named_limits

    def not_comparable(self, limits: Limits) -> str | None:
        """Return why these limits cannot be tried on this run; None where they can."""
        objections = (self.objection_to(name, limits) for name in COMPARED)
        return next((each for each in objections if each is not None), None)

    def objection_to(self, name: str, limits: Limits) -> str | None:
        """Return why the limit of this name cannot be tried on this run; None where it can."""
        value = getattr(limits, name)
        if name in self.named_limits and (
            self.limits is None or getattr(self.limits, name) != value
        ):
            return f"{name}: the prompt told the model this limit"
        if value is not None and not self._recorded(name, limits):
            return f"{name}: {_NEEDS[name]} are not recorded"
        return None

    def _recorded(self, name: str, limits: Limits) -> bool:
        """Whether the recording holds what this limit counts."""
        match name:
            case "max_seconds":
                return limits.clock in self.clocks_known
            case "max_cost_usd":
                return self.costs_known
            case "max_errors":
                return self.outcomes_known
            case "allowed_repeats":
                return limits.repeat is Repeat.ANY or self.outcomes_known
            case _:
                return True


_UNMEASURED: Final[Mapping[str, Any]] = {
    "latency_us": None,
    "cost": Cost(state=CostState.NOT_RECORDED),
    "wall_before_us": None,
    "wall_after_us": None,
}
_NEEDS: Final = {
    "max_seconds": "times",
    "max_cost_usd": "costs",
    "max_errors": "outcomes of calls",
    "allowed_repeats": "outcomes of calls",
}
COMPARED: Final = tuple(bound.limit for bound in (*BOUNDS, REPEATS))
"""The limits that stop a run, by name."""


def turns_of(facts: RunFacts) -> Iterator[RunFacts]:
    """Yield each user turn of a run as a run of its own; a turn's time begins with it.

    A turn that the customer answered is finished; the last one ended as the run did.
    """
    starts = [index for index, step in enumerate(facts.steps) if step.new_turn or index == 0]
    for turn, (start, end) in enumerate(
        zip(starts, [*starts[1:], len(facts.steps)], strict=True), start=1
    ):
        steps = facts.steps[start:end]
        last = end == len(facts.steps)
        yield replace(
            facts,
            turn=turn,
            steps=tuple(
                _from(steps[0].wall_before_us or 0, step, number)
                for number, step in enumerate(steps, start=1)
            ),
            end=facts.end if last else RunEnd(kind=EndKind.FINISHED, words="the customer answered"),
        )


def _from(start_us: int, step: StepFacts, number: int) -> StepFacts:
    def since(us: int | None) -> int | None:
        return None if us is None else us - start_us

    return replace(
        step,
        step=number,
        wall_before_us=since(step.wall_before_us),
        wall_after_us=since(step.wall_after_us),
        calls=tuple(replace(call, wall_us=since(call.wall_us)) for call in step.calls),
    )

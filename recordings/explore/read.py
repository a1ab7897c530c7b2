"""From a recording to the facts of its run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from loop import (
    FINISH,
    LIMIT_NAMES,
    Asked,
    Called,
    Cancelled,
    Decision,
    Entry,
    Failed,
    LimitRefused,
    Limits,
    Replied,
    Role,
    StopReason,
    WireCall,
)
from recordings import Recording, Unknown, decision_of
from recordings.explore.facts import CallFacts, EndKind, RunEnd, RunFacts, StepFacts, Success
from recordings.explore.named import limits_named_in
from tools import Kind, ToolSpec, call_signature

__all__ = ["facts_of"]

_RUN_CANCELLED: Final = "run_cancelled"
"""The code of calls whose reply was not judged, because the run was cancelled."""


def facts_of(recording: Recording, success: Success, *, source: str = "") -> RunFacts:
    """Return what a recording holds for a what-if. ``source`` names where it was read from."""
    opened = recording.opened
    reader = _Reader(recording)
    steps = tuple(reader.step(kept, answer) for kept, answer in _steps_of(recording))
    asked = None if opened is None else opened.head.model
    return RunFacts(
        run_id=recording.name,
        ticket_id=recording.ticket_id,
        source=source,
        model=next((step.model for step in steps if step.model is not None), asked),
        profile=recording.profile,
        limits=None if opened is None else _limits(opened.limits),
        success=success,
        steps=steps,
        end=_end(recording),
        named_limits=_named(recording),
        constructed=recording.constructed,
    )


@dataclass(slots=True, kw_only=True)
class _Step:
    """The records of one step, as they are collected."""

    number: int
    wall_before_us: int | None = None
    user_wrote: bool = False
    answer: Replied | Failed | None = None
    called: dict[int, tuple[Called, int]] = field(default_factory=dict)
    """By index: the answer to a call, and the run time just before it."""
    cancelled: bool = False
    wall_after_us: int | None = None


def _steps_of(recording: Recording) -> Iterator[tuple[_Step, Replied | Failed]]:
    """Yield each answered step. Where a replay had nothing to answer with, no model was asked."""
    steps: Iterable[_Step] = _collected(recording.entries)
    if not recording.entries:
        steps = (_Step(number=found.step, answer=found.answer) for found in recording.exchanges)
    for step in steps:
        answer = step.answer
        if answer is not None and not (
            isinstance(answer, Failed) and answer.cause == "no_recording"
        ):
            yield step, answer


def _collected(entries: Iterable[Entry]) -> Iterator[_Step]:
    step: _Step | None = None
    last_us = 0
    for entry in entries:
        record = entry.record
        if isinstance(record, Asked):
            if step is not None:
                yield step
            wrote = any(message.role is Role.USER for message in record.appended)
            step = _Step(number=record.step, wall_before_us=last_us, user_wrote=wrote)
        elif step is not None and isinstance(record, Replied | Failed):
            step.answer, step.wall_after_us = record, entry.at_us
        elif step is not None and isinstance(record, Called):
            step.called[record.index] = (record, last_us)
            step.cancelled |= record.code == _RUN_CANCELLED
            step.wall_after_us = entry.at_us
        elif step is not None and isinstance(record, Cancelled):
            step.cancelled |= not step.called
        last_us = entry.at_us
    if step is not None:
        yield step


class _Reader:
    """Reads steps out of records, by what is known of where the run was made."""

    def __init__(self, recording: Recording) -> None:
        opened = recording.opened
        self._opened = opened if recording.source is None else None
        """The opening of a run of ours; elsewhere every call of a reply ran."""
        self._tools: Mapping[str, ToolSpec] = (
            {} if opened is None else {tool.name: tool for tool in opened.head.tools}
        )
        self._finishes = self._opened is not None and FINISH in self._tools
        self._timed = opened is not None and not recording.unknown & {
            Unknown.TIME,
            Unknown.TOOL_TIME,
        }

    def step(self, kept: _Step, answer: Replied | Failed) -> StepFacts:
        """Return one step."""
        step = StepFacts(
            step=kept.number,
            wall_before_us=self._wall(kept.wall_before_us),
            wall_after_us=self._wall(kept.wall_after_us),
            cancelled=kept.cancelled,
            new_turn=kept.number > 1 and kept.user_wrote and self._opened is None,
        )
        if isinstance(answer, Failed):
            return replace(step, failed=answer.cause, latency_us=answer.latency_us)
        reply, decision = answer.reply, self._decision(answer)
        unusable = decision.unusable is not None
        return replace(
            step,
            text=reply.text,
            calls=tuple(
                self._call(call, kept.called.get(index))
                for index, call in enumerate(decision.calls)
            ),
            model=reply.model,
            latency_us=reply.latency_us,
            cost=reply.cost,
            tokens_in=reply.usage.tokens_in,
            tokens_out=reply.usage.tokens_out,
            unusable=unusable and self._finishes,
            answers=unusable and not self._finishes,
        )

    def _wall(self, us: int | None) -> int | None:
        return us if self._timed else None

    def _decision(self, answer: Replied) -> Decision:
        if self._opened is None:
            return Decision(calls=answer.reply.calls)
        return decision_of(self._opened, answer)

    def _call(self, call: WireCall, answered: tuple[Called, int] | None) -> CallFacts:
        tool = self._tools.get(call.name)
        parameters = None if tool is None else tool.parameters
        facts = CallFacts(
            name=call.name,
            arguments=call.arguments,
            signature=call_signature(call.name, parameters, call.arguments),
            is_finish=call.name == FINISH and self._finishes,
            # A journal of ours that does not hold the answer was cut off before the call ran.
            kind=None if self._opened is None else Kind.NOT_RUN,
        )
        if answered is None:
            return facts
        called, wall_us = answered
        return replace(
            facts,
            kind=called.result,
            code=called.code,
            copy=called.copy_of is not None,
            text=called.text,
            cut=called.cut,
            wall_us=self._wall(wall_us),
        )


def _end(recording: Recording) -> RunEnd:
    if recording.stopped is None:
        return RunEnd(kind=EndKind.RECORD_ENDED)
    stop = recording.stopped.stop
    return RunEnd(kind=_END_KINDS[stop.reason], stop=stop, words=stop.cause)


_END_KINDS: Final = {
    StopReason.FINISHED: EndKind.FINISHED,
    StopReason.MAX_STEPS: EndKind.STOPPED,
    StopReason.TIME: EndKind.STOPPED,
    StopReason.COST: EndKind.STOPPED,
    StopReason.REPEATED_CALL: EndKind.STOPPED,
    StopReason.TOO_MANY_ERRORS: EndKind.STOPPED,
    StopReason.NO_RECORDING: EndKind.NO_RECORDING,
    StopReason.PROVIDER_ERROR: EndKind.PROVIDER_ERROR,
    StopReason.CANCELLED: EndKind.CANCELLED,
}


def _limits(recorded: Mapping[str, Any]) -> Limits | None:
    try:
        return Limits.from_dict(recorded)
    except LimitRefused:  # a run made elsewhere has none; an older Handrail may have had others
        return None


def _named(recording: Recording) -> frozenset[str]:
    """Return the limits that the run's own mark names, else those its prompt seems to name."""
    marked = None if recording.opened is None else recording.opened.marks.get("named_limits")
    if isinstance(marked, list | tuple):
        return frozenset(name for name in LIMIT_NAMES if name in marked)
    appended = recording.exchanges[0].appended if recording.exchanges else None
    texts = [m.text or "" for m in appended or () if m.role is Role.SYSTEM]
    return limits_named_in("\n".join(texts))

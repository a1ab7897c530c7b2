"""What a run's messages state, read from its journal. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import assert_never

from bot.slack.views import CallLine, DraftProposal, DraftView, Phase, StatusView, StopView
from bot.story import Story, calls_of
from loop import Called, Entry, Opened, Outcome, Replied, Result, Stop, StopReason, WireCall
from tools import Kind

__all__ = ["call_lines", "can_retry", "draft_view", "status_view", "stop_view"]


def status_view(story: Story, *, note: str | None = None, by: str | None = None) -> StatusView:
    """Return where a run stands; ``by`` is who pressed Stop, if somebody did."""
    opened = story.opened
    return StatusView(
        run_id=story.run_id,
        ticket_id=opened.ticket_id,
        customer_id=opened.customer_id,
        phase=_phase(story, by),
        profile=opened.profile,
        model=opened.head.model,
        step=story.figures.model_calls,
        max_steps=opened.limits.get("max_steps"),
        calls=call_lines(story.entries),
        figures=story.figures,
        result=story.result,
        stop=story.stop,
        by=by,
        note=note,
    )


def _phase(story: Story, by: str | None) -> Phase:
    if story.closed is not None:
        return Phase.ENDED
    return Phase.RUNNING if by is None else Phase.STOPPING


def draft_view(story: Story, proposals: Sequence[DraftProposal] = ()) -> DraftView | None:
    """Return the draft of a run; None where it is not valid, or holds none."""
    resolution = story.resolution
    if story.result is not Result.VALID or resolution is None:
        return None
    opened = story.opened
    return DraftView(
        run_id=story.run_id,
        ticket_id=opened.ticket_id,
        customer_id=opened.customer_id,
        reply=resolution["reply"],
        outcome=Outcome(resolution["outcome"]),
        model=opened.head.model,
        profile=opened.profile,
        figures=story.figures,
        team=resolution["team"],
        rule=resolution["rule"],
        reason=resolution["reason"],
        calls=call_lines(story.entries),
        proposals=tuple(proposals),
    )


def stop_view(story: Story) -> StopView | None:
    """Return how a run without a usable answer ended; None where it has one, or goes on."""
    if story.stop is None or story.result is None or story.result is Result.VALID:
        return None
    opened, resolution = story.opened, story.resolution
    problems = () if story.closed is None else story.closed.problems
    return StopView(
        run_id=story.run_id,
        ticket_id=opened.ticket_id,
        customer_id=opened.customer_id,
        stop=story.stop,
        result=story.result,
        figures=story.figures,
        model=opened.head.model,
        profile=opened.profile,
        problems=tuple((each["code"], each["message"]) for each in problems),
        team=None if resolution is None else resolution["team"],
        calls=call_lines(story.entries),
        held_back=story.result is Result.REJECTED and bool(resolution and resolution["reply"]),
        can_retry=can_retry(story.stop),
    )


def can_retry(stop: Stop) -> bool:
    """Whether the same ticket, run again, may come to something else."""
    match stop.reason:
        case (
            StopReason.FINISHED
            | StopReason.TIME
            | StopReason.TOO_MANY_ERRORS
            | StopReason.PROVIDER_ERROR
            | StopReason.CANCELLED
        ):
            return True
        case (
            StopReason.MAX_STEPS
            | StopReason.COST
            | StopReason.REPEATED_CALL
            | StopReason.NO_RECORDING
        ):
            return False
        case _:
            assert_never(stop.reason)


def call_lines(entries: Iterable[Entry]) -> tuple[CallLine, ...]:
    """Return what a run looked up, each call once; a copy and a finish are no look-up."""
    found: list[CallLine] = []
    opened: Opened | None = None
    calls: tuple[WireCall, ...] = ()
    for entry in entries:
        record = entry.record
        if isinstance(record, Opened):
            opened = record
        elif isinstance(record, Replied) and opened is not None:
            calls = calls_of(opened, record)
        elif isinstance(record, Called) and record.result is not None and _is_look_up(record):
            found.append(_line(record, record.result, calls))
    return tuple(found)


def _is_look_up(called: Called) -> bool:
    return called.copy_of is None and not called.code.startswith("finish_")


def _line(called: Called, result: Kind, calls: tuple[WireCall, ...]) -> CallLine:
    arguments = calls[called.index].arguments if called.index < len(calls) else ""
    return CallLine(
        name=called.name,
        arguments=arguments,
        result=result,
        code=called.code,
        found=called.text,
    )

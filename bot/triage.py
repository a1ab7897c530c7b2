"""One run, wired: the plan's ticket goes through the bounded loop over a model."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from sqlite_utils import Database

from bot.keeper import Keeper
from bot.models import Models
from bot.plan import Plan
from bot.proposing import Proposer
from bot.story import Story, calls_of, record_of
from loop import (
    Called,
    Clock,
    Ended,
    Entry,
    Journal,
    LoopError,
    Model,
    Opened,
    Replied,
    Sink,
    StopReason,
    VirtualClock,
    WireCall,
    Work,
    run,
    work_for,
)
from recordings import RecordingUnused, ReplayModel
from tools import FaultyShop, Kind, Shop

__all__ = ["AtEnd", "Triaged", "carry_through", "triage"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Triaged:
    """What a run came to, and what its recording still held."""

    story: Story
    left_over: int
    """Recorded replies that were not asked for."""
    unused: RecordingUnused | None
    """Given when the run finished and replies were left over: it is not the recorded run."""


class AtEnd(Protocol):
    """Says what is stored in the commit that ends a run."""

    def prepare(
        self, run_id: str, ended: Ended, entries: Collection[Entry]
    ) -> Callable[[Database], None] | None:
        """Return it, to be called inside the transaction; None where there is nothing."""
        ...


def carry_through(
    plan: Plan,
    shop: Shop,
    keeper: Keeper,
    *,
    model: Model,
    clock: Clock,
    sink: Sink | None = None,
    at_end: AtEnd | None = None,
    cancelled: Callable[[], str | None] = lambda: None,
) -> Story:
    """Carry a plan out over a model, from its beginning or from where the keeper leaves it.

    ``sink`` stands before the keeper, which is it where none is given. ``cancelled`` is asked
    between the steps and returns why the run is to end, or None.

    Raises:
        JournalDiverged: the run was begun with something else than the plan says.
        RunEnded, RunTaken: the run is another process's, or has ended.
    """
    past = tuple(keeper.entries)
    work = work_for(
        plan.case.ticket,
        plan.profile,
        FaultyShop(shop, plan.faults),
        today=plan.today,
        model_name=plan.model,
        marks=plan.marks,
    )
    _spend_faults(work, past)
    journal = Journal(sink or keeper, clock, past)
    ended = run(work, model, journal, cancelled)
    within = at_end.prepare(keeper.run_id, ended, keeper.entries) if at_end else None
    keeper.end(journal.next_entry(ended.closing()), ended.stop, within)
    story = Story.of(keeper.run_id, keeper.entries)
    if story is None:
        raise LoopError(f"the journal of run {keeper.run_id} does not hold its beginning")
    return story


def triage(
    plan: Plan,
    shop: Shop,
    keeper: Keeper,
    proposer: Proposer | None = None,
    models: Models | None = None,
) -> Triaged:
    """Carry a plan out, from its beginning or from where the keeper's entries leave it.

    In a replay, time is what the recording says: a virtual clock, moved by recorded latencies.
    What a valid run proposes is stored with its end, where there is a proposer and a store.

    Raises:
        JournalDiverged: the run was begun with something else than the plan says.
        RunEnded, RunTaken: the run is another process's, or has ended.
        SettingRefused, PluginError: the model of a live run cannot be asked.
    """
    if plan.live and models is not None:
        model, clock = models.play(plan)
        story = carry_through(plan, shop, keeper, model=model, clock=clock, at_end=proposer)
        return Triaged(story=story, left_over=0, unused=None)
    return _replay(plan, shop, keeper, proposer)


def _replay(plan: Plan, shop: Shop, keeper: Keeper, proposer: Proposer | None) -> Triaged:
    clock = VirtualClock()
    model = ReplayModel(plan.recordings, match=plan.match, clock=clock, profile=plan.profile.name)
    sink = model.paced(keeper)
    story = carry_through(plan, shop, keeper, model=model, clock=clock, sink=sink, at_end=proposer)
    finished = story.stop is not None and story.stop.reason is StopReason.FINISHED
    return Triaged(
        story=story,
        left_over=model.left_over,
        unused=_unused(model) if finished else None,
    )


def _unused(model: ReplayModel) -> RecordingUnused | None:
    try:
        model.done()
    except RecordingUnused as error:
        return error
    return None


def _spend_faults(work: Work, past: Sequence[Entry]) -> None:
    """Bring simulated faults to where an earlier life of the run left them.

    Its calls are made again and their results dropped: the tools only read and stage.
    """
    opened = record_of(past, Opened)
    if opened is None:
        return
    calls: tuple[WireCall, ...] = ()
    for entry in past:
        record = entry.record
        if isinstance(record, Replied):
            calls = calls_of(opened, record)
        elif isinstance(record, Called) and _was_run(record) and record.index < len(calls):
            work.toolbox.call(record.name, calls[record.index].arguments)


def _was_run(called: Called) -> bool:
    return called.copy_of is None and called.result is not Kind.NOT_RUN

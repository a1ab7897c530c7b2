"""What an evaluation runs: recordings of tickets, or the tickets themselves with a model asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.errors import BotError
from bot.keeper import Keeper, run_ids
from bot.plan import Plan, plan_replay, plan_run
from bot.recorder import FileKeeper
from bot.settings import Settings
from bot.supplies import Supplies
from loop import Limits
from recordings import Recording

__all__ = ["Planned", "planned_live", "planned_replays", "tickets_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """One run to be evaluated, the ``run``-th of its ticket."""

    plan: Plan
    run: int
    constructed: bool
    """Whether its replies were written by hand."""
    begin: Callable[[], Keeper]
    """Makes what keeps it, when its turn has come."""

    @property
    def ticket_id(self) -> str:
        """Its ticket's id."""
        return self.plan.case.ticket.ticket_id


def tickets_of(supplies: Supplies, slice_name: str | None) -> list[str]:
    """Return the ids of the tickets of a kind, in the data's order; None is all.

    Raises:
        BotError: there is none of this kind.
    """
    cases = supplies.cases.items()
    found = [name for name, case in cases if slice_name in (None, case.slice)]
    if not found:
        known = sorted({case.slice for _, case in cases if case.slice})
        raise BotError(
            f"no ticket is of the kind {slice_name!r}", hint=f"there are {', '.join(known)}"
        )
    return found


def planned_replays(
    supplies: Supplies, settings: Settings, tickets: Sequence[str], limits: Limits, *, repeat: int
) -> list[Planned]:
    """Return the runs over recordings: of each ticket the first few of this profile and model.

    Raises:
        BotError: no ticket has any.
    """
    own: dict[str, list[Recording]] = {}
    for recording in supplies.recordings:
        model = None if recording.opened is None else recording.opened.head.model
        if (recording.profile, model) == (settings.profile, settings.model):
            own.setdefault(recording.ticket_id, []).append(recording)
    found = [
        _replay(supplies, settings, recording, limits, run)
        for ticket in tickets
        for run, recording in enumerate(own.get(ticket, ())[:repeat], start=1)
    ]
    if not found:
        raise BotError(
            f"no ticket has a recording of profile {settings.profile} and model {settings.model}",
            hint="--recordings names others; handrail record makes some; --live asks the model",
        )
    return found


def planned_live(
    supplies: Supplies,
    settings: Settings,
    tickets: Sequence[str],
    limits: Mapping[str, str],
    *,
    repeat: int,
) -> list[Planned]:
    """Return the runs with the model asked, each ticket so many times.

    The setting ``record`` is the folder that keeps each run as a recording, also one that is cut
    off; without it none is kept.

    Raises:
        TicketUnknown, ProfileRefused, LimitRefused: what was asked for cannot be.
    """
    plans = [plan_run(supplies, settings, ticket, limits=limits) for ticket in tickets]
    return [_live(plan, run, settings.record) for plan in plans for run in range(1, repeat + 1)]


def _replay(
    supplies: Supplies, settings: Settings, recording: Recording, limits: Limits, run: int
) -> Planned:
    return Planned(
        plan=plan_replay(supplies, recording, limits, settings.match),
        run=run,
        constructed=recording.constructed,
        begin=lambda: Keeper(recording.name, None),
    )


def _live(plan: Plan, run: int, record: Path | None) -> Planned:
    def begin() -> Keeper:
        if record is None:
            base = next(run_ids(plan, None)).rpartition("-")[0]
            return Keeper(f"{base}-{run}", None)
        return FileKeeper.begin(record, run_ids(plan, None))

    return Planned(plan=plan, run=run, constructed=False, begin=begin)

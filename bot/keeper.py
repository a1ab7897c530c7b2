"""Where a run is kept: in the store, or in memory for as long as the process lives."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from sqlite_utils import Database

from bot.plan import Plan
from bot.store import open_existing, open_store
from loop import Entry, Stop
from recordings import Runs, RunTaken

__all__ = ["Keeper", "begin", "existing_runs", "open_runs", "run_ids"]


class Keeper:
    """Keeps one run's entries as they come, each in the store before the run goes on.

    Args:
        run_id: the run.
        runs: the store; None keeps the run in memory alone.
        past: the entries of an earlier life of the run.
    """

    def __init__(self, run_id: str, runs: Runs | None, past: Sequence[Entry] = ()) -> None:
        self.run_id = run_id
        self.entries = list(past)
        self._runs = runs

    def append(self, entry: Entry) -> None:
        """Keep one entry.

        Raises:
            RunTaken: another process owns the run.
        """
        if self._runs is not None:
            self._runs.append(self.run_id, entry)
        self.entries.append(entry)

    @property
    def is_stored(self) -> bool:
        """Whether the run is kept in the store."""
        return self._runs is not None

    def end(
        self, entry: Entry, stop: Stop, within: Callable[[Database], None] | None = None
    ) -> None:
        """Keep the closing entry; in the store with the run's end and ``within``, in one commit.

        Raises:
            RunEnded: it has ended already.
            RunTaken: another process owns the run.
        """
        if self._runs is not None:
            self._runs.end(self.run_id, entry, stop, within)
        self.entries.append(entry)


@contextmanager
def open_runs(store: Path) -> Iterator[Runs]:
    """Open the store's runs, making the file and its private folder where there is none.

    Raises:
        StoreError: it cannot be opened, is newer than this program, or is busy.
        BotError: its folder cannot be made.
    """
    with open_store(store) as db:
        yield Runs(db)


@contextmanager
def existing_runs(store: Path) -> Iterator[Runs]:
    """Open the runs of a store that is there.

    Raises:
        BotError: there is none; nothing was made.
        StoreError: it cannot be opened, is newer than this program, or is busy.
    """
    with open_existing(store) as db:
        yield Runs(db)


def run_ids(plan: Plan, runs: Runs | None) -> Iterator[str]:
    """Yield ids for a run of the plan: ticket, profile, model and a running number."""
    base = f"{plan.case.ticket.ticket_id}-{plan.profile.name}-{plan.model}"
    known = [] if runs is None else runs.of_ticket(plan.case.ticket.ticket_id)
    first = 1 + sum(row.run_id.rpartition("-")[0] == base for row in known)
    return (f"{base}-{number}" for number in count(first))


def begin(plan: Plan, runs: Runs | None, new_ids: Iterator[str], started_at: str) -> Keeper:
    """Store that a run of the plan begins, under the first id that is free.

    ``started_at`` is an ISO time stamp.
    """
    for run_id in new_ids:
        if runs is None:
            return Keeper(run_id, None)
        try:
            runs.start(
                run_id=run_id,
                ticket_id=plan.case.ticket.ticket_id,
                profile=plan.profile.name,
                model=plan.model,
                started_at=started_at,
            )
        except RunTaken:
            continue  # another process was first: the next number
        return Keeper(run_id, runs)
    raise ValueError("there must always be another id")

"""What a run is made from: the shop, its tickets, and the recorded replies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from bot.errors import TicketUnknown
from bot.texts import shortened
from loop import Price
from recordings import SHIPPED_RECORDINGS, Recording, RecordingUnreadable, read_recordings
from tools import SHIPPED_DATA, DataError, PracticeShop, Shop, TicketCase, load_tickets

__all__ = ["Supplies", "find_ticket", "load_cases", "open_supplies"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Supplies:
    """The shop, the tickets by id in the data's order, and the recordings."""

    shop: Shop
    cases: Mapping[str, TicketCase]
    recordings: tuple[Recording, ...]
    damaged: tuple[RecordingUnreadable, ...]
    """Lines of recordings that could not be read; the rest was."""


@contextmanager
def open_supplies(
    *,
    open_shop: Callable[[], Shop] | None = None,
    data: Path | None = None,
    recordings: Path | None = None,
    prices: Mapping[str, Price],
) -> Iterator[Supplies]:
    """Open what a run is made from, and close it at the end.

    Args:
        open_shop: opens the shop; None builds a practice shop from the data, for this time alone.
        data: the folder of tickets and shop data; None is the one that ships.
        recordings: a file or a folder; None are those that ship.
        prices: of the models, for recordings without costs.

    Raises:
        DataError: a data file is missing or malformed.
        RecordingUnreadable: there are no recordings where they should be.
        ToolsError: the shop cannot be opened.
    """
    cases = load_cases(data)
    read = read_recordings(recordings or SHIPPED_RECORDINGS, prices)
    opened = open_shop() if open_shop else PracticeShop.from_folder(data or SHIPPED_DATA)
    try:
        yield Supplies(shop=opened, cases=cases, recordings=read.recordings, damaged=read.faults)
    finally:
        opened.close()


def load_cases(data: Path | None) -> dict[str, TicketCase]:
    """Return the tickets of a data folder (None: the one that ships) by id, in its order.

    Raises:
        DataError: the folder is missing, holds no ticket, or a line is malformed.
    """
    folder = data or SHIPPED_DATA
    cases = {case.ticket.ticket_id: case for case in load_tickets(folder)}
    if not cases:
        raise DataError(str(folder), "holds no ticket, in tasks.jsonl or in eval_tickets.csv")
    return cases


def find_ticket(cases: Mapping[str, TicketCase], ticket_id: str) -> TicketCase:
    """Return one ticket.

    Raises:
        TicketUnknown: there is none of this id; the hint names the nearest.
    """
    if ticket_id in cases:
        return cases[ticket_id]
    close = get_close_matches(ticket_id, cases, n=1)
    hint = f"did you mean {close[0]}?" if close else "handrail tickets lists them"
    raise TicketUnknown(f"there is no ticket {shortened(ticket_id, 40)}", hint=hint)

"""Small works, runs and recordings for the tests of this folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from loop import (
    Ended,
    Entry,
    Journal,
    Limits,
    MemorySink,
    Model,
    ModelError,
    Reply,
    ScriptedModel,
    VirtualClock,
    Work,
    get_profile,
    run,
    work_for,
)
from loop.testing import call, reply
from tools import PRACTICE_TODAY, SHIPPED_DATA, PracticeShop, load_tickets

LOOK_UP = reply(call("get_order", {"order_id": "LK-581106"}, "c1"), latency_s=0.9, usd="0.001")
ANSWER = reply(
    call(
        "finish",
        {
            "outcome": "reply_only",
            "rule": "W1",
            "actions": [],
            "reply": "Your parcel is on its way and is expected by 13 October.",
            "reason": "Not late.",
        },
        "c2",
    ),
    latency_s=1.1,
    usd="0.002",
)


def work_on(shop: PracticeShop, profile: str = "resolver", limits: Limits | None = None) -> Work:
    """Return the work on ticket T-80008 of the shipped data."""
    case = next(c for c in load_tickets(SHIPPED_DATA) if c.ticket.ticket_id == "T-80008")
    chosen = get_profile(profile)
    if limits is not None:
        chosen = replace(chosen, limits=limits)
    return work_for(case.ticket, chosen, shop, today=PRACTICE_TODAY, model_name="scripted")


def recorded(
    work: Work, replies: Sequence[Reply | ModelError] = (LOOK_UP, ANSWER)
) -> tuple[Ended, list[Entry]]:
    """Run the replies and return the end and the journal with its closing record."""
    clock = VirtualClock()
    return played(work, ScriptedModel(replies, clock), clock)


def played(work: Work, model: Model, clock: VirtualClock) -> tuple[Ended, list[Entry]]:
    """Run a model over the work, and return the end and the journal with its closing record."""
    sink = MemorySink()
    journal = Journal(sink, clock)
    ended = run(work, model, journal)
    return ended, [*sink.entries, journal.next_entry(ended.closing())]

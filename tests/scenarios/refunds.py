"""Tickets that each come to one small refund of an order of its own, and a model that says so.

Any number of them: what one does never changes another, and a write too many shows at the shop.
"""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

from bot.plan import Plan
from loop import Clock, Model, Reply, Request
from loop.testing import VirtualClock, call, reply
from tests.harness.stock import customer, order, write_stock

NOTES = ("harbour", "lantern")
"""Words that a person adds to a ticket, one with each change of it."""
SLOW = "Take your time."
SLOW_S = 0.1
"""For the second step of a run over such a ticket, as long as it has no note."""
_ORDER = re.compile(r"LK-\d+")


def write_data(folder: Path, count: int) -> None:
    """Write the shop's files for tickets 0 to ``count`` - 1, and the one that data must hold."""
    write_stock(folder, count)
    task = {
        "task_id": "T-10000",
        "customer_id": customer(0),
        "text": "Hello?",
        "attachments": [],
        "expected": {"outcome": "hand_to_person", "rule": "none", "actions": []},
        "reply_checks": {},
    }
    (folder / "tasks.jsonl").write_text(json.dumps(task) + "\n", "utf-8")


def ticket_id(number: int) -> str:
    """Return the id of a ticket."""
    return f"T-{20_000 + number}"


def ticket_text(number: int) -> str:
    """Return what is posted: the header line and the customer's words."""
    return f"{ticket_id(number)} {customer(number)}\nMy order {order(number)} came much too late."


def notes_in(text: str) -> frozenset[str]:
    """Return which of the notes a text has."""
    return frozenset(each for each in NOTES if each in text)


class RefundModel:
    """Looks the order of its ticket up, then asks for its delivery fee to be paid back.

    Its answer names the notes that it read. What it answers depends on ticket and step alone, so a
    run that is resumed goes on as it would have.
    """

    def __init__(self, plan: Plan) -> None:
        text = plan.case.ticket.text
        found = _ORDER.search(text)
        self._order = found.group() if found else ""
        self._notes = sorted(notes_in(text))
        self._is_slow = SLOW in text and not self._notes

    def ask(self, request: Request, *, time_left_s: float | None) -> Reply:
        """Return the reply of a step."""
        del time_left_s
        if request.step == 1:
            return reply(call("get_order", {"order_id": self._order}, f"c{request.step}"))
        if self._is_slow:
            time.sleep(SLOW_S)
        return reply(call("finish", self._finish(), f"c{request.step}"))

    def _finish(self) -> dict[str, object]:
        refund = {
            "tool": "request_refund",
            "order_id": self._order,
            "sku": None,
            "quantity": None,
            "amount": 9.95,
            "reason": "RFD-LATE",
            "payment_id": None,
        }
        return {
            "outcome": "resolve",
            "rule": "W2",
            "actions": [refund],
            "reply": "I am sorry for the delay. I have asked a colleague to approve paying your "
            f"delivery fee of 9.95 back. {' '.join(self._notes)}".rstrip(),
            "reason": "It came late; the fee was paid and not yet refunded.",
        }


def play(plan: Plan) -> tuple[Model, Clock]:
    """Return a model for a run, and the clock that the run is timed by."""
    return RefundModel(plan), VirtualClock()

"""Replies and facts that the tests of the gates share."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from loop.gates import GateFacts, judge_resolution
from loop.model import Cost, CostState, Reply, Usage
from loop.resolution import Language, OrderClaim, Outcome, Resolution
from tools import IdForms, OrderFact, Ticket

FORMS = IdForms()
MAX_TOKENS = 1000
NOTHING = GateFacts(orders={}, shown=(), claim_is_customers=None, forms=FORMS)
ANSWER: dict[str, Any] = {
    "language": "en",
    "team": "delivery",
    "needs_human": False,
    "reason": "A question about a parcel.",
    "confidence": "high",
    "order": None,
    "reply": "Thank you for your message; we will look into the parcel.",
}


def a_reply(text: str | None, **changes: Any) -> Reply:
    """Return a reply without calls."""
    fields: dict[str, Any] = {
        "text": text,
        "finish_reason": "stop",
        "latency_us": 0,
        "cost": Cost(state=CostState.NOT_RECORDED),
        "usage": Usage(),
    }
    return Reply(**(fields | changes))


def an_answer(**changes: Any) -> str:
    """Return the JSON text of a good answer with some fields changed."""
    return json.dumps(ANSWER | changes)


def a_ticket(text: str, ticket_id: str = "T-10001", customer_id: str = "C-10001") -> Ticket:
    """Return a ticket of that text."""
    return Ticket.of(ticket_id=ticket_id, customer_id=customer_id, text=text)


def a_resolution(
    reply: str = "",
    *,
    needs_human: bool = False,
    language: Language | None = None,
    order: OrderClaim | None = None,
    **changes: Any,
) -> Resolution:
    """Return a resolution that only replies, or hands the ticket to a person."""
    outcome = Outcome.HAND_TO_PERSON if needs_human else Outcome.REPLY_ONLY
    resolution = Resolution(outcome=outcome, reply=reply, reason="", language=language, order=order)
    return replace(resolution, **changes)


def facts_of(*orders: tuple[str, str], shown: tuple[str, ...] = (), **changes: Any) -> GateFacts:
    """Return facts in which tools returned these orders with these statuses."""
    returned = {
        order_id: OrderFact(order_id=order_id, status=status, currency="CAD")
        for order_id, status in orders
    }
    texts = tuple(
        json.dumps({"ok": True, "order": {"order_id": order_id, "status": status}})
        for order_id, status in orders
    )
    return replace(NOTHING, orders=returned, shown=texts + shown, **changes)


def codes(ticket: Ticket, resolution: Resolution, facts: GateFacts = NOTHING) -> list[str]:
    """Return the codes of the problems, in order."""
    return [problem.code for problem in judge_resolution(ticket, resolution, facts)]


def reference_tickets(larkfield: Path) -> dict[str, Ticket]:
    """Return the tickets of the assistant's data by id."""
    with (larkfield / "c08" / "eval_tickets.csv").open(encoding="utf-8", newline="") as file:
        return {
            row["ticket_id"]: a_ticket(row["text"], row["ticket_id"], row["customer_id"])
            for row in csv.DictReader(file)
        }


def reference_tasks(larkfield: Path) -> dict[str, Ticket]:
    """Return the tickets of the resolver's data by id."""
    lines = (larkfield / "c10" / "tasks.jsonl").read_text("utf-8").splitlines()
    return {
        task["task_id"]: a_ticket(task["text"], task["task_id"], task["customer_id"])
        for task in map(json.loads, lines)
    }


def reference_orders(larkfield: Path) -> dict[str, dict[str, str]]:
    """Return the orders of the assistant's data by id."""
    with (larkfield / "c08" / "orders.csv").open(encoding="utf-8", newline="") as file:
        return {row["order_id"]: row for row in csv.DictReader(file)}


def recorded_answers(larkfield: Path) -> Iterator[tuple[str, Reply]]:
    """Yield ticket id and final reply of each recorded conversation."""
    file = larkfield / "c08" / "recordings_tools_chat_small_12.jsonl"
    for line in file.read_text("utf-8").splitlines():
        record = json.loads(line, parse_float=Decimal)
        choice = record["response"]["choices"][0]
        if choice["message"]["tool_calls"] is None:
            text = choice["message"]["content"]
            yield record["label"]["ticket_id"], a_reply(text, finish_reason=choice["finish_reason"])

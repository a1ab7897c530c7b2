"""Labelled tickets and what runs of them came to, with as little as a test names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

from loop import Outcome, Result
from recordings import Judged, Observed, judge
from tools import Action, Change, Expected, Fault, Ticket, TicketCase, action_from_dict

__all__ = ["LABEL", "REFUND", "action", "case", "change", "judged", "observed"]

LABEL = {
    "tool": "create_return_label",
    "order_id": "LK-640218",
    "sku": "RUG-W",
    "reason": "change_of_mind",
}
REFUND = {
    "tool": "request_refund",
    "order_id": "LK-645223",
    "amount": 45.95,
    "reason_code": "RFD-DOUBLE",
    "payment_id": "PAY-645223-2",
}


def case(
    outcome: str | None,
    *actions: Mapping[str, Any],
    accepted: tuple[str, ...] = (),
    forbidden: tuple[Mapping[str, Any], ...] = (),
    must_not_say: tuple[str, ...] = (),
    faults: tuple[Fault, ...] = (),
    team: str | None = None,
    needs_human: bool | None = None,
) -> TicketCase:
    """Return a ticket with its label."""
    return TicketCase(
        ticket=Ticket.of(ticket_id="T-90101", customer_id="C-50311", text="Hello"),
        expected=Expected(outcome=outcome, actions=actions, team=team, needs_human=needs_human),
        acceptable_outcomes=accepted,
        forbidden=forbidden,
        must_not_say=must_not_say,
        faults=faults,
    )


def action(facts: Mapping[str, Any]) -> Action:
    """Return the action that a label's facts name."""
    values = dict(facts)
    if "amount" in values:
        amount = Decimal(str(values.pop("amount")))
        values |= {"amount_minor": int(amount * 100), "currency": "CAD"}
    return action_from_dict(values)


def change(facts: Mapping[str, Any], operation_id: str = "P-1-1") -> Change:
    """Return the change that the practice shop tells of such an action."""
    shown: dict[str, dict[str, Any]] = {
        "request_refund": {"amount": str(facts.get("amount")), "currency": "CAD"},
        "create_return_label": {"fee": "12.95", "currency": "CAD", "sku": facts.get("sku")},
        "reship_item": {"sku": facts.get("sku"), "quantity": facts.get("quantity")},
    }
    return Change(
        tool=facts["tool"],
        operation_id=operation_id,
        order_id=facts["order_id"],
        reference="R-1",
        made_on=date(2026, 10, 9),
        summary=shown[facts["tool"]],
    )


def observed(
    outcome: str | None,
    *actions: Mapping[str, Any],
    changes: tuple[Change, ...] | None = None,
    **parts: Any,
) -> Observed:
    """Return a run that came to this. What it proposed was done, or else ``changes`` were."""
    made = tuple(map(change, actions)) if changes is None else changes
    seen = Observed(
        result=Result.FAILED if outcome is None else Result.VALID,
        stop="finished",
        outcome=None if outcome is None else Outcome(outcome),
        team=None,
        reply=None if outcome is None else "Dear customer",
        actions=tuple(map(action, actions)),
        changes=made,
        done=bool(made),
        steps=2,
        tool_calls=1,
        refused_calls=0,
        tokens_in=100,
        tokens_out=10,
        cost_usd=Decimal("0.001"),
        cost_complete=True,
        seconds=Decimal(1),
    )
    return replace(seen, **parts)


def judged(ticket: TicketCase, seen: Observed, ticket_id: str) -> Judged:
    """Return what an evaluation keeps of a ticket's first run."""
    return Judged.of(
        ticket_id,
        1,
        seen,
        judge(ticket, seen),
        expected=ticket.expected.outcome,
        slice_name=None,
        constructed=False,
    )

"""The actions that labels state: a name that is misspelt there would be a label nobody can meet."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from tools.actions import ACTION_FIELDS, WRITE_TOOLS

__all__ = ["action_label", "part_of_action"]

FIELDS: Final = ACTION_FIELDS - {"amount_minor"} | {"amount"}
"""What a label may name of an action; its amount stands in major units."""


def action_label(facts: dict[str, Any]) -> dict[str, Any]:
    """Return an action as a label states it; what it leaves out is not compared.

    Raises:
        ValueError: it names no tool, or it is no part of an action.
    """
    if "tool" not in facts:
        raise ValueError("must name the tool of an action")
    return part_of_action(facts)


def part_of_action(facts: dict[str, Any]) -> dict[str, Any]:
    """Return a part of an action, as labels forbid it.

    Raises:
        ValueError: it names nothing, what no action has, a tool that does not write, or an amount
            that is none.
    """
    if not facts or not facts.keys() <= FIELDS:
        raise ValueError(f"must name fields of an action ({', '.join(sorted(FIELDS))})")
    if "tool" in facts and facts["tool"] not in WRITE_TOOLS:
        raise ValueError(f"must name a tool that writes ({', '.join(sorted(WRITE_TOOLS))})")
    if not _is_amount_or_none(facts):
        raise ValueError("must state an amount in major units, such as 45.95, or null")
    return facts


def _is_amount_or_none(facts: Mapping[str, Any]) -> bool:
    amount = facts.get("amount")
    if amount is None:
        return True
    try:
        value = Decimal(str(amount))
    except InvalidOperation:
        return False
    return value.is_finite() and value >= 0

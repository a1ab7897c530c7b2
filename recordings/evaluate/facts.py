"""An action, a change at the shop and a label in one form, so that they can be compared.

The form is a mapping of field names to values: ``tool``, ``order_id`` and, by tool, ``sku``,
``quantity``, ``reason``, ``reason_code``, ``payment_id``, ``amount`` (major units, ``Decimal``) and
``currency``. A label states what it states: a field that it does not name is not compared, and one
that it names as null has to be absent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from tools import Action, Change, RequestRefund, action_to_dict

__all__ = ["Facts", "agree", "facts_of_action", "facts_of_change", "holds", "unmatched"]

Facts = Mapping[str, Any]

_FROM_SUMMARY: Final = {
    "request_refund": ("amount", "currency"),
    "create_return_label": ("sku",),
    "reship_item": ("sku", "quantity"),
}
"""What the practice shop says of a change; the rest of its action cannot be read from it."""


def facts_of_action(action: Action) -> Facts:
    """Return an action's fields; those that it leaves out are None."""
    facts = action_to_dict(action)
    if isinstance(action, RequestRefund):
        del facts["amount_minor"]
        facts["amount"] = Decimal(action.money.amount_text)
    return facts


def facts_of_change(change: Change) -> Facts:
    """Return the fields that the shop shows of a change; the others are missing."""
    shown = _FROM_SUMMARY.get(change.tool, ())
    facts = {name: change.summary[name] for name in shown if name in change.summary}
    if "amount" in facts:
        facts["amount"] = Decimal(str(facts["amount"]))
    return {"tool": change.tool, "order_id": change.order_id, **facts}


def holds(label: Facts, seen: Facts, *, shown_only: bool = False) -> bool:
    """Whether what was seen has every field as the label states it.

    With ``shown_only`` a field that was not seen at all is not compared.
    """
    return all(
        _equal(value, seen.get(name))
        for name, value in label.items()
        if not shown_only or name in seen
    )


def agree(labels: Sequence[Facts], seen: Sequence[Facts]) -> bool:
    """Whether each label has one of its own among what was seen, and nothing else was."""
    return len(labels) == len(seen) and not unmatched(labels, seen, shown_only=False)


def unmatched(labels: Sequence[Facts], seen: Sequence[Facts], *, shown_only: bool) -> int:
    """Return how many of those seen find no label of their own, at the best pairing."""
    fits = [
        [place for place, label in enumerate(labels) if holds(label, each, shown_only=shown_only)]
        for each in seen
    ]
    owner: dict[int, int] = {}
    return sum(not _place(number, fits, owner, set()) for number in range(len(seen)))


def _place(
    number: int, fits: Sequence[Sequence[int]], owner: dict[int, int], met: set[int]
) -> bool:
    """Give this one a label, moving others on where they have another to go to."""
    for place in fits[number]:
        if place in met:
            continue
        met.add(place)
        if place not in owner or _place(owner[place], fits, owner, met):
            owner[place] = number
            return True
    return False


def _equal(wanted: Any, seen: Any) -> bool:
    if isinstance(seen, Decimal) and wanted is not None:
        try:
            return Decimal(str(wanted)) == seen
        except InvalidOperation:
            return False
    return bool(wanted == seen)

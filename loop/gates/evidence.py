"""What the read tools showed in one run, as the rule gate needs it: ids, amounts, deeds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from functools import cached_property
from typing import Any, Final

from loop.gates.amounts import amounts_in, readings
from loop.gates.claims import Deed
from loop.gates.words import plain, tidy
from tools import IdForm, IdForms, JsonRefused, parse_json

__all__ = ["Evidence", "ids_in"]

_MONEY: Final = re.compile(r"amount|total|price|fee|cost|paid|charge|refund|balance|value")
"""Keys whose number is an amount of money."""
_PLAIN_NUMBER: Final = re.compile(r"[0-9]{1,12}(?:\.[0-9]{1,3})?")
_DONE_LISTS: Final = {
    "refunds": Deed.REFUND,
    "return_labels": Deed.LABEL,
    "labels": Deed.LABEL,
    "reshipments": Deed.REPLACEMENT,
}
"""Lists of get_order and get_payments (reference facts B3): an entry is something that was done."""
_DONE_STATES: Final = {"refunded": Deed.REFUND, "cancelled": Deed.CANCELLATION}
"""Statuses of an order or a payment."""


class Evidence:
    """What read tools returned: ids in capitals, amounts in major units of any currency, deeds.

    Each is read out of the result texts when it is asked for: most replies name nothing.
    """

    def __init__(self, shown: Iterable[str], forms: IdForms) -> None:
        self._shown = tuple(dict.fromkeys(shown))
        self._forms = forms

    @cached_property
    def ids(self) -> frozenset[str]:
        """The order, payment and customer ids."""
        return frozenset().union(*(ids_in(text, self._forms) for text in self._shown))

    @cached_property
    def amounts(self) -> frozenset[Decimal]:
        """The amounts of money."""
        return frozenset(found for key, value in self._values for found in _amounts(key, value))

    @cached_property
    def line_totals(self) -> frozenset[Decimal]:
        """What the pieces of an order line cost together: "72.00 for both"."""
        return frozenset(found for _, value in self._values for found in _line_total(value))

    @cached_property
    def deeds(self) -> frozenset[Deed]:
        """What the shop shows to be done."""
        return frozenset(found for key, value in self._values for found in _deeds(key, value))

    @cached_property
    def _values(self) -> tuple[tuple[str, Any], ...]:
        return tuple(pair for text in self._shown for pair in _walk("", _content(text)))


def _content(text: str) -> Any:
    try:
        return parse_json(text)
    except JsonRefused:
        return text


_PREFIXED: Final = re.compile(r"(?P<prefix>[A-Z]{2,8})-(?P<rest>.+)")
"""The pattern of ids that begin with letters and a dash, such as ``LK-[0-9]{6}``."""


def ids_in(text: str, forms: IdForms) -> frozenset[str]:
    """Return the order, payment and customer ids of a text in capitals, however they are typed.

    Where the form is two letters or more, a dash and the rest, the dash may be left out or be
    another sign (``LK 551906``, ``LK551906``, ``LK_551906``), and a small letter may stand before
    the id (``orderLK-551906``). What a reader takes for an id of the shop is then found as one.
    """
    clean = tidy(text)
    return frozenset(
        found.upper()
        for form in (forms.order, forms.payment, forms.customer)
        for written in (clean, clean.upper())
        for found in (*form.find(written), *_retyped(form, written))
    )


def _retyped(form: IdForm, text: str) -> Iterator[str]:
    parts = _PREFIXED.fullmatch(form.pattern)
    if parts is None:
        return
    prefix, rest = parts["prefix"], parts["rest"]
    typed = re.compile(
        rf"(?:(?<![^\W_]){prefix}[\W_]{{0,2}}|(?<=[a-z]){prefix}-)(?P<rest>{rest})(?![^\W_])",
        re.ASCII,
    )
    for match in typed.finditer(text):
        yield f"{prefix}-{match['rest']}"


def _walk(key: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield every value under its nearest key, lists and objects included."""
    yield key, value
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield from _walk(name, item)
    elif isinstance(value, list):
        for item in value:
            yield from _walk(key, item)


def _amounts(key: str, value: Any) -> set[Decimal]:
    is_money = _MONEY.search(key) is not None
    if isinstance(value, str):
        groups = amounts_in(plain(value), loose=False)
        found = {amount for group in groups for amount in group}
        if is_money and _PLAIN_NUMBER.fullmatch(value):
            found |= readings(value)
        return found
    if is_money and isinstance(value, int | Decimal) and not isinstance(value, bool):
        return {Decimal(value)}
    return set()


def _line_total(value: Any) -> set[Decimal]:
    """Return the prices of an order line times its quantity."""
    quantity = value.get("quantity") if isinstance(value, Mapping) else None
    if not isinstance(quantity, int) or isinstance(quantity, bool):
        return set()
    return {price * quantity for price in _amounts("price", value.get("price"))}


def _deeds(key: str, value: Any) -> set[Deed]:
    if isinstance(value, list):
        return {_DONE_LISTS[key]} if value and key in _DONE_LISTS else set()
    if key == "status" and isinstance(value, str) and value in _DONE_STATES:
        return {_DONE_STATES[value]}
    return set()

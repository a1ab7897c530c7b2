"""The amount of a refund as a person types it: one reading, in the form and when it is taken.

The name of an input bears the currency, so that the form itself can refuse what it cannot read.
"""

from __future__ import annotations

import re
from typing import Final

from tools import MAX_REFUND, Money, MoneyError

__all__ = ["amount_currency", "amount_field", "read_refund"]

_FIELD: Final = re.compile(r"amount-[1-9]-([A-Z]{3})")


def amount_field(position: int, currency: str) -> str:
    """Return the name of the input for the amount of the action at a position, from 1."""
    return f"amount-{position}-{currency}"


def amount_currency(field: str) -> str | None:
    """Return the currency that the name of an input bears; None where it is for no amount."""
    found = _FIELD.fullmatch(field)
    return None if found is None else found[1]


def read_refund(text: str, currency: str) -> Money:
    """Return what was typed, above zero and at most the largest refund.

    Raises:
        MoneyError: in words for whoever typed it; they name the currency.
    """
    money, most = Money.typed(text, currency), Money.of(MAX_REFUND, currency)
    if money.minor == 0:
        raise MoneyError(f"a refund is more than {money}")
    if most < money:
        raise MoneyError(f"a refund is at most {most}")
    return money

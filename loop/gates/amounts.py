"""Amounts of money in a text, in the ways that English and French write them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Final

__all__ = ["amounts_in", "readings"]

_NUMBER: Final = (
    r"(?:[0-9]{1,3}(?:[ ,.'][0-9]{3}){1,3}(?:[.,][0-9]{1,2})?|[0-9]{1,9}(?:[.,][0-9]{1,3})?)"
    r"(?![0-9])"
)
_BEFORE: Final = r"(?:[a-z]{0,2}\$|€|£|\b(?:cad|usd|eur|gbp))"
_AFTER: Final = (
    r"(?:\$|€|£|¢|(?:canadian |us )?dollars?\b(?: canadiens)?|(?:cad|usd|eur|euros?|gbp|cents?)\b)"
)
_UNIT: Final = r"(?:%|(?:mm|cm|m|km|g|kg|lb|lbs|oz|l|ml|v|w|kw|h|am|pm|in|inch|inches|ft)\b)"
_AMOUNT: Final = re.compile(
    rf"{_BEFORE} ?(?P<marked>{_NUMBER})"
    rf"|(?<![\w.,])(?P<named>{_NUMBER}) ?(?P<mark>{_AFTER})"
    # A number with two decimals and no currency is an amount, unless it measures something.
    rf"|(?<![\w.,])(?P<bare>[0-9]{{1,9}}[.,][0-9]{{2}})(?![0-9]|[.,][0-9]| ?{_UNIT})"
)


def amounts_in(text: str) -> Iterator[frozenset[Decimal]]:
    """Yield the amounts of a plain text, each as all that its digits can mean.

    Takes ``119.00``, ``119,00 $``, ``$119``, ``119 dollars``, ``c$ 9.95``, ``1 234,50 cad``,
    ``50 cents``. Amounts in words are not read.
    """
    for match in _AMOUNT.finditer(text):
        number = match["marked"] or match["named"] or match["bare"]
        values = readings(number)
        if match["mark"] in ("¢", "cent", "cents"):
            values = frozenset(value / 100 for value in values)
        yield values


def readings(number: str) -> frozenset[Decimal]:
    """Return what a number can mean: ``1.234`` is a thousand and more, or one and a bit."""
    compact = number.replace(" ", "").replace("'", "")
    marks = [char for char in compact if char in ".,"]
    whole = Decimal(compact.replace(",", "").replace(".", ""))
    if not marks:
        return frozenset({whole})
    fraction = len(compact) - compact.rindex(marks[-1]) - 1
    parted = whole.scaleb(-fraction)
    if marks.count(marks[-1]) > 1:
        return frozenset({whole})
    if fraction == 3 and len(marks) == 1:  # noqa: PLR2004 (thousands come in threes)
        return frozenset({whole, parted})
    return frozenset({parted})

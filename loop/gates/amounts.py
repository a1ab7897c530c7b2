"""Amounts of money in a text, in the ways that English and French write them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Final

__all__ = ["amounts_in", "readings"]

_WHOLE: Final = r"(?:[0-9]{1,3}(?:[ ,.'][0-9]{3}){1,3}|[0-9]{1,9})"
_NUMBER: Final = (
    r"(?:[0-9]{1,3}(?:[ ,.'][0-9]{3}){1,3}(?:[.,][0-9]{1,2})?|[0-9]{1,9}(?:[.,][0-9]{1,3})?)"
    r"(?![0-9])"
)
_BEFORE: Final = r"(?:[a-z]{0,3}\$|€|£|\b(?:cad|usd|eur|gbp))"
_AFTER: Final = (
    r"(?:[a-z]{0,3}\$|€|£|¢|(?:canadian |us )?dollars?\b(?: canadiens)?"
    r"|(?:cad|usd|eur|euros?|gbp|cents?|bucks|piastres?)\b)"
)
_UNIT: Final = r"(?:%|(?:mm|cm|km|kg|lbs?|oz|ml|kw|inch|inches|ft)\b)"
_AMOUNT: Final = re.compile(
    rf"{_BEFORE} ?(?P<marked>{_NUMBER}|[.,][0-9]{{1,2}}(?![0-9]))"
    rf"|(?<![\w.,])(?P<named>{_NUMBER}) ?(?P<mark>{_AFTER})"
    # A number with two decimals and no currency is an amount, unless it measures something.
    rf"|(?<![\w.,])(?P<bare>{_WHOLE}[.,][0-9]{{2}})(?![0-9]|[.,][0-9]| ?{_UNIT})"
    # "50.-", as people write who leave out the cents.
    r"|(?<![\w.,])(?P<round>[0-9]{1,9})[.,]-(?![\w-])"
)
_CLOCK: Final = r"(?:[01]?[0-9]|2[0-4])[.:][0-5][0-9]"
_TO_CLOCK: Final = rf" ?(?:-|to|until|till|a|and|et) ?{_CLOCK}"
_MEASURE: Final = re.compile(
    # Letters that can begin the next word as well: "2.50 m" and "250,00 l'unité".
    r"(?<![\w.,])(?:[0-9]{1,9}[.,][0-9]{2} ?(?:[mlghvw]|am|pm)\b(?!')"
    rf"|(?:{_CLOCK}{_TO_CLOCK}|(?:at|from|until|till|a|vers|des) {_CLOCK}(?:{_TO_CLOCK})?)"
    rf"(?![0-9]| ?{_AFTER})"
    r"|(?:version|v) [0-9]\.[0-9]{2}(?![0-9]))"
)
"""What loose words make a measure, a time of day or a version rather than an amount."""


def amounts_in(text: str, *, loose: bool = True) -> Iterator[frozenset[Decimal]]:
    """Yield the amounts of a plain text, each as all that its digits can mean.

    Takes ``119.00``, ``119,00 $``, ``$119``, ``119 dollars``, ``c$ 9.95``, ``1 234,50 cad``,
    ``50 cents``, ``50.-``. Amounts in words, percentages and whole numbers without a currency
    are not read.

    Args:
        text: the plain text.
        loose: whether a bare number may be a length or a time by the words beside it (``2.50 m``,
            ``at 12.30``). Not so where money is promised, and not in evidence: there it counts.
    """
    for match in _AMOUNT.finditer(_MEASURE.sub(" ", text) if loose else text):
        number = match["marked"] or match["named"] or match["bare"] or match["round"]
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

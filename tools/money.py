"""Money: integer minor units with their currency; ``Decimal`` at the edges, never ``float``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from functools import cache
from typing import Final

from tools.errors import MoneyError

__all__ = ["Money", "currency_digits"]

# ISO 4217: the currencies whose minor unit is not a hundredth.
_NO_DIGITS: Final = frozenset(
    "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF".split()
)
_THREE_DIGITS: Final = frozenset("BHD IQD JOD KWD LYD OMR TND".split())
_CODE: Final = re.compile(r"[A-Z]{3}")
_TYPED: Final = re.compile(r"([0-9]{1,12})(?:([.,])([0-9]+))?")
GROUP: Final = 3
"""Digits between two marks of thousands."""
MAX_EXPONENT: Final = 15
MAX_MINOR: Final = 10**MAX_EXPONENT
"""Amounts beyond this many minor units are refused: no order of a shop comes near."""


@cache  # every amount asks; only currencies are kept, for a refusal is not
def currency_digits(currency: str) -> int:
    """Return how many decimals the currency has: 0, 2 or 3.

    Raises:
        MoneyError: when the text is not three capital letters.
    """
    if not _CODE.fullmatch(currency):
        raise MoneyError("a currency is three capital letters, such as CAD")
    if currency in _NO_DIGITS:
        return 0
    return 3 if currency in _THREE_DIGITS else 2


@dataclass(frozen=True, slots=True, order=False)
class Money:
    """An amount in minor units (cents for CAD) and its currency."""

    minor: int
    currency: str

    def __post_init__(self) -> None:
        if type(self.minor) is not int:
            raise MoneyError("an amount in minor units is a whole number")
        if abs(self.minor) > MAX_MINOR:
            raise MoneyError("the amount is out of bounds")
        currency_digits(self.currency)

    @classmethod
    def of(cls, amount: Decimal | int | str, currency: str) -> Money:
        """Return the amount rounded half up to the currency's own digits (9.949 CAD → 9.95).

        Raises:
            MoneyError: when the amount is not a finite number within bounds.
        """
        digits = currency_digits(currency)
        if isinstance(amount, bool | float):
            raise MoneyError("an amount is a Decimal, a whole number or its text")
        try:
            value = Decimal(amount)
            if not value.is_finite() or value.adjusted() > MAX_EXPONENT:
                raise MoneyError("the amount is out of bounds")
            # quantize rounds once, whatever the number of digits; scaling first would round twice
            rounded = value.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)
        except InvalidOperation:
            raise MoneyError("the amount is not a number") from None
        return cls(int(rounded.scaleb(digits)), currency)

    @classmethod
    def typed(cls, text: str, currency: str) -> Money:
        """Return the amount that a person typed: never rounded, and never guessed.

        A point or a comma is the decimal mark (12.50 or 12,50). More digits behind it than the
        currency has are refused unless they are zeros (100.00 JPY). What could also be a mark
        between thousands is refused: before three digits, as in 1,000 CAD and 1.000 JPY; a point
        before three stands where the currency has three.

        Raises:
            MoneyError: in words for whoever typed it; they name the currency, and no value.
        """
        digits = currency_digits(currency)
        found = _TYPED.fullmatch(text.strip())
        if found is None:
            raise MoneyError(_how_written(currency, digits))
        whole, mark, behind = found[1], found[2], found[3] or ""
        is_decimal = mark == "." and len(behind) == digits
        may_be_thousands = len(behind) == GROUP and not is_decimal
        if may_be_thousands or behind[digits:].strip("0"):
            raise MoneyError(_how_written(currency, digits))
        return cls(int(whole + behind[:digits].ljust(digits, "0")), currency)

    @property
    def amount(self) -> Decimal:
        """The amount in major units, with the currency's own digits."""
        return Decimal(self.minor).scaleb(-currency_digits(self.currency))

    @property
    def amount_text(self) -> str:
        """The amount in major units as text, such as ``9.95``, without the currency."""
        return format(self.amount, "f")

    def __str__(self) -> str:
        return f"{self.amount_text} {self.currency}"

    def __add__(self, other: Money) -> Money:
        return Money(self.minor + self._same(other), self.currency)

    def __sub__(self, other: Money) -> Money:
        return Money(self.minor - self._same(other), self.currency)

    def __mul__(self, count: int) -> Money:
        return Money(self.minor * count, self.currency)

    def __lt__(self, other: Money) -> bool:
        return self.minor < self._same(other)

    def __le__(self, other: Money) -> bool:
        return self.minor <= self._same(other)

    def _same(self, other: Money) -> int:
        if other.currency != self.currency:
            raise MoneyError(f"{self.currency} and {other.currency} do not add or compare")
        return other.minor


def _how_written(currency: str, digits: int) -> str:
    if digits == 0:
        return f"an amount in {currency} is a whole number, without any mark, such as 1250"
    example = format(Decimal(1250).quantize(Decimal(1).scaleb(-digits)), "f")
    return (
        f"an amount in {currency} has at most {digits} decimals and no mark between thousands, "
        f"such as {example}"
    )

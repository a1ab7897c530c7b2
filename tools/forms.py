"""The forms of ids: settings of a shop, used to check arguments and to find ids in a text."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from tools.errors import FormRefused

__all__ = ["IdForm", "IdForms"]

MAX_ID_CHARS: Final = 64
"""Longest id of any form, in characters."""
MAX_PATTERN_CHARS: Final = 200


@dataclass(frozen=True)
class IdForm:
    """The form of one kind of id.

    Attributes:
        pattern: regular expression for one whole id, without anchors.
        words: the same for people, such as ``LK- and 6 digits``; models and customers see it.

    Raises:
        FormRefused: when the pattern does not compile, fits the empty text or is too long, or the
            words are missing.
    """

    pattern: str
    words: str

    def __post_init__(self) -> None:
        if not self.words.strip():
            raise FormRefused("the form of an id needs words that describe it")
        if len(self.pattern) > MAX_PATTERN_CHARS:
            raise FormRefused(f"the pattern is longer than {MAX_PATTERN_CHARS} characters")
        try:
            fits_nothing = self._whole.fullmatch("") is not None
        except re.error as error:
            raise FormRefused(f"the pattern is not a regular expression: {error.msg}") from None
        if fits_nothing:
            raise FormRefused("the pattern fits the empty text; it must fit whole ids only")

    def fits(self, text: str) -> bool:
        """Whether the text is one id of this form, and nothing else."""
        return len(text) <= MAX_ID_CHARS and self._whole.fullmatch(text) is not None

    def find(self, text: str) -> tuple[str, ...]:
        """Return the ids of this form in the text, each once, in order.

        Neither a letter nor a digit stands beside an id: ``LK-5511067`` and ``XLK-551106`` hold no
        order id of six digits, ``_LK-551106_`` and ``LK-551106-b`` do.
        """
        return tuple(dict.fromkeys(match[0] for match in self._within.finditer(text)))

    @cached_property
    def _whole(self) -> re.Pattern[str]:
        return re.compile(self.pattern, re.ASCII)

    @cached_property
    def _within(self) -> re.Pattern[str]:
        return re.compile(rf"(?<![^\W_])(?:{self.pattern})(?![^\W_])")


@dataclass(frozen=True, kw_only=True)
class IdForms:
    """The forms of the ids of one shop. The defaults are the practice shop's."""

    ticket: IdForm = field(default=IdForm(r"T-[0-9]{5}", "T- and 5 digits"))
    customer: IdForm = field(default=IdForm(r"C-[0-9]{5}", "C- and 5 digits"))
    order: IdForm = field(default=IdForm(r"LK-[0-9]{6}", "LK- and 6 digits"))
    payment: IdForm = field(
        default=IdForm(r"PAY-[0-9]{6}-(?:[0-9]{1,3}|A)", "PAY-, 6 digits, and -1, -2 or -A")
    )

    def find_orders(self, text: str) -> tuple[str, ...]:
        """Return the order ids in the text, each once, in order."""
        return self.order.find(text)

    def find_payments(self, text: str) -> tuple[str, ...]:
        """Return the payment ids in the text, each once, in order."""
        return self.payment.find(text)

    def find_customers(self, text: str) -> tuple[str, ...]:
        """Return the customer ids in the text, each once, in order."""
        return self.customer.find(text)

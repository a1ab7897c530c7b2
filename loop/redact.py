"""Redaction: the one border where text enters a message to a model.

Ticket texts, tool results and error texts pass here once, before anything is journaled, hashed or
sent, so that model, journal, digest, replay and draft see one form.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Container, Mapping
from decimal import Decimal
from typing import Any, Final

from loop.secret_forms import (
    DIGITS,
    KEY_FOR_KEYS,
    KEY_FOR_PHONES,
    KINDS,
    PLACEHOLDER,
    Kind,
    folded,
    may_hold,
)
from tools import IdForms, visible_text

__all__ = ["Redactor"]

MOST_PASSES: Final = 4
"""What stood against a secret without a space is read again when that has gone."""
MIN_PHONE_DIGITS: Final = 7
"""Under a key for phone numbers a text with fewer digits is none."""


class Redactor:
    """Replaces secrets and personal data by placeholders such as ``[email]``.

    Replaced are API keys, passwords and bearer tokens, card numbers, e-mail addresses and phone
    numbers, whatever digits, dashes and spaces they are typed with. What nobody can see is dropped:
    a model would read it (``tools.visible_text``). A text's result depends on that text alone, so
    a resumed run and a replay see what the run saw; two values of one kind get the same
    placeholder. Placeholders stay as they are, and so do dates, amounts and the shop's ids.

    Args:
        keep: the forms of the shop's ids; what has one of them is never replaced. Without them a
            shop whose ids are bare digits may see one taken for a phone or card number.
        numbered: tell values of one kind apart, as ``[email 1]`` and ``[email 2]``, in the order
            in which this redactor meets them. For texts that were written before: two calls with
            different addresses are not to become the same call.
        only: the kinds that are replaced: of ``key``, ``email``, ``card``, ``phone``. None: all.
    """

    def __init__(
        self,
        keep: IdForms | None = None,
        *,
        numbered: bool = False,
        only: Collection[str] | None = None,
    ) -> None:
        self._kinds = tuple(kind for kind in KINDS if only is None or kind.name in only)
        self._names = frozenset(kind.name for kind in self._kinds)
        self._numbers: dict[tuple[str, str], int] | None = {} if numbered else None
        self._kept = () if keep is None else (keep.ticket, keep.customer, keep.order, keep.payment)

    def text(self, text: str) -> str:
        """Return the text redacted; the very same object where nothing was found."""
        return self._text(text) if may_hold(text) else text

    def _text(self, text: str) -> str:
        redacted = visible_text(text)
        for _ in range(MOST_PASSES):
            before = redacted
            for kind in self._kinds:
                redacted = self._without(kind, redacted)
            if redacted == before:
                break
        return text if redacted == text else redacted

    def value(self, value: Any) -> Any:
        """Return a JSON value with every text and number in it redacted, keys too.

        The very same object where nothing was found. Two keys that become one are numbered, so
        that both their values stay: ``[email]``, ``[email] 2``.
        """
        # One look at all texts together: most values hold nothing, and walking costs more.
        return self._value(value) if may_hold(_as_text(value)) else value

    def _value(self, value: Any) -> Any:
        match value:
            case str():
                return self._text(value)
            case bool():
                return value
            case int() | float() | Decimal():
                written = str(value)
                redacted = self._text(written)
                return value if redacted == written else redacted
            case Mapping():
                return self._mapping(value)
            case list() | tuple():
                items = [self._value(item) for item in value]
                same = all(item is new for item, new in zip(value, items, strict=True))
                return value if same else items
            case _:
                return value

    def _mapping(self, value: Mapping[str, Any]) -> Mapping[str, Any]:
        redacted: dict[str, Any] = {}
        same = True
        for key, item in value.items():
            new_key, new_item = self._text(key), self._field(key, item)
            same = same and new_key is key and new_item is item
            redacted[_free(new_key, redacted)] = new_item
        return value if same else redacted

    def _field(self, key: str, item: Any) -> Any:
        """Return one item of an object; a key can say that the whole of it is a secret."""
        kind = _kind_by_key(key, str(item)) if _is_text_or_number(item) else None
        if kind is None or kind not in self._names:
            return self._value(item)
        return self._placeholder(kind, str(item))

    def _without(self, kind: Kind, text: str) -> str:
        parts: list[str] = []
        done = at = 0
        read = folded(text)
        while (match := kind.pattern.search(read, at)) is not None:
            secret = match["secret"]
            if self._is_id(secret) or not kind.is_secret(secret):
                # The next one may begin within this: "2271 4111 1111 1111 1111".
                at = match.start() + 1
                continue
            parts += (text[done : match.start("secret")], self._placeholder(kind.name, secret))
            done = at = match.end("secret")
        if not parts:
            return text
        return "".join((*parts, text[done:]))

    def _placeholder(self, kind: str, secret: str) -> str:
        if self._numbers is None:
            return f"[{kind}]"
        same_kind = sum(known == kind for known, _ in self._numbers)
        number = self._numbers.setdefault((kind, secret), same_kind + 1)
        return f"[{kind} {number}]"

    def _is_id(self, text: str) -> bool:
        return any(form.fits(text) for form in self._kept)


def _is_text_or_number(item: Any) -> bool:
    return isinstance(item, str | int) and not isinstance(item, bool)


def _kind_by_key(key: str, written: str) -> str | None:
    """Return what an object's key says that its item is, if that is a secret."""
    if not written or PLACEHOLDER.fullmatch(written):
        return None
    if KEY_FOR_KEYS.fullmatch(key):
        return "key"
    is_long = len(DIGITS.findall(folded(written))) >= MIN_PHONE_DIGITS
    return "phone" if is_long and KEY_FOR_PHONES.fullmatch(key) else None


def _free(key: str, taken: Container[str]) -> str:
    """Return the key, with the first number that makes it one of its own."""
    free, number = key, 1
    while free in taken:
        number += 1
        free = f"{key} {number}"
    return free


def _as_text(value: Any) -> str:
    """Return every text of a JSON value in one, keys included; a number counts as one too."""
    return json.dumps(value, ensure_ascii=False, default=str)

"""Redaction: the one border where text enters a message to a model.

Ticket texts, tool results and error texts pass here once, before anything is journaled, hashed or
sent, so that model, journal, digest, replay and draft see one form.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from tools import IdForms

__all__ = ["Redactor"]


class Redactor:
    """Replaces secrets and personal data by placeholders such as ``[email]``.

    Replaced are API keys and bearer tokens, card numbers, e-mail addresses and phone numbers. A
    text's result depends on that text alone, so a resumed run and a replay see what the run saw;
    two values of one kind get the same placeholder. Placeholders stay as they are, and so do
    dates, amounts and the shop's ids.

    Args:
        keep: the forms of the shop's ids; what has one of them is never replaced. Without them a
            shop whose ids are bare digits may see one taken for a phone number.
    """

    def __init__(self, keep: IdForms | None = None) -> None:
        self._kept = () if keep is None else (keep.ticket, keep.customer, keep.order, keep.payment)

    def text(self, text: str) -> str:
        """Return the text redacted; the very same object where nothing was found."""
        return self._text(text) if _may_hold(text) else text

    def _text(self, text: str) -> str:
        redacted = text
        for kind, pattern, is_secret in _KINDS:
            redacted = self._without(kind, pattern, is_secret, redacted)
        return redacted

    def value(self, value: Any) -> Any:
        """Return a JSON value with every text in it redacted, keys too.

        The very same object where nothing was found. Numbers are not looked at.
        """
        # One look at all texts together: most values hold nothing, and walking costs more.
        return self._value(value) if _may_hold(_as_text(value)) else value

    def _value(self, value: Any) -> Any:
        match value:
            case str():
                return self._text(value)
            case Mapping():
                return self._mapping(value)
            case list() | tuple():
                items = [self._value(item) for item in value]
                same = all(item is new for item, new in zip(value, items, strict=True))
                return value if same else items
            case _:
                return value

    def _mapping(self, value: Mapping[str, Any]) -> Mapping[str, Any]:
        pairs = [(self._text(key), self._field(key, item)) for key, item in value.items()]
        same = all(
            key is new_key and item is new_item
            for (key, item), (new_key, new_item) in zip(value.items(), pairs, strict=True)
        )
        return value if same else dict(pairs)

    def _field(self, key: str, item: Any) -> Any:
        """Return one item of an object; under a key for keys the whole text is a secret."""
        secret = isinstance(item, str) and item and _KEY_FOR_KEYS.fullmatch(key)
        if secret and not _PLACEHOLDER.fullmatch(item):
            return _placeholder("key")
        return self._value(item)

    def _without(self, kind: str, pattern: re.Pattern[str], is_secret: _Check, text: str) -> str:
        parts: list[str] = []
        done = at = 0
        while (match := pattern.search(text, at)) is not None:
            secret = match["secret"]
            if self._is_id(secret) or not is_secret(secret):
                # The next one may begin within this: "2271 4111 1111 1111 1111".
                at = match.start() + 1
                continue
            parts += (text[done : match.start("secret")], _placeholder(kind))
            done = at = match.end("secret")
        if not parts:
            return text
        return "".join((*parts, text[done:]))

    def _is_id(self, text: str) -> bool:
        return any(form.fits(text) for form in self._kept)


_Check = Callable[[str], bool]
"""Whether what a pattern found is a secret after all."""
MIN_CARD: Final = 13
MAX_CARD: Final = 19


def _placeholder(kind: str) -> str:
    return f"[{kind}]"


def _always(_: str) -> bool:
    return True


def _is_card(secret: str) -> bool:
    """Whether a number has a card's length and passes Luhn's check."""
    digits = "".join(char for char in secret if char.isdigit())
    return MIN_CARD <= len(digits) <= MAX_CARD and _luhn(digits)


def _luhn(digits: str) -> bool:
    total = sum(map(int, digits[-1::-2]))
    total += sum(sum(divmod(2 * int(digit), 10)) for digit in digits[-2::-2])
    return total % 10 == 0


def _as_text(value: Any) -> str:
    """Return every text of a JSON value in one, keys included; a number counts as one too."""
    return json.dumps(value, ensure_ascii=False, default=str)


def _may_hold(text: str) -> bool:
    """Whether anything below can match."""
    lowered = text.lower()
    return any(mark in lowered for mark in _MARKS) or _LONG_NUMBER.search(text) is not None


_MARKS: Final = tuple(
    "@ sk- sk_ rk- rk_ whsec_ xox xapp- ghp_ gho_ ghs_ ghu_ akia bearer authori api token secret "
    "password".split()
)
"""In lower case: what a key, a label of a key or an address is known by."""
_LONG_NUMBER: Final = re.compile(r"[0-9](?:[ .()\u00a0\u2011\u202f-]{0,2}[0-9]){8}")
"""Cards and phone numbers; the shortest, with the code of a country, has nine."""
# No pattern repeats in two ways at once, so a text is read in time that grows with its length.
_PLACEHOLDER: Final = re.compile(r"\[(?:key|email|card|phone)\]")
_KEY_FOR_KEYS: Final = re.compile(
    r"(?i:(?:x[-_])?api[-_ ]?key|(?:access|refresh|auth)[-_ ]?token|client[-_]secret|password)"
)
_CHAR: Final = r"[A-Za-z0-9._~+/=-]"
_KEY: Final = re.compile(
    r"(?<![A-Za-z0-9])(?P<secret>[sr]k[-_][A-Za-z0-9_-]{8,}|xox[a-z]-[A-Za-z0-9-]{8,}"
    r"|xapp-[A-Za-z0-9-]{8,}|whsec_[A-Za-z0-9]{8,}|gh[opsu]_[A-Za-z0-9]{20,}|AKIA[0-9A-Z]{16})"
)
_AFTER_LABEL: Final = re.compile(
    rf"(?i:(?:api[-_ ]?key|access[-_ ]?token)[\"']?\s{{0,3}}[:=]\s{{0,3}}[\"']?)"
    rf"(?P<secret>{_CHAR}{{4,}})"
)
_AUTHORIZATION: Final = re.compile(
    # With a scheme, or long: in a shop the word also stands before a date or an amount.
    r"(?i:authori[sz]ation[\"']?\s{0,3}[:=]\s{0,3}[\"']?)"
    rf"(?P<secret>(?i:(?:basic|bearer|token|key)\s{{1,3}}){_CHAR}{{4,}}|{_CHAR}{{16,}})"
)
_BEARER: Final = re.compile(
    rf"(?i:\bbearer\s{{1,3}})(?P<secret>(?=[^\s0-9]{{0,60}}[0-9]){_CHAR}{{8,}}|{_CHAR}{{20,}})"
)
_EMAIL: Final = re.compile(r"(?<![\w.%+-])(?P<secret>[\w.%+-]++@(?:[\w-]+\.)+[^\W\d_]{2,})")
_START: Final = r"(?<![\w+])(?<!\w-)(?<![0-9]\.)"
_GAP: Final = r"[ .\u00a0\u2011\u202f-]"
_CARD: Final = re.compile(
    # All digits in one, or in the groups that are printed on cards.
    rf"{_START}(?P<secret>(?:2[2-7]|[3-6][0-9])(?:[0-9]{{11,17}}|[0-9]{{2}}(?P<gap>{_GAP})"
    r"(?:[0-9]{4}(?P=gap)[0-9]{4}(?P=gap)[0-9]{4}|[0-9]{6}(?P=gap)[0-9]{4,5}"
    r"|[0-9]{3}(?P=gap)[0-9]{3}(?P=gap)[0-9]{3})))(?![0-9])"
)
_LONG_CARD: Final = re.compile(
    rf"{_START}(?P<secret>[3-6][0-9]{{3}}(?P<gap>{_GAP})[0-9]{{4}}(?P=gap)[0-9]{{4}}(?P=gap)"
    r"[0-9]{4}(?P=gap)[0-9]{1,3})(?![0-9])"
)
_NORTH_AMERICAN: Final = (
    rf"(?:\([2-9][0-9]{{2}}\)|[2-9][0-9]{{2}}){_GAP}?[2-9][0-9]{{2}}{_GAP}?[0-9]{{4}}"
)
_PHONE: Final = re.compile(
    rf"{_START}(?P<secret>(?:\+?1{_GAP}?)?{_NORTH_AMERICAN}"
    # French national numbers: five pairs with one separator throughout, which no date has.
    rf"|0[1-9](?P<gap>{_GAP}?)[0-9]{{2}}(?:(?P=gap)[0-9]{{2}}){{3}}"
    r"|0[0-9]{4} [0-9]{6}|0[0-9]{3} [0-9]{3} [0-9]{4}|0[0-9]{2} [0-9]{4} [0-9]{4}"
    r"|\+[1-9](?:[ .()\u00a0\u2011\u202f-]{0,2}[0-9]){8,14})(?!\w|-[0-9])"
)
_KINDS: Final[tuple[tuple[str, re.Pattern[str], _Check], ...]] = (
    ("key", _KEY, _always),
    ("key", _AFTER_LABEL, _always),
    ("key", _AUTHORIZATION, _always),
    ("key", _BEARER, _always),
    ("email", _EMAIL, _always),
    ("card", _CARD, _is_card),
    ("card", _LONG_CARD, _is_card),
    ("phone", _PHONE, _always),
)
"""In this order: what one has replaced, the next no longer sees."""

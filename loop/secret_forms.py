"""What keys, passwords, cards, e-mail addresses and phone numbers look like, for redaction.

Every pattern is matched against :func:`folded` text, in which there is one kind of digit, dash
and space, and nothing in it repeats in two ways at once: a text is read in time that grows with
its length. Where a secret is told by its label alone ("password: ..."), the label stays.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from tools import visible_text

__all__ = [
    "DIGITS",
    "KEY_FOR_KEYS",
    "KEY_FOR_PHONES",
    "KINDS",
    "PLACEHOLDER",
    "Kind",
    "folded",
    "may_hold",
]

MIN_CARD: Final = 13
MAX_CARD: Final = 19
"""Digits of a card number (ISO/IEC 7812)."""


def _always(_: str) -> bool:
    return True


def _is_card(secret: str) -> bool:
    """Whether a number has a card's length and passes Luhn's check."""
    digits = "".join(DIGITS.findall(secret))
    return MIN_CARD <= len(digits) <= MAX_CARD and _luhn(digits)


def _luhn(digits: str) -> bool:
    total = sum(map(int, digits[-1::-2]))
    total += sum(sum(divmod(2 * int(digit), 10)) for digit in digits[-2::-2])
    return total % 10 == 0


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of secret: the placeholder's name, and how it is found."""

    name: str
    pattern: re.Pattern[str]
    """Its group ``secret`` is what is replaced."""
    is_secret: Callable[[str], bool] = _always
    """Whether what the pattern found is a secret after all."""


# --- reading ---------------------------------------------------------------------------------

_NOT_ASCII: Final = re.compile(r"[^\x00-\x7f]")


def folded(text: str) -> str:
    """Return the text with plain digits, dashes, spaces and signs, character for character."""
    if text.isascii():
        return text
    return _NOT_ASCII.sub(lambda match: _fold(match[0]), text)


def _fold(char: str) -> str:
    digit = unicodedata.decimal(char, None)
    if digit is not None:
        return str(digit)
    match unicodedata.category(char):
        case "Pd":
            return "-"
        case "Zs":
            return " "
        case _:
            plain = unicodedata.normalize("NFKC", char)
            return plain if len(plain) == 1 and plain.isascii() else char


def may_hold(text: str) -> bool:
    """Whether a secret can be in the text, or something that nobody sees."""
    read = folded(text)
    lowered = read.lower()
    return (
        any(mark in lowered for mark in _MARKS)
        or _SHORT_MARKS.search(lowered) is not None
        or _LONG_NUMBER.search(read) is not None
        or (not text.isascii() and visible_text(text) != text)
    )


_MARKS: Final = (
    *"@ sk- sk_ rk- rk_ whsec_ xox xapp- ghp_ gho_ ghr_ ghs_ ghu_ github_pat_ glpat-".split(),
    *"hf_ npm_ aiza akia asia eyj bearer authori token secret passw passphrase".split(),
    *"passcode cvv cvc phone mobile".split(),
    *("mot de passe", "security code", "code de s", "private key"),
)
"""In lower case: what a key, a label of a secret or an address is known by."""
_SHORT_MARKS: Final = re.compile(r"(?<![a-z])(?:pin(?![a-z])|api|pwd|mdp|fax|tel)")
"""Those that begin a word: "shipping" and "hotel" are in most results, and mean nothing."""
_LONG_NUMBER: Final = re.compile(r"[0-9](?:[\s./()_-]{0,3}[0-9]){8}")
"""Cards and phone numbers; the shortest, with the code of a country, has nine."""
PLACEHOLDER: Final = re.compile(r"\[(?:key|email|card|phone)(?: [0-9]+)?\]")
DIGITS: Final = re.compile("[0-9]")
KEY_FOR_KEYS: Final = re.compile(
    r"(?i:(?:x[-_])?api[-_ ]?key|(?:access|refresh|auth)[-_ ]?token|client[-_]secret"
    r"|pass(?:word|wd|phrase|code)|pin|cv[cv])"
)
KEY_FOR_PHONES: Final = re.compile(
    r"(?i:(?:[a-z]{1,20}[-_ ])?(?:tele|cell)?(?:phone|mobile|fax|tel)(?:[-_ ]?(?:number|no))?)"
)

# --- keys and passwords ----------------------------------------------------------------------

_CHAR: Final = r"[A-Za-z0-9._~+/=-]"
_DIGIT_IN_IT: Final = r"(?=[^\s0-9]{0,60}[0-9])"
_KEY: Final = re.compile(
    r"(?<![A-Za-z0-9])(?P<secret>"
    # Letters beside a digit, which a key has and "sk-organizer-large-desk" has not.
    r"[sr]k[-_](?=[\w-]{0,80}?(?:[a-zA-Z][0-9]|[0-9][a-zA-Z]))[A-Za-z0-9_-]{8,}"
    r"|xox[a-z]-[A-Za-z0-9-]{8,}|xapp-[A-Za-z0-9-]{8,}|whsec_[A-Za-z0-9]{8,}"
    r"|gh[oprsu]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}"
    r"|(?:hf|npm)_[A-Za-z0-9]{20,}|A(?:KI|SI)A[0-9A-Z]{16}|AIza[A-Za-z0-9_-]{30,}"
    # A JSON web token: what begins with the letters that {" becomes in base64.
    r"|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?)"
)
_PRIVATE_KEY: Final = re.compile(
    r"(?P<secret>-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----"
    r"(?:[^-]{0,6000}-----END [A-Z ]{0,30}PRIVATE KEY-----|[\s\S]{0,6000}))"
)
_AFTER_LABEL: Final = re.compile(
    r"(?i:(?:api[-_ ]?key|access[-_ ]?token)[\"']?"
    rf"(?:\s{{0,3}}[:=]\s{{0,3}}|\s{{1,3}}{_DIGIT_IN_IT})[\"']?)(?P<secret>{_CHAR}{{4,}})"
)
_TOKEN: Final = re.compile(
    # "The secret: something" is no secret; one with a digit, or after "=", is.
    rf"(?i:(?:token|secret)[\"']?\s{{0,3}}(?:=\s{{0,3}}|:\s{{0,3}}[\"']?{_DIGIT_IN_IT})[\"']?)"
    rf"(?P<secret>{_CHAR}{{8,}})"
)
_AUTHORIZATION: Final = re.compile(
    # With a scheme, or long: in a shop the word also stands before a date or an amount.
    r"(?i:authori[sz]ation[\"']?\s{0,3}[:=]\s{0,3}[\"']?)"
    rf"(?P<secret>(?i:(?:basic|bearer|token|key)\s{{1,3}}){_CHAR}{{4,}}|{_CHAR}{{16,}})"
)
_BEARER: Final = re.compile(
    rf"(?i:\bbearer\s{{1,3}})(?P<secret>{_DIGIT_IN_IT}{_CHAR}{{8,}}|{_CHAR}{{20,}})"
)
_PASSWORD: Final = re.compile(
    # Anything after a colon; after "is" only what no sentence goes on with: a word with a digit.
    r"(?i:\b(?:pass(?:word|wd|phrase|code)|pwd|mot de passe|mdp)[\"']?"
    rf"(?:\s{{0,3}}[:=]\s{{0,3}}|\s(?:is|est)\s{{1,3}}{_DIGIT_IN_IT})[\"']?)"
    r"(?P<secret>(?!\[(?:key|email|card|phone)(?: [0-9]+)?\])[^\s\"'<>]{3,})"
)
_CODE: Final = re.compile(
    r"(?i:\b(?:cvv2?|cvc2?|(?:pin(?: code| number)?|code pin|security code|code de s[eé]curit[eé])"
    r"\s{0,3}(?:[:=]|\bis\b|\best\b))[\s:=]{0,3})(?P<secret>[0-9]{3,8})(?![\w.,-]?[0-9])"
)

# --- addresses, cards, phones ----------------------------------------------------------------

_EMAIL: Final = re.compile(
    r"(?<![\w.%+-])(?P<secret>[\w.%+-]++@(?:[\w-]+\.)+(?:xn--[\w-]{2,}|[^\W\d_]{2,}))"
)
_GAP: Final = r"[\s./_-]{1,3}"
_ANY_GAP: Final = r"[\s./_-]{0,3}"
_NO_DIGIT: Final = r"(?<![0-9+])(?<![0-9]\.)(?<![A-Z0-9]-)"
"""Before a card number; letters may touch it, an id of capitals and a dash may not."""
_CARD: Final = re.compile(
    # All digits in one, in the groups that are printed on cards, or each by itself.
    rf"{_NO_DIGIT}(?P<secret>(?=2[2-7]|2{_GAP}[2-7]|[3-6])(?:[0-9]{{13,19}}"
    rf"|[0-9]{{4}}(?:{_ANY_GAP}[0-9]{{4}}){{3}}"
    rf"|[0-9]{{4}}{_GAP}(?:[0-9]{{6}}{_GAP}[0-9]{{4,5}}|[0-9]{{3}}{_GAP}[0-9]{{3}}{_GAP}[0-9]{{3}})"
    r"|[0-9](?P<gap>[ .-])(?:[0-9](?P=gap)){11,17}[0-9]))(?![0-9])"
)
_LONG_CARD: Final = re.compile(
    rf"{_NO_DIGIT}(?P<secret>[3-6][0-9]{{3}}(?:{_GAP}[0-9]{{4}}){{3}}{_GAP}[0-9]{{1,3}})(?![0-9])"
)
_START: Final = r"(?<![\w+])(?<!\w-)(?<![0-9]\.)"
_END: Final = r"(?![0-9]|-[0-9])"
_STEP: Final = r"(?: {1,2}|\t| ?[./-] ?)"
"""Between the groups of a phone number."""
_NORTH_AMERICAN: Final = (
    # A gap on both sides makes it one; with a single gap the exchange has to be a real one.
    rf"(?:\([2-9][0-9]{{2}}\) ?(?:[0-9]{{3}}{_STEP}?[0-9]{{4}})"
    rf"|[2-9][0-9]{{2}}{_STEP}[0-9]{{3}}{_STEP}[0-9]{{4}}"
    rf"|[2-9][0-9]{{2}}(?:{_STEP}[2-9][0-9]{{2}}|[2-9][0-9]{{2}}{_STEP})[0-9]{{4}})"
)
_BARE: Final = r"[2-9][0-9]{2}[2-9][0-9]{6}"
"""Ten digits of a North American number; in a shop a bare number can be anything else too."""
_CALLS: Final = (
    r"(?i:\b(?:call|phone|tel|telephone|mobile|cell|fax|sms|text|ring|reach|dial|whatsapp|contact"
    r"|appele|appel|joindre|joigne|t[eé]l[eé]phone|portable|cellulaire|num[eé]ro est|my number"
    r"|mon num[eé]ro)[a-z]{0,3}\b[^0-9\n\[]{0,20})"
)
_PHONE: Final = re.compile(
    rf"{_START}(?P<secret>\+?1{_STEP}?(?:{_NORTH_AMERICAN}|{_BARE})|{_NORTH_AMERICAN}"
    # French national numbers: five pairs with one separator throughout, which no date has.
    rf"|0[1-9](?P<gap>{_STEP}?)[0-9]{{2}}(?:(?P=gap)[0-9]{{2}}){{3}}"
    r"|0[0-9]{4} [0-9]{6}|0[0-9]{3} [0-9]{3} [0-9]{4}|0[0-9]{2} [0-9]{4} [0-9]{4}"
    r"|(?:\+[1-9]|00 ?[2-9])(?:[ ./()-]{0,3}[0-9]){8,14})(?!\w|-[0-9])"
)
_BARE_PHONE: Final = re.compile(
    # After a word for calling, or alone on a line below others, as in a signature.
    rf"(?:{_CALLS}|\n[ \t]{{0,5}}(?=[0-9]{{10}}[ \t]{{0,5}}(?:\n|\Z)))(?<![\w+-])"
    rf"(?P<secret>{_BARE}){_END}"
)
KINDS: Final = (
    Kind("key", _PRIVATE_KEY),
    Kind("key", _KEY),
    Kind("key", _AFTER_LABEL),
    Kind("key", _AUTHORIZATION),
    Kind("key", _BEARER),
    Kind("key", _TOKEN),
    Kind("key", _PASSWORD),
    Kind("key", _CODE),
    Kind("email", _EMAIL),
    Kind("card", _CARD, _is_card),
    Kind("card", _LONG_CARD, _is_card),
    Kind("phone", _PHONE),
    Kind("phone", _BARE_PHONE),
)
"""In this order: what one has replaced, the next no longer sees."""

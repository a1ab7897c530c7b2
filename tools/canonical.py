"""One strict JSON reader and one canonical text of a JSON value (form 1).

The canonical text decides whether two values are the same: it stands under call signatures,
request digests and approval digests. Its rules are a promise (``docs/canonical.md``, with test
vectors in ``tests/tools/canonical_vectors.json``); a change of any rule is a new form number.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from tools.errors import JsonRefused

__all__ = ["FORM", "canonical", "digest", "parse_json"]

FORM: Final = 1
MAX_JSON_CHARS: Final = 200_000
"""Longest JSON text that is parsed at all, in characters."""
MAX_DEPTH: Final = 64
"""Deepest nesting of lists and objects."""
MAX_DIGITS: Final = 100
"""Longest integer, in digits (Python's own reader stops at 4300, with a plain ValueError)."""
MAX_EXPONENT: Final = 308
"""Largest power of ten of a number: what a double could still hold."""


def parse_json(text: str, *, max_chars: int = MAX_JSON_CHARS, mend: bool = False) -> Any:
    """Parse one JSON value strictly; fractions become ``Decimal``, never ``float``.

    Refused: double keys in an object, NaN and Infinity, numbers out of bounds, lone surrogates,
    raw control characters, anything after the value, a byte-order mark, nesting deeper than
    ``MAX_DEPTH``, texts longer than ``max_chars``. ``mend`` replaces lone surrogates by U+FFFD
    instead: for texts that people wrote and that must not be turned away for a broken emoji.

    Raises:
        JsonRefused: with the reason in words and no part of the text.
    """
    if len(text) > max_chars:
        raise JsonRefused(f"the JSON text is longer than {max_chars} characters")
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise JsonRefused(f"not valid JSON at character {error.pos}: {error.msg}") from None
    except RecursionError:
        raise JsonRefused(_TOO_DEEP) from None
    _check(value, 1, mend=mend)
    return _mended(value) if mend else value


def canonical(value: Any) -> str:
    """Return the canonical text: sorted keys, no spaces, ASCII with escapes, types kept.

    ``1`` and ``1.0`` stay apart, ``1.10`` and ``1.1`` are one. Takes what :func:`parse_json`
    returns, and tuples and mappings of the same.

    Raises:
        TypeError: for a value that JSON does not have, ``float`` included.
    """
    if value is None:
        return "null"
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, Decimal):
        return _decimal(value)
    if isinstance(value, Mapping):
        if not all(isinstance(key, str) for key in value):
            raise TypeError("canonical JSON takes text keys only")
        pairs = (f"{_string(key)}:{canonical(value[key])}" for key in sorted(value))
        return "{" + ",".join(pairs) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(canonical, value)) + "]"
    raise TypeError(f"canonical JSON has no form for {type(value).__name__}")


def digest(purpose: str, value: Any) -> str:
    """Return the SHA-256, in hex, of the canonical text under a purpose and the form number.

    The purpose keeps digests of different things apart even where the values are equal.
    """
    text = f"handrail/{purpose}/{FORM}\n{canonical(value)}"
    return hashlib.sha256(text.encode("ascii")).hexdigest()


_TOO_DEEP: Final = f"the JSON value is nested deeper than {MAX_DEPTH} levels"
_string = json.encoder.encode_basestring_ascii  # ASCII, so that hashing never meets a surrogate


def _decimal(value: Decimal) -> str:
    if not value.is_finite():
        raise TypeError("canonical JSON has no form for NaN or Infinity")
    if not value:
        return "0.0"
    text = format(value, "f")  # exact; normalize() would round to the context's 28 digits
    whole, _, fraction = text.partition(".")
    return f"{whole}.{fraction.rstrip('0') or '0'}"


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise JsonRefused("an object names one key twice")
    return found


def _integer(text: str) -> int:
    if len(text) > MAX_DIGITS:
        raise JsonRefused(f"a number has more than {MAX_DIGITS} digits")
    return int(text)


def _fraction(text: str) -> Decimal:
    try:
        value = Decimal(text) if len(text) <= MAX_DIGITS else None
    except InvalidOperation:  # an exponent beyond what a decimal can hold
        value = None
    if value is None or (value and abs(value.adjusted()) > MAX_EXPONENT):
        raise JsonRefused("a number is out of bounds")
    return value or Decimal("0.0")  # 0e999999999 would unfold to as many zeros


def _constant(_: str) -> Any:
    raise JsonRefused("NaN and Infinity are not JSON")


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_object,
    parse_int=_integer,
    parse_float=_fraction,
    parse_constant=_constant,
)


_HALF_PAIR: Final = re.compile("[\ud800-\udfff]")


def _check(value: Any, depth: int, *, mend: bool) -> None:
    """Refuse what the decoder lets through: lone surrogates and deep nesting."""
    if isinstance(value, str):
        if not mend and not value.isascii() and _HALF_PAIR.search(value):
            raise JsonRefused("a text holds half of a surrogate pair")
    elif isinstance(value, dict | list):
        if depth > MAX_DEPTH:
            raise JsonRefused(_TOO_DEEP)
        for item in value:
            _check(item, depth + 1, mend=mend)
        if isinstance(value, dict):
            for item in value.values():
                _check(item, depth + 1, mend=mend)


def _mended(value: Any) -> Any:
    if isinstance(value, str):
        return _HALF_PAIR.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_mended(key): _mended(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_mended(item) for item in value]
    return value

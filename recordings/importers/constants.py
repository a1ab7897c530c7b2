"""``NaN`` and ``Infinity`` in JSON, which are none and which Python writes: read as null.

A value that is no number is unknown, and costs nothing else of its file. So is a whole number of
more digits than Python reads (4300).
"""

from __future__ import annotations

import codecs
import json
import re
from typing import Any, Final, Protocol

__all__ = ["Nulled", "loads"]

_TOKEN: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[-+.0-9A-Za-z_]++', re.DOTALL)
"""A text, which may hold such words, or a word or number by itself, whole."""
_REST_OF_TEXT: Final = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
_WORDS: Final = frozenset({b"NaN", b"Infinity", b"-Infinity"})
_INTEGER: Final = re.compile(rb"-?[0-9]+")
_FRACTION: Final = re.compile(rb"-?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_NO_JSON: Final = b"?"
_LONG_NUMBER: Final = re.compile(rb"[0-9]{640}")
"""As many digits as Python always reads. The C reader of ijson goes on after a number that Python
cannot read, and may crash the process."""
_OF_WORDS: Final = b"-+._0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


class Readable(Protocol):
    """What bytes are read from, piece by piece."""

    def read(self, size: int, /) -> bytes:
        """Return the next bytes, at most so many; none at the end."""
        ...


def loads(text: str | bytes) -> Any:
    """Return a JSON value; what is no number in it is None.

    Raises:
        ValueError, RecursionError: it is none.
    """
    if isinstance(text, bytes):  # which json would also read as UTF-16
        text = text.removeprefix(codecs.BOM_UTF8).decode("utf-8", "surrogatepass")
    try:
        return json.loads(text, parse_constant=_unknown)
    except json.JSONDecodeError:
        raise
    except ValueError:  # a number of thousands of digits: read again, and slower, without it
        return json.loads(text, parse_constant=_unknown, parse_int=_int_or_unknown)


def _unknown(_word: str) -> None:
    return None


def _int_or_unknown(digits: str | bytes) -> int | None:
    try:
        return int(digits)
    except ValueError:
        return None


class Nulled:
    """A stream of JSON with null in place of each such word and number; texts stay as they are.

    A word or number is passed on whole, so memory grows with the longest one.
    """

    def __init__(self, stream: Readable) -> None:
        self._stream = stream
        self._kept: list[bytes] = []
        """What may go on: the beginning of a word or number; in a text, of an escape."""
        self._in_text = False

    def read(self, size: int) -> bytes:
        """Return the next bytes, about so many; none at the end."""
        while more := self._stream.read(size):
            self._kept.append(more)
            if more.strip(self._may_go_on()) and (passed := self._passed(b"".join(self._kept))):
                return passed
        last, self._kept = b"".join(self._kept), []
        return self._replaced(last, in_text=self._in_text)

    def _may_go_on(self) -> bytes:
        return b"\\" if self._in_text else _OF_WORDS

    def _passed(self, piece: bytes) -> bytes:
        """Return what of a piece is whole; what the next one may go on with is kept."""
        begins_in_text = self._in_text
        quotes = piece.replace(b"\\\\", b"").replace(b'\\"', b"").count(b'"')
        self._in_text ^= quotes % 2 == 1
        whole = piece.rstrip(self._may_go_on())
        self._kept = [piece[len(whole) :]]
        return self._replaced(whole, in_text=begins_in_text)

    def _replaced(self, piece: bytes, *, in_text: bool) -> bytes:
        if b"NaN" not in piece and b"Infinity" not in piece and not _LONG_NUMBER.search(piece):
            return piece  # as nearly every piece: looking into texts costs more
        rest = _REST_OF_TEXT.match(piece) if in_text else None
        begun = 0 if rest is None else rest.end()
        return piece[:begun] + _TOKEN.sub(_nulled, piece[begun:])


def _nulled(found: re.Match[bytes]) -> bytes:
    word = found[0]
    if word in _WORDS:
        return b"null"
    if word.startswith(b'"') or not _LONG_NUMBER.search(word):
        return word
    if _INTEGER.fullmatch(word):
        return b"null" if _int_or_unknown(word) is None else word
    # A fraction is read as a Decimal, which takes any number of digits. Of anything else the reader
    # would take the digits for a number before it finds that the whole is none.
    return word if _FRACTION.fullmatch(word) else _NO_JSON

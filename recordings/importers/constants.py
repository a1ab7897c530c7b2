"""``NaN`` and ``Infinity`` in JSON, which are none and which Python writes: read as null.

A value that is no number is unknown, and costs nothing else of its file. So is a whole number of
more digits than Python reads (4300).
"""

from __future__ import annotations

import codecs
import json
import re
from typing import IO, Any, Final

__all__ = ["Nulled", "loads"]

_TOKEN: Final = re.compile(rb'"(?:[^"\\]|\\.)*"?|-?\bInfinity\b|\bNaN\b|-?[0-9]{1000,}', re.DOTALL)
"""A text, which may hold such words, or one of the words by itself, or a number of as many digits.

The C reader of ijson goes on after a number that Python cannot read, and may crash the process.
"""
_LONG_NUMBER: Final = re.compile(rb"[0-9]{1000}")
"""A number of more than 4300 digits shows so in at least one of the pieces that it lies in."""
_REST_OF_TEXT: Final = re.compile(rb'(?:[^"\\]|\\.)*"?', re.DOTALL)
_BEGUN_WORD: Final = re.compile(rb"-?[A-Za-z]{0,8}\Z")
_LONGEST_WORD: Final = len(b"-Infinity")


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


def _int_or_unknown(digits: str) -> int | None:
    try:
        return int(digits)
    except ValueError:
        return None


class Nulled:
    """A stream of JSON with null in place of each such word outside of texts."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._kept = b""
        self._in_text = False

    def read(self, size: int) -> bytes:
        """Return the next bytes, about so many; none at the end."""
        while more := self._stream.read(size):
            piece = self._kept + more
            cut = _open_end(piece)
            piece, self._kept = piece[:cut], piece[cut:]
            if piece:
                return self._passed(piece)
        piece, self._kept = self._kept, b""
        return self._passed(piece)

    def _passed(self, piece: bytes) -> bytes:
        begins_in_text = self._in_text
        quotes = piece.replace(b"\\\\", b"").replace(b'\\"', b"").count(b'"')
        self._in_text ^= quotes % 2 == 1
        if b"NaN" not in piece and b"Infinity" not in piece and not _LONG_NUMBER.search(piece):
            return piece  # as nearly every piece: looking into texts costs more
        rest = _REST_OF_TEXT.match(piece) if begins_in_text else None
        begun = 0 if rest is None else rest.end()
        return piece[:begun] + _TOKEN.sub(_nulled, piece[begun:])


def _open_end(piece: bytes) -> int:
    """Return where that begins what the next piece may go on with: an escape, or a word."""
    begun = piece.rstrip(b"\\")
    if len(begun) < len(piece):
        return len(begun)
    word = _BEGUN_WORD.search(piece[-_LONGEST_WORD:])
    return len(piece) if word is None else len(piece) - len(word[0])


def _nulled(found: re.Match[bytes]) -> bytes:
    return found[0] if found[0].startswith(b'"') else b"null"

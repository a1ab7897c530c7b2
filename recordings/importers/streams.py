"""Reading big files piece by piece: JSON values at a place of a document, lines, and a first look.

Memory stays at the size of one run, whatever the size of the file.
"""

from __future__ import annotations

import codecs
import gzip
import zlib
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import IO, Any, Final

import ijson  # type: ignore[import-untyped]

from recordings.importers.constants import Nulled, loads
from recordings.nesting import MAX_DEPTH, is_deeper

__all__ = [
    "CANNOT_UNPACK",
    "EACH",
    "Damaged",
    "Peek",
    "behind_mark",
    "json_values",
    "lines",
    "open_plain",
    "parsed",
    "peek_at",
]

EACH: Final = "*"
"""The part of a path that stands for each item of a list."""
MAX_LINE_BYTES: Final = 64 * 1024 * 1024
"""Longest line that is read as one run."""
MAX_UNENDED_BYTES: Final = 16 * 1024 * 1024
"""Most that is read of a document without coming to the end of one text or number in it."""
CANNOT_UNPACK: Final = (EOFError, OSError, zlib.error)
"""What reading a gzip file that is cut or damaged raises."""
_NOT_JSON: Final = (ijson.JSONError, ValueError, ArithmeticError, SystemError)
"""What ijson raises. A number of thousands of digits is Python's ValueError, or, where ijson reads
on with it, a SystemError; one of an exponent beyond all is Decimal's."""
PEEK_BYTES: Final = 256 * 1024
"""What is looked at to tell which kind of file this is."""
PEEK_PARTS: Final = 4
"""Longest path of a field that is looked at, in parts."""
_FIRST_LINES: Final = 8
"""Lines of which one at least must be whole to tell what a file is."""
_BLOCK: Final = 8192
_TOO_DEEP: Final = f"the JSON is nested deeper than {MAX_DEPTH} levels"
_GZIP: Final = b"\x1f\x8b"


class Damaged(Exception):
    """The rest of a stream cannot be read. The text says where and why, and quotes nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Peek:
    """The beginning of a file: its first bytes, and the names of the fields in it.

    A field's name is its path, such as ``messages.*.role``; those of the items of a list, or of
    the objects of a file of lines, are the fields of one item.
    """

    path: Path
    head: bytes
    fields: frozenset[str]
    is_list: bool
    """Whether the file is one JSON list."""
    is_lines: bool
    """Whether it holds one JSON object a line, and not one over many lines."""

    def has(self, *fields: str) -> bool:
        """Whether the file has all these fields."""
        return self.fields.issuperset(fields)


def open_plain(path: Path) -> IO[bytes]:
    """Open a file for reading, unpacked where it is gzip, behind a byte-order mark if it has one.

    Raises:
        OSError: it cannot be opened.
    """
    with path.open("rb") as packed:
        is_packed = packed.read(len(_GZIP)) == _GZIP
    stream: IO[bytes] = gzip.GzipFile(path) if is_packed else path.open("rb")  # type: ignore[assignment]
    try:
        behind_mark(stream)
    except BaseException:
        stream.close()
        raise
    return stream


def behind_mark(stream: IO[bytes]) -> None:
    """Go to the beginning, behind a byte-order mark where there is one."""
    stream.seek(0)
    if _read(stream, len(codecs.BOM_UTF8)) != codecs.BOM_UTF8:
        stream.seek(0)


def peek_at(path: Path) -> Peek:
    """Look at the beginning of a file.

    Raises:
        OSError: it cannot be read.
    """
    with closing(open_plain(path)) as stream:
        head = _read(stream, PEEK_BYTES)
        in_lines = _has_whole_line(head) or _begins_with_long_line(stream, head)
    paths, behind = _paths(head), head
    for _ in range(_FIRST_LINES):
        if paths or not in_lines:
            break
        behind = behind.partition(b"\n")[2]  # a damaged line costs itself only
        paths = _paths(behind)
    is_list = EACH in paths
    fields = {path.removeprefix(f"{EACH}.") for path in paths} - {EACH}
    return Peek(path=path, head=head, fields=frozenset(fields), is_list=is_list, is_lines=in_lines)


def _has_whole_line(head: bytes) -> bool:
    """Whether one of the first lines is an object; the others may be damaged."""
    first = [line for line in head.splitlines()[:_FIRST_LINES] if line.startswith(b"{")]
    return any(map(_is_object, first))


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(parsed(line), dict)
    except Damaged:  # a line still, and one that says what is wrong with it when it is read
        return True


def _begins_with_long_line(stream: IO[bytes], head: bytes) -> bool:
    """Whether a first line that is longer than the head looks like an object, with more behind."""
    if not head.startswith(b"{") or b"\n" in head:
        return False
    last, read = head[-1:], len(head)
    while read <= MAX_LINE_BYTES and (block := _read(stream, _BLOCK)):
        read += len(block)
        line, ended, rest = block.partition(b"\n")
        last = (line.rstrip() or last)[-1:]
        if ended:
            return last == b"}" and bool((rest + _read(stream, _BLOCK)).strip())
    return False


def lines(stream: IO[bytes]) -> Iterator[tuple[int, bytes | None]]:
    """Yield number (from 1) and bytes of each line that is not blank; None for one too long."""
    number = 0
    while line := stream.readline(MAX_LINE_BYTES):
        number += 1
        if len(line) < MAX_LINE_BYTES or line.endswith(b"\n"):
            if line.strip():
                yield number, line
            continue
        yield number, None
        while not line.endswith(b"\n") and (line := stream.readline(MAX_LINE_BYTES)):
            pass


def json_values(stream: IO[bytes], *path: str) -> Iterator[Any]:
    """Yield the values at a path of the JSON document, one by one; no path: the document itself.

    Fractions come as ``Decimal``. ``path`` holds keys, and ``EACH`` for every item of a list.

    Raises:
        Damaged: after the values that could be read.
    """
    walk, bounded = _Walk(path), _Bounded(stream)
    events = ijson.basic_parse(Nulled(bounded), multiple_values=True)
    while True:
        try:
            event, value = next(events)
            bounded.unended = 0
            found = walk.step(event, value)
        except StopIteration:
            return
        except _NOT_JSON as error:
            raise Damaged(_where(stream, error)) from None
        except CANNOT_UNPACK as error:
            raise Damaged(f"the file cannot be unpacked further: {type(error).__name__}") from None
        yield from found


def _where(stream: IO[bytes], error: Exception) -> str:
    if "EOF" in str(error) or "ncomplete" in str(error):
        return f"the file ends in the middle of a value, at byte {stream.tell()}"
    # The reader takes 64 KiB at once, and does not say where in them it stopped.
    return f"is not JSON from somewhere in the 64 KiB before byte {stream.tell()}"


class _Bounded:
    """Reads from a stream, as long as what is read comes to an end."""

    def __init__(self, stream: IO[bytes]) -> None:
        self.unended = 0
        self._stream = stream

    def read(self, size: int) -> bytes:
        """Return the next bytes.

        Raises:
            Damaged: a hostile file holds one text without end.
        """
        more = self._stream.read(size)
        self.unended += len(more)
        if self.unended > MAX_UNENDED_BYTES:
            most = MAX_UNENDED_BYTES // 1024 // 1024
            raise Damaged(f"holds a text or number of more than {most} MB")
        return more


class _Walk:
    """Follows the events of a document, and builds the values at one path."""

    def __init__(self, path: tuple[str, ...]) -> None:
        self._path = path
        self._keys: list[str] = []
        self._built: list[Any] = []

    def step(self, event: str, value: Any) -> list[Any]:
        """Take one event; return the value that it completes, in a list, or nothing."""
        match event:
            case "map_key":
                self._keys[-1] = value
                return []
            case "start_map" | "start_array":
                return self._begin({} if event == "start_map" else [])
            case "end_map" | "end_array":
                self._keys.pop()
                if not self._built:
                    return []
                done = self._built.pop()
                return [done] if not self._built else []
            case _:
                if self._built:
                    self._put(value)
                    return []
                return [value] if self._here() else []

    def _begin(self, container: dict[str, Any] | list[Any]) -> list[Any]:
        if len(self._keys) >= MAX_DEPTH:
            raise Damaged(_TOO_DEEP)
        if self._built:
            self._put(container)
            self._built.append(container)
        elif self._here():
            self._built.append(container)
        self._keys.append(EACH)
        return []

    def _put(self, value: Any) -> None:
        into = self._built[-1]
        if isinstance(into, list):
            into.append(value)
        else:
            into[self._keys[-1]] = value

    def _here(self) -> bool:
        return len(self._keys) == len(self._path) and tuple(self._keys) == self._path


def _paths(head: bytes) -> set[str]:
    """Return the paths in the beginning of a document, up to ``PEEK_PARTS`` long."""
    found: set[str] = set()
    keys: list[str] = []
    try:
        for event, value in ijson.basic_parse(Nulled(BytesIO(head)), multiple_values=True):
            if event == "map_key":
                keys[-1] = value
                if len(keys) <= PEEK_PARTS + 1:
                    found.add(".".join(keys))
            elif event in ("start_map", "start_array"):
                if event == "start_array" and len(keys) <= PEEK_PARTS:
                    found.add(".".join([*keys, EACH]))
                keys.append(EACH)
                if len(keys) > MAX_DEPTH:
                    break
            elif event in ("end_map", "end_array"):
                keys.pop()
    except _NOT_JSON:
        pass  # the beginning of a longer document, or of a damaged one
    return found


def _read(stream: IO[bytes], most: int) -> bytes:
    """Return the beginning, of a damaged gzip file as much as can be unpacked."""
    head = b""
    try:
        while len(head) < most and (more := stream.read(min(_BLOCK, most - len(head)))):
            head += more
    except (EOFError, gzip.BadGzipFile, zlib.error):
        pass
    return head


def parsed(line: bytes) -> Mapping[str, Any] | list[Any] | None:
    """Return the object or the list of a line; None where it holds neither.

    Raises:
        Damaged: it is nested deeper than is read.
    """
    try:
        value = loads(line)
    except ValueError:
        return None
    except RecursionError:
        raise Damaged(_TOO_DEEP) from None
    if is_deeper(value):
        raise Damaged(_TOO_DEEP)
    return value if isinstance(value, dict | list) else None

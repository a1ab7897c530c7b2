"""Reading one data file: CSV or JSON Lines, each fault named with file, line and field."""

from __future__ import annotations

import csv
import io
import re
import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from tools.canonical import parse_json
from tools.errors import DataError, JsonRefused

__all__ = [
    "Columns",
    "Parse",
    "Row",
    "amount",
    "count",
    "day",
    "flag",
    "one_of",
    "optional",
    "read_csv",
    "read_jsonl",
    "read_text",
    "text",
]

Parse = Callable[[str], Any]
"""Turns the text of one field into its value; raises ``ValueError`` with the rule in words."""

FIRST_YEAR: Final = 1990
LAST_YEAR: Final = 2100
"""Dates outside these years are refused as typing errors."""
MAX_COUNT: Final = 1_000_000
MAX_LINE_CHARS: Final = 8_000_000
"""Longest line of JSON and longest field of CSV, in characters: a long ticket is cut later."""
_AMOUNT: Final = re.compile(r"[0-9]{1,12}(\.[0-9]{1,3})?", re.ASCII)
_NO_DAY: Final = "must be a date such as 2026-10-09"
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """The columns of a CSV file. Further columns in a file are not read."""

    required: Mapping[str, Parse]
    optional: Mapping[str, Parse] = field(default_factory=dict)
    """A column that may be missing; each of its values is then ``None``."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row: the line it begins on (1 is the first line of the file) and its values."""

    file: str
    line: int
    values: Mapping[str, Any]

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    def fault(self, name: str, problem: str) -> DataError:
        """Return the error that names this row and the field."""
        return DataError(self.file, problem, line=self.line, field=name)


def text(value: str) -> str:
    """Any text but an empty one."""
    if not value:
        raise ValueError("must not be empty")
    return value


def optional(parse: Parse) -> Parse:
    """Return a parser that takes an empty field as not given."""
    return lambda value: parse(value) if value else None


def day(value: str) -> date:
    """A date such as 2026-10-09."""
    if not _DAY.fullmatch(value):
        raise ValueError(_NO_DAY)
    try:
        found = date.fromisoformat(value)
    except ValueError:
        raise ValueError(_NO_DAY) from None
    if not FIRST_YEAR <= found.year <= LAST_YEAR:
        raise ValueError(f"must be a date between {FIRST_YEAR} and {LAST_YEAR}")
    return found


def amount(value: str) -> Decimal:
    """An amount in major units such as 9.95, not negative."""
    if not _AMOUNT.fullmatch(value):
        raise ValueError("must be an amount such as 9.95")
    return Decimal(value)


def count(value: str) -> int:
    """A whole number from 0 to a million."""
    if not (value.isascii() and value.isdigit() and len(value) <= len(str(MAX_COUNT))):
        raise ValueError("must be a whole number")
    return int(value)


def flag(value: str) -> bool:
    """1 or 0, true or false."""
    if value.lower() not in ("0", "1", "true", "false"):
        raise ValueError("must be 1 or 0, true or false")
    return value.lower() in ("1", "true")


def one_of(*allowed: str) -> Parse:
    """Return a parser that takes these words only."""

    def parse(value: str) -> str:
        if value not in allowed:
            raise ValueError(f"must be one of: {', '.join(allowed)}")
        return value

    return parse


def read_text(folder: Path, name: str) -> str | None:
    """Return the file's text without a byte-order mark; ``None`` where there is no such file.

    Raises:
        DataError: the file cannot be read or is not UTF-8.
    """
    file = folder / name
    try:
        if not stat.S_ISREG(file.stat().st_mode):  # a pipe or a device may never end
            raise DataError(str(file), "is not a file")
        raw = file.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise DataError(str(file), f"cannot be read: {error.strerror}") from None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise DataError(str(file), "is not UTF-8; save it as UTF-8", line=line) from None


def read_csv(folder: Path, name: str, columns: Columns) -> tuple[Row, ...] | None:
    """Return the rows; ``None`` where there is no such file.

    Raises:
        DataError: with the first fault.
    """
    content = read_text(folder, name)
    if content is None:
        return None
    place = str(folder / name)
    lines = _csv_lines(place, content)
    header = next(lines, (1, []))[1]
    _check_header(place, header, columns)
    return tuple(_row(place, line, header, fields, columns) for line, fields in lines)


def read_jsonl(folder: Path, name: str) -> tuple[Row, ...] | None:
    """Return the objects of a JSON Lines file; empty lines are skipped.

    Raises:
        DataError: with the first line that is not one JSON object.
    """
    content = read_text(folder, name)
    if content is None:
        return None
    place = str(folder / name)
    lines = enumerate(content.split("\n"), start=1)
    return tuple(_object(place, number, line) for number, line in lines if line.strip())


def _csv_lines(name: str, content: str) -> Iterator[tuple[int, list[str]]]:
    csv.field_size_limit(MAX_LINE_CHARS)  # the whole process's; the library has no other way
    reader = csv.reader(io.StringIO(content, newline=""), strict=True)
    line = 1
    try:
        for fields in reader:
            if fields:
                yield line, fields
            line = reader.line_num + 1
    except csv.Error as error:
        raise DataError(name, f"is not valid CSV: {error}", line=line) from None


def _check_header(name: str, header: list[str], columns: Columns) -> None:
    for column in columns.required:
        if column not in header:
            raise DataError(name, "the column is missing", line=1, field=column)
    for column in header:
        if header.count(column) > 1:
            raise DataError(name, "the column is there twice", line=1, field=column)


def _row(name: str, line: int, header: list[str], fields: list[str], columns: Columns) -> Row:
    if len(fields) != len(header):
        problem = f"has {len(fields)} fields where the header has {len(header)}"
        raise DataError(name, problem, line=line)
    found = dict(zip(header, fields, strict=True))
    values: dict[str, Any] = dict.fromkeys(columns.optional)
    for column, parse in {**columns.required, **columns.optional}.items():
        if column in found:
            try:
                values[column] = parse(found[column])
            except ValueError as error:
                raise DataError(name, str(error), line=line, field=column) from None
    return Row(name, line, values)


def _object(name: str, line: int, content: str) -> Row:
    try:
        value = parse_json(content, max_chars=MAX_LINE_CHARS, mend=True)
    except JsonRefused as error:
        raise DataError(name, f"is not valid: {error}", line=line) from None
    if not isinstance(value, dict):
        raise DataError(name, "must be a JSON object", line=line)
    return Row(name, line, value)

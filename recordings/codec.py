"""One journal entry as one versioned JSON line, both ways. The only reader and the only writer."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Annotated, Any, Final

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from loop import MAX_TOTAL, Entry, Record, Replied, cleaned
from recordings.errors import RecordingUnreadable
from recordings.nesting import MAX_DEPTH, is_deeper

__all__ = ["VERSION", "decode", "encode"]

VERSION: Final = 1
"""Version of the line's form. A change of the form is a new version, and a reader for the old."""
MAX_LINE_DEPTH: Final = MAX_DEPTH + 20
"""Deepest nesting of a line: what may be brought in, and the record that it stands in."""
_MAYBE_HALF: Final = re.compile(r"\\u[dD]")
_ENVELOPE: Final = ("v", "run", "seq", "at_us")
_RECORD: TypeAdapter[Record] = TypeAdapter(
    Annotated[Record, Field(discriminator="kind")], config=ConfigDict(extra="forbid")
)


def encode(run_id: str, entry: Entry) -> str:
    """Return the entry as one line of JSON, without a line break."""
    envelope = {"v": VERSION, "run": run_id, "seq": entry.seq, "at_us": entry.at_us}
    head = json.dumps(envelope, ensure_ascii=False, separators=(",", ":"))
    body = _RECORD.dump_json(entry.record).decode("utf-8")
    return f"{head[:-1]},{body[1:]}"


def decode(line: str, *, file: str, number: int) -> tuple[str, Entry]:
    """Return run id and entry of a line. ``file`` and ``number`` (from 1) are for the message.

    Raises:
        RecordingUnreadable: naming file, line and field.
    """
    value = _object(line, file, number)
    if type(value.get("v")) is not int or value["v"] != VERSION:
        raise RecordingUnreadable(
            file, f"is not {VERSION}, the only version known here", line=number, field="v"
        )
    run_id, seq, at_us = (value.pop(name, None) for name in _ENVELOPE[1:])
    value.pop("v")
    if not isinstance(run_id, str) or not run_id:
        raise RecordingUnreadable(file, "must name the run", line=number, field="run")
    for name, item in (("seq", seq), ("at_us", at_us)):
        if type(item) is not int or not 0 <= item <= MAX_TOTAL:
            problem = f"must be a whole number from 0 to {MAX_TOTAL}"
            raise RecordingUnreadable(file, problem, line=number, field=name)
    try:
        record = _plausible(_RECORD.validate_python(value))
    except ValidationError as error:
        fault = error.errors(include_url=False, include_context=False, include_input=False)[0]
        # The first part of the place is the record's kind, which is no field of the line.
        field = ".".join(str(part) for part in fault["loc"][1:])
        if not field and fault["type"] != "value_error":  # a record's own word of all its fields
            field = "kind"
        problem = fault["msg"].removeprefix("Value error, ")
        raise RecordingUnreadable(file, problem, line=number, field=field or None) from None
    return run_id, Entry(seq=seq, at_us=at_us, record=record)


def _plausible(record: Record) -> Record:
    """Return the record; in a reply a figure that cannot be is unknown, as in a live one."""
    if not isinstance(record, Replied):
        return record
    reply = cleaned(record.reply)
    return record if reply is record.reply else replace(record, reply=reply)


def _object(line: str, file: str, number: int) -> dict[str, Any]:
    try:
        value = json.loads(line)
        line.encode("utf-8")
        if _MAYBE_HALF.search(line):  # half a character is one that nothing can write again
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError):
        raise RecordingUnreadable(file, "is not a line of JSON", line=number) from None
    if is_deeper(value, MAX_LINE_DEPTH):
        problem = f"is nested deeper than {MAX_LINE_DEPTH} levels"
        raise RecordingUnreadable(file, problem, line=number)
    if not isinstance(value, dict):
        raise RecordingUnreadable(file, "is not a JSON object", line=number)
    return value

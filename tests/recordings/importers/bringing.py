"""Files as others write them, small, and what comes of bringing them in."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from loop import PRICES, Called, Replied, Reply
from recordings import FileReport, ImportReport, Recording, import_runs, read_recordings

__all__ = ["Brought", "assistant", "bring", "call", "tool", "user", "write_json", "write_lines"]


class Brought:
    """The recordings of one import, and its report."""

    def __init__(self, report: ImportReport, recordings: Sequence[Recording]) -> None:
        self.report = report
        self.recordings = recordings

    @property
    def file(self) -> FileReport:
        """The report of the only file."""
        (file,) = self.report.files
        return file

    @property
    def only(self) -> Recording:
        """The only run."""
        (recording,) = self.recordings
        return recording

    @property
    def problems(self) -> list[str]:
        """What could not be read: place and problem."""
        return [f"{each.place}: {each.problem}" for each in self.file.not_read]

    def replies(self) -> list[Reply]:
        """The replies of the only run."""
        return [e.answer.reply for e in self.only.exchanges if isinstance(e.answer, Replied)]

    def called(self) -> list[Called]:
        """The answered calls of the only run."""
        return [e.record for e in self.only.entries if isinstance(e.record, Called)]


def bring(*paths: Path, format_name: str | None = None, keep_texts: bool = True) -> Brought:
    """Bring files in, and read what was written."""
    to = paths[0].parent / "brought.jsonl"
    to.unlink(missing_ok=True)
    report = import_runs(paths, to, prices=PRICES, format_name=format_name, keep_texts=keep_texts)
    read = read_recordings(to, PRICES)
    assert read.faults == ()
    return Brought(report, read.recordings)


def write_json(folder: Path, value: Any, name: str = "file.json") -> Path:
    """Write one JSON document."""
    path = folder / name
    path.write_text(json.dumps(value, indent=1), encoding="utf-8")
    return path


def write_lines(folder: Path, *values: Any, name: str = "file.jsonl") -> Path:
    """Write a value a line; a text is a line as it stands."""
    path = folder / name
    lines = [value if isinstance(value, str) else json.dumps(value) for value in values]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def user(text: str = "Where is my parcel?") -> dict[str, Any]:
    """Return what a user said."""
    return {"role": "user", "content": text}


def assistant(text: str | None = None, *calls: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return what a model said."""
    made = {"tool_calls": list(calls)} if calls else {}
    return {"role": "assistant", "content": text, **made, **more}


def call(
    name: str = "get_order", arguments: Any = '{"order_id": "LK-1"}', call_id: Any = "c1"
) -> dict[str, Any]:
    """Return a call of a tool."""
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def tool(text: Any = "shipped", call_id: Any = "c1", **more: Any) -> dict[str, Any]:
    """Return the answer to a call."""
    return {"role": "tool", "tool_call_id": call_id, "content": text, **more}

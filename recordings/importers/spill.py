"""Values put aside on the disk and taken back by group: for files whose runs lie interleaved."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import Any, Self

from recordings.importers.fields import json_number

__all__ = ["Spill"]


class Spill:
    """A temporary file of values. Memory holds only where each of them begins.

    The file has no name, is the owner's alone, and goes with the process.
    """

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile("w+b")  # noqa: SIM115 (closed by this object's own end)
        self._places: dict[str, list[int]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def put(self, group: str, value: Mapping[str, Any]) -> None:
        """Put a JSON value aside."""
        self._places.setdefault(group, []).append(self._file.tell())
        self._file.write(json.dumps(value, default=json_number).encode("ascii") + b"\n")

    def groups(self) -> Iterator[tuple[str, list[Any]]]:
        """Yield each group with its values, both in the order in which they were put aside."""
        for group, places in self._places.items():
            values = []
            for place in places:
                self._file.seek(place)
                values.append(json.loads(self._file.readline()))
            yield group, values

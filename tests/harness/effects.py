"""A log of what really happened, which outlives every kill.

Each line is one ``write`` on a descriptor opened with O_APPEND: several processes may add to one
file, and a line is there whole or not at all, whatever ends the process behind it.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any


class EffectLog:
    """Lines of JSON in a file, added one by one."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC)

    def add(self, **facts: Any) -> None:
        """Add a line. From any thread or process."""
        os.write(self._descriptor, (json.dumps(facts) + "\n").encode())

    def close(self) -> None:
        """Close the file."""
        os.close(self._descriptor)


def read_effects(path: Path) -> list[dict[str, Any]]:
    """Return the lines so far; none where nobody has opened the file yet."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]

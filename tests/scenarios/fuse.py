"""A fuse: a number of commits after which the process that lights it is killed, from outside.

The number stands in a small file that is mapped into the processes: a test arms it at the moment
that it wants to count from, in a bot that has been running for long.
"""

from __future__ import annotations

import mmap
import struct
import threading
from collections import defaultdict
from pathlib import Path

from tests.harness.boundaries import Boundaries, die
from tests.harness.effects import EffectLog

FUSE, COMMITS = "fuse", "commits.jsonl"
"""The files, in the folder of a bot."""
_FORM = struct.Struct("<qq240s")
_WRITES = ("INSERT", "UPDATE", "DELETE")


class Fuse:
    """How many commits are still to come before a bot dies, in a file."""

    def __init__(self, path: Path) -> None:
        if not path.exists():
            path.write_bytes(bytes(_FORM.size))
        with path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), _FORM.size)

    def arm(self, commits: int, *, behind: bool = False, kind: str = "") -> None:
        """Let the bot die just before the commit of this number, or just behind it.

        ``kind`` names the tables that are written, sorted; empty: every commit counts. With 0
        commits nobody dies.
        """
        _FORM.pack_into(self._map, 0, commits, behind, kind.encode("ascii"))

    @property
    def left(self) -> int:
        """How many commits are still to come; 0 when it went off, or was never armed."""
        commits, _, _ = _FORM.unpack_from(self._map)
        return int(commits)

    def burn(self, kind: str) -> bool:
        """Count a commit of a kind; return whether it is the last."""
        commits, behind, wanted = _FORM.unpack_from(self._map)
        if commits == 0 or wanted.rstrip(b"\0").decode("ascii") not in ("", kind):
            return False
        _FORM.pack_into(self._map, 0, commits - 1, behind, wanted)
        return bool(commits == 1)

    @property
    def behind(self) -> bool:
        """Whether the bot dies behind the last commit, and not before it."""
        return bool(_FORM.unpack_from(self._map)[1])


class Doom:
    """Kills this process where the fuse says so, and writes down each commit.

    Commits that wrote nothing do not count. A transaction is one thread's, so whatever a thread has
    written since its last commit belongs to the next; the store and the shop are two files, and
    two threads may write at once.
    """

    def __init__(self, fuse: Fuse, log: EffectLog) -> None:
        self._fuse = fuse
        self._log = log
        self._wrote: dict[int, set[str]] = defaultdict(set)
        self._dies_in: int | None = None  # the thread whose commit was the last

    def watch(self) -> None:
        """Count the commits of every connection that is opened from now on."""
        Boundaries(self._met).watch_store()

    def _met(self, _number: int, name: str) -> None:
        words = name.split()
        wrote = self._wrote[threading.get_ident()]
        if words[0] in _WRITES:
            wrote.add(words[-1])
        elif words[0] == "BEGIN":
            wrote.clear()
        elif words[0] == "COMMIT" and wrote:
            kind = " ".join(sorted(wrote))
            wrote.clear()
            self._commit(kind)
        elif self._dies_in == threading.get_ident():
            die()  # the first statement of this thread behind its commit

    def _commit(self, kind: str) -> None:
        last = self._fuse.burn(kind)
        self._log.add(commit=kind, killed=last)
        if last and not self._fuse.behind:
            die()
        if last:
            self._dies_in = threading.get_ident()

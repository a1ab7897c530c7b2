"""A bot that is killed, with SIGKILL, just before its Nth commit about a ticket.

``python -m tests.scenarios.doomed N``. Commits of the start (tables, the practice shop) do not
count.
"""

from __future__ import annotations

import sys

from bot.commands.serve import serve
from tests.harness.boundaries import Boundaries, die

NEVER = 0
TABLES = frozenset({"inbox", "tickets", "replies", "threads", "runs", "journal", "outbox", "cards"})
"""What a commit about a ticket writes to."""


def main() -> None:
    """Serve, and die at the commit that the first argument numbers."""
    last = int(sys.argv[1])
    commits, counts = 0, False

    def met(_number: int, name: str) -> None:
        nonlocal commits, counts
        words = name.split()
        if words[0] in ("INSERT", "UPDATE", "DELETE"):
            counts = counts or words[-1] in TABLES
        elif words[0] == "COMMIT" and counts:
            commits, counts = commits + 1, False
            if commits == last:
                die()

    Boundaries(met).watch_store()
    serve.main(args=[], standalone_mode=False)


if __name__ == "__main__":
    main()

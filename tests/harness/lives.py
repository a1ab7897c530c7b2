"""Lives of a process: forked from a warm parent, so that one costs milliseconds.

The parent must have no thread, no open store and no socket: a fork carries over none of them
whole. So it is a process of its own, never pytest.
"""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Callable

KILLED = -signal.SIGKILL


def live(work: Callable[[], None]) -> int:
    """Run work in a forked child and wait for its end: 0, or ``KILLED``.

    Raises:
        RuntimeError: it ended in any other way; its traceback is on standard error.
    """
    return wait(begin(work))


def begin(work: Callable[[], None]) -> int:
    """Start work in a forked child and return its pid."""
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        os._exit(_run(work))
    return pid


def wait(pid: int) -> int:
    """Wait for a child's end, as ``live`` does."""
    _, status = os.waitpid(pid, 0)
    code = os.waitstatus_to_exitcode(status)
    if code not in (0, KILLED):
        raise RuntimeError(f"a child ended with {code}")
    return code


def _run(work: Callable[[], None]) -> int:
    try:
        work()
    except BaseException:  # noqa: BLE001 (told, and the exit code says so; nothing may unwind past it)
        traceback.print_exc()
        return 1
    sys.stdout.flush()
    return 0

"""``python -m bot`` is the ``handrail`` command: its entry, which survives an early Ctrl-C.

Nothing is imported above that takes time: an interruption in the first second, while the packages
load, is as quiet as a later one. The same goes for a call to end, which takes back what is held.
"""

from __future__ import annotations

import signal
import sys
from types import FrameType

__all__ = ["main"]

INTERRUPTED = 130


def main() -> int:
    """Run the command line and return its exit status: the console entry."""
    try:
        _end_orderly()
        from bot.cli import main as command_line

        return command_line()
    except KeyboardInterrupt:
        sys.stderr.write("error: interrupted\n")
        return INTERRUPTED


def _end_orderly() -> None:
    """Let SIGTERM and SIGHUP unwind the program, so that temporary files go with it."""
    for each in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(each) is signal.SIG_DFL:  # nohup ignores one; that stays
            signal.signal(each, _leave)


def _leave(number: int, _frame: FrameType | None) -> None:
    sys.exit(128 + number)


if __name__ == "__main__":
    sys.exit(main())

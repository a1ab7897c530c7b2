"""From nothing to the first finished thread: ``python -m tests.bench.demo`` prints the seconds.

Each figure is wall time from the start of the program ``handrail demo``, at the speed that it has
by itself: with the page, replies take the time that they once took. Medians of some rounds.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from bot.demo.scenes import STORY
from tests.bot.demo.programs import Served, started

ROUNDS: Final = 3


def main() -> None:
    """Print the figures."""
    page = [_page_times() for _ in range(ROUNDS)]
    terminal = [_terminal_times() for _ in range(ROUNDS)]
    _print("with the page: it can be opened", [opened for opened, _ in page])
    _print("with the page: the first thread is finished", [first for _, first in page])
    _print("in the terminal: the first thread is finished", [first for first, _ in terminal])
    _print(f"in the terminal: all {len(STORY)} threads, and gone", [end for _, end in terminal])


def _print(what: str, seconds: list[float]) -> None:
    print(f"{what:<48}{statistics.median(seconds):>6.1f} s")


def _page_times() -> tuple[float, float]:
    with _folder() as folder, started(folder, "--no-open", "--port", "0") as program:
        began = time.perf_counter()
        place = Served(program, folder)
        opened = time.perf_counter() - began
        place.wait_for_draft(STORY[0].ticket_id)
        first = time.perf_counter() - began
        place.http.close()
        program.terminate()
        program.communicate()
    return opened, first


def _terminal_times() -> tuple[float, float]:
    with _folder() as folder, started(folder, "--headless") as program:
        began = time.perf_counter()
        assert program.stdout is not None
        while f"[2/{len(STORY)}]" not in program.stdout.readline():
            pass
        first = time.perf_counter() - began
        program.communicate()
        return first, time.perf_counter() - began


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


if __name__ == "__main__":
    main()

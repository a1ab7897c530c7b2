"""Checking, counting and redacting many recordings: seconds, and memory that does not grow.

``python -m tests.bench.recordings [MEGABYTES]``; 50 without a number. The file is the shipped
recordings, over and over under other names; each command runs in a process of its own.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from recordings import SHIPPED_RECORDINGS

__all__ = ["many_runs", "peak_kb"]

_CHILD: Final = """
import atexit, resource, sys
from bot.cli import handrail
atexit.register(
    lambda: print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)
)
handrail.main(sys.argv[1:])
"""


def many_runs(path: Path, megabytes: float) -> int:
    """Write a file of recordings of about this size; return the number of runs."""
    source = (SHIPPED_RECORDINGS / "resolver.jsonl").read_text(encoding="utf-8")
    lines = [line.split('"run":"', 1) for line in source.splitlines()]
    times = max(1, int(megabytes * 1_000_000 / len(source.encode())))
    with path.open("w", encoding="utf-8") as out:
        for number in range(times):
            out.writelines(f'{head}"run":"{number}-{rest}\n' for head, rest in lines)
    return times * sum('"kind":"opened"' in rest for _, rest in lines)


def peak_kb(*args: str | Path) -> int:
    """Run a command of ``handrail`` in a process of its own; return its peak memory in kB."""
    done = subprocess.run(
        [sys.executable, "-c", _CHILD, *map(str, args)], check=True, capture_output=True, text=True
    )
    return int(done.stderr.split()[-1])


def main() -> None:
    """Measure a small file and a big one."""
    megabytes = float(sys.argv[1]) if len(sys.argv) > 1 else 50.0
    with tempfile.TemporaryDirectory() as folder:
        path, out = Path(folder) / "runs.jsonl", Path(folder) / "out.jsonl"
        for size in (2.0, megabytes):
            runs = many_runs(path, size)
            for name, more in (("verify", ()), ("stats", ()), ("redact", ("--to", out))):
                begun = time.perf_counter()
                peak = peak_kb("recordings", name, path, *more)
                took = time.perf_counter() - begun
                shown = f"{size:g} MB, {runs} runs, {name}"
                print(f"{shown:<36}{took:>8.1f} s{peak / 1024:>8.0f} MB at the peak")
                out.unlink(missing_ok=True)


if __name__ == "__main__":
    main()

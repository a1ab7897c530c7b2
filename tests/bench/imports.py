"""Bringing in a big file: seconds, and that memory does not grow with the file.

``python -m tests.bench.imports [MEGABYTES]``; 200 without a number.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

__all__ = ["big_tau", "peak_kb"]

_CHILD = """
import resource, sys
from pathlib import Path
from loop import PRICES
from recordings import import_runs
report = import_runs([Path(sys.argv[1])], Path(sys.argv[2]), prices=PRICES)
print(report.runs, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def big_tau(path: Path, megabytes: float) -> None:
    """Write a result file of τ-bench of about this size: one line, as ``json.dump`` writes it."""
    run = json.dumps(_run())
    count = max(1, int(megabytes * 1_000_000 / len(run)))
    with path.open("w", encoding="utf-8") as out:
        out.write("[" + run)
        for _ in range(count - 1):
            out.write(", " + run)
        out.write("]")


def peak_kb(path: Path) -> tuple[int, int]:
    """Import a file in a process of its own; return runs and peak memory in kB."""
    to = path.with_suffix(".out")
    to.unlink(missing_ok=True)
    done = subprocess.run(
        [sys.executable, "-c", _CHILD, str(path), str(to)],
        check=True,
        capture_output=True,
        text=True,
    )
    to.unlink()
    runs, peak = done.stdout.split()
    return int(runs), int(peak)


def _run() -> dict[str, Any]:
    traj: list[dict[str, Any]] = [{"role": "system", "content": "A policy. " * 600}]
    for turn in range(12):
        call = {"name": "get_order", "arguments": json.dumps({"order_id": f"#W{turn}"})}
        traj += [
            {"role": "user", "content": "And my other order, the one of last week? " * 3},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": f"call_{turn}", "type": "function", "function": call}],
            },
            {
                "role": "tool",
                "tool_call_id": f"call_{turn}",
                "name": "get_order",
                "content": '{"status": "shipped"}' * 60,
            },
        ]
    traj.append({"role": "assistant", "content": "Done."})
    return {"task_id": 1, "reward": 1.0, "info": {}, "traj": traj, "trial": 0}


def main() -> None:
    """Measure a small file and a big one."""
    megabytes = float(sys.argv[1]) if len(sys.argv) > 1 else 200.0
    with tempfile.TemporaryDirectory() as folder:
        for size in (2.0, megabytes):
            path = Path(folder) / "runs.json"
            big_tau(path, size)
            begun = time.perf_counter()
            runs, peak = peak_kb(path)
            took = time.perf_counter() - begun
            print(f"{size:g} MB: {runs} runs, {took:.1f} s, {peak / 1024:.0f} MB at the peak")


if __name__ == "__main__":
    main()

"""What a what-if costs: ``python -m tests.bench.explore`` prints the figures.

Generated runs of 1 to 12 steps, and 1,000 settings of five limits. Times are processor time, on one
core, so that a busy machine does not show. The many runs are profiled one after another and none is
kept, as a report over a large folder would do it.
"""

from __future__ import annotations

import json
import resource
import time
from collections.abc import Iterator
from typing import Final

from recordings.explore import RunFacts, RunProfile, profile_to_json, profiled, sum_up
from tests.recordings.explore.generated import generated_runs, generated_settings

RUNS: Final = 5_000
MANY_RUNS: Final = 100_000


def main() -> None:
    """Print the figures."""
    settings = generated_settings()
    runs = list(generated_runs(RUNS))
    profiles, seconds = _profiled(runs)
    print(f"{'profile of one run':<44}{seconds / RUNS * 1e6:>10.0f} us")
    began = time.process_time()
    sums = sum_up(profiles, settings)
    seconds = time.process_time() - began
    print(f"{f'{RUNS:,} runs x {len(sums):,} settings':<44}{seconds:>10.2f} s")
    began = time.process_time()
    size = sum(len(json.dumps(profile_to_json(profile))) for profile in profiles)
    seconds = time.process_time() - began
    print(f"{f'data of {RUNS:,} runs for a page':<44}{seconds:>10.2f} s {size / 1e6:>6.1f} MB")
    del profiles, runs
    before = _peak_mb()
    began = time.process_time()
    sum_up(_one_by_one(), settings)
    seconds = time.process_time() - began
    print(f"{f'{MANY_RUNS:,} runs made, profiled, x 1,000':<44}{seconds:>10.1f} s")
    print(f"{f'peak memory of {RUNS:,} runs':<44}{before:>10.0f} MB")
    print(f"{f'peak memory after {MANY_RUNS:,} runs':<44}{_peak_mb():>10.0f} MB")


def _profiled(runs: list[RunFacts]) -> tuple[list[RunProfile], float]:
    began = time.process_time()
    profiles = [profiled(facts) for facts in runs]
    return profiles, time.process_time() - began


def _one_by_one() -> Iterator[RunProfile]:
    return map(profiled, generated_runs(MANY_RUNS, seed=2))


def _peak_mb() -> float:
    """Peak resident memory of this process in megabytes; Linux counts in kilobytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()

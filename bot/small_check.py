"""Whether the small model's recordings hold the requests of today; ``make recordings`` asks.

Those that were written by hand are made anew by the code alone; these need the model. Where a
prompt, a tool, a schema or the data changed they still replay by place, and no longer strictly.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable

from bot.keeper import Keeper
from bot.plan import plan_replay
from bot.small_model import LIMITS
from bot.supplies import Supplies, open_supplies
from bot.triage import Triaged, triage
from loop import PRICES, StopReason, get_profile, limits_from_text
from recordings import SMALL_RECORDINGS, Match, Recording, read_recordings

__all__ = ["TO_DO", "main", "replayed", "stale"]

TO_DO = "make record-small records them anew (an hour or more)"


def replayed(supplies: Supplies, recording: Recording, match: Match) -> Triaged:
    """Replay a recording under the limits that it was made with: those of today, but for time."""
    if recording.profile is None:
        raise ValueError("only a run of ours can be replayed so")
    limits = get_profile(recording.profile).limits.changed(**limits_from_text(LIMITS))
    plan = plan_replay(supplies, recording, limits, match)
    return triage(plan, supplies.shop, Keeper(recording.name, None))


def stale(done: Triaged) -> str | None:
    """Return what a strict replay found to be another request; None where all are the same."""
    stop = done.story.stop
    if stop is None or stop.reason is not StopReason.NO_RECORDING:
        return None
    return f"{done.story.run_id} was recorded with other requests: {stop.cause}; {TO_DO}"


def main(recordings: Iterable[Recording]) -> int:
    """Print which recordings are stale; return 1 where any is."""
    with open_supplies(prices=PRICES) as supplies:
        checked = [stale(replayed(supplies, each, Match.STRICT)) for each in recordings]
    problems = [each for each in checked if each is not None]
    for problem in problems:
        print(problem)  # noqa: T201 (a command's output)
    print(f"small: {len(checked)} recordings, {len(problems)} of other requests")  # noqa: T201
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(read_recordings(SMALL_RECORDINGS, PRICES).recordings))

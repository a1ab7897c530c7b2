"""The soak of the bot: ``python -m tests.soak_bot`` kills it at every commit, then at random.

For N = 1, 2, 3, …: a ticket is posted and the serving process is killed (SIGKILL) at the Nth commit
from then on, once just before it and once just behind it; the next one brings the ticket to its
end: a draft, a card, a press on Approve, a refund at the shop. Then kills come at random instants
under several tickets and presses. It prints its figures, and exits with 1 where anything was lost,
posted twice or written twice.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.scenarios.killing import Ward, at_random, die_at, every_death, ward, wrongs

COMMITS = 200
"""More than a ticket has on its way."""
TICKETS_A_KILL = 2


def main() -> None:
    """Soak, print the figures, and exit with 1 where something is wrong."""
    options = argparse.ArgumentParser()
    options.add_argument("--kills", type=int, default=100, help="at random instants")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--only-random", action="store_true", help="not at every commit")
    asked = options.parse_args()
    found: list[str] = []
    for behind in () if asked.only_random else (False, True):
        with _ward(COMMITS) as opened:
            die_at(opened, every_death(behind=behind))
            found += _judged(opened, "behind each commit" if behind else "before each commit")
    tickets = asked.kills * TICKETS_A_KILL
    with _ward(tickets) as opened:
        at_random(opened, kills=asked.kills, tickets=tickets, chance=random.Random(asked.seed))
        found += _judged(opened, "at random instants")
    sys.exit(1 if found else 0)


@contextmanager
def _ward(tickets: int) -> Iterator[Ward]:
    with tempfile.TemporaryDirectory() as folder, ward(Path(folder), orders=tickets) as opened:
        yield opened


def _judged(opened: Ward, where: str) -> list[str]:
    opened.stop()
    found = wrongs(opened)
    print(f"kills {where}: {opened.deaths}, tickets {len(opened.tickets)}, wrong {len(found)}")
    for each in found:
        print(f"  {each}")
    return found


if __name__ == "__main__":
    main()

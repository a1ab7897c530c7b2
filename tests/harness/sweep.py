"""The crash sweep: ``python -m tests.harness.sweep FOLDER`` kills at every boundary, one by one.

For N = 1, 2, 3, …: a store with a proposal; a first life approves it, if that was not done before,
and carries it out, and is killed at its Nth boundary; a second life starts as after any crash, and
is killed at a boundary drawn by lot where that is asked for; a last one recovers and finishes.
What then stands in the store and at the shop is printed, one line of JSON for each N. It ends with
the N that no life is long enough for.
"""

from __future__ import annotations

import argparse
import gc
import json
import random
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from approvals import ProposalState, list_proposals, verify_audit
from approvals.store import JobServer, ServeLock
from tests.approvals.execution_desk import Desk, open_desk
from tests.harness.boundaries import Boundaries, TracedClient, die
from tests.harness.effects import EffectLog, read_effects
from tests.harness.lives import KILLED, live
from tests.harness.shop import ShopProcess, shop_process
from tests.harness.stock import actions, customer
from tools import HTTP_TRAITS, PRACTICE_IDS, BusinessCalendar, HttpGateway, HttpShop

KEYED = HTTP_TRAITS
FORGETFUL = replace(HTTP_TRAITS, honours_keys=False)
BLIND = replace(FORGETFUL, absence_provable=False)
PROMISES = {"keyed": KEYED, "forgetful": FORGETFUL, "blind": BLIND}
GROUP = 25
"""So many stores are made, and recovered in the end, by one process: it costs more to start than a
store costs. Each first and second life is a process of its own."""
SECOND_KILL = 200
"""The second life is killed at one of its first so many boundaries, or lives to its end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """One shop, and what is asked of it over and over."""

    folder: Path
    shop: ShopProcess
    client: TracedClient
    """Made before the forks, for it reads many certificates. It opens no socket before its use."""
    promises: str
    actions: int
    pause_s: int
    """Between a crash and the next start."""
    approved: bool
    """Whether the first life finds the approval, or takes it."""
    twice: bool
    """Whether the second life is killed too."""
    chance: random.Random

    def run(self) -> None:
        """Sweep until a first life gets to its end."""
        more = True
        for start in count(1, GROUP):
            if not more:
                return
            numbers = range(start, start + GROUP)
            live(partial(self.prepare, numbers))
            lived = 0
            while more and lived < GROUP:
                more = self.kill_at(numbers[lived])
                lived += 1
            self.shop.wait_until_quiet()
            live(partial(self.last_lives, numbers[:lived]))

    def kill_at(self, number: int) -> bool:
        """Kill a first life at a boundary; return whether it had that many."""
        killed = live(partial(self.first_life, number)) == KILLED
        if killed and self.twice:
            self.shop.wait_until_quiet()
            live(partial(self.second_life, number, self.chance.randint(1, SECOND_KILL)))
        return killed

    def prepare(self, numbers: range) -> None:
        """Make the stores, each with its proposal, which waits or is approved."""
        for number in numbers:
            with self.desk(number) as desk:
                asked = actions(number, self.actions)
                waits = desk.propose(
                    *asked,
                    customer=customer(number),
                    ticket=f"T-{number}",
                    new_code=partial(code_of, number),
                )
                if self.approved:
                    desk.sign(waits)

    def first_life(self, number: int) -> None:
        """Approve and carry out, to be killed at the boundary of this number."""
        with self.dying(number, number) as desk:
            serve(desk, self.acknowledged(number), "first")

    def second_life(self, number: int, at: int) -> None:
        """Start again, to be killed at some other boundary."""
        with self.dying(number, at) as desk:
            desk.clock.move(self.pause_s)
            serve(desk, self.acknowledged(number), "second")

    def last_lives(self, numbers: range) -> None:
        """Start again on each store, finish, check the audit and print what came of it all."""
        for number in numbers:
            log = read_effects(self.log(number))
            with self.desk(number) as desk:
                desk.clock.move(2 * self.pause_s)
                (found,) = list_proposals(desk.db)
                serve(desk, lambda: None, "last")
                verify_audit(desk.db)
                came = self.report(desk) | {
                    "killed_at": [line["killed_at"] for line in log if "killed_at" in line],
                    "acknowledged": any("acknowledged" in line for line in log),
                    "found": found.state.value,
                }
                print(json.dumps(came), flush=True)

    def report(self, desk: Desk) -> dict[str, Any]:
        """Return what stands in the store and at the shop."""
        (proposal,) = list_proposals(desk.db)
        written = Counter(line["operation"] for line in self.shop.effects())
        operations = desk.operations(proposal.proposal_id)
        return {
            "state": proposal.state.value,
            "operations": [[each.state.value, written[each.operation_id]] for each in operations],
            "errors": [each.error_code for each in operations],
        }

    @contextmanager
    def desk(self, number: int) -> Iterator[Desk]:
        """Open the store of this number, before the shop."""
        shop = HttpShop(self.client, ids=PRACTICE_IDS, calendar=BusinessCalendar.of(()))
        gateway = HttpGateway(self.client, traits=PROMISES[self.promises])
        with open_desk(self.folder / f"{number}.db", shop, gateway) as opened:
            yield opened

    @contextmanager
    def dying(self, number: int, at: int) -> Iterator[Desk]:
        """Open the store for a life that ends at the given boundary."""
        log = EffectLog(self.log(number))

        def met(count: int, name: str) -> None:
            if count == at:
                log.add(killed_at=name)
                die()

        boundaries = Boundaries(met)
        boundaries.watch_store()
        self.client.meet = boundaries.meet
        with self.desk(number) as desk:
            yield desk

    def acknowledged(self, number: int) -> Callable[[], None]:
        """Return what is called when the person was told that they approved."""
        log = EffectLog(self.log(number))
        return lambda: log.add(acknowledged=True)

    def log(self, number: int) -> Path:
        return self.folder / f"{number}.jsonl"


def code_of(number: int) -> str:
    """Return the code of a store's proposal, unlike those of the other stores before the shop.

    Drawn by lot, two of 200 would be equal once in 800 sweeps, and the shop refuse the second.
    """
    return f"000-{number:03}"


def serve(desk: Desk, acknowledge: Callable[[], None], owner: str) -> None:
    """Be a serving process: recover, take the click if it is still to come, do all jobs.

    Waits are not slept: the clock is set to the time that the next job is due.
    """
    with ServeLock(desk.path) as lock:
        executor = desk.executor(owner=owner)
        executor.reconcile(desk.db, adopt=True)
        handlers = executor.handlers()
        server = JobServer(
            desk.path,
            jobs=desk.jobs,
            handlers=handlers,
            lock=lock,
            writer=desk.writer,
            owner=owner,
            now_us=desk.clock,
            on_failure=_raise,
        )
        server.recover()
        (proposal,) = list_proposals(desk.db)
        if proposal.state is ProposalState.WAITING:
            desk.sign(proposal)
            acknowledge()
        while not_over(desk) and (due := desk.jobs.next_due_us(desk.db, kinds=handlers)):
            desk.clock.now_us = max(desk.clock.now_us, due)
            server.drain()


def not_over(desk: Desk) -> bool:
    """Whether the proposal may still change by itself; what is unknown is only watched."""
    (proposal,) = list_proposals(desk.db)
    return proposal.state in (ProposalState.APPROVED, ProposalState.EXECUTING)


def _raise(_: object, error: Exception) -> None:
    raise error


def main() -> None:
    """Sweep."""
    options = argparse.ArgumentParser()
    options.add_argument("folder", type=Path)
    options.add_argument("--promises", choices=PROMISES, default="keyed")
    options.add_argument("--actions", type=int, default=1)
    options.add_argument("--pause-s", type=int, default=0)
    options.add_argument("--approved", action="store_true")
    options.add_argument("--twice", action="store_true")
    asked = options.parse_args()
    flags = [] if asked.promises == "keyed" else ["--forgetful"]
    with shop_process(asked.folder / "shop", *flags) as shop:
        sweep = Sweep(
            folder=asked.folder,
            shop=shop,
            client=TracedClient(shop.url),
            promises=asked.promises,
            actions=asked.actions,
            pause_s=asked.pause_s,
            approved=asked.approved,
            twice=asked.twice,
            chance=random.Random(1),
        )
        gc.freeze()
        sweep.run()


if __name__ == "__main__":
    main()

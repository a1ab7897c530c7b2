"""One of several processes whose threads decide the same proposals, under clocks that jump.

``python -m tests.harness.race FOLDER NUMBER THREADS``: it says when it is ready, waits for a line,
and notes in ``FOLDER/told.jsonl`` what each of its clicks was told. Number 0 holds the serve lock
and carries out what is approved meanwhile.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from threading import Thread

from approvals import AlreadyDecided, Executor, Operations, Proposal, list_proposals
from approvals.store import Job, JobServer, ServeLock, Writer, connect, tx
from tests.approvals.desk import HEAD, HOUR_US, LEAD, START_US, Desk, policy
from tests.harness.effects import EffectLog
from tools import PRACTICE_TODAY, PracticeGateway, PracticeShop

STORE = "handrail.db"
SHOP = "shop.db"
TOLD = "told.jsonl"
JUMPS_H = (-30, -1, 0, 20, 46)
"""How far off a clock is, in hours; a proposal expires after 48."""


def approve(desk: Desk, proposal: Proposal) -> str:
    return desk.approve(proposal, HEAD).proposal.state.value


def reject(desk: Desk, proposal: Proposal) -> str:
    return desk.reject(proposal, LEAD).proposal.state.value


def withdraw(desk: Desk, proposal: Proposal) -> str:
    desk.withdraw(proposal, LEAD)
    return "withdrawn"


def expire(desk: Desk, proposal: Proposal) -> str:
    """Click long after its time: the click itself ends it."""
    desk.now_us = proposal.expires_us
    return desk.approve(proposal, HEAD).proposal.state.value


def sweep(desk: Desk, proposal: Proposal) -> str:
    with tx(desk.db):
        desk.proposals.expire(desk.db, proposal, now_us=proposal.expires_us)
    return "expired"


VERBS: tuple[Callable[[Desk, Proposal], str], ...] = (approve, reject, withdraw, expire, sweep)


def decide_all(folder: Path, seed: int, told: EffectLog) -> None:
    """Be one thread: try one verb on each proposal, in an order of its own."""
    chance = random.Random(seed)
    with connect(folder / STORE) as db:
        desk = Desk(folder / STORE, db, policy())
        proposals = list_proposals(db)
        chance.shuffle(proposals)
        for proposal in proposals:
            desk.now_us = START_US + chance.choice(JUMPS_H) * HOUR_US
            verb = chance.choices(VERBS, (4, 1, 1, 1, 1))[0]
            try:
                state = verb(desk, proposal)
            except AlreadyDecided as lost:
                told.add(proposal=proposal.proposal_id, won=False, state=lost.state, who=lost.who)
            else:
                told.add(proposal=proposal.proposal_id, won=True, state=state)


@contextmanager
def job_server(folder: Path, now_us: Callable[[], int], owner: str) -> Iterator[JobServer]:
    """Hold the lock of the store and give what carries out its proposals."""
    with ExitStack() as stack:
        lock = stack.enter_context(ServeLock(folder / STORE))
        writer = stack.enter_context(Writer(folder / STORE))
        shop = stack.enter_context(PracticeShop(folder / SHOP))
        gateway = stack.enter_context(PracticeGateway(folder / SHOP, today=lambda: PRACTICE_TODAY))
        rules = policy()
        desk = Desk(folder / STORE, stack.enter_context(connect(folder / STORE)), rules)
        executor = Executor(
            operations=Operations(rules),
            jobs=desk.jobs,
            shop=shop,
            gateways={"practice": gateway},
            writer=writer,
            owner=owner,
            now_us=now_us,
        )
        yield JobServer(
            folder / STORE,
            jobs=desk.jobs,
            handlers=executor.handlers(),
            lock=lock,
            writer=writer,
            owner=owner,
            now_us=now_us,
            on_failure=_raise,
        )


@contextmanager
def carrying_out(folder: Path) -> Iterator[None]:
    """Carry out what is approved until the block ends, under a clock that jumps at each look."""
    chance = random.Random(0)
    with job_server(
        folder, lambda: START_US + chance.choice(JUMPS_H) * HOUR_US, "process-0"
    ) as server:
        thread = Thread(target=server.run, kwargs={"workers": 2})
        thread.start()
        try:
            yield
        finally:
            server.stop()
            thread.join()


def _raise(_: Job, error: Exception) -> None:
    raise error


def main() -> None:
    """Race."""
    options = argparse.ArgumentParser()
    options.add_argument("folder", type=Path)
    options.add_argument("number", type=int)
    options.add_argument("threads", type=int)
    asked = options.parse_args()
    told = EffectLog(asked.folder / TOLD)
    with carrying_out(asked.folder) if asked.number == 0 else nullcontext():
        print("ready", flush=True)
        sys.stdin.readline()
        with ThreadPoolExecutor(asked.threads) as pool:
            ends = [
                pool.submit(decide_all, asked.folder, asked.number * 100 + thread, told)
                for thread in range(asked.threads)
            ]
        for end in ends:
            end.result()


if __name__ == "__main__":
    main()

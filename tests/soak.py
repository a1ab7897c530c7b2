"""The soak: ``python -m tests.soak`` kills at random instants while people click and a shop fails.

One process serves the store, others are people who ask and decide, several at once and often
twice; the shop is a process of its own that drops answers, fails before and behind a write, and is
busy. All but the shop are killed (SIGKILL) at random instants and started again. In the end
everything is finished and the store is held against the shop: each approved action is there once,
and what is not there is known not to be. With ``--forgetful`` the shop ignores the keys of writes.
It prints its figures and exits with 1 where one is bad.

Time runs a hundred times as fast as on the wall, so that waits of minutes are met.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import Final

from approvals import (
    APPROVAL_MIGRATIONS,
    Executor,
    Operations,
    ProposalState,
    list_proposals,
)
from approvals.store import (
    JOB_MIGRATIONS,
    Job,
    Jobs,
    JobServer,
    ServeLock,
    Writer,
    connect,
    migrate,
)
from tests.approvals.execution_desk import POLICY, START_US
from tests.harness.clicks import Clicks
from tests.harness.effects import EffectLog
from tests.harness.lives import begin, live, wait
from tests.harness.shop import ShopProcess, shop_process
from tests.harness.truth import Truth, told_apart
from tools import (
    PRACTICE_IDS,
    PRACTICE_TRAITS,
    BusinessCalendar,
    GatewayTraits,
    HttpClient,
    HttpGateway,
    HttpShop,
)

FAST: Final = 100
TRAITS: Final = replace(PRACTICE_TRAITS, name="http", settle_s=600)
"""What this shop promises. The settle time is six seconds of the wall: a call that is on its way
for longer would be one that the machine forgot."""
ORDERS_A_KILL: Final = 30
"""More than people work off between two kills."""
BLOCK: Final = 30
"""The orders that one life of a person works off."""
PEOPLE: Final = 3
BACKLOG: Final = 40
SHORTEST_S, LONGEST_S = 0.02, 0.4
"""Between two kills."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Soak:
    """One store before one shop."""

    folder: Path
    shop: ShopProcess
    client: HttpClient
    traits: GatewayTraits
    began_ns: int

    @property
    def store(self) -> Path:
        return self.folder / "store.db"

    @property
    def told(self) -> Path:
        """What people were told, and which jobs failed."""
        return self.folder / "told.jsonl"

    def now_us(self) -> int:
        return START_US + (time.time_ns() - self.began_ns) // 1000 * FAST

    def prepare(self) -> None:
        """Make the store."""
        with connect(self.store) as db:
            migrate(db, [JOB_MIGRATIONS, APPROVAL_MIGRATIONS])

    def click(self, orders: range, seed: int) -> None:
        """Be a person for a while."""
        clicks = Clicks(
            store=self.store,
            policy=POLICY,
            prepare=self.gateway.prepare,
            now_us=self.now_us,
            told=EffectLog(self.told),
            pause=lambda: time.sleep(0.1),
            backlog=BACKLOG,
        )
        clicks.work_off(orders, random.Random(seed))

    def serve(self, owner: str) -> None:
        """Be the serving process, until it is killed."""
        with self.server(owner) as (_, server):
            server.run(workers=2)

    def finish(self) -> None:
        """Be the serving process until all is at its end, then reconcile by command, and judge."""
        with self.server("last") as (executor, server), connect(self.store) as db:
            server.recover()
            while list_proposals(db, ProposalState.APPROVED, ProposalState.EXECUTING):
                if server.drain() == 0:
                    time.sleep(0.05)
            executor.reconcile(db, adopt=False)
            print(json.dumps(told_apart(db, self.shop.effects(), self.told)), flush=True)

    @contextmanager
    def server(self, owner: str) -> Iterator[tuple[Executor, JobServer]]:
        """Put the parts of a serving process together, and reconcile as at every start."""
        told = EffectLog(self.told)

        def failed(job: Job, error: Exception) -> None:
            told.add(job=job.kind, failed=f"{type(error).__name__}: {error}")

        with ServeLock(self.store) as lock, Writer(self.store) as writer:
            executor = self.executor(owner, writer)
            with connect(self.store) as db:
                executor.reconcile(db, adopt=True)
            yield (
                executor,
                JobServer(
                    self.store,
                    jobs=Jobs(),
                    handlers=executor.handlers(),
                    lock=lock,
                    writer=writer,
                    owner=owner,
                    now_us=self.now_us,
                    on_failure=failed,
                ),
            )

    def executor(self, owner: str, writer: Writer) -> Executor:
        return Executor(
            operations=Operations(POLICY),
            jobs=Jobs(),
            shop=HttpShop(self.client, ids=PRACTICE_IDS, calendar=BusinessCalendar.of(())),
            gateways={"http": self.gateway},
            writer=writer,
            owner=owner,
            now_us=self.now_us,
        )

    @property
    def gateway(self) -> HttpGateway:
        return HttpGateway(self.client, traits=self.traits)


class Killer:
    """Starts the processes, kills them at random instants, and starts them again."""

    def __init__(self, soak: Soak, chance: random.Random) -> None:
        self._soak = soak
        self._chance = chance
        self._blocks = (range(n, n + BLOCK) for n in count(0, BLOCK))
        self._names = count(1)
        self._server = self._serve()
        self._people = [self._person() for _ in range(PEOPLE)]
        self.kills: Counter[str] = Counter()

    def kill_one(self) -> None:
        """Wait for a random while, then kill the server or, now and then, a person."""
        time.sleep(self._chance.uniform(SHORTEST_S, LONGEST_S))
        self._people = [self._alive(pid) for pid in self._people]
        if self._chance.random() < 0.2:
            victim = self._people.pop(self._chance.randrange(PEOPLE))
            self._kill(victim, "person")
            self._people.append(self._person())
        else:
            self._kill(self._server, "server")
            self._server = self._serve()

    def stop(self) -> None:
        """Kill all that are alive."""
        for pid, who in [(self._server, "server"), *((pid, "person") for pid in self._people)]:
            with suppress(ProcessLookupError):  # one that is gone is why we stop
                self._kill(pid, who)

    def _kill(self, pid: int, who: str) -> None:
        os.kill(pid, signal.SIGKILL)
        wait(pid)
        self.kills[who] += 1

    def _alive(self, pid: int) -> int:
        """Return the person, or the next one where this one has done its block."""
        gone, status = os.waitpid(pid, os.WNOHANG)
        if gone == 0:
            return pid
        if status != 0:
            raise RuntimeError("a person's process failed; its error is above")
        return self._person()

    def _serve(self) -> int:
        return begin(partial(self._soak.serve, f"server-{next(self._names)}"))

    def _person(self) -> int:
        seed = self._chance.randrange(1_000_000)
        return begin(partial(self._soak.click, next(self._blocks), seed))


def main() -> None:
    """Soak, print the figures, and exit with 1 where one is bad."""
    options = argparse.ArgumentParser()
    options.add_argument("--kills", type=int, default=500)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--forgetful", action="store_true")
    asked = options.parse_args()
    with tempfile.TemporaryDirectory() as name:
        truth = soak(Path(name), asked.kills, asked.seed, forgetful=asked.forgetful)
    for line in truth.lines():
        print(line)
    sys.exit(0 if truth.is_good else 1)


def soak(folder: Path, kills: int, seed: int, *, forgetful: bool) -> Truth:
    """Kill so many times, finish, and return what is true in the end."""
    flags = [
        "--orders",
        str(kills * ORDERS_A_KILL),
        "--chaos",
        str(seed),
        *["--forgetful"] * forgetful,
    ]
    with shop_process(folder / "shop", *flags) as shop, HttpClient(shop.url) as client:
        work = Soak(
            folder=folder,
            shop=shop,
            client=client,
            traits=replace(TRAITS, honours_keys=not forgetful),
            began_ns=time.time_ns(),
        )
        live(work.prepare)
        gc.freeze()
        killer = Killer(work, random.Random(seed))
        try:
            while killer.kills.total() < kills:
                killer.kill_one()
                if killer.kills.total() % 50 == 0:
                    print(f"{killer.kills.total()} kills, {len(shop.effects())} writes at the shop")
        finally:
            killer.stop()
        shop.calm()
        return Truth.read(finished(work), killer.kills)


def finished(work: Soak) -> dict[str, int]:
    """Finish in a process of its own and return what it found."""
    reader, writer = os.pipe()

    def report() -> None:
        os.dup2(writer, sys.stdout.fileno())
        work.finish()

    pid = begin(report)
    os.close(writer)
    with os.fdopen(reader) as lines:
        found: dict[str, int] = json.loads(lines.read())
    wait(pid)
    return found


if __name__ == "__main__":
    main()

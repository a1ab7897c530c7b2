"""What an approval costs: ``python -m tests.bench.approvals`` prints the figures.

A decision is committed, its job is claimed, the practice shop (in process) is looked up, read and
written to, and the verdict is committed: seven commits on the disk from the click to the end, so
times are those of the wall and the disk is most of them. Each proposal is one refund of an order
of its own. "One by one" waits for each end before the next click; the others click as fast as
they can, so that their times hold the wait in the queue too.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Final

from sqlite_utils import Database

from approvals import (
    APPROVAL_MIGRATIONS,
    Asked,
    Decisions,
    Executes,
    Executor,
    Operations,
    Proposal,
    Proposals,
    ProposalState,
    list_proposals,
    read_proposal,
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
    rows,
    tx,
)
from tests.approvals.execution_desk import HEAD, POLICY
from tests.harness.lives import begin, live, wait
from tests.harness.stock import customer, fee, write_stock
from tools import PRACTICE_TODAY, PRACTICE_TRAITS, PracticeGateway, PracticeShop
from tools.request import write_request

STORE: Final = "store.db"
SHOP: Final = "shop.db"
DONE: Final = ProposalState.DONE
PROPOSALS: Final = 400
PROCESSES: Final = 4
WORKERS: Final = 2
POLL_S: Final = 0.001


def main() -> None:
    """Print the figures."""
    _measure("one process, one by one", processes=1, one_by_one=True)
    _measure("one process", processes=1)
    _measure(f"{PROCESSES} processes on the file", processes=PROCESSES)


def _measure(name: str, *, processes: int, one_by_one: bool = False) -> None:
    """Carry out all proposals of a new store and print what that took."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        live(partial(_prepare, folder))
        work = partial(_work, folder, processes, one_by_one)
        for pid in [begin(partial(work, number)) for number in range(processes)]:
            wait(pid)
        with connect(folder / STORE) as db:
            times = [(row["decided_us"], row["settled_us"]) for row in rows(db, _TIMES)]
    took = [(settled - decided) / 1000 for decided, settled in times]
    span_s = (max(end for _, end in times) - min(start for start, _ in times)) / 1_000_000
    print(f"{name + ', settled':<48}{len(took) / span_s:>8.0f} approvals/s")
    print(f"{name + ', to settled, p50':<48}{statistics.median(took):>8.1f} ms")
    print(f"{name + ', to settled, p99':<48}{statistics.quantiles(took, n=100)[-1]:>8.1f} ms")


_TIMES: Final = (
    "SELECT decided_us, settled_us FROM operations JOIN proposals USING (proposal_id)"
    " WHERE proposals.state = 'done'"
)


def _prepare(folder: Path) -> None:
    """Make the shop, and the store with all its proposals."""
    write_stock(folder / "stock", PROPOSALS)
    PracticeShop.from_folder(folder / "stock", path=folder / SHOP).close()
    with connect(folder / STORE) as db:
        migrate(db, [JOB_MIGRATIONS, APPROVAL_MIGRATIONS])
        for number in range(PROPOSALS):
            asked = Asked(
                run_id=f"run-{number}",
                ticket_id=f"T-{number}",
                customer_id=customer(number),
                actions=(fee(number),),
                requesters=frozenset({"UASK"}),
            )
            with tx(db):
                Proposals(POLICY).create(db, asked, now_us=_now_us())


def _work(folder: Path, processes: int, one_by_one: bool, number: int) -> None:
    """Be one of the processes: decide a share; the first one carries everything out as well."""
    with ExitStack() as stack:
        db = stack.enter_context(connect(folder / STORE))
        server = stack.enter_context(_serving(folder)) if number == 0 else None
        for proposal in list_proposals(db)[number::processes]:
            _approve(db, proposal)
            if server is not None:
                server.wake()
            while one_by_one and read_proposal(db, proposal.proposal_id).state is not DONE:
                time.sleep(POLL_S)
        while server is not None and _settled(db) < PROPOSALS:
            time.sleep(20 * POLL_S)


def _settled(db: Database) -> int:
    sql = "SELECT count(*) AS n FROM proposals WHERE state = 'done'"
    return int(rows(db, sql)[0]["n"])


def _approve(db: Database, proposal: Proposal) -> None:
    executes = Executes(gateway=PRACTICE_TRAITS.name, prepare=write_request, jobs=Jobs())
    with tx(db):
        Decisions(POLICY, executes).approve(
            db,
            proposal_id=proposal.proposal_id,
            version=proposal.version,
            person=HEAD,
            now_us=_now_us(),
        )


@contextmanager
def _serving(folder: Path) -> Iterator[JobServer]:
    """Carry out what is approved until the block ends."""
    with ExitStack() as stack:
        lock = stack.enter_context(ServeLock(folder / STORE))
        writer = stack.enter_context(Writer(folder / STORE))
        shop = stack.enter_context(PracticeShop(folder / SHOP))
        gateway = stack.enter_context(PracticeGateway(folder / SHOP, today=lambda: PRACTICE_TODAY))
        executor = Executor(
            operations=Operations(POLICY),
            jobs=Jobs(),
            shop=shop,
            gateways={gateway.traits.name: gateway},
            writer=writer,
            owner="bench",
            now_us=_now_us,
        )
        server = JobServer(
            folder / STORE,
            jobs=Jobs(),
            handlers=executor.handlers(),
            lock=lock,
            writer=writer,
            owner="bench",
            now_us=_now_us,
            on_failure=_raise,
        )
        thread = Thread(target=server.run, kwargs={"workers": WORKERS})
        thread.start()
        try:
            yield server
        finally:
            server.stop()
            thread.join()


def _now_us() -> int:
    return time.time_ns() // 1000


def _raise(_: Job, error: Exception) -> None:
    raise error


if __name__ == "__main__":
    main()

"""Carrying out from the command line: waits in words, a lock that comes free, a shop away."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from approvals import ProposalState, operations_of
from approvals.store import ServeLock
from bot.carrying import POLL_S, Carrier, Pauses
from bot.now import now_us
from bot.shops import Gateways
from tests.bot.approving import Counter, words
from tests.tools.servers import Scripted, practice_url, running
from tools import (
    PRACTICE_TODAY,
    Fault,
    FaultyGateway,
    PracticeGateway,
    PracticeService,
    PracticeShop,
)

SECOND = 1_000_000


class Clock:
    """Time that passes only where a command sleeps."""

    def __init__(self, meanwhile: Callable[[], None] = lambda: None) -> None:
        self.now_us = now_us()
        self.slept: list[float] = []
        self._meanwhile = meanwhile

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now_us += int(seconds * SECOND)
        self._meanwhile()

    @property
    def pauses(self) -> Pauses:
        return Pauses(now_us=lambda: self.now_us, sleep=self.sleep)


def decided(counter: Counter) -> str:
    """Return a proposal that was approved and not carried out."""
    proposal_id = counter.propose()
    counter.decide(proposal_id)
    return proposal_id


@contextmanager
def carrier(
    counter: Counter, clock: Clock, *faults: str, wait_s: float = 0
) -> Iterator[tuple[Carrier, list[str]]]:
    """Give a carrier before a practice shop with faults, and what it says."""
    said: list[str] = []
    with PracticeGateway(counter.shop_file, today=lambda: PRACTICE_TODAY) as gateway:
        faulty = FaultyGateway(gateway, [Fault.parse(text) for text in faults])
        gateways = Gateways(own=faulty, refunds=None, practice_shop=True)
        yield (
            Carrier(
                counter.settings(), gateways, say=said.append, wait_s=wait_s, pauses=clock.pauses
            ),
            said,
        )


def test_b82_a_time_out_after_the_write_is_found_and_not_repeated(counter: Counter) -> None:
    proposal_id, clock = decided(counter), Clock()
    with (
        carrier(counter, clock, "request_refund:timeout_after_write", wait_s=60) as (one, said),
        counter.db() as db,
    ):
        one.carry_out(db, [proposal_id])

    why = "a simulated fault: the shop carried it out, and its answer was lost"
    assert said == [f"attempt 1: {why}; again in 2 seconds"]
    assert clock.slept == [2]
    assert counter.state(proposal_id) is ProposalState.DONE
    assert len(counter.changes()) == 1


def test_b84_a_time_out_before_the_write_is_sent_again_with_its_key(counter: Counter) -> None:
    proposal_id, clock = decided(counter), Clock()
    with (
        carrier(counter, clock, "request_refund:timeout_before_write", wait_s=60) as (one, _),
        counter.db() as db,
    ):
        one.carry_out(db, [proposal_id])
        (operation,) = operations_of(db, proposal_id)

    assert operation.attempt == 2
    assert len(counter.changes()) == 1


def test_b86_a_refusal_is_failed_at_once(counter: Counter) -> None:
    proposal_id, clock = decided(counter), Clock()
    with (
        carrier(counter, clock, "request_refund:denied", wait_s=60) as (one, said),
        counter.db() as db,
    ):
        one.carry_out(db, [proposal_id])

    assert (said, clock.slept) == ([], [])
    assert counter.state(proposal_id) is ProposalState.FAILED
    assert counter.changes() == ()


def test_waiting_is_bounded_and_the_rest_stays_queued(counter: Counter) -> None:
    proposal_id, clock = decided(counter), Clock()
    with (
        carrier(counter, clock, "request_refund:unavailable:9", wait_s=5) as (one, said),
        counter.db() as db,
    ):
        one.carry_out(db, [proposal_id])

    assert clock.slept == [2]
    assert [line.rpartition("; ")[2] for line in said] == [
        "again in 2 seconds",
        "again in 8 seconds",
    ]
    assert counter.state(proposal_id) is ProposalState.EXECUTING


def test_a_server_that_carries_it_out_is_waited_for(counter: Counter) -> None:
    proposal_id = counter.propose()
    counter.decide(proposal_id)
    lock = ServeLock(counter.store)
    lock.acquire()

    def serve() -> None:
        lock.release()
        counter.cli("proposals", "execute")
        lock.acquire()

    clock = Clock(serve)
    with carrier(counter, clock, wait_s=5) as (one, _), counter.db() as db:
        one.carry_out(db, [proposal_id])
    lock.release()

    assert clock.slept == [POLL_S]
    assert counter.state(proposal_id) is ProposalState.DONE
    assert len(counter.changes()) == 1


def test_a_lock_that_comes_free_is_taken(counter: Counter) -> None:
    proposal_id = counter.propose()
    counter.decide(proposal_id)
    lock = ServeLock(counter.store)
    lock.acquire()
    with carrier(counter, Clock(lock.release), wait_s=5) as (one, _), counter.db() as db:
        one.carry_out(db, [proposal_id])

    assert counter.state(proposal_id) is ProposalState.DONE
    assert lock.try_acquire()
    lock.release()


def test_a_lock_that_stays_held_ends_the_wait_in_time(counter: Counter) -> None:
    proposal_id, clock = decided(counter), Clock()
    with (
        ServeLock(counter.store),
        carrier(counter, clock, wait_s=1) as (one, _),
        counter.db() as db,
    ):
        one.carry_out(db, [proposal_id])

    assert sum(clock.slept) == pytest.approx(1, abs=POLL_S)
    assert counter.state(proposal_id) is ProposalState.APPROVED


def test_what_an_earlier_process_left_executing_is_looked_up_first(counter: Counter) -> None:
    proposal_id = counter.propose()
    counter.decide(proposal_id)
    counter.tamper(
        "UPDATE operations SET state = 'executing', owner = 'dead', attempt = 1,"
        " first_attempt_us = 1, last_attempt_us = 1"
    )
    counter.tamper("UPDATE proposals SET state = 'executing'")
    done = counter.cli("proposals", "execute")

    assert done.exit_code == 0
    assert "executing, now retry; interrupted, and the shop does not hold it yet" in words(done)
    assert len(counter.changes()) == 1


def http_policy(counter: Counter, url: str) -> None:
    """Go on with the same policy before a shop behind HTTP."""
    toml = (counter.home / "handrail.toml").read_text("utf-8")
    settings = f'[shop]\nkind = "http"\nurl = "{url}"\n'
    counter.write_policy(settings + toml.replace('"CAD"', '"CAD"\ncommand_line = "allow"', 1))


def test_a_shop_behind_http_is_read_and_changed(counter: Counter) -> None:
    counter.cli("changes")
    with (
        PracticeShop(counter.shop_file) as shop,
        PracticeGateway(counter.shop_file, today=lambda: PRACTICE_TODAY) as gateway,
        practice_url(PracticeService(shop, gateway)) as url,
    ):
        http_policy(counter, url)
        proposal_id = counter.propose("T-64872", "--today", PRACTICE_TODAY.isoformat())
        done = counter.approve(proposal_id)
        listed = counter.cli("changes").stdout

    assert done.exit_code == 0
    assert len(counter.changes()) == 1
    assert listed.startswith(f"{proposal_id}-1  {counter.changes()[0].reference}  Refund 37.45 CAD")


@pytest.mark.parametrize(
    ("status", "headers", "body"),
    [
        (200, {"Content-Type": "text/html"}, b"<html>It works!</html>"),
        (200, {"Content-Type": "application/json"}, b'{"holidays": 7'),
        (200, {}, b""),
        (502, {"Content-Type": "text/html"}, b"<h1>Bad gateway</h1>"),
    ],
    ids=["html", "garbage", "nothing", "proxy"],
)
def test_a_shop_that_answers_nonsense_leaves_the_approval_queued(
    counter: Counter, status: int, headers: dict[str, str], body: bytes
) -> None:
    proposal_id = counter.propose()
    server = Scripted([(status, headers, body)] * 3)
    with running(server):
        http_policy(counter, server.url)
        done = counter.approve(proposal_id, "UANN", "--wait", "0")
        asked = counter.cli("reconcile")

    assert done.exit_code == 0
    assert "the shop cannot be asked now, and nothing was sent" in words(done)
    assert "queued, nothing was sent yet" in words(done)
    assert asked.exit_code == 1
    assert "error: the service" in asked.stderr
    assert "hint: the shop is the one of the table [shop]" in asked.stderr
    assert [method for method, *_ in server.seen] == ["GET", "GET"]
    assert counter.state(proposal_id) is ProposalState.APPROVED


def test_a_shop_that_is_not_there_leaves_the_approval_queued(counter: Counter) -> None:
    proposal_id = counter.propose()
    http_policy(counter, "http://127.0.0.1:9")
    done = counter.approve(proposal_id, "UANN", "--wait", "0")

    assert done.exit_code == 0
    assert "cannot be reached; nothing was sent" in words(done)
    assert f"next: handrail proposals execute {proposal_id}" in done.stdout


def test_interrupting_the_wait_takes_nothing_back(
    counter: Counter,
) -> None:
    proposal_id = counter.propose()
    counter.decide(proposal_id)

    def interrupt() -> None:
        raise KeyboardInterrupt

    with (
        carrier(counter, Clock(interrupt), "request_refund:unavailable", wait_s=60) as (one, _),
        counter.db() as db,
        pytest.raises(KeyboardInterrupt),
    ):
        one.carry_out(db, [proposal_id])

    assert counter.state(proposal_id) is ProposalState.EXECUTING
    assert counter.cli("proposals", "execute", "--wait", "9").exit_code == 0
    assert len(counter.changes()) == 1

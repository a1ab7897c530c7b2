"""What has no certain end: taken over at a start, reconsidered by command, watched by a job."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from approvals import (
    EXECUTE_JOB,
    WATCH_JOB,
    ClaimLost,
    Done,
    Operations,
    OperationState,
    Pace,
    ProposalState,
)
from approvals.store import Job, JobServer, JobState, ServeLock, changed, tx
from tests.approvals.execution_desk import POLICY, SECOND, Desk, open_desk
from tests.approvals.shop_double import Crash, Does, ShopDouble, Through
from tests.approvals.test_executor import BLIND, FEE, KEYED, LABEL, OWNER
from tests.tools.conftest import FILES
from tools import Gateway, PracticeShop, ReceiptState, ShopTimeout

ONCE = Pace(waits_s=())
"""One attempt only, so that a lost answer soon becomes unknown."""


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PracticeShop]:
    folder = tmp_path_factory.mktemp("data")
    for name, content in FILES.items():
        (folder / name).write_text(content, "utf-8")
    with PracticeShop.from_folder(folder) as built:
        yield built


@pytest.fixture
def double() -> ShopDouble:
    return ShopDouble(KEYED)


@pytest.fixture
def desk(tmp_path: Path, shop: PracticeShop, double: ShopDouble) -> Iterator[Desk]:
    with open_desk(tmp_path / "store.db", shop, double) as opened:
        yield opened


def make_unknown(desk: Desk, double: ShopDouble, does: Does = Does.LOST_BEFORE) -> str:
    """Bring an operation to ``unknown`` and return its proposal's id."""
    double.then(does)
    double.look_up_errors = [None, *[ShopTimeout("slow")] * 50]
    proposal_id = desk.approve(FEE, customer=OWNER)
    desk.finish(desk.executor(pace=ONCE), proposal_id)
    double.look_up_errors.clear()
    assert desk.operation(proposal_id).state is OperationState.UNKNOWN
    return proposal_id


def crash(desk: Desk, double: ShopDouble, point: Does) -> str:
    """Leave an operation executing by a process that is gone."""
    double.then(point)
    proposal_id = desk.approve(FEE, customer=OWNER)
    with pytest.raises(Crash):
        desk.executor().execute(desk.db, proposal_id)
    return proposal_id


def test_what_a_dead_process_had_written_is_found_at_the_start(
    desk: Desk, double: ShopDouble
) -> None:
    proposal_id = crash(desk, double, Does.CRASH_AFTER)

    (finding,) = desk.executor(owner="process-2").reconcile(desk.db, adopt=True)

    assert finding.was is OperationState.EXECUTING
    assert finding.operation.state is OperationState.DONE
    assert finding.words.startswith("the shop holds it: RF-")
    assert desk.proposal(proposal_id).state is ProposalState.DONE
    assert len(double.sent) == 1


def test_what_the_shop_holds_without_saying_how_it_stands_is_never_taken_for_absent(
    desk: Desk, double: ShopDouble
) -> None:
    double.then(Does.UNCLEAR)
    proposal_id = desk.approve(FEE, customer=OWNER)
    desk.finish(desk.executor(), proposal_id)
    desk.clock.move(86_400)

    (finding,) = desk.executor().reconcile(desk.db, adopt=True)

    assert finding.words == "the shop does not say more than before"
    assert desk.operation(proposal_id).state is OperationState.UNKNOWN


def test_what_a_dead_process_had_not_written_is_taken_up_again(
    desk: Desk, double: ShopDouble
) -> None:
    proposal_id = crash(desk, double, Does.CRASH)

    (finding,) = desk.executor(owner="process-2").reconcile(desk.db, adopt=True)

    assert finding.operation.state is OperationState.RETRY
    assert finding.operation.error_code == "interrupted"
    assert desk.operation(proposal_id).attempt == 1


def test_at_a_start_a_shop_that_cannot_say_leaves_it_for_the_next_turn(
    desk: Desk, double: ShopDouble
) -> None:
    proposal_id = crash(desk, double, Does.CRASH_AFTER)
    double.look_up_errors = [ShopTimeout("slow")]
    later = desk.executor(owner="process-2")

    (finding,) = later.reconcile(desk.db, adopt=True)
    assert "cannot say" in finding.words
    desk.finish(later, proposal_id)

    assert desk.operation(proposal_id).state is OperationState.DONE
    assert len(double.effects) == 1


def test_without_the_lock_nothing_is_taken_out_of_a_living_process_s_hands(
    desk: Desk, double: ShopDouble
) -> None:
    proposal_id = crash(desk, double, Does.CRASH_AFTER)

    assert desk.executor(owner="process-2").reconcile(desk.db, adopt=False) == []
    assert desk.operation(proposal_id).owner == "process-1"


def test_a_zombie_s_verdict_does_not_overwrite_a_newer_one(desk: Desk, double: ShopDouble) -> None:
    """The first process sleeps in its call, and wakes when another one has settled it."""
    proposal_id = desk.approve(FEE, customer=OWNER)
    other = desk.executor(owner="process-2")
    sleeping = Through(double, before_send=lambda: other.reconcile(desk.db, adopt=True))

    with pytest.raises(ClaimLost):
        desk.executor(gateway=sleeping).execute(desk.db, proposal_id)

    assert desk.operation(proposal_id).state is OperationState.RETRY
    desk.finish(desk.executor(owner="process-2"), proposal_id)
    assert len(double.effects) == 1


def test_an_unknown_that_the_shop_turns_out_to_hold_is_done(desk: Desk, double: ShopDouble) -> None:
    proposal_id = make_unknown(desk, double, Does.LOST_AFTER)

    (finding,) = desk.executor().reconcile(desk.db, adopt=False)

    assert finding.was is OperationState.UNKNOWN
    assert finding.operation.state is OperationState.DONE
    assert desk.proposal(proposal_id).state is ProposalState.DONE


def test_an_unknown_that_is_proved_absent_fails_by_command(desk: Desk, double: ShopDouble) -> None:
    proposal_id = make_unknown(desk, double)

    (finding,) = desk.executor().reconcile(desk.db, adopt=False)

    assert (finding.operation.state, finding.operation.error_code) == (
        OperationState.FAILED,
        "absent",
    )
    assert desk.proposal(proposal_id).state is ProposalState.FAILED
    assert double.effects == []


def test_an_unknown_that_cannot_be_proved_absent_stays(tmp_path: Path, shop: PracticeShop) -> None:
    double = ShopDouble(BLIND)
    with open_desk(tmp_path / "blind.db", shop, double) as desk:
        proposal_id = make_unknown(desk, double)
        (finding,) = desk.executor().reconcile(desk.db, adopt=False)

        assert finding.words == "the shop does not say more than before"
        assert desk.operation(proposal_id).state is OperationState.UNKNOWN


def test_an_unknown_stays_when_the_shop_cannot_be_asked(desk: Desk, double: ShopDouble) -> None:
    make_unknown(desk, double)
    double.look_up_errors = [ShopTimeout("slow")]

    (finding,) = desk.executor().reconcile(desk.db, adopt=False)

    assert finding.words == "the shop cannot say: slow"
    assert finding.operation.state is OperationState.UNKNOWN


def job_of(desk: Desk, proposal_id: str) -> Job:
    job = desk.jobs.get(desk.db, kind=WATCH_JOB, key=f"{proposal_id}-1")
    assert job is not None
    return job


def watch(desk: Desk, proposal_id: str) -> int | None:
    """Ask once, as the watch's job does, and return when it would come again."""
    return desk.executor()._reconciler.watch(desk.db, f"{proposal_id}-1")


def test_an_unknown_gets_a_watch_in_the_commit_that_makes_it(
    desk: Desk, double: ShopDouble
) -> None:
    proposal_id = make_unknown(desk, double)

    assert job_of(desk, proposal_id).state is JobState.READY


def test_a_watch_settles_what_is_found_and_ends(desk: Desk, double: ShopDouble) -> None:
    proposal_id = make_unknown(desk, double, Does.LOST_AFTER)
    desk.clock.move(60)

    assert watch(desk, proposal_id) is None
    assert desk.operation(proposal_id).state is OperationState.DONE


def test_a_watch_never_takes_an_empty_look_up_for_an_end(desk: Desk, double: ShopDouble) -> None:
    proposal_id = make_unknown(desk, double)
    desk.clock.move(3600)

    assert watch(desk, proposal_id) == desk.clock() + 1800 * SECOND
    assert desk.operation(proposal_id).state is OperationState.UNKNOWN


def test_a_watch_asks_rarely_and_not_for_ever(desk: Desk, double: ShopDouble) -> None:
    proposal_id = make_unknown(desk, double)
    settled = desk.operation(proposal_id).settled_us
    assert settled is not None

    assert watch(desk, proposal_id) == settled + 60 * SECOND
    desk.clock.now_us = settled + (30 * 86_400) * SECOND - 1
    assert watch(desk, proposal_id) == desk.clock() + 21_600 * SECOND
    desk.clock.now_us += 1
    assert watch(desk, proposal_id) is None


def pending(desk: Desk, double: ShopDouble) -> str:
    double.then(Does.PENDING)
    proposal_id = desk.approve(FEE, customer=OWNER)
    desk.finish(desk.executor(), proposal_id)
    assert desk.operation(proposal_id).pending
    return proposal_id


def test_a_pending_write_is_done_and_watched_until_it_is_final(
    desk: Desk, double: ShopDouble
) -> None:
    proposal_id = pending(desk, double)
    assert desk.proposal(proposal_id).state is ProposalState.DONE
    desk.clock.move(60)
    assert watch(desk, proposal_id) is not None

    double.states[double.effects[0]] = ReceiptState.SETTLED
    assert watch(desk, proposal_id) is None

    operation = desk.operation(proposal_id)
    assert (operation.state, operation.pending) == (OperationState.DONE, False)


def test_a_pending_write_that_fails_later_turns_its_proposal(
    desk: Desk, double: ShopDouble
) -> None:
    proposal_id = pending(desk, double)
    double.states[double.effects[0]] = ReceiptState.FAILED
    desk.clock.move(60)

    assert watch(desk, proposal_id) is None
    assert desk.operation(proposal_id).state is OperationState.FAILED
    assert desk.proposal(proposal_id).state is ProposalState.FAILED


def test_reconciling_polls_what_is_pending(desk: Desk, double: ShopDouble) -> None:
    pending(desk, double)
    executor = desk.executor()

    (nothing,) = executor.reconcile(desk.db, adopt=False)
    double.states[double.effects[0]] = ReceiptState.SETTLED
    (final,) = executor.reconcile(desk.db, adopt=False)

    assert nothing.words == "the shop does not say more than before"
    assert (final.was, final.operation.pending) == (OperationState.DONE, False)
    assert executor.reconcile(desk.db, adopt=False) == []


def test_a_person_s_verdict_stands_against_a_later_look_up(desk: Desk, double: ShopDouble) -> None:
    proposal_id = make_unknown(desk, double, Does.LOST_AFTER)
    operation_id = f"{proposal_id}-1"

    def by_hand() -> None:
        with tx(desk.db):
            Operations(POLICY).resolve(
                desk.db, operation_id, Done(result={"reference": "by hand"}), now_us=desk.clock()
            )

    asked = Through(double, before_look_up=by_hand)
    (finding,) = desk.executor(gateway=asked).reconcile(desk.db, adopt=False)

    assert finding.operation.result == {"reference": "by hand"}


@pytest.fixture
def lock(desk: Desk) -> Iterator[ServeLock]:
    with ServeLock(desk.path) as held:
        yield held


def serve(desk: Desk, lock: ServeLock, gateway: Gateway) -> JobServer:
    return JobServer(
        desk.path,
        jobs=desk.jobs,
        handlers=desk.executor(gateway=gateway).handlers(),
        lock=lock,
        writer=desk.writer,
        owner="process-1",
        now_us=desk.clock,
        on_failure=lambda _job, _error: None,
    )


def test_the_job_carries_a_proposal_out_and_comes_again_when_it_must(
    desk: Desk, double: ShopDouble, lock: ServeLock
) -> None:
    double.then(Does.UNAVAILABLE)
    proposal_id = desk.approve(FEE, LABEL, customer=OWNER)
    server = serve(desk, lock, double)

    assert server.drain() == 1
    assert desk.proposal(proposal_id).state is ProposalState.EXECUTING
    desk.clock.move(2)
    assert server.drain() == 1

    assert desk.proposal(proposal_id).state is ProposalState.DONE
    job = desk.jobs.get(desk.db, kind=EXECUTE_JOB, key=proposal_id)
    assert job is not None
    assert job.state is JobState.DONE


def test_a_job_that_fails_for_a_fault_of_ours_is_looked_up_at_its_next_turn(
    desk: Desk, double: ShopDouble, lock: ServeLock
) -> None:
    proposal_id = desk.approve(FEE, customer=OWNER)

    def fault() -> None:
        raise ValueError("a fault of a plugin")

    serve(desk, lock, Through(double, behind_send=fault)).drain()
    assert desk.operation(proposal_id).state is OperationState.EXECUTING
    desk.clock.move(5)
    serve(desk, lock, double).drain()

    assert desk.operation(proposal_id).state is OperationState.DONE
    assert len(double.effects) == 1


def test_a_job_that_waited_often_is_still_tried_again_soon_after_a_fault(
    desk: Desk, double: ShopDouble, lock: ServeLock
) -> None:
    proposal_id = desk.approve(FEE, customer=OWNER)
    with tx(desk.db):
        changed(desk.db, "UPDATE jobs SET attempt = 100")

    def fault() -> None:
        raise ValueError("a fault of a plugin")

    serve(desk, lock, Through(double, before_look_up=fault)).drain()

    job = desk.jobs.get(desk.db, kind=EXECUTE_JOB, key=proposal_id)
    assert job is not None
    assert job.ready_us == desk.clock() + 512 * SECOND


@pytest.mark.parametrize("does", [Does.PENDING, Does.UNCLEAR])
def test_without_its_gateway_nothing_is_said_of_an_operation(
    desk: Desk, double: ShopDouble, does: Does
) -> None:
    double.then(does)
    desk.finish(desk.executor(), desk.approve(FEE, customer=OWNER))
    other = ShopDouble(replace(KEYED, name="other"))

    (finding,) = desk.executor(gateway=other).reconcile(desk.db, adopt=False)

    assert finding.words == "the shop cannot say: the gateway double is not set up here"
    assert finding.operation.state is finding.was


def test_what_was_executing_through_a_gateway_that_is_gone_becomes_unknown(
    desk: Desk, double: ShopDouble
) -> None:
    proposal_id = crash(desk, double, Does.CRASH_AFTER)
    later = desk.executor(gateway=ShopDouble(replace(KEYED, name="other")), owner="process-2")

    later.reconcile(desk.db, adopt=True)
    desk.finish(later, proposal_id)

    assert desk.operation(proposal_id).error_code == "no_gateway"
    assert desk.operation(proposal_id).state is OperationState.UNKNOWN

"""The executor before shops behind real sockets: the practice service, and Stripe's double."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from approvals import OperationState, ProposalState
from tests.approvals.execution_desk import Desk, open_desk
from tests.approvals.shop_double import Crash, Through
from tests.tools.conftest import FILES
from tests.tools.servers import practice_url, running
from tests.tools.stripe_double import KEY_LIFE_S, Stripe, StripeServer, Trick
from tools import (
    PRACTICE_IDS,
    PRACTICE_TODAY,
    PRACTICE_TRAITS,
    SHIPPED_DATA,
    Fault,
    HttpClient,
    HttpGateway,
    HttpShop,
    IdForm,
    IdForms,
    PracticeGateway,
    PracticeService,
    PracticeShop,
    RefundReason,
    RequestRefund,
    StripeGateway,
)

FEE = RequestRefund(
    order_id="LK-793996", amount_minor=995, currency="CAD", reason_code=RefundReason.LATE
)
OWNER = "C-61975"
REMOTE = replace(PRACTICE_TRAITS, name="http")


@contextmanager
def remote_desk(path: Path, *faults: str) -> Iterator[tuple[Desk, PracticeGateway]]:
    """A desk whose shop is another process's as far as it can tell."""
    with ExitStack() as stack:
        shop = stack.enter_context(PracticeShop.from_folder(SHIPPED_DATA))
        behind = stack.enter_context(PracticeGateway(shop.path, today=lambda: PRACTICE_TODAY))
        service = PracticeService(shop, behind, faults=[Fault.parse(fault) for fault in faults])
        client = stack.enter_context(HttpClient(stack.enter_context(practice_url(service))))
        remote = HttpShop.connect(client, ids=PRACTICE_IDS)
        gateway = HttpGateway(client, traits=REMOTE)
        desk = stack.enter_context(open_desk(path, remote, gateway))
        yield desk, behind


@pytest.mark.parametrize(
    ("faults", "state", "changes", "attempts"),
    [
        ([], "done", 1, 1),
        (["request_refund:timeout_after_write"], "done", 1, 1),
        (["request_refund:timeout_before_write:2"], "done", 1, 3),
        (["request_refund:timeout:99"], "unknown", 0, 5),
        (["request_refund:unavailable:3"], "done", 1, 4),
        (["request_refund:unavailable:99"], "failed", 0, 5),
        (["request_refund:denied"], "failed", 0, 1),
        (["get_order:timeout:2", "get_payments:unavailable:2"], "done", 1, 1),
        (["get_order:denied"], "failed", 0, 0),
    ],
)
def test_each_fault_of_a_remote_shop_ends_in_one_change_at_most_and_a_true_state(
    tmp_path: Path, faults: list[str], state: str, changes: int, attempts: int
) -> None:
    with remote_desk(tmp_path / "store.db", *faults) as (desk, behind):
        proposal_id = desk.approve(FEE, customer=OWNER)
        desk.finish(desk.executor(), proposal_id)

        operation = desk.operation(proposal_id)
        assert (operation.state.value, operation.attempt) == (state, attempts)
        assert len(behind.changes()) == changes


def test_another_customer_s_order_is_not_written_to_through_a_remote_shop(tmp_path: Path) -> None:
    with remote_desk(tmp_path / "store.db") as (desk, behind):
        proposal_id = desk.approve(FEE, customer="C-55223")
        desk.finish(desk.executor(), proposal_id)

        assert desk.operation(proposal_id).error_code == "not_found"
        assert behind.changes() == ()


STRIPE_IDS = IdForms(payment=IdForm(r"pi_[0-9]+|PAY-[0-9A-Z-]+", "pi_ and digits"))
BUYER = "C-10002"


@pytest.fixture
def company(tmp_path: Path) -> Iterator[PracticeShop]:
    """A company's own orders, one of which was paid through Stripe."""
    folder = tmp_path / "data"
    folder.mkdir()
    for name in ("orders.csv", "order_items.csv", "payments.csv"):
        content = FILES[name].replace("PAY-100003-1", "pi_1")
        (folder / name).write_text(content, "utf-8")
    with PracticeShop.from_folder(folder, ids=STRIPE_IDS) as shop:
        yield shop


def stripe_refund(minor: int) -> RequestRefund:
    return RequestRefund(
        order_id="LK-100003",
        amount_minor=minor,
        currency="CAD",
        reason_code=RefundReason.DOUBLE,
        payment_id="pi_1",
    )


@pytest.fixture
def stripe() -> Stripe:
    return Stripe()


@pytest.fixture
def desk(tmp_path: Path, company: PracticeShop, stripe: Stripe) -> Iterator[Desk]:
    server = StripeServer(stripe)
    with (
        running(server),
        HttpClient(server.url) as client,
        open_desk(tmp_path / "store.db", company, StripeGateway(client)) as opened,
    ):
        yield opened


@pytest.mark.parametrize(
    ("tricks", "state", "paid"),
    [
        ([], "done", 1),
        ([Trick.DROP_AFTER], "done", 1),
        ([Trick.DROP_BEFORE], "done", 1),
        ([Trick.DROP_BEFORE] * 9, "unknown", 0),
        ([Trick.FAIL_AFTER], "done", 1),
        ([Trick.FAIL_BEFORE], "failed", 0),
        ([Trick.RATE_LIMIT] * 2, "done", 1),
        ([Trick.HTML], "done", 1),
    ],
)
def test_each_bad_answer_of_stripe_ends_in_one_refund_at_most_and_a_true_state(
    desk: Desk, stripe: Stripe, tricks: list[Trick], state: str, paid: int
) -> None:
    stripe.tricks.extend(tricks)
    proposal_id = desk.approve(stripe_refund(2_500), customer=BUYER)
    desk.finish(desk.executor(), proposal_id)

    assert (desk.operation(proposal_id).state.value, len(stripe.refunds)) == (state, paid)


def test_two_partial_refunds_of_one_payment_through_stripe(desk: Desk, stripe: Stripe) -> None:
    for minor, second in ((2_500, False), (2_600, True)):
        proposal_id = desk.approve(stripe_refund(minor), customer=BUYER, second=second)
        desk.finish(desk.executor(), proposal_id)

    assert [refund["amount"] for refund in stripe.refunds] == [2_500, 2_600]


def test_a_lost_answer_is_not_paid_again_when_stripe_has_forgotten_the_key(
    desk: Desk, stripe: Stripe
) -> None:
    stripe.tricks.append(Trick.DROP_AFTER)
    proposal_id = desk.approve(stripe_refund(2_500), customer=BUYER)
    desk.executor().execute(desk.db, proposal_id)
    desk.clock.move(KEY_LIFE_S)
    stripe.now_s = KEY_LIFE_S

    desk.finish(desk.executor(), proposal_id)

    assert desk.operation(proposal_id).state is OperationState.DONE
    assert len(stripe.refunds) == 1


@pytest.mark.parametrize(
    ("point", "state", "paid"),
    [("behind_send", OperationState.DONE, 1), ("before_send", OperationState.FAILED, 0)],
)
def test_a_start_a_day_after_a_crash_pays_nothing_again_though_stripe_has_forgotten_the_key(
    desk: Desk, stripe: Stripe, point: str, state: OperationState, paid: int
) -> None:
    proposal_id = desk.approve(stripe_refund(2_500), customer=BUYER)
    dying = Through(desk.gateway, **{point: crash})
    with pytest.raises(Crash):
        desk.executor(gateway=dying).execute(desk.db, proposal_id)
    desk.clock.move(KEY_LIFE_S)
    stripe.now_s = KEY_LIFE_S

    later = desk.executor(owner="process-2")
    later.reconcile(desk.db, adopt=True)
    desk.finish(later, proposal_id)

    assert desk.operation(proposal_id).state is state
    assert len(stripe.refunds) == paid


def crash() -> None:
    """End our process."""
    raise Crash


def test_a_refund_that_fails_days_later_turns_its_proposal(desk: Desk, stripe: Stripe) -> None:
    stripe.status = "pending"
    proposal_id = desk.approve(stripe_refund(2_500), customer=BUYER)
    desk.finish(desk.executor(), proposal_id)
    assert desk.proposal(proposal_id).state is ProposalState.DONE

    stripe.refunds[0]["status"] = "failed"
    desk.clock.move(3 * 86_400)
    desk.executor().reconcile(desk.db, adopt=False)

    assert desk.proposal(proposal_id).state is ProposalState.FAILED

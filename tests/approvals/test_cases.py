"""Cases that once went wrong somewhere: equal refunds that are both due, and ones that are not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from approvals import (
    APPROVAL_MIGRATIONS,
    SYSTEM,
    Operations,
    OperationState,
    Person,
    Proposal,
    Proposals,
    ProposalState,
    Revisions,
    SecondNeeded,
    list_proposals,
    operations_in,
    restore_store,
    verify_audit,
)
from approvals.store import JOB_MIGRATIONS, copy_into, tx
from tests.approvals.execution_desk import POLICY, Desk, open_desk, practice_desk
from tests.harness.stock import actions, customer, fee, order, write_stock
from tests.tools.conftest import FILES
from tools import PracticeGateway, RefundReason, RequestRefund

DAY_S = 86_400
BUYER = "C-10002"
OWNER = customer(0)
PAIR = """\
LK-100003,CUSH-RED,cushion in red,1,36.00,1
LK-100003,CUSH-BLUE,cushion in blue,1,36.00,1
"""


@pytest.fixture
def shop_folder(tmp_path: Path) -> Path:
    """A small shop; two items of one order have one price, and its payment is 285.00."""
    folder = tmp_path / "small"
    folder.mkdir()
    for name, content in FILES.items():
        (folder / name).write_text(content, "utf-8")
    (folder / "order_items.csv").write_text(FILES["order_items.csv"] + PAIR, "utf-8")
    return folder


@pytest.fixture
def opened(tmp_path: Path, shop_folder: Path) -> Iterator[tuple[Desk, PracticeGateway]]:
    with practice_desk(tmp_path / "store.db", shop_folder) as both:
        yield both


def part(minor: int) -> RequestRefund:
    """Return the refund of a part of one payment."""
    return RequestRefund(
        order_id="LK-100003",
        amount_minor=minor,
        currency="CAD",
        reason_code=RefundReason.DOUBLE,
        payment_id="PAY-100003-1",
    )


def damaged(sku: str) -> RequestRefund:
    """Return the refund of a damaged item of one price."""
    return RequestRefund(
        order_id="LK-100003",
        amount_minor=3_600,
        currency="CAD",
        reason_code=RefundReason.DAMAGE,
        sku=sku,
        quantity=1,
    )


def amounts(shop: PracticeGateway) -> list[str]:
    """Return what the shop refunded, in its order."""
    return [str(change.summary["amount"]) for change in shop.changes()]


@pytest.mark.parametrize(
    ("minor", "ticket"),
    [(2_600, "T-1"), (2_500, "T-2")],
    ids=["another amount", "another ticket"],
)
def test_two_partial_refunds_of_one_payment_both_go_through_with_an_explicit_yes(
    opened: tuple[Desk, PracticeGateway], minor: int, ticket: str
) -> None:
    desk, shop = opened
    desk.finish(desk.executor(), desk.approve(part(2_500), customer=BUYER, ticket="T-1"))
    another = desk.propose(part(minor), customer=BUYER, ticket=ticket)

    sign_twice_asked(desk, another)
    desk.finish(desk.executor(), another.proposal_id)

    assert amounts(shop) == ["25.00", f"{minor // 100}.00"]
    first, second = operations_in(desk.db, OperationState.DONE)
    assert (first.effect, first.generation) == (second.effect, second.generation - 1)


def test_the_very_same_partial_refund_of_one_ticket_is_the_one_that_was_done_until_it_is_repeated(
    opened: tuple[Desk, PracticeGateway],
) -> None:
    desk, shop = opened
    done = desk.approve(part(2_500), customer=BUYER)
    desk.finish(desk.executor(), done)

    assert desk.propose(part(2_500), customer=BUYER).proposal_id == done
    again = repeat(desk, done)
    sign_twice_asked(desk, again)
    desk.finish(desk.executor(), again.proposal_id)

    assert amounts(shop) == ["25.00", "25.00"]
    first, second = operations_in(desk.db, OperationState.DONE)
    assert (first.request_sha256, first.key) != (second.request_sha256, second.key)


def test_partial_refunds_end_where_the_payment_does(opened: tuple[Desk, PracticeGateway]) -> None:
    desk, shop = opened
    for minor in (20_000, 8_501):
        proposal_id = desk.approve(part(minor), customer=BUYER, ticket=f"T-{minor}", second=True)
        desk.finish(desk.executor(), proposal_id)

    assert amounts(shop) == ["200.00"]
    states = [proposal.state for proposal in list_proposals(desk.db)]
    assert states == [ProposalState.DONE, ProposalState.FAILED]


@pytest.mark.parametrize("together", [True, False], ids=["together", "one by one"])
def test_two_damaged_items_at_one_price_in_one_order_are_two_refunds(
    opened: tuple[Desk, PracticeGateway], together: bool
) -> None:
    """They differ in the item alone, so nobody has to say that the second one is meant."""
    desk, shop = opened
    red, blue = damaged("CUSH-RED"), damaged("CUSH-BLUE")
    for asked in [(red, blue)] if together else [(red,), (blue,)]:
        desk.finish(desk.executor(), desk.approve(*asked, customer=BUYER, ticket="T-1"))

    assert amounts(shop) == ["36.00", "36.00"]
    states = {proposal.state for proposal in list_proposals(desk.db)}
    assert states == {ProposalState.DONE}


@pytest.mark.parametrize("carried_out", [True, False], ids=["carried out", "approved"])
def test_the_same_late_fee_asked_for_from_two_tickets_is_paid_once_unless_a_person_says_twice(
    tmp_path: Path, carried_out: bool
) -> None:
    write_stock(tmp_path / "stock", 1)
    with practice_desk(tmp_path / "store.db", tmp_path / "stock") as (desk, shop):
        one, other = (desk.propose(fee(0), customer=OWNER, ticket=t) for t in ("T-1", "T-2"))
        desk.sign(one)
        if carried_out:
            desk.finish(desk.executor(), one.proposal_id)

        with pytest.raises(SecondNeeded) as caught:
            desk.sign(other)

        assert f"{one.proposal_id}-1" in str(caught.value)
        assert desk.proposal(other.proposal_id).state is ProposalState.WAITING
        desk.finish(desk.executor(), one.proposal_id)
        assert amounts(shop) == ["9.95"]
        desk.sign(other, second=True)
        desk.finish(desk.executor(), other.proposal_id)
        assert amounts(shop) == ["9.95", "9.95"]


def test_a_restored_backup_of_yesterday_does_nothing_twice(tmp_path: Path) -> None:
    """What the store forgot, the shop remembers: under the key of each operation."""
    store, backup = tmp_path / "store.db", tmp_path / "backup.db"
    write_stock(tmp_path / "stock", 5)
    with practice_desk(store, tmp_path / "stock") as (desk, shop):
        names = ("waiting", "approved", "executing", "unsent")
        held = {
            name: desk.propose(*actions(n, 2), customer=customer(n), ticket=f"T-{n}")
            for n, name in enumerate(names)
        }
        for name in names[1:]:
            desk.sign(held[name])
        claim_first(desk, held["executing"].proposal_id)
        copy_into(desk.db, backup)

        desk.sign(held["waiting"])
        executor = desk.executor(owner="yesterday")
        executor.reconcile(desk.db, adopt=True)
        for name in names[:3]:
            desk.finish(executor, held[name].proposal_id)
        desk.finish(executor, desk.approve(fee(4), customer=customer(4), ticket="T-4"))
        before = shop.changes()
        assert len(before) == 7
        desk.close()
        restore(store, backup, now_us=desk.clock() + DAY_S * 1_000_000)

        with open_desk(store, desk.shop, shop) as today:
            today.clock.move(DAY_S)
            executor = today.executor(owner="today")
            executor.reconcile(today.db, adopt=True)
            for name in ("approved", "executing"):
                today.finish(executor, held[name].proposal_id)
            assert shop.changes() == before
            today.sign(today.proposal(held["waiting"].proposal_id))
            today.finish(executor, held["waiting"].proposal_id)
            today.finish(executor, today.approve(fee(4), customer=customer(4), ticket="T-4"))
            assert shop.changes() == before
            today.finish(executor, held["unsent"].proposal_id)

            orders = Counter(change.order_id for change in shop.changes())
            assert orders == {order(n): 2 for n in range(4)} | {order(4): 1}
            assert {each.state for each in list_proposals(today.db)} == {ProposalState.DONE}
            verify_audit(today.db)


def sign_twice_asked(desk: Desk, proposal: Proposal) -> None:
    """Approve what was done before: refused without the explicit yes, and taken with it."""
    with pytest.raises(SecondNeeded):
        desk.sign(proposal)
    desk.sign(proposal, second=True)


def repeat(desk: Desk, proposal_id: str) -> Proposal:
    """Ask for the very same once more, as somebody who will not be the one to sign it."""
    clerk = Person(user_id="UCLERK")
    policy = replace(POLICY, roles=(replace(POLICY.roles[0], users=frozenset({clerk.user_id})),))
    with tx(desk.db):
        return Revisions(policy, Proposals(policy)).repeat(
            desk.db, proposal_id=proposal_id, person=clerk, now_us=desk.clock()
        )


def claim_first(desk: Desk, proposal_id: str) -> None:
    """Leave the first operation of a proposal claimed, as a process that was killed."""
    operation = desk.operations(proposal_id)[0]
    with tx(desk.db):
        Operations(POLICY).claim(
            desk.db, operation.operation_id, owner="killed", now_us=desk.clock()
        )


def restore(store: Path, backup: Path, *, now_us: int) -> None:
    """Put the backup in the place of the store."""
    sets = [JOB_MIGRATIONS, APPROVAL_MIGRATIONS]
    restore_store(store, backup, sets=sets, policy=POLICY, actor=SYSTEM, now_us=now_us)

"""What happens to an approved action under every kind of failure: one write, and a true state."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

import pytest

from approvals import (
    Operation,
    OperationState,
    Pace,
    ProposalState,
    TransactionOpen,
    verify_audit,
)
from approvals.store import assert_no_transaction, changed, tx
from tests.approvals.execution_desk import (
    NOBODY,
    SECOND,
    Desk,
    DyingWriter,
    open_desk,
    practice_desk,
)
from tests.approvals.shop_double import Crash, Does, ShopDouble, Through, times
from tests.tools.conftest import FILES
from tools import (
    SHIPPED_DATA,
    CreateReturnLabel,
    GatewayTraits,
    LabelReason,
    PracticeShop,
    RefundReason,
    RequestRefund,
    ReshipItem,
    ShopBroke,
    ShopDenied,
    ShopGarbled,
    ShopTimeout,
    ShopUnavailable,
    parse_json,
)

KEYED = GatewayTraits(
    name="double",
    honours_keys=True,
    key_lifetime_s=None,
    stores_failures=False,
    absence_provable=True,
    settle_s=60,
)
STRIPE_LIKE = replace(KEYED, key_lifetime_s=72_000, stores_failures=True)
KEYLESS = replace(KEYED, honours_keys=False)
BLIND = replace(KEYLESS, absence_provable=False)
SHOPS = {"keyed": KEYED, "stripe": STRIPE_LIKE, "keyless": KEYLESS, "blind": BLIND}

FEE = RequestRefund(
    order_id="LK-100001", amount_minor=995, currency="CAD", reason_code=RefundReason.LATE
)
LABEL = CreateReturnLabel(order_id="LK-100002", sku="RUG-W", reason=LabelReason.DAMAGED)
OWNER = "C-10001"

DeskOf = Callable[[GatewayTraits], tuple[Desk, ShopDouble]]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PracticeShop]:
    """A shop to read from; the doubles never write to it."""
    folder = tmp_path_factory.mktemp("data")
    for name, content in FILES.items():
        (folder / name).write_text(content, "utf-8")
    with PracticeShop.from_folder(folder) as built:
        yield built


@pytest.fixture
def desk_of(tmp_path: Path, shop: PracticeShop) -> Iterator[DeskOf]:
    """Return a desk before a double with the given promises."""
    opened: list[AbstractContextManager[Desk]] = []

    def build(traits: GatewayTraits) -> tuple[Desk, ShopDouble]:
        double = ShopDouble(traits)
        opened.append(open_desk(tmp_path / f"{len(opened)}.db", shop, double))
        return opened[-1].__enter__(), double

    yield build
    for each in opened:
        each.__exit__(None, None, None)


def run(desk: Desk, proposal_id: str) -> Operation:
    """Carry a proposal of one action out, check that the audit holds, return the operation."""
    desk.finish(desk.executor(), proposal_id)
    verify_audit(desk.db)
    return desk.operation(proposal_id)


def test_an_approved_action_is_sent_once_with_the_stored_bytes_and_key(desk_of: DeskOf) -> None:
    desk, shop = desk_of(KEYED)
    proposal_id = desk.approve(FEE, customer=OWNER)
    stored = desk.operation(proposal_id)

    done = run(desk, proposal_id)

    assert (done.state, done.attempt) == (OperationState.DONE, 1)
    assert shop.sent == [(stored.key, stored.request)]
    assert shop.effects == [stored.key]
    assert done.result == {
        "reference": f"RF-{stored.key[:8]}",
        "repeated": False,
        "summary": {},
    }
    assert desk.proposal(proposal_id).state is ProposalState.DONE


@pytest.mark.parametrize(
    ("traits", "does", "state", "effects", "sends"),
    [
        # A time-out: the key allows a repeat, nothing else does.
        (KEYED, [Does.LOST_AFTER], "done", 1, 1),
        (KEYED, [Does.LOST_BEFORE], "done", 1, 2),
        (KEYED, times(Does.LOST_BEFORE, 9), "unknown", 0, 5),
        (STRIPE_LIKE, [Does.LOST_AFTER], "done", 1, 1),
        (STRIPE_LIKE, [Does.LOST_BEFORE], "done", 1, 2),
        (KEYLESS, [Does.LOST_AFTER], "done", 1, 1),
        (KEYLESS, [Does.LOST_BEFORE], "unknown", 0, 1),
        (BLIND, [Does.LOST_BEFORE], "unknown", 0, 1),
        # An answer that cannot be read is no better.
        (KEYED, [Does.GARBLED_AFTER], "done", 1, 1),
        (KEYLESS, [Does.GARBLED_AFTER], "done", 1, 1),
        # A failure of the shop: a look-up first, and absence decides.
        (KEYED, [Does.BROKE_AFTER], "done", 1, 1),
        (KEYED, [Does.BROKE_BEFORE], "done", 1, 2),
        (KEYED, times(Does.BROKE_BEFORE, 9), "failed", 0, 5),
        (STRIPE_LIKE, [Does.BROKE_AFTER], "done", 1, 1),
        (STRIPE_LIKE, [Does.BROKE_BEFORE], "failed", 0, 1),
        (KEYLESS, [Does.BROKE_AFTER], "done", 1, 1),
        (KEYLESS, [Does.BROKE_BEFORE], "done", 1, 2),
        (BLIND, [Does.BROKE_BEFORE], "unknown", 0, 1),
        # It did not act: sent again with a wait, on every shop.
        (KEYED, [Does.UNAVAILABLE], "done", 1, 2),
        (BLIND, [Does.UNAVAILABLE], "done", 1, 2),
        (BLIND, times(Does.UNAVAILABLE, 9), "failed", 0, 5),
        (BLIND, [Does.BUSY], "done", 1, 2),
        # The same key is in flight: waited for, never another key.
        (STRIPE_LIKE, [Does.CONFLICT, Does.CONFLICT], "done", 1, 3),
        # Refusals end it at once.
        (KEYED, [Does.DENIED], "failed", 0, 1),
        (KEYED, [Does.INVALID], "failed", 0, 1),
        (STRIPE_LIKE, [Does.MISMATCH], "failed", 0, 1),
        # A refusal after an attempt in doubt does not.
        (KEYED, [Does.LOST_BEFORE, Does.DENIED], "failed", 0, 2),
        (replace(KEYED, absence_provable=False), [Does.LOST_BEFORE, Does.DENIED], "unknown", 0, 2),
        # A doubt stays a doubt when a later attempt did not get through.
        (KEYED, [Does.LOST_BEFORE, *times(Does.UNAVAILABLE, 9)], "unknown", 0, 5),
        # What the shop says of a write that it holds.
        (STRIPE_LIKE, [Does.FAILED], "failed", 1, 1),
        (STRIPE_LIKE, [Does.UNCLEAR], "unknown", 1, 1),
        (STRIPE_LIKE, [Does.PENDING], "done", 1, 1),
    ],
)
def test_each_failure_of_a_call_ends_in_one_write_at_most_and_a_true_state(
    desk_of: DeskOf,
    traits: GatewayTraits,
    does: list[Does],
    state: str,
    effects: int,
    sends: int,
) -> None:
    desk, shop = desk_of(traits)
    shop.then(*does)
    operation = run(desk, desk.approve(FEE, customer=OWNER))

    assert (operation.state.value, len(shop.effects), len(shop.sent)) == (state, effects, sends)
    assert {key for key, _ in shop.sent} == {operation.key}
    assert {request for _, request in shop.sent} == {operation.request}
    assert desk.proposal(operation.proposal_id).state.value == state


@pytest.mark.parametrize("name", SHOPS)
@pytest.mark.parametrize("point", [Does.CRASH, Does.CRASH_AFTER])
def test_a_crash_around_the_call_ends_in_one_write_at_most(
    desk_of: DeskOf, name: str, point: Does
) -> None:
    desk, shop = desk_of(SHOPS[name])
    shop.then(point)
    proposal_id = desk.approve(FEE, customer=OWNER)
    with pytest.raises(Crash):
        desk.executor().execute(desk.db, proposal_id)
    assert desk.operation(proposal_id).state is OperationState.EXECUTING

    later = desk.executor(owner="process-2")
    later.reconcile(desk.db, adopt=True)
    desk.finish(later, proposal_id)

    lost = name == "blind" and point is Does.CRASH
    assert desk.operation(proposal_id).state.value == ("unknown" if lost else "done")
    assert len(shop.effects) == (0 if lost else 1)


@pytest.mark.parametrize("point", ["claim", "settle"])
def test_a_crash_at_a_commit_ends_in_one_write(desk_of: DeskOf, point: str) -> None:
    """The commit of tx2 or of tx3 is the last that this process does."""
    desk, shop = desk_of(KEYED)
    proposal_id = desk.approve(FEE, customer=OWNER)
    commits = {"claim": 1, "settle": 2}[point]
    with DyingWriter(desk.path, commits) as writer, pytest.raises(Crash):
        desk.executor(writer=writer).execute(desk.db, proposal_id)

    desk.finish(desk.executor(owner="process-2"), proposal_id)

    assert desk.operation(proposal_id).state is OperationState.DONE
    assert len(shop.effects) == 1


def test_a_call_that_arrives_late_is_found_and_never_doubled(desk_of: DeskOf) -> None:
    desk, shop = desk_of(KEYLESS)
    shop.then(Does.LATE)
    proposal_id = desk.approve(FEE, customer=OWNER)
    executor = desk.executor()
    again = executor.execute(desk.db, proposal_id)
    assert again is not None
    desk.clock.now_us = again
    executor.execute(desk.db, proposal_id)
    shop.arrive()

    desk.finish(executor, proposal_id)

    assert desk.operation(proposal_id).state is OperationState.DONE
    assert (len(shop.effects), len(shop.sent)) == (1, 1)


@pytest.mark.parametrize(
    ("name", "later"),
    [
        ("keyed", [Does.DENIED]),
        ("keyed", [Does.BROKE_BEFORE, Does.DENIED]),
        ("keyed", times(Does.BROKE_BEFORE, 4)),
        ("stripe", [Does.MISMATCH]),
    ],
)
def test_a_call_that_arrives_after_a_later_one_was_answered_is_found(
    desk_of: DeskOf, name: str, later: list[Does]
) -> None:
    """No answer to the first, a refusal or failures of its repeats, and then the first arrives."""
    desk, shop = desk_of(SHOPS[name])
    shop.then(Does.LATE, *later)
    proposal_id = desk.approve(FEE, customer=OWNER)
    executor = desk.executor(pace=Pace(waits_s=(0, 0, 0, 0)))
    while len(shop.sent) < 1 + len(later):
        desk.clock.now_us = executor.execute(desk.db, proposal_id) or desk.clock()
    executor.execute(desk.db, proposal_id)
    shop.arrive()

    desk.finish(executor, proposal_id)

    assert desk.operation(proposal_id).state is OperationState.DONE
    assert len(shop.effects) == 1


def test_near_the_end_of_a_key_s_life_nothing_is_sent_again(desk_of: DeskOf) -> None:
    desk, shop = desk_of(STRIPE_LIKE)
    shop.then(Does.LOST_BEFORE)
    proposal_id = desk.approve(FEE, customer=OWNER)
    executor = desk.executor()
    executor.execute(desk.db, proposal_id)
    desk.clock.move(72_000)

    desk.finish(executor, proposal_id)

    assert desk.operation(proposal_id).state is OperationState.UNKNOWN
    assert len(shop.sent) == 1


def test_the_wait_that_the_shop_asks_for_is_kept(desk_of: DeskOf) -> None:
    desk, shop = desk_of(KEYED)
    shop.then(Does.BUSY)
    proposal_id = desk.approve(FEE, customer=OWNER)

    assert desk.executor().execute(desk.db, proposal_id) == desk.clock() + 30 * SECOND
    assert desk.executor().execute(desk.db, proposal_id) == desk.clock() + 30 * SECOND
    assert len(shop.sent) == 1


def test_a_write_that_the_shop_holds_already_is_not_sent(desk_of: DeskOf) -> None:
    """As after a restored backup: the shop remembers what the store does not."""
    desk, shop = desk_of(KEYED)
    proposal_id = desk.approve(FEE, customer=OWNER)
    stored = desk.operation(proposal_id)
    shop.send(stored.tool, stored.request, stored.key, timeout_s=1)

    done = run(desk, proposal_id)

    assert (done.state, done.attempt) == (OperationState.DONE, 0)
    assert len(shop.sent) == 1
    assert desk.proposal(proposal_id).state is ProposalState.DONE


@pytest.mark.parametrize(
    ("action", "customer", "code"),
    [
        (FEE, "C-10002", "not_yours"),
        (FEE.model_copy(update={"order_id": "LK-999999"}), OWNER, "not_found"),
        (FEE.model_copy(update={"amount_minor": 7396}), OWNER, "invalid"),
        (ReshipItem(order_id="LK-100002", sku="TROWEL", quantity=2), OWNER, "invalid"),
    ],
)
def test_what_is_not_possible_is_not_sent_whatever_was_approved(
    desk_of: DeskOf, action: RequestRefund, customer: str, code: str
) -> None:
    desk, shop = desk_of(KEYED)
    operation = run(desk, desk.approve(action, customer=customer))

    assert (operation.state, operation.attempt) == (OperationState.FAILED, 0)
    assert operation.error_code == code
    assert shop.sent == []


def test_a_shop_that_cannot_be_asked_is_asked_again_and_nothing_is_sent(desk_of: DeskOf) -> None:
    desk, shop = desk_of(KEYED)
    shop.look_up_errors = [ShopUnavailable("down"), ShopTimeout("slow")]
    done = run(desk, desk.approve(FEE, customer=OWNER))

    assert (done.state, done.attempt, shop.look_ups) == (OperationState.DONE, 1, 3)


@pytest.mark.parametrize(
    ("error", "state", "code"),
    [
        (ShopUnavailable("down"), "failed", "unasked"),
        (ShopGarbled("odd"), "unknown", "garbled"),
    ],
)
def test_a_shop_that_cannot_be_asked_for_too_long_ends_it_unsent(
    desk_of: DeskOf, error: ShopUnavailable, state: str, code: str
) -> None:
    desk, shop = desk_of(KEYED)
    shop.look_up_errors = [error] * 500
    operation = run(desk, desk.approve(FEE, customer=OWNER))

    assert (operation.state.value, operation.error_code) == (state, code)
    assert shop.sent == []
    assert shop.look_ups < 80


def test_a_shop_that_refuses_to_be_asked_ends_it_at_once(desk_of: DeskOf) -> None:
    desk, shop = desk_of(KEYED)
    shop.look_up_errors = [ShopDenied("status 403")]
    operation = run(desk, desk.approve(FEE, customer=OWNER))

    assert (operation.state, operation.error_code) == (OperationState.FAILED, "denied")


@pytest.mark.parametrize("error", [ShopTimeout("slow"), ShopDenied("status 403")])
def test_a_doubt_that_no_look_up_can_end_becomes_unknown(
    desk_of: DeskOf, error: ShopTimeout
) -> None:
    desk, shop = desk_of(KEYED)
    shop.then(Does.LOST_AFTER)
    shop.look_up_errors = [None, *[error] * 50]
    operation = run(desk, desk.approve(FEE, customer=OWNER))

    assert (operation.state, len(shop.sent)) == (OperationState.UNKNOWN, 1)
    assert "may or may not" in str(operation.error_words)


def test_actions_run_in_order_and_stop_at_the_first_that_fails(desk_of: DeskOf) -> None:
    desk, shop = desk_of(KEYED)
    shop.then(Does.ANSWERS, Does.DENIED)
    other = FEE.model_copy(update={"amount_minor": 100})
    proposal_id = desk.approve(FEE, LABEL, other, customer=OWNER)

    desk.finish(desk.executor(), proposal_id)

    states = [operation.state.value for operation in desk.operations(proposal_id)]
    assert states == ["done", "failed", "not_run"]
    assert [parts["tool"] for parts in map(_action, shop.sent)] == [FEE.tool, LABEL.tool]
    assert desk.proposal(proposal_id).state is ProposalState.FAILED


def test_an_action_behind_one_that_waits_waits_too(desk_of: DeskOf) -> None:
    desk, shop = desk_of(KEYED)
    shop.then(Does.UNAVAILABLE)
    proposal_id = desk.approve(FEE, LABEL, customer=OWNER)

    assert desk.executor().execute(desk.db, proposal_id) is not None
    assert [operation.attempt for operation in desk.operations(proposal_id)] == [1, 0]
    desk.finish(desk.executor(), proposal_id)

    assert len(shop.effects) == 2


def test_a_stricter_policy_blocks_what_a_looser_one_allowed(desk_of: DeskOf) -> None:
    desk, shop = desk_of(KEYED)
    proposal_id = desk.approve(FEE, customer=OWNER)

    desk.finish(desk.executor(policy=NOBODY), proposal_id)

    assert desk.proposal(proposal_id).state is ProposalState.FAILED
    assert desk.operation(proposal_id).state is OperationState.NOT_RUN
    assert shop.sent == []


@pytest.mark.parametrize(
    ("does", "state"), [([], ProposalState.FAILED), ([Does.LOST_BEFORE], ProposalState.UNKNOWN)]
)
def test_an_action_that_was_changed_after_its_approval_is_not_sent(
    desk_of: DeskOf, does: list[Does], state: ProposalState
) -> None:
    desk, shop = desk_of(KEYED)
    shop.then(*does)
    proposal_id = desk.approve(FEE, customer=OWNER)
    if does:
        desk.executor().execute(desk.db, proposal_id)
    with tx(desk.db):
        changed(desk.db, "UPDATE operations SET request = x'7b7d'")

    desk.finish(desk.executor(), proposal_id)

    assert desk.proposal(proposal_id).state is state
    assert (len(shop.sent), shop.effects) == (len(does), [])


def test_a_proposal_that_expired_after_its_approval_is_not_sent(desk_of: DeskOf) -> None:
    desk, shop = desk_of(KEYED)
    proposal_id = desk.approve(FEE, customer=OWNER)
    desk.clock.move(72 * 3600)

    desk.finish(desk.executor(), proposal_id)

    assert desk.proposal(proposal_id).state is ProposalState.FAILED
    assert shop.sent == []


def test_no_call_of_the_shop_happens_inside_a_transaction(desk_of: DeskOf) -> None:
    desk, shop = desk_of(KEYED)
    shop.then(Does.LOST_AFTER)
    proposal_id = desk.approve(FEE, customer=OWNER)

    asserting = Through(
        shop, before_send=assert_no_transaction, before_look_up=assert_no_transaction
    )
    desk.finish(desk.executor(gateway=asserting), proposal_id)

    assert (len(shop.sent), shop.look_ups) == (1, 2)


def test_the_executor_refuses_to_call_the_shop_inside_a_transaction(desk_of: DeskOf) -> None:
    desk, shop = desk_of(KEYED)
    proposal_id = desk.approve(FEE, customer=OWNER)

    with pytest.raises(TransactionOpen), tx(desk.db):
        desk.executor().execute(desk.db, proposal_id)

    assert (shop.sent, shop.look_ups) == ([], 0)


def test_the_claim_is_committed_before_the_call(desk_of: DeskOf) -> None:
    desk, shop = desk_of(KEYED)
    proposal_id = desk.approve(FEE, customer=OWNER)
    states: list[str] = []

    def note() -> None:
        states.append(desk.operation(proposal_id).state.value)

    noting = Through(shop, before_send=note, before_look_up=note)
    desk.executor(gateway=noting).execute(desk.db, proposal_id)

    assert states == ["ready", "executing"]


def test_an_operation_goes_only_through_the_gateway_that_it_was_made_for(
    desk_of: DeskOf,
) -> None:
    desk, _ = desk_of(KEYED)
    other = ShopDouble(replace(KEYED, name="other"))
    proposal_id = desk.approve(FEE, customer=OWNER)

    desk.finish(desk.executor(gateway=other), proposal_id)

    assert desk.operation(proposal_id).error_code == "no_gateway"
    assert other.sent == []


def test_what_was_sent_through_a_gateway_that_is_gone_is_unknown(desk_of: DeskOf) -> None:
    desk, shop = desk_of(KEYED)
    shop.then(Does.LOST_AFTER)
    proposal_id = desk.approve(FEE, customer=OWNER)
    desk.executor().execute(desk.db, proposal_id)

    desk.finish(desk.executor(gateway=ShopDouble(replace(KEYED, name="other"))), proposal_id)

    assert desk.operation(proposal_id).state is OperationState.UNKNOWN


def test_a_pace_that_cannot_be_is_refused() -> None:
    for wrong in ({"timeout_s": 0}, {"patience_s": 0}, {"waits_s": (1, -1)}, {"watch_days": 0}):
        with pytest.raises(ValueError, match="pace"):
            Pace(**wrong)


def _action(sent: tuple[str, bytes]) -> dict[str, str]:
    action: dict[str, str] = parse_json(sent[1].decode())["action"]
    return action


def test_what_a_failed_call_left_undone_is_checked_again_before_it_is_sent_again(
    tmp_path: Path,
) -> None:
    """The shop fails once, and meanwhile somebody else refunds all that was left."""
    with practice_desk(tmp_path / "store.db", SHIPPED_DATA) as (desk, shop):
        fee = FEE.model_copy(update={"order_id": "LK-793996"})
        whole = {"amount_minor": 2_990, "payment_id": "PAY-793996-1"}
        rest = fee.model_copy(update=whole)

        def fail() -> None:
            request = shop.prepare(rest, ticket_id="T-2", operation_id="other", key="other")
            shop.send(rest.tool, request, "other", timeout_s=1)
            raise ShopBroke("status 500")

        proposal_id = desk.approve(fee, customer="C-61975")
        desk.finish(desk.executor(gateway=Through(shop, before_send=fail)), proposal_id)

        operation = desk.operation(proposal_id)
        assert (operation.state, operation.attempt) == (OperationState.FAILED, 1)
        assert operation.error_words == ("the shop refuses it: at most 0.00 CAD is left to refund")
        assert len(shop.changes()) == 1

"""Refunds through Stripe, against a double with Stripe's own semantics of keys and states."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from urllib.parse import parse_qsl

import pytest
from pydantic import SecretStr

from tests.tools.servers import Scripted, running
from tests.tools.stripe_double import KEY_LIFE_S, Stripe, StripeServer, Trick
from tools import (
    Action,
    CreateReturnLabel,
    HttpClient,
    LabelReason,
    NotFound,
    Receipt,
    ReceiptState,
    RefundReason,
    RequestRefund,
    ReshipItem,
    ShopBroke,
    ShopBusy,
    ShopConflict,
    ShopDenied,
    ShopError,
    ShopGarbled,
    ShopInvalid,
    ShopMismatch,
    ShopTimeout,
    StripeGateway,
)


def refund(minor: int = 2_500, *, payment: str | None = "pi_1", currency: str = "CAD") -> Action:
    return RequestRefund(
        order_id="LK-100001",
        amount_minor=minor,
        currency=currency,
        reason_code=RefundReason.LATE,
        payment_id=payment,
    )


@pytest.fixture
def stripe() -> Stripe:
    return Stripe()


@pytest.fixture
def gateway(stripe: Stripe) -> Iterator[StripeGateway]:
    server = StripeServer(stripe)
    headers = {"Authorization": SecretStr("Bearer rk_test_s3cret")}
    with running(server), HttpClient(server.url, headers=headers) as client:
        yield StripeGateway(client)


def send(
    gateway: StripeGateway, action: Action, name: str = "op-1", key: str | None = None
) -> Receipt:
    key = key or f"key-{name}"
    request = gateway.prepare(action, ticket_id="T-1", operation_id=name, key=key)
    return gateway.send("request_refund", request, key, timeout_s=5)


def find(gateway: StripeGateway, name: str = "op-1", payment: str = "pi_1") -> Receipt | None:
    return gateway.look_up(f"key-{name}", name, refund(payment=payment))


def test_a_refund_is_created_once_with_key_version_and_our_ids(
    gateway: StripeGateway, stripe: Stripe
) -> None:
    receipt = send(gateway, refund())

    assert receipt.reference == "re_1"
    assert receipt.state is ReceiptState.SETTLED
    assert receipt.summary == {"amount": "25.00", "currency": "CAD", "status": "succeeded"}
    method, path, headers, body = stripe.requests[0]
    assert (method, path) == ("POST", "/v1/refunds")
    assert headers["idempotency-key"] == "key-op-1"
    assert headers["stripe-version"] == "2024-06-20"
    assert headers["content-type"] == "application/x-www-form-urlencoded"
    assert dict(parse_qsl(body)) == {
        "payment_intent": "pi_1",
        "amount": "2500",
        "reason": "requested_by_customer",
        "metadata[handrail_operation]": "op-1",
        "metadata[handrail_ticket]": "T-1",
        "metadata[handrail_key]": "key-op-1",
        "metadata[handrail_currency]": "CAD",
    }


def test_the_bytes_are_the_same_for_the_same_action(gateway: StripeGateway) -> None:
    first, second = (
        gateway.prepare(refund(), ticket_id="T-1", operation_id="op", key="k") for _ in range(2)
    )
    assert first == second


@pytest.mark.parametrize(
    ("reason", "word"),
    [
        (RefundReason.DOUBLE, b"reason=duplicate"),
        (RefundReason.LATE, b"reason=requested_by_customer"),
    ],
)
def test_a_double_charge_is_told_to_stripe_as_one(
    gateway: StripeGateway, reason: RefundReason, word: bytes
) -> None:
    action = refund().model_copy(update={"reason_code": reason})

    assert word in gateway.prepare(action, ticket_id="T-1", operation_id="op", key="k")


def test_a_repeat_with_the_key_is_told_as_one(gateway: StripeGateway, stripe: Stripe) -> None:
    assert not send(gateway, refund()).repeated
    assert send(gateway, refund()).repeated
    assert len(stripe.refunds) == 1


def test_two_partial_refunds_of_one_payment_go_through(
    gateway: StripeGateway, stripe: Stripe
) -> None:
    send(gateway, refund(4_000), "a")
    send(gateway, refund(6_000), "b")
    with pytest.raises(ShopInvalid) as refused:
        send(gateway, refund(1), "c")

    assert refused.value.code == "charge_already_refunded"
    assert [each["amount"] for each in stripe.refunds] == [4_000, 6_000]


def test_a_charge_is_named_as_a_charge(gateway: StripeGateway, stripe: Stripe) -> None:
    send(gateway, refund(payment="ch_1"))

    assert stripe.refunds[0]["charge"] == "ch_1"
    assert find(gateway, payment="ch_1") is not None


@pytest.mark.parametrize(
    ("action", "code"),
    [
        (ReshipItem(order_id="LK-1", sku="AB", quantity=1), "not_a_refund"),
        (
            CreateReturnLabel(order_id="LK-1", sku="AB", reason=LabelReason.DAMAGED),
            "not_a_refund",
        ),
        (refund(payment=None), "no_stripe_payment"),
        (refund(payment="PAY-1"), "no_stripe_payment"),
        (refund(currency="ISK"), "currency_refused"),
        (refund(currency="UGX"), "currency_refused"),
        (refund(currency="MGA"), "currency_refused"),
        (refund(1_234, currency="KWD"), "amount_refused"),
    ],
)
def test_what_stripe_cannot_do_or_counts_otherwise_is_refused_before_anything_is_stored(
    gateway: StripeGateway, action: Action, code: str
) -> None:
    with pytest.raises(ShopInvalid) as refused:
        gateway.prepare(action, ticket_id="T-1", operation_id="op", key="k")

    assert refused.value.code == code


@pytest.mark.parametrize(
    ("minor", "currency", "amount"),
    [
        (2_500, "CAD", b"amount=2500&"),
        (500, "JPY", b"amount=500&"),
        (5_120, "KWD", b"amount=5120&"),
    ],
)
def test_amounts_are_in_the_currency_s_own_minor_units(
    gateway: StripeGateway, minor: int, currency: str, amount: bytes
) -> None:
    request = gateway.prepare(
        refund(minor, currency=currency), ticket_id="T-1", operation_id="op", key="k"
    )
    assert amount in request


def test_only_refunds_are_sent(gateway: StripeGateway, stripe: Stripe) -> None:
    with pytest.raises(ShopInvalid):
        gateway.send("reship_item", b"", "k", timeout_s=5)
    assert stripe.requests == []


@pytest.mark.parametrize(
    ("status", "state"),
    [
        ("succeeded", ReceiptState.SETTLED),
        ("pending", ReceiptState.PENDING),
        ("requires_action", ReceiptState.UNCLEAR),
        ("failed", ReceiptState.FAILED),
        ("canceled", ReceiptState.FAILED),
    ],
)
def test_each_status_of_a_refund_has_its_state(
    gateway: StripeGateway, stripe: Stripe, status: str, state: ReceiptState
) -> None:
    stripe.status = status

    assert send(gateway, refund()).state is state
    assert gateway.poll("re_1", refund()).state is state


def test_a_pending_refund_is_polled_until_it_is_final(
    gateway: StripeGateway, stripe: Stripe
) -> None:
    stripe.status = "pending"
    receipt = send(gateway, refund())
    stripe.refunds[0] |= {"status": "failed", "failure_reason": "lost_or_stolen_card"}

    later = gateway.poll(receipt.reference, refund())
    assert later.state is ReceiptState.FAILED
    assert later.summary["failure_reason"] == "lost_or_stolen_card"
    with pytest.raises(NotFound):
        gateway.poll("re_9", refund())


def test_a_refund_in_another_currency_than_approved_is_for_a_person(
    gateway: StripeGateway, stripe: Stripe
) -> None:
    stripe.payments["pi_1"] = (10_000, "usd")
    receipt = send(gateway, refund())

    assert receipt.state is ReceiptState.UNCLEAR
    assert receipt.summary["problem"] == "paid in another currency than approved"


def test_a_look_up_pages_through_the_refunds_of_that_payment(
    gateway: StripeGateway, stripe: Stripe
) -> None:
    for number in range(5):
        send(gateway, refund(100), str(number))
    stripe.requests.clear()

    for number in range(5):
        found = find(gateway, str(number))
        assert found is not None
        assert found.reference == f"re_{number + 1}"
    assert find(gateway, "other") is None
    assert find(gateway, "0", payment="ch_1") is None
    pages = [path for _, path, _, _ in stripe.requests if "pi_1" in path]
    assert len(pages) == 3 * 6


def test_a_look_up_finds_by_key_after_the_operation_was_lost_with_a_backup(
    gateway: StripeGateway,
) -> None:
    send(gateway, refund(), "op-of-yesterday", key="key-op-of-today")

    assert find(gateway, "op-of-today") is not None


def test_a_refund_of_another_store_with_an_equal_id_is_not_taken_for_ours(
    gateway: StripeGateway,
) -> None:
    """Ids of operations are unique within one store alone; the key is made of what was asked."""
    send(gateway, refund(), "op-1", key="key-of-another-store")

    assert find(gateway, "op-1") is None


def test_two_refunds_that_bear_one_operation_are_for_a_person(
    gateway: StripeGateway, stripe: Stripe
) -> None:
    send(gateway, refund(100))
    stripe.refunds.append(stripe.refunds[0] | {"id": "re_2"})

    with pytest.raises(ShopGarbled, match="2 refunds bear"):
        find(gateway)


def test_a_payment_that_the_account_does_not_have_proves_nothing(
    gateway: StripeGateway,
) -> None:
    with pytest.raises(NotFound):
        find(gateway, payment="pi_9")


@pytest.mark.parametrize(
    ("trick", "error", "paid"),
    [
        (Trick.DROP_AFTER, ShopTimeout, 1),
        (Trick.DROP_BEFORE, ShopTimeout, 0),
        (Trick.FAIL_AFTER, ShopBroke, 1),
        (Trick.FAIL_BEFORE, ShopBroke, 0),
        (Trick.RATE_LIMIT, ShopBusy, 0),
        (Trick.HTML, ShopGarbled, 0),
    ],
)
def test_each_bad_answer_says_what_it_leaves_open(
    gateway: StripeGateway, stripe: Stripe, trick: Trick, error: type[ShopError], paid: int
) -> None:
    stripe.tricks.append(trick)
    with pytest.raises(error) as raised:
        send(gateway, refund())

    assert len(stripe.refunds) == paid
    assert (find(gateway) is not None) is (paid == 1)
    assert "secret" not in str(raised.value)
    if isinstance(raised.value, ShopBusy):
        assert raised.value.retry_after_s == 3


def test_a_500_is_kept_under_its_key_and_comes_back(gateway: StripeGateway, stripe: Stripe) -> None:
    stripe.tricks.append(Trick.FAIL_BEFORE)
    for _ in range(2):
        with pytest.raises(ShopBroke):
            send(gateway, refund())

    assert stripe.refunds == []
    assert gateway.traits.stores_failures


def test_a_key_that_was_forgotten_pays_again_which_is_why_we_stop_before(
    gateway: StripeGateway, stripe: Stripe
) -> None:
    send(gateway, refund())
    lifetime = gateway.traits.key_lifetime_s
    assert lifetime is not None
    stripe.now_s = lifetime
    assert send(gateway, refund()).repeated
    stripe.now_s = KEY_LIFE_S

    assert not send(gateway, refund()).repeated
    assert len(stripe.refunds) == 2


def test_the_same_key_with_other_parameters_is_a_mismatch(
    gateway: StripeGateway, stripe: Stripe
) -> None:
    send(gateway, refund(100))
    with pytest.raises(ShopMismatch):
        send(gateway, refund(101))
    assert len(stripe.refunds) == 1


def test_a_key_in_flight_is_a_conflict(gateway: StripeGateway, stripe: Stripe) -> None:
    entered, go_on = threading.Event(), threading.Event()

    def hold() -> None:
        entered.set()
        go_on.wait(30)

    stripe.hold = hold
    thread = threading.Thread(target=send, args=(gateway, refund()))
    thread.start()
    entered.wait(30)
    with pytest.raises(ShopConflict):
        send(gateway, refund())
    go_on.set()
    thread.join()

    assert len(stripe.refunds) == 1


GOOD = (
    b'{"id":"re_1","status":"succeeded","amount":1,"currency":"cad",'
    b'"metadata":{"handrail_operation":"op-1","handrail_currency":"CAD"}}'
)


@pytest.mark.parametrize(
    ("status", "body", "error"),
    [
        (200, b"", ShopGarbled),
        (200, b"[]", ShopGarbled),
        (200, b"\xff", ShopGarbled),
        (200, GOOD.replace(b"succeeded", b"odd"), ShopGarbled),
        (200, GOOD.replace(b'"amount":1', b'"amount":1.5'), ShopGarbled),
        (200, GOOD.replace(b'"amount":1', b'"amount":true'), ShopGarbled),
        (200, GOOD.replace(b'"cad"', b'"c"'), ShopGarbled),
        (200, GOOD.replace(b'"re_1"', b"null"), ShopGarbled),
        (200, GOOD.replace(b"op-1", b"op-2"), ShopGarbled),
        (
            200,
            GOOD.replace(b'{"handrail_operation":"op-1","handrail_currency":"CAD"}', b"1"),
            ShopGarbled,
        ),
        (401, b"{}", ShopDenied),
        (403, b"<html>", ShopDenied),
        (404, b'{"error":{"code":"resource_missing"}}', NotFound),
        (404, b"<html>", ShopGarbled),
        (402, b'{"error":{"code":"card_declined"}}', ShopInvalid),
        (400, b'{"error":[]}', ShopInvalid),
        (302, b"", ShopGarbled),
        (502, b"", ShopTimeout),
        (504, b"", ShopTimeout),
        (503, b"", ShopBroke),
    ],
)
def test_each_answer_has_one_meaning(status: int, body: bytes, error: type[ShopError]) -> None:
    server = Scripted([(status, {}, body)])
    with running(server), HttpClient(server.url) as client, pytest.raises(ShopError) as raised:
        send(StripeGateway(client), refund())

    assert type(raised.value) is error


@pytest.mark.parametrize(
    "body",
    [
        b'{"data":{},"has_more":false}',
        b'{"data":[],"has_more":true}',
        b'{"data":[1],"has_more":false}',
        b'{"data":[]}',
    ],
)
def test_a_list_that_cannot_be_read_proves_nothing(body: bytes) -> None:
    server = Scripted([(200, {}, body)])
    with running(server), HttpClient(server.url) as client, pytest.raises(ShopGarbled):
        find(StripeGateway(client))


def test_a_list_without_an_end_is_given_up() -> None:
    page = b'{"data":[{"id":"re_1","metadata":{}}],"has_more":true}'
    server = Scripted([(200, {}, page)] * 100)
    with (
        running(server),
        HttpClient(server.url) as client,
        pytest.raises(ShopGarbled, match="more refunds than can be"),
    ):
        find(StripeGateway(client))


def test_a_poll_that_answers_for_another_refund_is_garbled() -> None:
    server = Scripted([(200, {}, GOOD)])
    with running(server), HttpClient(server.url) as client, pytest.raises(ShopGarbled):
        StripeGateway(client).poll("re_2", refund())

"""The ``http`` backend against the practice shop as a service, over real sockets."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path

import pytest
from pydantic import SecretStr

from tests.tools.servers import Scripted, practice_url, running
from tools import (
    HTTP_TRAITS,
    PRACTICE_IDS,
    PRACTICE_TODAY,
    BusinessCalendar,
    ClientRefused,
    Fault,
    HttpClient,
    HttpGateway,
    HttpShop,
    NotFound,
    NotYours,
    PracticeGateway,
    PracticeServer,
    PracticeService,
    PracticeShop,
    Receipt,
    RefundReason,
    RequestRefund,
    ReshipItem,
    ShopConflict,
    ShopDenied,
    ShopGarbled,
    ShopInvalid,
    ShopMismatch,
    ShopTimeout,
    ShopUnavailable,
    check_action,
    open_view,
    serve_practice_shop,
)

FEE = RequestRefund(
    order_id="LK-100001", amount_minor=995, currency="CAD", reason_code=RefundReason.LATE
)
KEY = "key-1"
JSON = {"Content-Type": "application/json"}


@pytest.fixture
def gateway(shop: PracticeShop) -> Iterator[PracticeGateway]:
    with PracticeGateway(shop.path, today=lambda: PRACTICE_TODAY) as opened:
        yield opened


@contextmanager
def client_of(
    shop: PracticeShop,
    gateway: PracticeGateway,
    *faults: str,
    token: str | None = None,
    sent: str | None = None,
) -> Iterator[HttpClient]:
    """Serve the shop with faults and give a client of it."""
    service = PracticeService(
        shop,
        gateway,
        faults=[Fault.parse(fault) for fault in faults],
        token=None if token is None else SecretStr(token),
    )
    headers = {} if sent is None else {"Authorization": SecretStr(f"Bearer {sent}")}
    with practice_url(service) as url, HttpClient(url, headers=headers) as client:
        yield client


@pytest.fixture
def client(shop: PracticeShop, gateway: PracticeGateway) -> Iterator[HttpClient]:
    with client_of(shop, gateway) as opened:
        yield opened


def write(client: HttpClient, *, key: str = KEY, operation: str = "op-1") -> Receipt:
    remote = HttpGateway(client)
    request = remote.prepare(FEE, ticket_id="T-1", operation_id=operation, key=key)
    return remote.send(FEE.tool, request, key, timeout_s=5)


@pytest.mark.parametrize(
    ("customer", "order"),
    [("C-10001", "LK-100001"), ("C-10001", "LK-100002"), ("C-10002", "LK-100004")],
)
def test_every_read_is_the_practice_shop_s_own(
    shop: PracticeShop, client: HttpClient, customer: str, order: str
) -> None:
    here = open_view(shop, customer)
    there = open_view(HttpShop.connect(client, ids=PRACTICE_IDS), customer)

    assert there.order(order) == here.order(order)
    assert there.orders() == here.orders()
    assert there.payments(order) == here.payments(order)
    assert there.owns_order(order)


def test_policy_and_earlier_tickets_are_read_as_they_are(
    shop: PracticeShop, client: HttpClient
) -> None:
    here = open_view(shop, "C-10001")
    there = open_view(HttpShop.connect(client, ids=PRACTICE_IDS), "C-10001")

    found = there.search_policy("return within", PRACTICE_TODAY)
    assert found == here.search_policy("return within", PRACTICE_TODAY)
    assert len(found) == 1
    assert there.past_ticket("T-50001") == here.past_ticket("T-50001")


def test_the_holidays_come_from_the_service(shop: PracticeShop, client: HttpClient) -> None:
    remote = HttpShop.connect(client, ids=PRACTICE_IDS)

    assert (remote.calendar, remote.ids) == (shop.calendar, shop.ids)
    remote.close()
    remote.close()


@pytest.mark.parametrize("order", ["LK-100003", "LK-999999", "LK-1/../../x", "é"])
def test_what_is_missing_and_what_is_another_s_look_the_same(
    client: HttpClient, order: str
) -> None:
    view = open_view(HttpShop.connect(client, ids=PRACTICE_IDS), "C-10001")

    with pytest.raises(NotFound, match="the service has no such thing"):
        view.order(order)
    assert not view.owns_order(order)


def test_a_service_that_returns_another_s_order_is_not_believed() -> None:
    body = (
        b'{"order_id":"LK-1","customer_id":"C-2","status":"shipped","ordered_on":"2026-01-01",'
        b'"shipping_fee":{"minor":0,"currency":"CAD"},"total":{"minor":0,"currency":"CAD"}}'
    )
    server = Scripted([(200, JSON, body), (200, JSON, body)])
    with running(server), HttpClient(server.url) as client:
        shop = HttpShop(client, ids=PRACTICE_IDS, calendar=BusinessCalendar())
        with pytest.raises(NotYours):
            open_view(shop, "C-1").order("LK-1")
        assert not shop.for_customer("C-1").owns_order("LK-1")

    assert server.seen[0][1] == "/v1/customers/C-1/orders/LK-1"


@pytest.mark.parametrize(
    "reply",
    [
        (500, {}, b"<html>"),
        (200, JSON, b"{}"),
        (200, JSON, b'{"orders": [{"total": {"minor": 1.5, "currency": "CAD"}}]}'),
        (200, JSON, b'{"orders": "x"}'),
        (409, JSON, b'{"code": "key_in_flight"}'),
        (302, {"Location": "/"}, b""),
    ],
)
def test_a_read_that_goes_wrong_in_any_way_is_a_service_that_is_not_available(
    reply: tuple[int, dict[str, str], bytes],
) -> None:
    server = Scripted([reply])
    with running(server), HttpClient(server.url) as client:
        shop = HttpShop(client, ids=PRACTICE_IDS, calendar=BusinessCalendar())
        with pytest.raises(ShopUnavailable):
            shop.for_customer("C-1").orders()


def test_a_write_is_done_once_and_readers_see_it(shop: PracticeShop, client: HttpClient) -> None:
    first, second = write(client), write(client)

    assert (first.repeated, second.repeated) == (False, True)
    assert first.reference == second.reference
    assert first.summary == {"amount": "9.95", "currency": "CAD"}
    (refund,) = open_view(shop, "C-10001").order("LK-100001").refunds
    assert refund.operation_id == "op-1"


def test_the_same_key_with_another_body_is_refused(
    client: HttpClient, gateway: PracticeGateway
) -> None:
    write(client)
    with pytest.raises(ShopMismatch):
        write(client, operation="op-2")

    assert len(gateway.changes()) == 1


def test_a_write_is_looked_up_by_its_key(client: HttpClient) -> None:
    remote = HttpGateway(client)
    assert remote.look_up(KEY, "op-1", FEE) is None
    done = write(client)

    found = remote.look_up(KEY, "op-1", FEE)
    assert found is not None
    assert (found.reference, found.repeated) == (done.reference, True)
    assert remote.poll(done.reference, FEE).reference == done.reference
    with pytest.raises(NotFound):
        remote.poll("RF-00000000", FEE)


def test_a_rule_of_the_shop_comes_back_as_a_code(client: HttpClient) -> None:
    remote = HttpGateway(client)
    action = ReshipItem(order_id="LK-100004", sku="FEEDER", quantity=1)
    request = remote.prepare(action, ticket_id="T-1", operation_id="op", key="k")

    with pytest.raises(ShopInvalid) as refused:
        remote.send(action.tool, request, "k", timeout_s=5)
    assert refused.value.code == "invalid"


def test_a_write_that_the_contract_does_not_have_is_refused(client: HttpClient) -> None:
    with pytest.raises(ShopInvalid, match="no such write"):
        HttpGateway(client).send("cancel_order", b"{}", "k", timeout_s=5)


def test_the_remote_shop_serves_the_check_before_a_write(client: HttpClient) -> None:
    view = open_view(HttpShop.connect(client, ids=PRACTICE_IDS), "C-10001")
    check_action(view, FEE)
    with pytest.raises(ShopInvalid, match=r"is worth 9\.95 CAD"):
        check_action(view, FEE.model_copy(update={"amount_minor": 996}))


@pytest.mark.parametrize(
    ("fault", "error", "written"),
    [
        ("request_refund:timeout", ShopTimeout, 0),
        ("request_refund:timeout_before_write", ShopTimeout, 0),
        ("request_refund:timeout_after_write", ShopTimeout, 1),
        ("request_refund:unavailable", ShopUnavailable, 0),
        ("request_refund:denied", ShopDenied, 0),
    ],
)
def test_a_simulated_fault_of_a_write_reaches_the_caller_as_what_it_is(
    shop: PracticeShop, gateway: PracticeGateway, fault: str, error: type[Exception], written: int
) -> None:
    with client_of(shop, gateway, fault) as client:
        with pytest.raises(error):
            write(client)
        assert len(gateway.changes()) == written
        assert write(client).repeated is (written == 1)


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        ("get_order:timeout", ShopTimeout),
        ("get_order:unavailable", ShopUnavailable),
        ("get_order:denied", ShopDenied),
    ],
)
def test_a_simulated_fault_of_a_read_reaches_the_caller(
    shop: PracticeShop, gateway: PracticeGateway, fault: str, error: type[Exception]
) -> None:
    with client_of(shop, gateway, fault) as client:
        view = HttpShop.connect(client, ids=PRACTICE_IDS).for_customer("C-10001")
        with pytest.raises(error):
            view.order("LK-100001")
        assert view.order("LK-100001").order_id == "LK-100001"


def test_faults_are_switched_while_it_runs(client: HttpClient) -> None:
    def switch(body: bytes) -> int:
        return client.post("/practice/faults", body=body, headers=JSON, timeout_s=5).status

    assert switch(b'{"faults": ["request_refund:denied"]}') == 200
    with pytest.raises(ShopDenied):
        write(client)
    assert switch(b'{"faults": []}') == 200
    write(client)
    for wrong in (b"", b"[]", b'{"faults": 1}', b'{"faults": [1]}', b'{"faults": ["x:y"]}'):
        assert switch(wrong) == 422


def test_the_service_lists_its_changes(client: HttpClient) -> None:
    done = write(client)
    answer = client.get("/practice/changes", timeout_s=5)

    assert answer.status == 200
    assert done.reference.encode() in answer.body


class _Held(PracticeGateway):
    """A gateway whose writes wait for a signal, to be in flight as long as a test wants."""

    entered = threading.Event()
    go_on = threading.Event()

    def send(self, tool: str, request: bytes, key: str, *, timeout_s: float) -> Receipt:
        self.entered.set()
        self.go_on.wait(30)
        return super().send(tool, request, key, timeout_s=timeout_s)


def test_while_a_key_is_in_flight_its_repeat_and_its_look_up_are_conflicts(
    shop: PracticeShop,
) -> None:
    with (
        _Held(shop.path, today=lambda: PRACTICE_TODAY) as gateway,
        client_of(shop, gateway) as client,
    ):
        thread = threading.Thread(target=write, args=(client,))
        thread.start()
        gateway.entered.wait(30)
        with pytest.raises(ShopConflict):
            write(client)
        with pytest.raises(ShopConflict):
            HttpGateway(client).look_up(KEY, "op-1", FEE)
        gateway.go_on.set()
        thread.join()

        assert HttpGateway(client).look_up(KEY, "op-1", FEE) is not None
        assert len(gateway.changes()) == 1


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 400),
        ({"Idempotency-Key": KEY}, 415),
        ({"Idempotency-Key": KEY, "Content-Type": "text/plain"}, 415),
    ],
)
def test_a_write_without_key_or_as_something_else_is_refused(
    client: HttpClient, gateway: PracticeGateway, headers: dict[str, str], status: int
) -> None:
    body = HttpGateway(client).prepare(FEE, ticket_id="T-1", operation_id="op", key=KEY)

    answer = client.post("/v1/refunds", body=body, headers=headers, timeout_s=5)

    assert answer.status == status
    assert gateway.changes() == ()


def test_a_write_at_another_s_address_is_refused(
    client: HttpClient, gateway: PracticeGateway
) -> None:
    body = HttpGateway(client).prepare(FEE, ticket_id="T-1", operation_id="op", key=KEY)
    headers = {"Idempotency-Key": KEY, **JSON}

    answer = client.post("/v1/reshipments", body=body, headers=headers, timeout_s=5)

    assert answer.status == 422
    assert gateway.changes() == ()


def test_an_address_that_does_not_exist_is_not_found(client: HttpClient) -> None:
    for path in ("/", "/v1", "/v1/customers/C-1", "/v1/orders", "/v1/refunds"):
        assert client.get(path, timeout_s=5).status == 404
    assert client.get("/v1/policy", params={"query": "x"}, timeout_s=5).status == 422


@pytest.mark.parametrize("sent", [None, "wrong"])
def test_a_service_with_a_token_refuses_who_does_not_have_it(
    shop: PracticeShop, gateway: PracticeGateway, sent: str | None
) -> None:
    with client_of(shop, gateway, token="right", sent=sent) as client:
        with pytest.raises(ShopDenied):
            write(client)
        with pytest.raises(ShopDenied):
            HttpShop.connect(client, ids=PRACTICE_IDS)


def test_a_service_with_a_token_serves_who_has_it(
    shop: PracticeShop, gateway: PracticeGateway
) -> None:
    with client_of(shop, gateway, token="right", sent="right") as client:
        assert not write(client).repeated


@pytest.mark.parametrize(
    "body",
    [
        b'{"operation_id":"op-1","key":"other","reference":"RF-1","state":"settled","summary":{}}',
        b'{"operation_id":"op-2","key":"key-1","reference":"RF-1","state":"settled","summary":{}}',
        b'{"operation_id":"op-1","key":"key-1","reference":"RF-1","state":"odd","summary":{}}',
        b'{"operation_id":"op-1","key":"key-1","state":"settled","summary":{}}',
        b"null",
    ],
)
def test_an_answer_that_is_not_this_write_s_is_garbled(body: bytes) -> None:
    server = Scripted([(201, JSON, body)])
    with running(server), HttpClient(server.url) as client, pytest.raises(ShopGarbled):
        write(client)


def test_after_a_restored_backup_the_key_alone_finds_a_write(client: HttpClient) -> None:
    write(client, operation="op-of-yesterday")

    assert HttpGateway(client).look_up(KEY, "op-of-today", FEE) is not None


def test_a_look_up_behind_a_wrong_address_proves_nothing() -> None:
    server = Scripted([(404, {"Content-Type": "text/html"}, b"<html>not found</html>")])
    with running(server), HttpClient(server.url) as client, pytest.raises(ShopGarbled):
        HttpGateway(client).look_up(KEY, "op-1", FEE)


def test_what_the_contract_promises_is_what_the_backend_counts_on() -> None:
    with HttpClient("http://127.0.0.1:9") as client:
        assert HttpGateway(client).traits == HTTP_TRAITS
    assert (HTTP_TRAITS.honours_keys, HTTP_TRAITS.key_lifetime_s) == (True, 72_000)


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "example.org", "::", ""])
def test_the_practice_service_listens_on_this_machine_only(
    shop: PracticeShop, gateway: PracticeGateway, host: str
) -> None:
    with pytest.raises(ClientRefused, match="loopback"):
        PracticeServer(PracticeService(shop, gateway), host=host)


def test_a_port_that_is_taken_is_named(shop: PracticeShop, gateway: PracticeGateway) -> None:
    service = PracticeService(shop, gateway)
    with PracticeServer(service) as server, pytest.raises(ClientRefused, match="cannot listen"):
        PracticeServer(service, port=server.server_port)


@pytest.mark.parametrize("length", ["x", "-1", "20001", ""])
def test_a_body_without_a_fair_length_is_not_read(
    shop: PracticeShop, gateway: PracticeGateway, length: str
) -> None:
    with practice_url(PracticeService(shop, gateway)) as url:
        connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=5)
        connection.putrequest("POST", "/v1/refunds")
        if length:
            connection.putheader("Content-Length", length)
        connection.endheaders()
        assert connection.getresponse().status == 413
        connection.close()


def test_the_shop_is_served_until_it_is_shut_down(shop: PracticeShop) -> None:
    def check(server: PracticeServer) -> None:
        def ask() -> None:
            with HttpClient(server.url) as client:
                names.append(HttpShop.connect(client, ids=PRACTICE_IDS).calendar)
            server.shutdown()

        threads.append(threading.Thread(target=ask))
        threads[0].start()

    names: list[BusinessCalendar] = []
    threads: list[threading.Thread] = []
    serve_practice_shop(path=shop.path, today=lambda: date(2026, 10, 9), on_ready=check)
    threads[0].join()

    assert names == [shop.calendar]


def test_a_file_that_is_missing_is_named_before_anything_listens(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="no such practice shop"):
        serve_practice_shop(
            path=tmp_path / "none.db", today=lambda: PRACTICE_TODAY, on_ready=lambda _: None
        )

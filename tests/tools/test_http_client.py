"""The HTTP client against servers that answer badly, late or not at all."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from pydantic import SecretStr

from tests.harness.ports import free_port
from tests.tools.servers import Scripted, raw, running
from tools import (
    ClientRefused,
    HttpClient,
    ShopGarbled,
    ShopInvalid,
    ShopTimeout,
    ShopUnavailable,
    secret_from,
)
from tools.http.client import path_of


def test_nobody_listening_means_that_nothing_was_sent() -> None:
    with (
        HttpClient(f"http://127.0.0.1:{free_port()}") as client,
        pytest.raises(ShopUnavailable, match="nothing was sent"),
    ):
        client.post("/x", body=b"x", headers={}, timeout_s=1)


def test_silence_is_a_time_out() -> None:
    with (
        raw(b"", hold=threading.Event()) as url,
        HttpClient(url) as client,
        pytest.raises(ShopTimeout, match="no answer in time"),
    ):
        client.get("/x", timeout_s=0.05)


def test_an_answer_that_stays_open_is_a_time_out() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nab"
    with (
        raw(head, hold=threading.Event()) as url,
        HttpClient(url) as client,
        pytest.raises(ShopTimeout),
    ):
        client.get("/x", timeout_s=0.05)


def test_an_answer_that_drips_is_cut_at_the_end_of_the_whole_time() -> None:
    times = iter([0.0, 1.5])
    body = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab"
    with (
        raw(body) as url,
        HttpClient(url, monotonic=lambda: next(times)) as client,
        pytest.raises(ShopTimeout, match="did not finish"),
    ):
        client.get("/x", timeout_s=1)


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nab"])
def test_a_connection_closed_before_the_whole_answer_is_a_time_out(answer: bytes) -> None:
    with (
        raw(answer) as url,
        HttpClient(url) as client,
        pytest.raises(ShopTimeout, match="closed the connection"),
    ):
        client.get("/x", timeout_s=5)


@pytest.mark.parametrize(
    "answer",
    [
        b"hello\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Encoding: gzip\r\n\r\nabc",
    ],
)
def test_what_is_not_http_cannot_be_read(answer: bytes) -> None:
    with (
        raw(answer) as url,
        HttpClient(url) as client,
        pytest.raises(ShopGarbled, match="did not answer in HTTP"),
    ):
        client.get("/x", timeout_s=5)


@pytest.mark.parametrize(("size", "fits"), [(9, True), (10, True), (11, False)])
def test_an_answer_is_read_up_to_its_bound(size: int, fits: bool) -> None:
    server = Scripted([(200, {}, b"x" * size)])
    with running(server), HttpClient(server.url, max_answer_bytes=10) as client:
        if fits:
            assert len(client.get("/x", timeout_s=5).body) == size
        else:
            with pytest.raises(ShopGarbled, match="more than 10 bytes"):
                client.get("/x", timeout_s=5)


def test_a_redirect_is_an_answer_and_is_not_followed() -> None:
    server = Scripted([(307, {"Location": "/elsewhere"}, b"")])
    with running(server), HttpClient(server.url) as client:
        answer = client.post("/x", body=b"x", headers={}, timeout_s=5)

    assert answer.status == 307
    assert len(server.seen) == 1


def test_the_secret_goes_with_every_call_and_shows_nowhere() -> None:
    server = Scripted([(200, {}, b"")])
    headers = {"Authorization": SecretStr("Bearer s3cret")}
    with running(server), HttpClient(server.url, headers=headers) as client:
        client.get("/x", timeout_s=5)
        shown = repr(client) + str(vars(client))

    assert server.seen[0][2]["authorization"] == "Bearer s3cret"
    assert "s3cret" not in shown


@pytest.mark.parametrize(
    "address",
    [
        "http://example.org",
        "http://192.0.2.1",
        "ftp://127.0.0.1",
        "https://user:secret@example.org",
        "https://example.org?x=1",
        "https://example.org#x",
        "https://",
        "example.org",
        "",
        "http://[::1",
    ],
)
def test_an_address_that_cannot_be_used_is_refused(address: str) -> None:
    with pytest.raises(ClientRefused) as refused:
        HttpClient(address)

    assert "secret" not in str(refused.value).replace("secrets belong", "")


@pytest.mark.parametrize("address", ["https://example.org", "http://localhost:1", "http://[::1]:1"])
def test_https_and_loopback_are_taken(address: str) -> None:
    with HttpClient(address) as client:
        assert client.host


def test_certificates_that_cannot_be_used_are_refused(tmp_path: Path) -> None:
    for content in (None, "nothing"):
        file = tmp_path / "ca.pem"
        if content is not None:
            file.write_text(content)
        with pytest.raises(ClientRefused, match="certificates"):
            HttpClient("https://example.org", ca_file=file)


def test_a_plain_server_behind_https_gets_nothing() -> None:
    with (
        raw(b"HTTP/1.1 200 OK\r\n\r\n") as url,
        HttpClient(url.replace("http:", "https:")) as client,
        pytest.raises(ShopUnavailable),
    ):
        client.get("/x", timeout_s=5)


@pytest.mark.parametrize("part", ["", ".", "..", "..."])
def test_a_part_of_a_path_that_names_another_path_is_refused(part: str) -> None:
    with pytest.raises(ShopInvalid):
        path_of("v1", part)


def test_a_part_of_a_path_stays_one_part() -> None:
    server = Scripted([(200, {}, b"")])
    with running(server), HttpClient(server.url + "/shop") as client:
        client.get(path_of("a/../b?c", "d"), timeout_s=5)

    assert server.seen[0][1] == "/shop/a%2F..%2Fb%3Fc/d"


def test_a_secret_comes_from_the_environment_with_its_prefix() -> None:
    secret = secret_from({"SHOP_TOKEN": " s3cret\n"}, "SHOP_TOKEN", prefix="Bearer ")

    assert secret.get_secret_value() == "Bearer s3cret"


@pytest.mark.parametrize("environ", [{}, {"SHOP_TOKEN": ""}, {"SHOP_TOKEN": "a\nb"}])
def test_a_secret_that_is_missing_or_no_header_is_refused(environ: dict[str, str]) -> None:
    with pytest.raises(ClientRefused, match="set the variable SHOP_TOKEN"):
        secret_from(environ, "SHOP_TOKEN")

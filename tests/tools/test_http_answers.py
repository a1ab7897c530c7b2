"""What each answer of a service means, one status at a time."""

from __future__ import annotations

import json

import pytest

from tools import (
    NotFound,
    ShopBroke,
    ShopBusy,
    ShopConflict,
    ShopDenied,
    ShopError,
    ShopGarbled,
    ShopInvalid,
    ShopMismatch,
    ShopTimeout,
    ShopUnavailable,
)
from tools.http.answers import body_of, json_of
from tools.http.client import Answer

JSON = {"content-type": "application/json; charset=utf-8"}


def problem(status: int, code: str, **headers: str) -> Answer:
    body = json.dumps({"code": code, "message": "a secret of the service"}).encode()
    return Answer(status=status, headers=JSON | headers, body=body)


def page(status: int) -> Answer:
    return Answer(status=status, headers={"content-type": "text/html"}, body=b"<html>secret</html>")


@pytest.mark.parametrize(
    ("answer", "meaning"),
    [
        (problem(401, "denied"), ShopDenied),
        (page(403), ShopDenied),
        (problem(404, "not_found"), NotFound),
        (problem(404, "no_route"), ShopGarbled),
        (page(404), ShopGarbled),
        (page(408), ShopTimeout),
        (problem(409, "key_in_flight"), ShopConflict),
        (problem(422, "key_mismatch"), ShopMismatch),
        (problem(422, "nothing_left"), ShopInvalid),
        (page(400), ShopInvalid),
        (page(429), ShopBusy),
        (page(500), ShopBroke),
        (page(502), ShopTimeout),
        (problem(503, "not_acted"), ShopUnavailable),
        (problem(503, "other"), ShopBroke),
        (page(503), ShopBroke),
        (page(504), ShopTimeout),
        (page(599), ShopBroke),
        (page(200), ShopGarbled),
        (page(204), ShopGarbled),
        (page(302), ShopGarbled),
        (Answer(status=200, headers=JSON, body=b""), ShopGarbled),
        (Answer(status=200, headers={}, body=b"{}"), ShopGarbled),
    ],
)
def test_an_answer_has_one_meaning_and_its_text_is_never_shown(
    answer: Answer, meaning: type[ShopError]
) -> None:
    with pytest.raises(ShopError) as error:
        body_of(answer)

    assert type(error.value) is meaning
    assert "secret" not in str(error.value)


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (problem(422, "nothing_left"), "nothing_left"),
        (problem(400, "Nothing Left!"), "http_400"),
        (problem(400, "x" * 41), "http_400"),
        (page(400), "http_400"),
        (Answer(status=400, headers=JSON, body=b"{"), "http_400"),
        (Answer(status=400, headers=JSON, body=b"[]"), "http_400"),
        (Answer(status=400, headers=JSON, body=b'{"code": 7}'), "http_400"),
    ],
)
def test_a_refusal_keeps_the_code_of_the_service_where_it_is_one(answer: Answer, code: str) -> None:
    with pytest.raises(ShopInvalid) as error:
        body_of(answer)

    assert error.value.code == code


@pytest.mark.parametrize(
    ("text", "wait"),
    [
        ("30", 30),
        ("0", 0),
        ("999999", 86_400),
        ("", None),
        ("-1", None),
        ("soon", None),
        ("1.5", None),
    ],
)
def test_a_pause_is_as_long_as_the_service_says_if_it_says_so_in_seconds(
    text: str, wait: int | None
) -> None:
    with pytest.raises(ShopBusy) as error:
        body_of(problem(429, "slow_down", **{"retry-after": text}))

    assert error.value.retry_after_s == wait


@pytest.mark.parametrize("body", [b"[]", b"\xff", b"{", b'{"a":1,"a":2}', b'{"a":NaN}'])
def test_json_that_cannot_be_read_is_garbled(body: bytes) -> None:
    with pytest.raises(ShopGarbled):
        json_of(Answer(status=200, headers=JSON, body=body))


def test_json_is_told_by_its_content_type() -> None:
    for kind in ("application/json", "Application/JSON", "application/problem+json"):
        answer = Answer(status=201, headers={"content-type": kind}, body=b'{"a": 1}')
        assert json_of(answer) == {"a": 1}

"""A guard in front of the Events API: what is no request of Slack's gets no further.

Bolt reads the body before it checks the signature, so here it is checked before anything is read.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any, Final
from urllib.parse import parse_qsl

from slack_sdk.signature import SignatureVerifier

from bot.slack.errors import WrongShape
from bot.slack.shapes import Outline, check

__all__ = ["MAX_BODY", "Guard"]

MAX_BODY: Final = 1_000_000
"""Bytes of one request. Slack's largest, a click on a message of 50 blocks, is about a tenth."""
_STAMP: Final = re.compile(r"[0-9]{1,12}")
_SIGNATURE: Final = re.compile(r"v0=[0-9a-f]{64}")
_LENGTH: Final = re.compile(r"[0-9]{1,18}")
_STAMP_HEADER: Final = "x-slack-request-timestamp"
_SIGNATURE_HEADER: Final = "x-slack-signature"
_log: Final = logging.getLogger("handrail.slack")

Headers = Mapping[str, str]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
AsgiApp = Callable[[Scope, Receive, Send], Awaitable[None]]


class Guard:
    """An ASGI app around another: answers 400, 401, 405 or 413 itself, or hands on.

    Args:
        inner: gets what Slack has signed, as an object of JSON or a form that Bolt can read.
        signing_secret: what Slack signs with.
    """

    def __init__(self, inner: AsgiApp, *, signing_secret: str) -> None:
        self._inner = inner
        self._verifier = SignatureVerifier(signing_secret)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read a request to its end, judge it, and hand it on whole."""
        if scope["type"] != "http":
            await self._inner(scope, receive, send)
            return
        headers = {
            name.decode("latin-1").lower(): value.decode("latin-1")
            for name, value in scope["headers"]
        }
        status = _judge_head(scope, headers)
        body = None if status else await _read(receive)
        if body is None:
            await _answer(send, status or 413)
            return
        status = self._judge_body(headers, body)
        if status:
            await _answer(send, status)
            return
        await self._inner(scope, _once(body), send)

    def _judge_body(self, headers: Headers, body: bytes) -> int | None:
        try:
            text = body.decode("utf-8")
        except UnicodeDecodeError:
            return 400
        if not self._verifier.is_valid(text, headers[_STAMP_HEADER], headers[_SIGNATURE_HEADER]):
            return 401
        try:
            check(Outline, _parsed(headers, text), "request")
        except WrongShape as error:
            _log.warning("a delivery was refused: %s", error)
            return 400
        except (ValueError, RecursionError):
            return 400
        return None


def _judge_head(scope: Scope, headers: Headers) -> int | None:
    if scope["method"] != "POST":
        return 405
    length = headers.get("content-length", "0")
    if not _LENGTH.fullmatch(length):
        return 400
    if int(length) > MAX_BODY:
        return 413
    if not _STAMP.fullmatch(headers.get(_STAMP_HEADER, "")):
        return 401
    if not _SIGNATURE.fullmatch(headers.get(_SIGNATURE_HEADER, "")):
        return 401
    return None


def _parsed(headers: Headers, text: str) -> Any:
    """Return what Bolt will read.

    Raises:
        ValueError, RecursionError: it cannot read it.
    """
    match headers.get("content-type", "").partition(";")[0].strip().lower():
        case "application/json":
            return json.loads(text)
        case "application/x-www-form-urlencoded" if not text.startswith("{"):  # Bolt takes it so
            fields = dict(parse_qsl(text, keep_blank_values=True))
            return json.loads(fields["payload"]) if "payload" in fields else fields
        case _:
            raise ValueError("neither JSON nor a form")


async def _read(receive: Receive) -> bytes | None:
    """Return the body, None where it is longer than allowed or was not sent to its end."""
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        body += message.get("body", b"")
        if len(body) > MAX_BODY:
            return None
        if not message.get("more_body"):
            return bytes(body)


def _once(body: bytes) -> Receive:
    """Return a ``receive`` that gives the whole body, and then that the client is gone."""
    parts: list[MutableMapping[str, Any]] = [
        {"type": "http.request", "body": body, "more_body": False}
    ]

    async def receive() -> MutableMapping[str, Any]:
        return parts.pop() if parts else {"type": "http.disconnect"}

    return receive


async def _answer(send: Send, status: int) -> None:
    head = {"type": "http.response.start", "status": status, "headers": [(b"content-length", b"0")]}
    await send(head)
    await send({"type": "http.response.body", "body": b""})

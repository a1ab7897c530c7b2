"""A guard in front of the Events API: what is no request of Slack's gets no further.

Bolt reads the body before it checks the signature, so here it is checked before anything is read.
"""

from __future__ import annotations

import asyncio
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
BODY_S: Final = 3.0
"""Seconds for the whole body of a request. Slack waits no longer for its answer."""
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
    """An ASGI app around another: answers 400, 401, 405, 408 or 413 itself, or hands on.

    Args:
        inner: gets what Slack has signed, as an object of JSON or a form that Bolt can read.
        signing_secret: what Slack signs with.
        body_s: seconds within which a body has to be there.
    """

    def __init__(self, inner: AsgiApp, *, signing_secret: str, body_s: float = BODY_S) -> None:
        self._inner = inner
        self._verifier = SignatureVerifier(signing_secret)
        self._body_s = body_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read a request to its end, judge it, and hand it on whole."""
        if scope["type"] != "http":
            await self._inner(scope, receive, send)
            return
        headers = {
            name.decode("latin-1").lower(): value.decode("latin-1")
            for name, value in scope["headers"]
        }
        try:
            _judge_head(scope, headers)
            async with asyncio.timeout(self._body_s):
                body = await _read(receive)
            self._judge_body(headers, body)
        except _Refused as refused:
            await _answer(send, refused.status)
        except TimeoutError:
            await _answer(send, 408)
        else:
            await self._inner(scope, _once(body), send)

    def _judge_body(self, headers: Headers, body: bytes) -> None:
        try:
            text = body.decode("utf-8")
        except UnicodeDecodeError:
            raise _Refused(400) from None
        if not self._verifier.is_valid(text, headers[_STAMP_HEADER], headers[_SIGNATURE_HEADER]):
            raise _Refused(401)
        try:
            check(Outline, _parsed(headers, text), "request")
        except WrongShape as error:
            _log.warning("a delivery was refused: %s", error)
            raise _Refused(400) from None
        except (ValueError, RecursionError):
            raise _Refused(400) from None


class _Refused(Exception):
    """A request that is answered with a status and handed on to nobody."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


def _judge_head(scope: Scope, headers: Headers) -> None:
    if scope["method"] != "POST":
        raise _Refused(405)
    length = headers.get("content-length", "0")
    if not _LENGTH.fullmatch(length):
        raise _Refused(400)
    if int(length) > MAX_BODY:
        raise _Refused(413)
    if not _STAMP.fullmatch(headers.get(_STAMP_HEADER, "")):
        raise _Refused(401)
    if not _SIGNATURE.fullmatch(headers.get(_SIGNATURE_HEADER, "")):
        raise _Refused(401)


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


async def _read(receive: Receive) -> bytes:
    """Return the body, unless it is longer than allowed or was not sent to its end."""
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise _Refused(400)
        body += message.get("body", b"")
        if len(body) > MAX_BODY:
            raise _Refused(413)
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

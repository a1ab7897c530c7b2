"""A guard in front of the Events API: what cannot be a request of Slack gets no further.

Bolt reads the body before it checks the signature, so bad input would be a traceback there.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final

__all__ = ["MAX_BODY", "Guard"]

MAX_BODY: Final = 1_000_000
"""Bytes of one request. Slack's largest, a click on a message of 50 blocks, is about a tenth."""
_MAX_TIMESTAMP: Final = 12
_FORM: Final = "application/x-www-form-urlencoded"
_JSON: Final = "application/json"

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
AsgiApp = Callable[[Scope, Receive, Send], Awaitable[None]]


class Guard:
    """An ASGI app around another: answers 400, 401, 405, 411 or 413 itself, or hands on."""

    def __init__(self, inner: AsgiApp) -> None:
        self._inner = inner

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read a request to its end, judge it, and hand it on whole."""
        if scope["type"] != "http":
            await self._inner(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value for name, value in scope["headers"]}
        status = _judge_head(scope, headers)
        body = None if status else await _read(receive)
        if body is None:
            await _answer(send, status or 413)
            return
        status = _judge_body(headers, body)
        if status:
            await _answer(send, status)
            return
        await self._inner(scope, _once(body), send)


def _judge_head(scope: Scope, headers: dict[str, bytes]) -> int | None:
    if scope["method"] != "POST":
        return 405
    length = headers.get("content-length", b"0").decode("latin-1")
    if not length.isdecimal():
        return 400
    if int(length) > MAX_BODY:
        return 413
    stamp = headers.get("x-slack-request-timestamp", b"").decode("latin-1")
    if not (stamp.isascii() and stamp.isdecimal() and len(stamp) <= _MAX_TIMESTAMP):
        return 401
    if not headers.get("x-slack-signature", b"").startswith(b"v0="):
        return 401
    return None


def _judge_body(headers: dict[str, bytes], body: bytes) -> int | None:
    kind = headers.get("content-type", b"").decode("latin-1").partition(";")[0].strip().lower()
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        return 400
    if kind == _FORM:
        return None
    if kind != _JSON:
        return 400
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return 400
    return None if isinstance(value, dict) else 400


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

"""Socket Mode: one-time addresses, up to ten sockets, each payload to one of them, acks back.

Facts of Slack's behaviour: docs.slack.dev, "Using Socket Mode".
"""

from __future__ import annotations

import asyncio
import itertools
import json
import secrets
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from bot.workspace.clock import Schedule
from bot.workspace.traffic import Answer, Delivery, Kind

__all__ = ["ACK_SECONDS", "MOST_SOCKETS", "Sockets"]

ACK_SECONDS = 3.0
MOST_SOCKETS = 10
CONNECTION_SECONDS = 18_060
"""What ``hello`` announces as the socket's approximate life."""

Done = Callable[[Answer], None]


@dataclass(slots=True, eq=False)
class Socket:
    """One open socket: frames wait in its queue; None closes it."""

    number: int
    client: tuple[str, int] | None
    loop: asyncio.AbstractEventLoop
    queue: asyncio.Queue[dict[str, Any] | None] = field(default_factory=asyncio.Queue)
    mute: bool = False

    def push(self, frame: dict[str, Any] | None) -> None:
        """Queue a frame, from any thread; a mute socket loses it."""
        if self.mute and frame is not None:
            return
        with suppress(RuntimeError):  # the server is closing, and the socket with it
            self.loop.call_soon_threadsafe(self.queue.put_nowait, frame)


@dataclass(slots=True)
class _Waiting:
    """An envelope that was sent and not yet acknowledged."""

    socket: Socket | None
    done: Done


class Sockets:
    """The sockets of the app, and the envelopes that wait for an acknowledgement."""

    def __init__(
        self,
        schedule: Schedule,
        app_id: str,
        *,
        changed: Callable[[], None],
        abort: Callable[[tuple[str, int]], None],
    ) -> None:
        self._schedule = schedule
        self._app_id = app_id
        self._changed = changed
        self._abort = abort
        self._tickets: set[str] = set()
        self._open: list[Socket] = []
        self._waiting: dict[str, _Waiting] = {}
        self._turn = itertools.count()
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()

    # What apps.connections.open and the server call.

    def new_ticket(self) -> str:
        """Return the secret part of a one-time address."""
        ticket = secrets.token_hex(16)
        with self._lock:
            self._tickets.add(ticket)
        return ticket

    async def serve(self, websocket: WebSocket) -> None:
        """Serve one socket until it closes. An address that was used before is refused."""
        ticket = websocket.query_params.get("ticket", "")
        with self._lock:
            known = ticket in self._tickets
            self._tickets.discard(ticket)
        if not known:
            await websocket.close()
            return
        await websocket.accept()
        client = (websocket.client.host, websocket.client.port) if websocket.client else None
        socket = Socket(next(self._numbers), client, asyncio.get_running_loop())
        if not self._admit(socket):
            await websocket.send_json(_disconnect("too_many_websockets"))
            await websocket.close()
            return
        await self._converse(websocket, socket)

    async def _converse(self, websocket: WebSocket, socket: Socket) -> None:
        sender = asyncio.create_task(self._send_all(websocket, socket))
        try:
            while True:
                self._receive(await websocket.receive_text())
        except WebSocketDisconnect:
            pass
        finally:
            self._forget(socket)
            sender.cancel()
            with suppress(asyncio.CancelledError):
                await sender

    async def _send_all(self, websocket: WebSocket, socket: Socket) -> None:
        while (frame := await socket.queue.get()) is not None:
            with suppress(WebSocketDisconnect, RuntimeError):  # closed meanwhile
                await websocket.send_text(json.dumps(frame))
        with suppress(WebSocketDisconnect, RuntimeError):
            await websocket.close()

    def _admit(self, socket: Socket) -> bool:
        with self._lock:
            if len(self._open) >= MOST_SOCKETS:
                return False
            self._open.append(socket)
            socket.push(self._hello(len(self._open)))
        self._changed()
        return True

    def _hello(self, number: int) -> dict[str, Any]:
        return {
            "type": "hello",
            "num_connections": number,
            "connection_info": {"app_id": self._app_id},
            "debug_info": {
                "host": "local",
                "build_number": 1,
                "approximate_connection_time": CONNECTION_SECONDS,
            },
        }

    def _forget(self, socket: Socket) -> None:
        """Drop a closed socket; what it did not acknowledge has failed."""
        with self._lock:
            if socket in self._open:
                self._open.remove(socket)
            lost = [key for key, waiting in self._waiting.items() if waiting.socket is socket]
        for envelope in lost:
            self._settle(envelope, Answer(failure="connection_failed"))
        self._changed()

    def _receive(self, text: str) -> None:
        frame = json.loads(text)
        envelope = frame.get("envelope_id")
        if isinstance(envelope, str):
            payload = frame.get("payload")
            body = payload if isinstance(payload, dict) else None
            self._settle(envelope, Answer(status=200, body=body))

    # What the courier calls.

    def carry(self, delivery: Delivery, number: int, reason: str | None, done: Done) -> None:
        """Send the payload to one of the sockets, in turn, and wait for its acknowledgement."""
        envelope = secrets.token_hex(16)
        frame: dict[str, Any] = {
            "type": delivery.kind.value,
            "envelope_id": envelope,
            "payload": delivery.payload,
            "accepts_response_payload": delivery.kind is not Kind.EVENT,
        }
        if delivery.kind is Kind.EVENT:
            frame |= {"retry_attempt": number, "retry_reason": reason or ""}
        with self._lock:
            socket = self._open[next(self._turn) % len(self._open)] if self._open else None
            self._waiting[envelope] = _Waiting(socket, done)
        late = Answer(failure="http_timeout")
        if socket is None:
            self._settle(envelope, Answer(failure="connection_failed"))
            return
        socket.push(frame)
        self._schedule.after(ACK_SECONDS, lambda: self._settle(envelope, late))

    def _settle(self, envelope: str, answer: Answer) -> None:
        with self._lock:
            waiting = self._waiting.pop(envelope, None)
        if waiting is not None:
            waiting.done(answer)

    # What a test or the page calls.

    @property
    def count(self) -> int:
        """How many sockets are open."""
        with self._lock:
            return len(self._open)

    def disconnect(self, reason: str = "refresh_requested", *, close: bool = True) -> None:
        """Tell every socket to go, and close it; after a ``warning`` it stays open.

        Slack's reasons: ``warning``, ``refresh_requested``, ``link_disabled``,
        ``too_many_websockets``.
        """
        for socket in self._all():
            socket.push(_disconnect(reason))
            if close and reason != "warning":
                socket.push(None)

    def cut(self) -> None:
        """Tear every connection, without a closing frame."""
        for socket in self._all():
            if socket.client is not None:
                self._abort(socket.client)

    def mute(self, *, on: bool = True) -> None:
        """Let the open sockets look alive and deliver nothing. New sockets are not mute."""
        for socket in self._all():
            socket.mute = on

    def close(self) -> None:
        """Close every socket."""
        for socket in self._all():
            socket.push(None)

    def _all(self) -> list[Socket]:
        with self._lock:
            return list(self._open)


def _disconnect(reason: str) -> dict[str, Any]:
    return {"type": "disconnect", "reason": reason, "debug_info": {"host": "local"}}

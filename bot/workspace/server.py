"""The workspace's server: a real HTTP and WebSocket server on loopback, in a thread of its own."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from typing import Any
from urllib.parse import parse_qsl

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from uvicorn.protocols.http.h11_impl import H11Protocol

from bot.workspace.local_only import LocalOnly
from bot.workspace.sockets import Sockets
from bot.workspace.web_api import LOST, Reply, WebApi

__all__ = ["Connections", "Server", "web_app"]

START_SECONDS = 10.0
BROKEN = 500


class Connections:
    """The open connections by the client's address, so that one can be torn."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, int], asyncio.Transport] = {}
        self._lock = threading.Lock()
        self.loop: asyncio.AbstractEventLoop | None = None

    def note(self, transport: asyncio.Transport) -> None:
        """Remember a connection that was just made."""
        with self._lock:
            still = {key: t for key, t in self._open.items() if not t.is_closing()}
            self._open = still | {_peer(transport): transport}

    def abort(self, client: tuple[str, int]) -> None:
        """Tear a connection without another byte, from any thread."""
        with self._lock:
            transport = self._open.pop(client, None)
        if transport is not None and self.loop is not None:
            self.loop.call_soon_threadsafe(transport.abort)

    def protocol(self) -> type[H11Protocol]:
        """Return uvicorn's protocol, with a note of each connection."""
        note = self.note

        class NotingProtocol(H11Protocol):
            def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
                note(transport)
                super().connection_made(transport)

        return NotingProtocol


def web_app(
    web_api: WebApi, sockets: Sockets, connections: Connections, pages: list[BaseRoute]
) -> Starlette:
    """Return the application: the Web API, response URLs, Socket Mode, and further pages."""

    async def method(request: Request) -> Response:
        values = dict(request.query_params) | await _values(request)
        token = request.headers.get("authorization", "").removeprefix("Bearer ")
        token = token or str(values.get("token") or "")
        reply = web_api.call(request.path_params["method"], token, values)
        return await _response(request, reply, connections)

    async def respond(request: Request) -> Response:
        reply = web_api.response(request.path_params["secret"], await _values(request))
        return await _response(request, reply, connections)

    return Starlette(
        routes=[
            Route("/api/{method}", method, methods=["GET", "POST"]),
            Route("/respond/{secret}", respond, methods=["POST"]),
            WebSocketRoute("/link/", sockets.serve),
            *pages,
        ],
        middleware=[Middleware(LocalOnly)],
        exception_handlers={ClientDisconnect: _gone},
    )


async def _gone(_request: Request, _error: Exception) -> Response:
    """Answer an app that ended within its request: nothing was taken, and nobody reads this."""
    return Response(status_code=400)


async def _values(request: Request) -> dict[str, Any]:
    body = await request.body()
    if request.headers.get("content-type", "").startswith("application/json"):
        try:
            value = json.loads(body or b"{}")
        except ValueError:
            return {}
        return value if isinstance(value, dict) else {}
    return dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True))


async def _response(request: Request, reply: Reply, connections: Connections) -> Response:
    if reply.hold is not None:
        await asyncio.to_thread(reply.hold.wait)
    if reply.status == LOST or reply.body is None:
        assert request.client is not None
        connections.abort((request.client.host, request.client.port))
        await asyncio.sleep(0)
        return PlainTextResponse("")
    if reply.status >= BROKEN:
        return PlainTextResponse("unwell", reply.status, reply.headers)
    return JSONResponse(reply.body, reply.status, reply.headers)


class Server:
    """Runs an application on a listening socket until it is stopped."""

    def __init__(self, app: Starlette, listener: socket.socket, connections: Connections) -> None:
        config = uvicorn.Config(
            app,
            http=connections.protocol(),
            ws="websockets-sansio",
            loop="asyncio",
            lifespan="off",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            timeout_graceful_shutdown=1,
        )
        self._listener = listener
        self._connections = connections
        self._server = uvicorn.Server(config)
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="workspace", daemon=True)

    def start(self) -> None:
        """Start, and return once it answers."""
        self._thread.start()
        self._ready.wait(START_SECONDS)

    def stop(self) -> None:
        """Stop, and return once nothing of it is left."""
        self._server.should_exit = True
        self._thread.join()
        self._listener.close()

    def _run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        self._connections.loop = asyncio.get_running_loop()
        # The listener queues connections already, so a client that comes early only waits.
        self._connections.loop.call_soon(self._ready.set)
        await self._server.serve(sockets=[self._listener])


def _peer(transport: asyncio.Transport) -> tuple[str, int]:
    host, port, *_ = transport.get_extra_info("peername")
    return str(host), int(port)

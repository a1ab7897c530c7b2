"""The practice shop in a process of its own: sockets around ``tools.practice.service``."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from datetime import date
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

from pydantic import SecretStr

from tools.errors import ClientRefused
from tools.faults import Fault
from tools.practice.gateway import PracticeGateway
from tools.practice.service import PracticeService, Reply, Request
from tools.practice.shop import PracticeShop
from tools.request import MAX_REQUEST_BYTES

__all__ = ["PracticeServer", "serve_practice_shop"]

IDLE_S: Final = 30.0
"""A connection that is silent for so long is closed, in seconds."""


class PracticeServer(ThreadingHTTPServer):
    """Serves a practice service on this machine only, one thread for each connection."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, service: PracticeService, *, host: str = "127.0.0.1", port: int = 0) -> None:
        """Bind; requests are answered once ``serve_forever`` runs.

        Args:
            service: what answers.
            host: a loopback address.
            port: 0 takes any free one; ``url`` names it.

        Raises:
            ClientRefused: the host is not this machine's loopback, or the port is taken.
        """
        self.service = service
        address = _loopback(host)
        self.address_family = socket.AF_INET6 if ":" in address else socket.AF_INET
        try:
            super().__init__((address, port), _Handler)
        except OSError as error:
            raise ClientRefused(
                f"the practice shop cannot listen on {address} port {port}: {error.strerror}"
            ) from error
        shown = f"[{address}]" if ":" in address else address
        self.url = f"http://{shown}:{self.server_port}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a connection that broke: the caller sees to it."""


def serve_practice_shop(
    *,
    path: Path,
    today: Callable[[], date],
    host: str = "127.0.0.1",
    port: int = 0,
    faults: Sequence[Fault] = (),
    token: SecretStr | None = None,
    on_ready: Callable[[PracticeServer], None],
) -> None:
    """Serve a practice shop's file until the server is shut down or the process is interrupted.

    Args:
        path: a file that ``PracticeShop.from_folder`` built.
        today: the day that changes are dated with.
        host: a loopback address; others are refused.
        port: 0 takes any free one.
        faults: simulated faults from the start.
        token: what callers must present; ``None`` asks for nothing.
        on_ready: called once, when calls are accepted; the server tells its ``url``.

    Raises:
        DataError: the file is missing or is no practice shop.
        ShopUnavailable: the file cannot be written.
        ClientRefused: the address cannot be used.
    """
    with ExitStack() as stack:
        shop = stack.enter_context(PracticeShop(path))
        gateway = stack.enter_context(PracticeGateway(path, today=today))
        service = PracticeService(shop, gateway, faults=faults, token=token)
        server = stack.enter_context(PracticeServer(service, host=host, port=port))
        on_ready(server)
        with suppress(KeyboardInterrupt):
            server.serve_forever(poll_interval=0.05)


class _Handler(BaseHTTPRequestHandler):
    """From bytes to a request, and from a reply to bytes."""

    server: PracticeServer
    protocol_version = "HTTP/1.1"
    server_version = "handrail-practice-shop"
    sys_version = ""
    timeout = IDLE_S
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        self._answer(b"")

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()) or int(length) > MAX_REQUEST_BYTES:
            self.close_connection = True  # its body would be read as the next request
            self._send(Reply(413, b'{"code":"invalid_body","message":"a length up to 20000"}'))
            return
        self._answer(self.rfile.read(int(length)))

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (the name is the library's)
        """Log nothing: paths hold ids of customers."""

    def _answer(self, body: bytes) -> None:
        request = Request(
            method=self.command,
            target=self.path,
            headers={name.lower(): value for name, value in self.headers.items()},
            body=body,
        )
        reply = self.server.service.answer(request)
        if reply is None:
            self.close_connection = True
            return
        self._send(reply)

    def _send(self, reply: Reply) -> None:
        self.send_response(reply.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(reply.body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(reply.body)


def _loopback(host: str) -> str:
    address = "127.0.0.1" if host == "localhost" else host
    with suppress(ValueError):
        if ipaddress.ip_address(address).is_loopback:
            return address
    raise ClientRefused(
        f"the practice shop listens on this machine only, and {host} is not a loopback address"
    )

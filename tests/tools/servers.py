"""Real servers on this machine: a practice shop over HTTP, and one that answers what it is told."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tools import PracticeServer, PracticeService


@contextmanager
def running(server: ThreadingHTTPServer) -> Iterator[None]:
    """Serve in a thread until the block ends."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def practice_url(service: PracticeService) -> Iterator[str]:
    """Serve a practice service and give its address."""
    server = PracticeServer(service)
    with running(server):
        yield server.url


class Scripted(ThreadingHTTPServer):
    """Answers each request with the next of the given replies: status, headers, body."""

    daemon_threads = True

    def __init__(self, replies: Sequence[tuple[int, dict[str, str], bytes]]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.replies = list(replies)
        self.seen: list[tuple[str, str, dict[str, str], bytes]] = []
        self.url = f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: Scripted

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def log_message(self, *args: Any) -> None:
        """Stay silent."""

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.seen.append((self.command, self.path, headers, body))
        status, more, content = self.server.replies.pop(0)
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **more}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)


@contextmanager
def raw(answer: bytes, *, hold: threading.Event | None = None) -> Iterator[str]:
    """Answer one connection with these bytes and close it; with ``hold``, only once it is set."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(answer)
                if hold is not None:
                    hold.wait(30)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            if hold is not None:
                hold.set()
            thread.join()

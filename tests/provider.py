"""A model's provider on this machine: real HTTP, and whatever a test scripts, in order."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from loop import WireCall

Turn = Callable[["Exchange"], None]
"""Answers one request, in whatever way."""
KEY = "sk-canary-9Zk2LmQ8vXw4Tn7Rb1Yc"
"""The key that the tests give the client."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One request as it came."""

    path: str
    headers: Mapping[str, str]
    """Names in lower case."""
    body: Mapping[str, Any]


class Exchange(BaseHTTPRequestHandler):
    """One connection, as a turn sees it."""

    server: Provider

    def do_POST(self) -> None:
        """Keep the request, and let the next turn answer it."""
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.seen.append(Asked(path=self.path, headers=headers, body=json.loads(body)))
        self.server.turn()(self)

    def do_CONNECT(self) -> None:
        """Let the next turn answer who takes us for a proxy."""
        self.server.turn()(self)

    def log_message(self, *args: Any) -> None:
        """Stay silent."""

    def head(self, status: int, headers: Mapping[str, str]) -> None:
        """Send the status and the headers."""
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()


class Provider(ThreadingHTTPServer):
    """Answers each request with the next turn; the last one goes on for ever if it is told to."""

    daemon_threads = True

    def __init__(
        self,
        turns: Sequence[Turn] = (),
        *,
        last_repeats: bool = False,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        super().__init__(("127.0.0.1", 0), Exchange)
        if tls is not None:
            self.socket = tls.wrap_socket(self.socket, server_side=True)
        self.turns = list(turns)
        self.seen: list[Asked] = []
        self.over = threading.Event()
        scheme = "http" if tls is None else "https"
        self.url = f"{scheme}://127.0.0.1:{self.server_port}/v1"
        self._last_repeats = last_repeats

    def turn(self) -> Turn:
        """Return the next turn."""
        if self._last_repeats and len(self.turns) == 1:
            return self.turns[0]
        return self.turns.pop(0)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Stay silent: a client that leaves early is what some tests are about."""


@contextmanager
def serving(
    *turns: Turn, last_repeats: bool = False, tls: ssl.SSLContext | None = None
) -> Iterator[Provider]:
    """Serve the turns until the block ends."""
    provider = Provider(turns, last_repeats=last_repeats, tls=tls)
    thread = threading.Thread(target=provider.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield provider
    finally:
        provider.over.set()
        provider.shutdown()
        thread.join()
        provider.server_close()


# --- turns ------------------------------------------------------------------------------------


def says(status: int, body: Any = b"", headers: Mapping[str, str] | None = None) -> Turn:
    """Answer with a body: bytes as they are, anything else as JSON."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()

    def turn(exchange: Exchange) -> None:
        length = {"Content-Type": "application/json", "Content-Length": str(len(content))}
        exchange.head(status, {**length, **(headers or {})})
        exchange.wfile.write(content)

    return turn


def completes(text: str | None = "Hello.", *calls: WireCall, **more: Any) -> Turn:
    """Answer with a chat completion."""
    return says(200, completion(text, *calls, **more))


def fails(status: int, message: str, headers: Mapping[str, str] | None = None, **more: Any) -> Turn:
    """Answer with an error in OpenAI's form."""
    return says(status, {"error": {"message": message, **more}}, headers)


def streams(*events: Any, done: bool = True) -> Turn:
    """Answer with a stream of events; a text is sent as it is, anything else as JSON."""

    def turn(exchange: Exchange) -> None:
        exchange.head(200, {"Content-Type": "text/event-stream; charset=utf-8"})
        for event in events:
            data = event if isinstance(event, str) else json.dumps(event, ensure_ascii=False)
            exchange.wfile.write(f"data: {data}\r\n\r\n".encode())
        if done:
            exchange.wfile.write(b"data: [DONE]\n\n")

    return turn


def breaks_off(sent: bytes = b'{"choices": [', *, length: int = 1000) -> Turn:
    """Promise a long answer, send its beginning, and close the connection."""

    def turn(exchange: Exchange) -> None:
        exchange.head(200, {"Content-Type": "application/json", "Content-Length": str(length)})
        exchange.wfile.write(sent)

    return turn


def hangs_up(exchange: Exchange) -> None:
    """Close the connection without a word."""
    exchange.close_connection = True


def is_silent(exchange: Exchange) -> None:
    """Say nothing until the test is over."""
    exchange.server.over.wait(30)


def drips(exchange: Exchange) -> None:
    """Send one byte at a time, for ever: each wait is short, and their sum is not."""
    exchange.head(200, {"Content-Type": "application/json", "Content-Length": "100000"})
    while not exchange.server.over.wait(0.02):
        exchange.wfile.write(b" ")
        exchange.wfile.flush()


def drips_from(begun: bytes, drop: bytes) -> Turn:
    """Send the beginning of an answer, then a drop every 20 ms for 2 s, then close the connection.

    A client that is bound by the silence between the drops alone sees the connection end.
    """

    def turn(exchange: Exchange) -> None:
        exchange.wfile.write(begun)
        for _ in range(100):
            exchange.wfile.flush()
            if exchange.server.over.wait(0.02):
                break
            exchange.wfile.write(drop)
        exchange.close_connection = True

    return turn


_OK = b"HTTP/1.1 200 OK\r\n"
_CHUNKED = _OK + b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
DRIPS: Mapping[str, Turn] = {
    "a header": drips_from(_OK + b"X-Long: ", b"a"),
    "headers": drips_from(_OK, b"X-Many: a\r\n"),
    "100 Continue": drips_from(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "the size of a chunk": drips_from(_CHUNKED + b"1\r\n{\r\n", b"0"),
    "chunks": drips_from(_CHUNKED, b"1\r\n \r\n"),
    "comments of a stream": drips_from(
        _CHUNKED.replace(b"application/json", b"text/event-stream"), b"7\r\n: ping\n\r\n"
    ),
}
"""Answers that never come to an end although something always comes, by what is dripped."""


def stalls(before_s: float, after_s: float, *, head_s: float = 0.0) -> Turn:
    """Send the head, then a first piece, then nothing, then close: after so many seconds each."""

    def turn(exchange: Exchange) -> None:
        over = exchange.server.over
        over.wait(head_s)
        exchange.head(200, {"Content-Type": "text/event-stream"})
        over.wait(before_s)
        exchange.wfile.write(f"data: {json.dumps(chunk(content='x'))}\n\n".encode())
        over.wait(after_s)

    return turn


def completion(
    text: str | None = "Hello.",
    *calls: WireCall,
    model: str | None = "gpt-test-1",
    finish_reason: str | None = None,
    usage: Mapping[str, Any] | None = None,
    **message: Any,
) -> dict[str, Any]:
    """Return a chat completion."""
    whole: dict[str, Any] = {"role": "assistant", "content": text, **message}
    if calls:
        whole["tool_calls"] = [wire(call) for call in calls]
    tokens = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    ended = finish_reason or ("tool_calls" if calls else "stop")
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "model": model,
        "choices": [{"index": 0, "message": whole, "finish_reason": ended}],
        "usage": tokens if usage is None else usage,
    }


def wire(call: WireCall) -> dict[str, Any]:
    """Return a call as it stands in a completion."""
    function = {"name": call.name, "arguments": call.arguments}
    return {"id": call.call_id, "type": "function", "function": function}


def chunk(finish_reason: str | None = None, **delta: Any) -> dict[str, Any]:
    """Return one event of a stream."""
    return {
        "object": "chat.completion.chunk",
        "model": "gpt-test-1",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}],
    }


USAGE_CHUNK: Mapping[str, Any] = {
    "object": "chat.completion.chunk",
    "model": "gpt-test-1",
    "choices": [],
    "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
}

"""Connections whose waits all end when the call that waits is to end.

HTTP clients bound each wait and not their sum: with every byte a time-out begins anew. A server
that drips (bytes of a header, ``100 Continue``, the size of a chunk) would hold a call, and with it
a run, for as long as it likes.
"""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import httpcore

__all__ = ["Connections"]

PIECE_BYTES: Final = 4096
"""Bytes that are written at once, so that a peer that reads slowly is noticed between them."""


class Connections(httpcore.NetworkBackend):
    """Opens connections, each of whose waits ends with :meth:`call` at the latest.

    A call is made in one thread, from its connection to the last byte; several threads may make
    calls at a time, each with an end of its own.
    """

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._sockets = httpcore.SyncBackend()
        self._monotonic = monotonic
        self._thread = threading.local()

    @contextmanager
    def call(self, seconds: float) -> Iterator[None]:
        """End every wait of this thread within so many seconds from now."""
        self._thread.ends = self._monotonic() + seconds
        try:
            yield
        finally:
            del self._thread.ends

    def bounded(self, timeout: float | None, late: type[httpcore.TimeoutException]) -> float:
        """Return how long the next wait may be, in seconds.

        Raises:
            httpcore.TimeoutException: not at all; it is a ``late``.
        """
        left_s: float = self._thread.ends - self._monotonic()
        if left_s <= 0:
            raise late
        return left_s if timeout is None else min(left_s, timeout)

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        """Return a connection to a host."""
        bounded = self.bounded(timeout, httpcore.ConnectTimeout)
        opened = self._sockets.connect_tcp(host, port, bounded, local_address, socket_options)
        return _Connection(opened, self)


class _Connection(httpcore.NetworkStream):
    def __init__(self, inner: httpcore.NetworkStream, connections: Connections) -> None:
        self._inner = inner
        self._connections = connections

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, self._connections.bounded(timeout, httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        for start in range(0, len(buffer), PIECE_BYTES):
            bounded = self._connections.bounded(timeout, httpcore.WriteTimeout)
            self._inner.write(buffer[start : start + PIECE_BYTES], bounded)

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        bounded = self._connections.bounded(timeout, httpcore.ConnectTimeout)
        inner = self._inner.start_tls(ssl_context, server_hostname, bounded)
        return _Connection(inner, self._connections)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)

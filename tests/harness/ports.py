"""A port for a server that a test starts, and perhaps starts again."""

from __future__ import annotations

import secrets
import socket

FIRST, AFTER_LAST = 10_000, 32_000
"""Below the ports that Linux gives to connections (from 32,768 on): between two starts of a server
nobody else gets the port by chance."""


def free_port() -> int:
    """Return a port of the loopback that nobody listens at."""
    while True:
        port = FIRST + secrets.randbelow(AFTER_LAST - FIRST)
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) != 0:
                return port

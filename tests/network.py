"""The wall around the tests: an audit hook that lets sockets reach this machine only."""

from __future__ import annotations

import ipaddress
from typing import Any

ADDRESS_EVENTS = frozenset({"socket.connect", "socket.sendto", "socket.sendmsg"})
NAME_EVENTS = frozenset({"socket.getaddrinfo", "socket.gethostbyname"})


class NetworkRefused(RuntimeError):
    """A test tried to reach another machine. Not an ``OSError``, so that no retry swallows it."""


def refuse_remote(event: str, args: tuple[Any, ...]) -> None:
    """Refuse every address and name that is not this machine's own.

    Raises:
        NetworkRefused: naming the event and the host.
    """
    if event in ADDRESS_EVENTS:
        _, address = args
        host = address[0] if isinstance(address, tuple) else None
    elif event in NAME_EVENTS:
        host = args[0]
    else:
        return
    if not is_local(host):
        raise NetworkRefused(f"{event} to {host!r}: the tests reach loopback only")


def is_local(host: object) -> bool:
    """Whether a host is this machine: loopback, or None for a Unix socket and a wildcard bind."""
    if isinstance(host, bytes):
        host = host.decode("ascii", "replace")
    if host in (None, "", "localhost"):
        return True
    try:
        return ipaddress.ip_address(str(host)).is_loopback
    except ValueError:
        return False

"""The workspace talks to this machine and to nobody else."""

from __future__ import annotations

import errno
import ipaddress
import socket

from bot.workspace.errors import BindRefused, PortTaken

__all__ = ["listening", "require_loopback"]


def require_loopback(host: str) -> str:
    """Return the numeric loopback address of a host.

    Raises:
        BindRefused: for every other address and name.
    """
    try:
        address = ipaddress.ip_address("127.0.0.1" if host == "localhost" else host)
    except ValueError:
        address = None
    if address is None or not address.is_loopback:
        raise BindRefused(
            f"the local workspace does not talk to {host!r}: loopback only",
            hint="Use 127.0.0.1. Its tokens protect nothing, so no other machine may reach it.",
        )
    return str(address)


def listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens on loopback; port 0 takes a free one.

    Raises:
        BindRefused: if the host is not this machine's loopback.
        PortTaken: if another program listens there.
    """
    address = require_loopback(host)
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        return socket.create_server((address, port), family=family, backlog=128)
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise
        raise PortTaken(
            f"port {port} of {address} is taken by another program",
            hint="Stop that program, or choose another port; 0 takes any free one.",
        ) from error

"""The wall around transactions: no thread of a test calls over a network while it holds one."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from approvals import TransactionOpen
from approvals.store import assert_no_transaction

CALLS = ("connect", "connect_ex", "send", "sendall", "sendto", "sendmsg", "recv", "recv_into")
NETWORKS = frozenset({socket.AF_INET, socket.AF_INET6})
"""The event loops of asyncio wake themselves over other sockets, which reach nobody."""


def watched_calls() -> Iterator[list[str]]:
    """Refuse calls inside a transaction and note them, in case what is tested swallows the error.

    Python tells an audit hook of connections being made, but not of what is sent over one that
    stands; so the calls themselves are replaced, once for all tests.
    """
    found: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        for name in CALLS:
            patch.setattr(socket.socket, name, _watched(name, getattr(socket.socket, name), found))
        yield found


def _watched(name: str, plain: Callable[..., Any], found: list[str]) -> Callable[..., Any]:
    def call(self: socket.socket, *args: Any, **named: Any) -> Any:
        if self.family in NETWORKS:
            try:
                assert_no_transaction()
            except TransactionOpen:
                found.append(name)
                raise
        return plain(self, *args, **named)

    return call

"""The wall around transactions stands."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from approvals import TransactionOpen
from approvals.store import connect, tx


def test_a_connection_made_inside_a_transaction_fails_the_test(
    tmp_path: Path, calls_inside_transactions: list[str]
) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.socket() as client,
        connect(tmp_path / "store.db") as db,
        pytest.raises(TransactionOpen),
        tx(db),
    ):
        client.connect(server.getsockname())

    assert calls_inside_transactions == ["connect"]
    calls_inside_transactions.clear()


def test_bytes_sent_inside_a_transaction_over_a_connection_that_stands_fail_the_test(
    tmp_path: Path, calls_inside_transactions: list[str]
) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection(server.getsockname()) as client,
        connect(tmp_path / "store.db") as db,
    ):
        for call in (client.send, client.sendall):
            with pytest.raises(TransactionOpen), tx(db):
                call(b"x")
        client.sendall(b"x")

    assert calls_inside_transactions == ["send", "sendall"]
    calls_inside_transactions.clear()

"""The practice shop's own SQLite file: its tables, its one way to connect, and the building.

The tables ``refunds``, ``labels`` and ``reshipments`` are what writes leave behind, each row under
its operation id, so that one operation happens once.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

from tools.practice.load import ShopData

__all__ = ["build", "connect"]

BUSY_TIMEOUT_MS: Final = 5000
"""How long a statement waits for another process that writes, in milliseconds."""

_SCHEMA: Final = """
CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE holidays (day TEXT PRIMARY KEY, name TEXT) STRICT;
CREATE TABLE products (
    sku TEXT PRIMARY KEY,
    stock INTEGER NOT NULL CHECK (stock >= 0),
    returnable INTEGER NOT NULL CHECK (returnable IN (0, 1))
) STRICT;
CREATE TABLE orders (
    order_id TEXT PRIMARY KEY,
    customer_id TEXT NOT NULL,
    status TEXT NOT NULL,
    ordered_on TEXT NOT NULL,
    shipped_on TEXT,
    delivered_on TEXT,
    shipping_fee INTEGER NOT NULL,
    total INTEGER NOT NULL,
    currency TEXT NOT NULL,
    note TEXT
) STRICT;
CREATE INDEX orders_by_customer ON orders (customer_id, ordered_on);
CREATE TABLE order_lines (
    order_id TEXT NOT NULL REFERENCES orders,
    sku TEXT,
    product TEXT NOT NULL,
    quantity INTEGER NOT NULL CHECK (quantity > 0),
    unit_price INTEGER NOT NULL,
    box INTEGER
) STRICT;
CREATE INDEX order_lines_by_order ON order_lines (order_id, product);
CREATE TABLE boxes (
    shipment_id TEXT PRIMARY KEY,
    order_id TEXT NOT NULL REFERENCES orders,
    box INTEGER NOT NULL,
    status TEXT NOT NULL,
    shipped_on TEXT,
    delivered_on TEXT,
    last_scan_on TEXT,
    courier_note TEXT,
    UNIQUE (order_id, box)
) STRICT;
CREATE TABLE payments (
    payment_id TEXT PRIMARY KEY,
    order_id TEXT NOT NULL REFERENCES orders,
    kind TEXT NOT NULL,
    amount INTEGER NOT NULL,
    status TEXT NOT NULL,
    created_on TEXT NOT NULL
) STRICT;
CREATE INDEX payments_by_order ON payments (order_id);
CREATE TABLE refunds (
    operation_id TEXT PRIMARY KEY,
    order_id TEXT NOT NULL REFERENCES orders,
    payment_id TEXT,
    sku TEXT,
    quantity INTEGER,
    amount INTEGER NOT NULL CHECK (amount > 0),
    reason_code TEXT NOT NULL,
    created_on TEXT NOT NULL
) STRICT;
CREATE INDEX refunds_by_order ON refunds (order_id);
CREATE TABLE labels (
    operation_id TEXT PRIMARY KEY,
    order_id TEXT NOT NULL REFERENCES orders,
    sku TEXT NOT NULL,
    reason TEXT NOT NULL,
    fee INTEGER NOT NULL,
    created_on TEXT NOT NULL
) STRICT;
CREATE INDEX labels_by_order ON labels (order_id);
CREATE TABLE reshipments (
    operation_id TEXT PRIMARY KEY,
    order_id TEXT NOT NULL REFERENCES orders,
    sku TEXT NOT NULL,
    quantity INTEGER NOT NULL CHECK (quantity > 0),
    created_on TEXT NOT NULL
) STRICT;
CREATE INDEX reshipments_by_order ON reshipments (order_id);
CREATE TABLE past_tickets (
    ticket_id TEXT PRIMARY KEY,
    customer_id TEXT NOT NULL,
    status TEXT NOT NULL,
    opened_on TEXT NOT NULL,
    subject TEXT NOT NULL
) STRICT;
CREATE TABLE passages (
    id INTEGER PRIMARY KEY,
    passage_id TEXT NOT NULL UNIQUE,
    doc_id TEXT NOT NULL,
    title TEXT NOT NULL,
    version INTEGER NOT NULL,
    section TEXT NOT NULL,
    text TEXT NOT NULL,
    effective_from TEXT NOT NULL,
    effective_to TEXT,
    access TEXT NOT NULL CHECK (access IN ('public', 'staff'))
) STRICT;
CREATE VIRTUAL TABLE passages_words USING fts5 (
    title, section, text,
    content = 'passages', content_rowid = 'id',
    tokenize = 'porter unicode61 remove_diacritics 2'
);
"""

_INSERTS: Final = {
    "holidays": "INSERT INTO holidays VALUES (?, ?)",
    "products": "INSERT INTO products VALUES (?, ?, ?)",
    "orders": "INSERT INTO orders VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    "order_lines": "INSERT INTO order_lines VALUES (?, ?, ?, ?, ?, ?)",
    "boxes": "INSERT INTO boxes VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    "payments": "INSERT INTO payments VALUES (?, ?, ?, ?, ?, ?)",
    "refunds": "INSERT INTO refunds VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    "labels": "INSERT INTO labels VALUES (?, ?, ?, ?, ?, ?)",
    "reshipments": "INSERT INTO reshipments VALUES (?, ?, ?, ?, ?)",
    "past_tickets": "INSERT INTO past_tickets VALUES (?, ?, ?, ?, ?)",
    "passages": "INSERT INTO passages VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
}


def connect(path: Path | str, *, read_only: bool) -> sqlite3.Connection:
    """Return a connection to the practice shop's file.

    Each statement is its own transaction unless ``BEGIN`` says otherwise. A connection that is
    read only refuses every write. The caller sees to it that one thread uses it at a time.
    """
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    connection.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
    connection.execute("PRAGMA foreign_keys = ON")
    if read_only:
        connection.execute("PRAGMA query_only = ON")
    return connection


def build(path: Path | str, data: ShopData, *, source: str | None = None) -> None:
    """Make the tables in a new file and fill them, in one transaction.

    ``source`` is a digest of the data, kept in the file.

    Raises:
        sqlite3.Error: the file holds tables already or cannot be written.
    """
    with closing(connect(path, read_only=False)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(f"BEGIN IMMEDIATE;{_SCHEMA}")
        known = str(int(data.payments_known))
        connection.execute("INSERT INTO about VALUES ('payments_known', ?)", (known,))
        if source is not None:
            connection.execute("INSERT INTO about VALUES ('source', ?)", (source,))
        for table, insert in _INSERTS.items():
            connection.executemany(insert, data.rows[table])
        connection.execute("INSERT INTO passages_words (passages_words) VALUES ('rebuild')")
        connection.execute("COMMIT")

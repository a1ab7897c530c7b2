"""The practice shop's data beside the tickets, so that both can be evaluated: copied, redacted."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Final

from loop import Redactor
from tools import PRACTICE_IDS, DataError

__all__ = ["PASSAGES", "TABLES", "shop_files"]

TABLES: Final = (
    "holidays.csv",
    "labels.csv",
    "order_items.csv",
    "orders.csv",
    "past_tickets.csv",
    "payments.csv",
    "products.csv",
    "refunds.csv",
    "reshipments.csv",
    "shipments.csv",
)
PASSAGES: Final = "policy_passages.jsonl"


def shop_files(folder: Path) -> dict[str, str]:
    """Return the texts of a data folder's files by name, the tables redacted as a run sees them.

    Files of tickets are not among them. Passages of the policy stay as they are: they are the
    shop's own words, and what a search finds hangs on each of them.

    Raises:
        DataError: one cannot be read.
    """
    redactor = Redactor(PRACTICE_IDS)
    found = {name: folder / name for name in (*TABLES, PASSAGES) if (folder / name).is_file()}
    return {
        name: _text(path) if name == PASSAGES else _table(path, redactor)
        for name, path in found.items()
    }


def _table(path: Path, redactor: Redactor) -> str:
    out = io.StringIO()
    try:
        rows = csv.reader(io.StringIO(_text(path), newline=""), strict=True)
        csv.writer(out, lineterminator="\n").writerows(map(redactor.text, row) for row in rows)
    except csv.Error as error:
        raise DataError(path.name, f"is not CSV: {error}") from None
    return out.getvalue()


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(path.name, f"cannot be read: {type(error).__name__}") from None

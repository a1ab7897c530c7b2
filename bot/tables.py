"""Rows as lines of a terminal: the first column to the left, the others to the right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wcwidth import wcswidth

from bot.texts import shortened

__all__ = ["table_lines"]

MAX_CELL = 48
"""Longest text of a cell, in characters; a longer one ends in an ellipsis."""


def table_lines(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the head, and a line a row. What a terminal would obey in a text is made harmless."""
    cells = [list(head), *([shortened(cell, MAX_CELL) for cell in row] for row in rows)]
    widths = [max(_width(row[column]) for row in cells) for column in range(len(head))]
    for row in cells:
        padded = (
            _padded(cell, width, left=column == 0)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "  ".join(padded).rstrip()


def _padded(cell: str, width: int, *, left: bool) -> str:
    space = " " * (width - _width(cell))
    return cell + space if left else space + cell


def _width(text: str) -> int:
    width = wcswidth(text)
    return len(text) if width < 0 else width

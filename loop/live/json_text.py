"""JSON from a server, whatever it is: one function, one error."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["JsonBad", "read_json"]


class JsonBad(Exception):
    """The text is not JSON, or JSON that nothing can hold."""


def read_json(text: str | bytes) -> Any:
    """Return the value. Twice the same key is the last one's: it is a server's own slip.

    ``NaN`` and ``Infinity`` are floats, and so no number of tokens and no text.

    Raises:
        JsonBad: it is none.
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError):  # a number of 5000 digits is a ValueError too
        raise JsonBad from None

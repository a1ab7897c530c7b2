"""A method's arguments, which arrive as JSON or as form fields that hold JSON."""

from __future__ import annotations

import json
from typing import Any

from bot.workspace.errors import MethodRefused

__all__ = ["Args"]


class Args:
    """Typed reading; what is missing or of the wrong kind is refused with a code."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.values = values

    def text(self, name: str, *, missing: str = "invalid_arguments") -> str:
        """Return a text that must be there; ``missing`` is the code if it is not."""
        value = self.values.get(name)
        if not isinstance(value, str) or not value:
            raise MethodRefused(missing, f"[ERROR] missing required field: {name}")
        return value

    def optional(self, name: str) -> str | None:
        """Return a text, or None if it is empty or not there."""
        value = self.values.get(name)
        return str(value) if value not in (None, "") else None

    def flag(self, name: str) -> bool:
        """Return a yes or no, false if not given."""
        return self.values.get(name) in (True, "true", "True", "1", 1)

    def number(self, name: str, default: int, most: int) -> int:
        """Return a count between 1 and ``most``."""
        value = str(self.values.get(name) or default)
        if not value.isascii() or not value.isdigit() or not 1 <= int(value) <= most:
            raise MethodRefused("invalid_limit")
        return int(value)

    def json(self, name: str, *, code: str) -> Any:
        """Return a structure, parsed if it came as text; None if not given."""
        value = self.values.get(name)
        if value in (None, ""):
            return None
        if not isinstance(value, str):
            return value
        try:
            return json.loads(value)
        except ValueError:
            raise MethodRefused(code) from None

    def objects(self, name: str, *, code: str) -> list[dict[str, Any]] | None:
        """Return a list of objects, or None if not given."""
        value = self.json(name, code=code)
        if value is not None and not (
            isinstance(value, list) and all(isinstance(entry, dict) for entry in value)
        ):
            raise MethodRefused(code, f"[ERROR] must be an array of objects [json-pointer:/{name}]")
        return value

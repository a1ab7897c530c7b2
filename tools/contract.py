"""What a tool is: its name and schema, what it returns, and the box that runs it.

The box makes the first four checks (the tool's name, JSON, exactly the expected keys, each
value's form) in this order, the tool itself the last two (existence, ownership). The first check
that fails decides. Nothing here raises: whatever happens is a result.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from pydantic import BaseModel

from tools.actions import Action

__all__ = ["CallResult", "Kind", "OrderFact", "Tool", "ToolSpec"]


class Kind(StrEnum):
    """The kind of a call's result. How each kind counts stands in ``loop.rules``."""

    OK = "ok"
    NOT_FOUND = "not_found"
    REFUSED = "refused"
    INVALID = "invalid"
    FAILED = "failed"
    PROPOSED = "proposed"
    NOT_RUN = "not_run"


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderFact:
    """One order of this customer as a read tool returned it: the evidence rules stand on it."""

    order_id: str
    status: str | None
    currency: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CallResult:
    """What one call came to.

    ``content`` is all that the model sees. ``code`` is for the log and the trace only: it tells
    "missing" and "not yours" apart where the content must not.
    """

    kind: Kind
    code: str
    content: Mapping[str, Any]
    orders: tuple[OrderFact, ...] = ()
    action: Action | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """A tool as it is offered to a model: strict JSON schema, no extra properties."""

    name: str
    description: str
    parameters: Mapping[str, Any]


class Tool(Protocol):
    """One tool, built for one customer: an unscoped look-up does not exist."""

    @property
    def name(self) -> str:
        """The name the model calls it by."""
        ...

    @property
    def description(self) -> str:
        """What it does, for the model."""
        ...

    @property
    def arguments(self) -> type[BaseModel]:
        """The strict model of its arguments; the offered schema is generated from it."""
        ...

    def run(self, arguments: Any) -> CallResult:
        """Run with arguments of the model above. Shop errors are raised as ``ShopError``."""
        ...

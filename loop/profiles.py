"""Profiles: named bundles of limits, offered tools, way of asking, finish and door for actions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from loop import prompts
from loop.decision import Ask
from loop.errors import ProfileRefused
from loop.limits import Duplicates, Limits, Repeat, RunClock, TimeCheck
from tools import WRITE_TOOLS

__all__ = ["PROFILES", "Door", "FinishForm", "Profile", "get_profile"]


class FinishForm(StrEnum):
    """What a model's last word looks like."""

    TOOL = "tool"
    """The finish tool."""
    ANSWER = "answer"
    """A reply without calls, in the answer schema."""


class Door(StrEnum):
    """Where actions come from. A profile has one door."""

    NONE = "none"
    FINISH = "finish"
    """In the finish tool's arguments."""
    CALLS = "calls"
    """Write tools as calls: checked, staged, answered "waiting for a person"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """A named bundle.

    Raises:
        ProfileRefused: when its parts do not hold together.
    """

    name: str
    limits: Limits
    tools: tuple[str, ...]
    """Offered tools in order, the finish tool not among them."""
    ask: Ask
    finish: FinishForm
    door: Door
    instructions: str
    max_tokens: int
    """Longest reply asked for, in tokens."""

    def __post_init__(self) -> None:
        writes = WRITE_TOOLS.intersection(self.tools)
        if bool(writes) != (self.door is Door.CALLS):
            raise ProfileRefused(
                f"profile {self.name}: write tools are offered exactly when actions come as calls"
            )
        if self.door is Door.FINISH and self.finish is not FinishForm.TOOL:
            raise ProfileRefused(f"profile {self.name}: actions in a finish need the finish tool")
        if self.ask is Ask.JSON and self.finish is not FinishForm.TOOL:
            raise ProfileRefused(
                f"profile {self.name}: the json way of asking needs the finish tool"
            )


def get_profile(name: str) -> Profile:
    """Return a shipped profile.

    Raises:
        ProfileRefused: when there is none of that name.
    """
    try:
        return PROFILES[name]
    except KeyError:
        known = ", ".join(PROFILES)
        raise ProfileRefused(f"there is no profile {name!r}; there are {known}") from None


_RESOLVER_LIMITS: Final = Limits(
    max_steps=8,
    max_seconds=Decimal(120),
    clock=RunClock.MODEL,
    time_check=TimeCheck.BEFORE_CALL,
    max_cost_usd=Decimal("0.05"),
    repeat=Repeat.AFTER_SUCCESS,
    allowed_repeats=0,
    duplicates_in_reply=Duplicates.COLLAPSE,
    max_errors=3,
    max_result_chars=4000,
    max_calls_per_step=8,
)
_ASSISTANT_LIMITS: Final = Limits(
    max_steps=4,
    max_seconds=Decimal(60),
    clock=RunClock.WALL,
    time_check=TimeCheck.AFTER_STEP,
    max_cost_usd=None,
    repeat=Repeat.ANY,
    allowed_repeats=0,
    duplicates_in_reply=Duplicates.STOP,
    max_errors=None,
    max_result_chars=2000,
    max_calls_per_step=8,
)

PROFILES: Final[Mapping[str, Profile]] = MappingProxyType(
    {
        "resolver": Profile(
            name="resolver",
            limits=_RESOLVER_LIMITS,
            tools=("get_order", "get_customer_orders", "get_payments", "search_policy"),
            ask=Ask.TOOLS,
            finish=FinishForm.TOOL,
            door=Door.FINISH,
            instructions=prompts.RESOLVER,
            max_tokens=2000,
        ),
        "assistant": Profile(
            name="assistant",
            limits=_ASSISTANT_LIMITS,
            tools=("get_order",),
            ask=Ask.TOOLS,
            finish=FinishForm.ANSWER,
            door=Door.NONE,
            instructions=prompts.ASSISTANT,
            max_tokens=1000,
        ),
        "desk": Profile(
            name="desk",
            limits=_ASSISTANT_LIMITS,
            tools=(
                "get_order",
                "get_ticket",
                "search_policy",
                "request_refund",
                "reship_item",
                "create_return_label",
            ),
            ask=Ask.TOOLS,
            finish=FinishForm.ANSWER,
            door=Door.CALLS,
            instructions=prompts.DESK,
            max_tokens=1000,
        ),
    }
)
"""The profiles that ship; ``resolver`` is the default."""

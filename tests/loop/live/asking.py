"""A live client on a virtual clock, and a request to ask with."""

from __future__ import annotations

from typing import Any

from pydantic import SecretStr

from loop import (
    Cost,
    CostState,
    LiveModel,
    Means,
    Message,
    Progress,
    Request,
    RequestHead,
    Retries,
    Role,
    Server,
    VirtualClock,
)
from tests.provider import KEY
from tools import ToolSpec

UNKNOWN = Cost(state=CostState.UNKNOWN)
LOOK_UP = ToolSpec(name="get_order", description="Look up.", parameters={"type": "object"})
NOW = 1_791_900_000.0
"""Seconds since 1970: Tuesday, 13 October 2026, 16:40 in Greenwich."""


def request(**head: Any) -> Request:
    """Return a small request; ``head`` changes its head."""
    fields: dict[str, Any] = {
        "model": "asked",
        "tools": (),
        "tool_choice": None,
        "response_format": None,
        "max_tokens": 100,
    }
    return Request(
        ticket_id="T-1",
        step=1,
        head=RequestHead(**{**fields, **head}),
        messages=(
            Message(role=Role.SYSTEM, text="Be brief."),
            Message(role=Role.USER, text="Hi"),
        ),
        digest="0" * 64,
    )


class Asking:
    """A client whose waits move a virtual clock. Each try takes ``try_s`` of it.

    ``cancelled_at_s``: when the run is cancelled, by that clock; None: nobody can cancel it.
    """

    def __init__(
        self,
        url: str,
        *,
        try_s: float = 0.0,
        retries: Retries | None = None,
        cancelled_at_s: float | None = None,
        **server: Any,
    ) -> None:
        self.clock = VirtualClock()
        self.waits: list[float] = []
        self.progress: list[Progress] = []
        self._try_s = try_s
        means = Means(
            cost_of=lambda *_: UNKNOWN,
            clock=self.clock,
            wait=self._wait,
            utc=lambda: NOW,
            retries=retries or Retries(jitter=lambda: 1.0),
            on_progress=self._heard,
            is_cancelled=None
            if cancelled_at_s is None
            else lambda: self.clock.now_us() >= cancelled_at_s * 1_000_000,
        )
        fields: dict[str, Any] = {"model": "gpt-test", "api_key": SecretStr(KEY), "timeout_s": 5.0}
        self.model = LiveModel(Server(base_url=url, **{**fields, **server}), means)

    def _wait(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.clock.advance(seconds)

    def _heard(self, progress: Progress) -> None:
        self.progress.append(progress)
        if progress is Progress.ASKED:
            self.clock.advance(self._try_s)

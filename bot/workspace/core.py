"""What the methods, the people's side and the server share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from bot.workspace.clock import Clock
from bot.workspace.courier import Courier
from bot.workspace.passes import Passes
from bot.workspace.people import Identity
from bot.workspace.sockets import Sockets
from bot.workspace.state import State
from bot.workspace.surfaces import View
from bot.workspace.traffic import Call

__all__ = ["Core"]


@dataclass(slots=True, kw_only=True)
class Core:
    """The parts of one workspace, and the address that it is reached at."""

    identity: Identity
    state: State
    clock: Clock
    passes: Passes
    courier: Courier
    sockets: Sockets
    base: str = ""
    calls: list[Call] = field(default_factory=list)
    token_revoked: bool = False

    def view_form(self, view: View, values: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return a view's object under this workspace's ids."""
        me = self.identity
        return view.form(team_id=me.team_id, app_id=me.app_id, bot_id=me.bot_id, values=values)

    def response_url(self, channel: str, user: str, ts: str | None) -> str:
        """Return a new response URL for an interaction."""
        return f"{self.base}/respond/{self.passes.new_response(channel, user, ts)}"

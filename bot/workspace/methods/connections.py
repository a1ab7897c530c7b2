"""``apps.connections.open``: a one-time address for a socket."""

from __future__ import annotations

from typing import Any

from bot.workspace.core import Core
from bot.workspace.methods.args import Args

__all__ = ["open_connection"]


def open_connection(core: Core, _args: Args) -> dict[str, Any]:
    """``apps.connections.open``."""
    host = core.base.replace("http://", "ws://", 1)
    ticket = core.sockets.new_ticket()
    return {"ok": True, "url": f"{host}/link/?ticket={ticket}&app_id={core.identity.app_id}"}

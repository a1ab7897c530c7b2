"""What the workspace's server answers at all: programs of this machine, and its own page.

A website that a browser on this machine shows elsewhere must not drive the workspace: neither by
requests to the loopback address (browsers name the site in ``Origin`` and ``Sec-Fetch-Site``), nor
under a name of its own that leads to loopback ("DNS rebinding", which ``Host`` gives away).
"""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from bot.workspace.errors import BindRefused
from bot.workspace.loopback import require_loopback

__all__ = ["LocalOnly", "foreign"]

OWN_SITE: Final = frozenset({None, "same-origin", "none"})
"""``Sec-Fetch-Site`` of a request that no other site caused; programs do not send it."""


class LocalOnly:
    """Refuses what another site caused, with 403, before anything else sees it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or close one web socket, or pass it on."""
        why = foreign(Headers(scope=scope), path=scope["path"])
        if why is None:
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await WebSocketClose(code=1008, reason=why)(scope, receive, send)
        else:
            await PlainTextResponse(why, 403)(scope, receive, send)


def foreign(headers: Headers, *, path: str) -> str | None:
    """Return why a request is not of this machine's own making; None if it is.

    Following a link to the page itself is nobody's harm, whatever site the link stood on.
    """
    host = headers.get("host", "")
    if not _is_loopback(host):
        return "This server answers under its loopback address only."
    origin = headers.get("origin")
    if origin is not None and origin != f"http://{host}":
        return "Another site must not drive the workspace."
    arrives = path == "/" and headers.get("sec-fetch-mode") == "navigate"
    if headers.get("sec-fetch-site") not in OWN_SITE and not arrives:
        return "Another site must not drive the workspace."
    return None


def _is_loopback(host: str) -> bool:
    try:
        require_loopback(urlsplit(f"//{host}").hostname or "")
    except (BindRefused, ValueError):
        return False
    return True

"""Errors of the local workspace.

WorkspaceError
  BindRefused     it was asked to listen on something other than loopback
  PortTaken       another program listens on the port
  NotPossible     a person in Slack could not do this: no such button, form or message
  TookTooLong     a condition did not come true in time

``MethodRefused`` is no failure of the workspace: it is how a Web API method answers ``ok: false``.
"""

from __future__ import annotations

from typing import Any

from bot.errors import BotError

__all__ = [
    "BindRefused",
    "MethodRefused",
    "NotPossible",
    "PortTaken",
    "TookTooLong",
    "WorkspaceError",
]


class WorkspaceError(BotError):
    """Any error of the local workspace."""


class BindRefused(WorkspaceError):
    """The workspace listens on loopback only: its tokens are no secrets."""


class PortTaken(WorkspaceError):
    """Another program listens on the port."""


class NotPossible(WorkspaceError):
    """A person in Slack could not do this: the button, the form or the message is not there."""


class TookTooLong(WorkspaceError):
    """A condition did not come true in time."""


class MethodRefused(Exception):
    """A Web API method answers ``ok: false`` with this code (HTTP status 200, as Slack does).

    ``details`` become ``response_metadata.messages``; ``extra`` are further fields of the answer.
    """

    def __init__(self, code: str, *details: str, **extra: Any) -> None:
        super().__init__(code)
        self.code = code
        self.details = details
        self.extra = extra

    def answer(self) -> dict[str, Any]:
        """Return the body of the answer."""
        body: dict[str, Any] = {"ok": False, "error": self.code, **self.extra}
        if self.details:
            body["response_metadata"] = {"messages": list(self.details)}
        return body

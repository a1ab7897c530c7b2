"""What a person does on the page: each act the form of one request, done by the workspace's hands.

``do`` returns the delivery whose answer the person waits for; None where they wait for nothing.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from bot.workspace.page.screen import Screen
from bot.workspace.traffic import Delivery

__all__ = ["ACTS", "Act"]

Typed = Annotated[str, Field(min_length=1, max_length=12_000)]
"""What fits into Slack's own message field."""


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Post(_Form):
    """Post what was typed, in a channel or below a message."""

    act: Literal["post"]
    channel: str
    text: Typed
    thread: str | None = None

    def do(self, at: Screen) -> Delivery | None:
        """Do it."""
        channel = at.channel(self.channel)
        at.workspace.post(at.user, self.text, channel=channel, thread=self.thread)
        return None


class Edit(_Form):
    """Change the text of a message of one's own."""

    act: Literal["edit"]
    channel: str
    ts: str
    text: Typed

    def do(self, at: Screen) -> Delivery | None:
        """Do it."""
        at.workspace.edit(at.own(self.channel, self.ts), self.text)
        return None


class Delete(_Form):
    """Delete a message of one's own."""

    act: Literal["delete"]
    channel: str
    ts: str

    def do(self, at: Screen) -> Delivery | None:
        """Do it."""
        at.workspace.delete(at.own(self.channel, self.ts))
        return None


class Press(_Form):
    """Press what stands in a message, in the version on the screen."""

    act: Literal["press"]
    channel: str
    ts: str
    version: str
    action: str
    given: dict[str, Any] = Field(default_factory=dict)

    def do(self, at: Screen) -> Delivery | None:
        """Do it."""
        place = at.shown(self.channel, self.ts, self.version)
        return at.workspace.click(at.user, place, self.action, **self.given)


class PressInView(_Form):
    """Press what stands in the open form or in App Home."""

    act: Literal["press_in_view"]
    view: str
    action: str
    given: dict[str, Any] = Field(default_factory=dict)

    def do(self, at: Screen) -> Delivery | None:
        """Do it."""
        return at.workspace.click(at.user, at.view(self.view), self.action, **self.given)


class Submit(_Form):
    """Send the open form."""

    act: Literal["submit"]
    view: str
    values: dict[str, Any]

    def do(self, at: Screen) -> Delivery | None:
        """Do it."""
        at.view(self.view)
        return at.workspace.submit(at.user, self.values)


class Close(_Form):
    """Close the open form."""

    act: Literal["close"]
    view: str

    def do(self, at: Screen) -> Delivery | None:
        """Do it."""
        at.view(self.view)
        at.workspace.close(at.user)
        return None


class OpenHome(_Form):
    """Open the bot's App Home."""

    act: Literal["open_home"]

    def do(self, at: Screen) -> Delivery | None:
        """Do it."""
        return at.workspace.open_home(at.user)


class Command(_Form):
    """Type a slash command."""

    act: Literal["command"]
    channel: str
    name: str
    text: str = ""

    def do(self, at: Screen) -> Delivery | None:
        """Do it."""
        channel = at.channel(self.channel)
        return at.workspace.command(at.user, self.name, self.text, channel=channel)


class Shortcut(_Form):
    """Use a shortcut of a message's menu."""

    act: Literal["shortcut"]
    channel: str
    ts: str
    callback: str

    def do(self, at: Screen) -> Delivery | None:
        """Do it."""
        message = at.message(self.channel, self.ts)
        return at.workspace.shortcut(at.user, self.callback, message)


Act = Post | Edit | Delete | Press | PressInView | Submit | Close | OpenHome | Command | Shortcut
ACTS: TypeAdapter[Act] = TypeAdapter(Annotated[Act, Field(discriminator="act")])
"""Reads an act from JSON."""

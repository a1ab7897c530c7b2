"""One person's screen: what they can reach from it, and what they cannot."""

from __future__ import annotations

from dataclasses import dataclass

from bot.workspace.errors import NotPossible
from bot.workspace.messages import Message
from bot.workspace.page.versions import Versions
from bot.workspace.surfaces import View
from bot.workspace.workspace import Workspace

__all__ = ["Screen"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Screen:
    """A workspace, the person before it, and the versions of messages that screens show.

    Each method raises :class:`NotPossible` for what Slack would not let this person reach.
    """

    workspace: Workspace
    versions: Versions
    user: str

    def channel(self, channel_id: str) -> str:
        """Return the id of a channel that the person can write to."""
        for channel in self.workspace.channels():
            if channel.id == channel_id and self.user in channel.members:
                if channel.is_archived:
                    raise NotPossible(f"#{channel.name} is archived")
                return channel_id
        raise NotPossible("they are not in this channel")

    def message(self, channel: str, ts: str) -> Message:
        """Return a message as it is now."""
        return self.workspace.message(self.channel(channel), ts)

    def own(self, channel: str, ts: str) -> Message:
        """Return a message that the person wrote."""
        message = self.message(channel, ts)
        if message.user != self.user:
            raise NotPossible("only its author changes a message")
        return message

    def shown(self, channel: str, ts: str, version: str) -> Message:
        """Return the version of a message that is on the screen, be it an old one."""
        message = self.versions.find(self.channel(channel), ts, version)
        if message is None or message.ephemeral_to not in (None, self.user):
            raise NotPossible("the message is not there any more")
        if message.ephemeral_to is None:
            self.workspace.message(channel, ts)  # a deleted one is on nobody's screen
        return message

    def view(self, view_id: str) -> View:
        """Return the form in front of the person, or their App Home."""
        for view in (self.workspace.modal(self.user), self.workspace.home(self.user)):
            if view is not None and view.id == view_id:
                return view
        raise NotPossible("this form is not open any more")

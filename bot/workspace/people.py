"""Who is in the workspace: users, user groups, channels, and the one app that is under test."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["DEFAULT_SCOPES", "Channel", "Group", "Identity", "User"]

DEFAULT_SCOPES = frozenset(
    """channels:history channels:read chat:write commands files:read groups:history groups:read
    metadata.message:read usergroups:read users:read""".split()
)
"""The scopes of an app that was installed with the bot's own manifest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """A person, or another bot's user.

    ``team_id`` None is a member of this workspace; another team's id is somebody from a partner
    company in a shared channel (``is_stranger`` if no shared channel vouches for them).
    """

    id: str
    name: str
    real_name: str = ""
    team_id: str | None = None
    tz: str = "Europe/Berlin"
    locale: str = "en-US"
    is_admin: bool = False
    is_bot: bool = False
    is_restricted: bool = False
    is_ultra_restricted: bool = False
    is_stranger: bool = False
    deleted: bool = False

    def form(self, home_team: str) -> dict[str, Any]:
        """Return the user object of ``users.info``."""
        shown = self.real_name or self.name
        body: dict[str, Any] = {
            "id": self.id,
            "team_id": self.team_id or home_team,
            "name": self.name,
            "deleted": self.deleted,
            "real_name": shown,
            "tz": self.tz,
            "locale": self.locale,
            "profile": {"real_name": shown, "display_name": self.name},
            "is_admin": self.is_admin,
            "is_bot": self.is_bot,
            "is_app_user": False,
            "is_restricted": self.is_restricted,
            "is_ultra_restricted": self.is_ultra_restricted,
        }
        if self.team_id not in (None, home_team):
            body["is_stranger"] = self.is_stranger
        return body


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """A user group (``@leads``) and the ids of its members."""

    id: str
    handle: str
    members: tuple[str, ...] = ()
    disabled: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    """A channel and the ids of its members; the bot sees only channels that it is a member of."""

    id: str
    name: str
    members: tuple[str, ...] = ()
    is_private: bool = False
    is_archived: bool = False
    is_ext_shared: bool = False
    is_direct: bool = False
    """The direct messages of the bot with one person."""

    def form(self, bot_user: str) -> dict[str, Any]:
        """Return the conversation object of ``conversations.info``."""
        return {
            "id": self.id,
            "name": self.name,
            "is_channel": not self.is_private,
            "is_group": self.is_private and not self.is_direct,
            "is_im": self.is_direct,
            "is_mpim": False,
            "is_private": self.is_private,
            "is_archived": self.is_archived,
            "is_ext_shared": self.is_ext_shared,
            "is_shared": self.is_ext_shared,
            "is_member": bot_user in self.members,
            "num_members": len(self.members),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """The workspace's and the app's ids, and the tokens that the app was given.

    The tokens open nothing but this program, on this machine.
    """

    team_id: str = "T0LOCAL"
    team_name: str = "Local"
    domain: str = "local"
    app_id: str = "A0HANDRAIL"
    bot_id: str = "B0HANDRAIL"
    bot_user: str = "U0HANDRAIL"
    bot_name: str = "handrail"
    bot_token: str = field(default="xoxb-local-bot", repr=False)
    app_token: str = field(default="xapp-local-app", repr=False)
    signing_secret: str = field(default="local-signing-secret", repr=False)
    verification_token: str = field(default="local-verification", repr=False)
    scopes: frozenset[str] = DEFAULT_SCOPES

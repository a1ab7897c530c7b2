"""Every method that the workspace answers, with the scope that it needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bot.workspace.core import Core
from bot.workspace.methods import (
    chat,
    connections,
    conversations,
    directory,
    reactions,
    views,
)
from bot.workspace.methods.args import Args

__all__ = ["METHODS", "Method"]


@dataclass(frozen=True, slots=True)
class Method:
    """One method: what answers it, and what it asks for.

    ``scope`` names what the token needs, several names are alternatives; ``app_level`` takes the
    app's token instead of the bot's.
    """

    answer: Callable[[Core, Args], dict[str, Any]]
    scope: tuple[str, ...] = ()
    app_level: bool = False


HISTORY = ("channels:history", "groups:history")
READ = ("channels:read", "groups:read")

METHODS = {
    "apps.connections.open": Method(connections.open_connection, app_level=True),
    "auth.test": Method(directory.auth_test),
    "bots.info": Method(directory.bots_info, ("users:read",)),
    "chat.delete": Method(chat.delete, ("chat:write",)),
    "chat.getPermalink": Method(chat.get_permalink),
    "chat.postEphemeral": Method(chat.post_ephemeral, ("chat:write",)),
    "chat.postMessage": Method(chat.post_message, ("chat:write",)),
    "chat.update": Method(chat.update, ("chat:write",)),
    "conversations.history": Method(conversations.history, HISTORY),
    "conversations.info": Method(conversations.info, READ),
    "conversations.list": Method(conversations.list_all, READ),
    "conversations.members": Method(conversations.members, READ),
    "conversations.replies": Method(conversations.replies, HISTORY),
    "reactions.add": Method(reactions.add, ("reactions:write",)),
    "reactions.remove": Method(reactions.remove, ("reactions:write",)),
    "usergroups.users.list": Method(directory.group_members, ("usergroups:read",)),
    "users.info": Method(directory.users_info, ("users:read",)),
    "views.open": Method(views.open_view),
    "views.publish": Method(views.publish),
    "views.push": Method(views.push),
    "views.update": Method(views.update),
}

"""``reactions.add`` and ``reactions.remove``."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bot.workspace.core import Core
from bot.workspace.errors import MethodRefused
from bot.workspace.messages import Message
from bot.workspace.methods.args import Args
from bot.workspace.methods.places import message_of, open_channel

__all__ = ["add", "remove"]


def add(core: Core, args: Args) -> dict[str, Any]:
    """``reactions.add``."""
    message, reaction = _named(core, args)
    if reaction in message.reactions:
        raise MethodRefused("already_reacted")
    core.state.messages.put(replace(message, reactions=(*message.reactions, reaction)))
    return {"ok": True}


def remove(core: Core, args: Args) -> dict[str, Any]:
    """``reactions.remove``."""
    message, reaction = _named(core, args)
    if reaction not in message.reactions:
        raise MethodRefused("no_reaction")
    left = tuple(entry for entry in message.reactions if entry != reaction)
    core.state.messages.put(replace(message, reactions=left))
    return {"ok": True}


def _named(core: Core, args: Args) -> tuple[Message, tuple[str, str]]:
    channel = open_channel(core, args)
    message = message_of(core, channel, args.text("timestamp", missing="bad_timestamp"))
    return message, (args.text("name", missing="invalid_name"), core.identity.bot_user)

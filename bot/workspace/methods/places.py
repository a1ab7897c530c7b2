"""The channel and the message that a call names, and whether the bot may touch them."""

from __future__ import annotations

import re

from bot.workspace.core import Core
from bot.workspace.errors import MethodRefused
from bot.workspace.messages import Message
from bot.workspace.methods.args import Args
from bot.workspace.people import Channel

__all__ = ["channel_of", "message_of", "open_channel", "place_of_post", "thread_of"]

STAMP = re.compile(r"\d{1,10}\.\d{6}")


def channel_of(core: Core, args: Args) -> Channel:
    """Return the channel that a call names, if the bot can see it.

    Raises:
        MethodRefused: ``channel_not_found``, also for a private channel that it is no member of.
    """
    channel = core.state.channels.get(args.text("channel", missing="channel_not_found"))
    member = channel is not None and core.identity.bot_user in channel.members
    if channel is None or (channel.is_private and not member):
        raise MethodRefused("channel_not_found")
    return channel


def open_channel(core: Core, args: Args) -> Channel:
    """Return the channel that a call names, if the bot is a member and may write there.

    Raises:
        MethodRefused: ``channel_not_found``, ``not_in_channel`` or ``is_archived``.
    """
    channel = channel_of(core, args)
    if core.identity.bot_user not in channel.members:
        raise MethodRefused("not_in_channel")
    if channel.is_archived:
        raise MethodRefused("is_archived")
    return channel


def place_of_post(core: Core, args: Args) -> Channel:
    """Return where a post goes: a channel, or the direct messages with the person it names.

    Raises:
        MethodRefused: as ``open_channel``.
    """
    user = core.state.users.get(args.text("channel", missing="channel_not_found"))
    if user is None or user.is_bot:
        return open_channel(core, args)
    return core.state.direct(user, core.identity.bot_user)


def message_of(core: Core, channel: Channel, ts: str) -> Message:
    """Return a message of a channel.

    Raises:
        MethodRefused: ``message_not_found``.
    """
    found = core.state.messages.get(channel.id, ts)
    if found is None:
        raise MethodRefused("message_not_found")
    return found


def thread_of(core: Core, channel: Channel, thread_ts: str | None) -> str | None:
    """Return the root that a new reply stands below; None for the channel itself.

    A root that is gone is no error: Slack then posts to the channel, and says so only by an answer
    without ``thread_ts`` (seen in public reports).

    Raises:
        MethodRefused: ``invalid_thread_ts`` for what is no time stamp.
    """
    if thread_ts is None:
        return None
    if not STAMP.fullmatch(thread_ts):
        raise MethodRefused("invalid_thread_ts")
    root = core.state.messages.get(channel.id, thread_ts)
    return root.root if root is not None else None

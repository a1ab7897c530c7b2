"""``conversations.*``: what stands in a channel, in pages."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

from bot.workspace.core import Core
from bot.workspace.errors import MethodRefused
from bot.workspace.messages import Message
from bot.workspace.methods.args import Args
from bot.workspace.methods.places import channel_of

__all__ = ["history", "info", "list_all", "members", "replies"]

MOST_PER_PAGE = 999
HISTORY_PAGE = 100
REPLIES_PAGE = 999


def history(core: Core, args: Args) -> dict[str, Any]:
    """``conversations.history``: the channel itself, the newest first, without thread replies."""
    channel = _readable(core, args)
    found = [m for m in core.state.messages.history(channel) if _inside(m, args)]
    page, rest = _page(found[::-1], args, HISTORY_PAGE)
    return {"ok": True, "messages": [_form(core, m, args) for m in page], **rest}


def replies(core: Core, args: Args) -> dict[str, Any]:
    """``conversations.replies``: the root and its replies, the oldest first."""
    channel = _readable(core, args)
    root = core.state.messages.get(channel, args.text("ts", missing="thread_not_found"))
    if root is None:
        raise MethodRefused("thread_not_found")
    below = [m for m in core.state.messages.replies(channel, root.root) if _inside(m, args)]
    page, rest = _page([root, *below], args, REPLIES_PAGE)
    return {"ok": True, "messages": [_form(core, m, args) for m in page], **rest}


def info(core: Core, args: Args) -> dict[str, Any]:
    """``conversations.info``."""
    return {"ok": True, "channel": channel_of(core, args).form(core.identity.bot_user)}


def list_all(core: Core, args: Args) -> dict[str, Any]:
    """``conversations.list``: public channels, and private ones that the bot is a member of."""
    bot_user = core.identity.bot_user
    wanted = (args.optional("types") or "public_channel").split(",")
    found = [
        channel.form(bot_user)
        for channel in core.state.channels.values()
        if ("private_channel" if channel.is_private else "public_channel") in wanted
        and (not channel.is_private or bot_user in channel.members)
        and not channel.is_direct
        and not (channel.is_archived and args.flag("exclude_archived"))
    ]
    page, rest = _page(found, args, HISTORY_PAGE)
    return {"ok": True, "channels": list(page), **rest}


def members(core: Core, args: Args) -> dict[str, Any]:
    """``conversations.members``."""
    channel = channel_of(core, args)
    page, rest = _page(channel.members, args, HISTORY_PAGE)
    return {"ok": True, "members": list(page), **rest}


def _readable(core: Core, args: Args) -> str:
    channel = channel_of(core, args)
    if core.identity.bot_user not in channel.members:
        raise MethodRefused("not_in_channel")
    granted = core.identity.scopes
    if channel.is_direct and "im:history" not in granted:
        provided = ",".join(sorted(granted))
        raise MethodRefused("missing_scope", needed="im:history", provided=provided)
    return channel.id


def _inside(message: Message, args: Args) -> bool:
    """Whether a message lies between ``oldest`` and ``latest``; the borders count on demand."""
    oldest, latest = _moment(args, "oldest", "0"), _moment(args, "latest", "9999999999")
    stamp = Decimal(message.ts)
    if args.flag("inclusive"):
        return oldest <= stamp <= latest
    return oldest < stamp < latest


def _moment(args: Args, name: str, default: str) -> Decimal:
    try:
        return Decimal(args.optional(name) or default)
    except InvalidOperation:
        raise MethodRefused(f"invalid_ts_{name}") from None


def _form(core: Core, message: Message, args: Args) -> dict[str, Any]:
    return message.form(
        team_id=core.identity.team_id,
        replies=core.state.messages.replies(message.channel, message.ts),
        with_metadata=args.flag("include_all_metadata"),
    )


def _page(found: Sequence[Any], args: Args, default: int) -> tuple[Sequence[Any], dict[str, Any]]:
    limit = args.number("limit", default, MOST_PER_PAGE)
    start = _offset(args.optional("cursor"))
    end = start + limit
    more = end < len(found)
    cursor = base64.b64encode(f"next:{end}".encode()).decode("ascii") if more else ""
    rest = {"has_more": more, "response_metadata": {"next_cursor": cursor}}
    return found[start:end], rest


def _offset(cursor: str | None) -> int:
    if cursor is None:
        return 0
    try:
        return int(base64.b64decode(cursor, validate=True).removeprefix(b"next:"))
    except (binascii.Error, ValueError):
        raise MethodRefused("invalid_cursor") from None

"""What one person sees, as rows of one flat table: key, and a JSON value that replaces the last.

The page holds the same table; a feed sends the rows that changed. A row that only its reader may
see (an ephemeral message, a form, App Home) is in that reader's table and in no other.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bot.workspace.messages import Message
from bot.workspace.page.lines import call_line, call_text, delivery_line, delivery_text
from bot.workspace.page.markdown import with_markdown
from bot.workspace.page.versions import Versions
from bot.workspace.people import Channel, Group, User
from bot.workspace.surfaces import View
from bot.workspace.workspace import Workspace

__all__ = ["Row", "rows_of", "traffic_text"]

Row = dict[str, Any]
MOST_LINES = 300
"""Lines of traffic that the inspector shows, the newest of each direction."""


def rows_of(workspace: Workspace, viewer: str, versions: Versions) -> Iterator[tuple[str, Row]]:
    """Yield the table of one person; ``versions`` keeps what their screen shows."""
    for user in workspace.users():
        yield f"user:{user.id}", _user(user)
    for group in workspace.groups():
        yield f"group:{group.id}", _group(group)
    for channel in workspace.channels():
        yield f"channel:{channel.id}", _channel(channel, viewer)
        if viewer in channel.members:
            for message in workspace.messages(channel.id):
                yield _message(message, versions)
    for message in workspace.ephemerals(viewer):
        yield _message(message, versions)
    if (modal := workspace.modal(viewer)) is not None:
        yield "modal", _view(modal)
    if (home := workspace.home(viewer)) is not None:
        yield "home", _view(home)
    yield from _traffic(workspace)


def traffic_text(workspace: Workspace, way: str, number: int) -> str | None:
    """Return all of what one line of traffic is about; None where there is no such line."""
    if way == "in" and number < len(deliveries := workspace.deliveries()):
        return delivery_text(deliveries[number])
    if way == "out" and number < len(calls := workspace.calls()):
        return call_text(calls[number])
    return None


def _user(user: User) -> Row:
    return {
        "id": user.id,
        "name": user.name,
        "real": user.real_name or user.name,
        "bot": user.is_bot,
        "outside": user.team_id is not None,
        "guest": user.is_restricted or user.is_ultra_restricted,
    }


def _group(group: Group) -> Row:
    return {"id": group.id, "handle": group.handle}


def _channel(channel: Channel, viewer: str) -> Row:
    return {
        "id": channel.id,
        "name": "messages of the bot" if channel.is_direct else channel.name,
        "direct": channel.is_direct,
        "private": channel.is_private,
        "archived": channel.is_archived,
        "shared": channel.is_ext_shared,
        "member": viewer in channel.members,
    }


def _message(message: Message, versions: Versions) -> tuple[str, Row]:
    row = {
        "channel": message.channel,
        "ts": message.ts,
        "version": versions.keep(message),
        "user": message.user,
        "name": message.username,
        "text": message.text,
        "thread": message.thread_ts if message.is_reply else None,
        "in_channel": message.in_channel,
        "blocks": with_markdown(message.blocks),
        "attachments": [_attachment(each) for each in message.attachments],
        "files": [str(each.get("name", "")) for each in message.files],
        "reactions": [list(each) for each in message.reactions],
        "edited": message.edited_ts is not None and message.bot_id is None,
        "only_you": message.ephemeral_to is not None,
        "deleted": message.subtype == "tombstone",
    }
    return f"message:{message.channel}:{message.ts}", row


def _attachment(attachment: dict[str, Any]) -> Row:
    names = ("title", "text", "fallback", "pretext", "footer")
    return {name: str(attachment[name]) for name in names if attachment.get(name)}


def _view(view: View) -> Row:
    return {
        "id": view.id,
        "version": view.hash,
        "callback": view.callback_id,
        "title": view.body.get("title"),
        "submit": view.body.get("submit"),
        "close": view.body.get("close"),
        "blocks": with_markdown(view.blocks),
        "errors": dict(view.errors),
    }


def _traffic(workspace: Workspace) -> Iterator[tuple[str, Row]]:
    deliveries, calls = workspace.deliveries(), workspace.calls()
    for number in range(max(0, len(deliveries) - MOST_LINES), len(deliveries)):
        yield f"traffic:in:{number}", delivery_line(deliveries[number])
    for number in range(max(0, len(calls) - MOST_LINES), len(calls)):
        yield f"traffic:out:{number}", call_line(calls[number])

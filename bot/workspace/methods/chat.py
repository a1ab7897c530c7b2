"""``chat.*``: what the bot says."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bot.workspace import events
from bot.workspace.core import Core
from bot.workspace.errors import MethodRefused
from bot.workspace.limits import MOST_TEXT, check_blocks, check_metadata
from bot.workspace.messages import Message
from bot.workspace.methods.args import Args
from bot.workspace.methods.places import (
    channel_of,
    message_of,
    open_channel,
    place_of_post,
    thread_of,
)

__all__ = ["delete", "get_permalink", "post_ephemeral", "post_message", "update"]


def post_message(core: Core, args: Args) -> dict[str, Any]:
    """``chat.postMessage``. A text over 40,000 characters is cut, with a warning."""
    channel = place_of_post(core, args)
    text, blocks, attachments = content(core, args)
    metadata = args.json("metadata", code="invalid_metadata_format")
    root = thread_of(core, channel, args.optional("thread_ts"))
    message = own(
        core,
        channel=channel.id,
        ts=core.state.new_ts(),
        text=text[:MOST_TEXT],
        blocks=blocks,
        attachments=attachments,
        thread_ts=root,
        subtype="thread_broadcast" if root and args.flag("reply_broadcast") else None,
        metadata=check_metadata(metadata) if metadata is not None else None,
    )
    core.state.messages.put(message)
    events.posted(core, message)
    form = message.form(team_id=core.identity.team_id, with_metadata=True)
    answer: dict[str, Any] = {"ok": True, "channel": channel.id, "ts": message.ts, "message": form}
    if len(text) > MOST_TEXT:
        answer["warning"] = "message_truncated"
        answer["response_metadata"] = {"warnings": ["message_truncated"]}
    return answer


def post_ephemeral(core: Core, args: Args) -> dict[str, Any]:
    """``chat.postEphemeral``: one person sees it, no history holds it."""
    channel = open_channel(core, args)
    user = args.text("user", missing="user_not_found")
    if user not in core.state.users:
        raise MethodRefused("user_not_found")
    if user not in channel.members:
        raise MethodRefused("user_not_in_channel")
    text, blocks, attachments = content(core, args)
    message = own(
        core,
        channel=channel.id,
        ts=core.state.new_ts(),
        text=text[:MOST_TEXT],
        blocks=blocks,
        attachments=attachments,
        thread_ts=thread_of(core, channel, args.optional("thread_ts")),
        ephemeral_to=user,
    )
    core.state.ephemerals.append(message)
    return {"ok": True, "message_ts": message.ts}


def update(core: Core, args: Args) -> dict[str, Any]:
    """``chat.update``: what is not given stays; only an empty list takes old blocks away."""
    channel = open_channel(core, args)
    before = _own_message(core, args)
    metadata = args.json("metadata", code="invalid_metadata_format")
    text, blocks, attachments = content(core, args, before=before)
    if len(text) > MOST_TEXT:
        raise MethodRefused("msg_too_long")
    after = replace(
        before,
        text=text,
        blocks=blocks,
        attachments=attachments,
        metadata=check_metadata(metadata) if metadata is not None else before.metadata,
        edited_by=core.identity.bot_user,
        edited_ts=core.state.new_ts(),
    )
    core.state.messages.put(after)
    events.changed(core, before, after)
    form = after.form(team_id=core.identity.team_id, with_metadata=True)
    return {"ok": True, "channel": channel.id, "ts": after.ts, "text": after.text, "message": form}


def delete(core: Core, args: Args) -> dict[str, Any]:
    """``chat.delete`` of a message of the bot's own."""
    channel = open_channel(core, args)
    message = _own_message(core, args, refused="cant_delete_message")
    core.state.messages.remove(message)
    events.deleted(core, message)
    return {"ok": True, "channel": channel.id, "ts": message.ts}


def get_permalink(core: Core, args: Args) -> dict[str, Any]:
    """``chat.getPermalink``."""
    channel = channel_of(core, args)
    message = message_of(core, channel, args.text("message_ts", missing="message_not_found"))
    link = f"https://{core.identity.domain}.slack.com/archives/{channel.id}/p{message.ts}"
    link = link.replace(message.ts, message.ts.replace(".", ""))
    if message.is_reply:
        link += f"?thread_ts={message.thread_ts}&cid={channel.id}"
    return {"ok": True, "channel": channel.id, "permalink": link}


Content = tuple[str, tuple[dict[str, Any], ...], tuple[dict[str, Any], ...]]


def content(core: Core, args: Args, *, before: Message | None = None) -> Content:
    """Return text, blocks and attachments of a call, checked against Slack's limits.

    Raises:
        MethodRefused: ``no_text``, ``invalid_blocks``, ``msg_blocks_too_long`` or
            ``invalid_attachments``.
    """
    text = args.values.get("text")
    blocks = args.objects("blocks", code="invalid_blocks")
    attachments = args.objects("attachments", code="invalid_attachments")
    if before is None and not text and not blocks and not attachments:
        raise MethodRefused("no_text")
    if before is not None and text is None and blocks is None and attachments is None:
        raise MethodRefused("no_text")
    if blocks is not None:
        check_blocks(blocks)
        blocks = [named(core, block) for block in blocks]
    old = before or Message(channel="", ts="")
    return (
        str(text) if text is not None else old.text,
        tuple(blocks) if blocks is not None else old.blocks,
        tuple(attachments) if attachments is not None else old.attachments,
    )


def named(core: Core, block: dict[str, Any]) -> dict[str, Any]:
    """Return a block with a block id; Slack makes one up where the app gives none."""
    return {"block_id": core.state.new_id("b")} | block


def own(core: Core, **fields: Any) -> Message:
    """Return a message of the bot's."""
    me = core.identity
    return Message(user=me.bot_user, bot_id=me.bot_id, app_id=me.app_id, **fields)


def _own_message(core: Core, args: Args, *, refused: str = "cant_update_message") -> Message:
    channel = channel_of(core, args)
    message = message_of(core, channel, args.text("ts", missing="message_not_found"))
    if message.bot_id != core.identity.bot_id:
        raise MethodRefused(refused)
    return message

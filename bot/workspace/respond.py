"""Response URLs: answering an interaction without a token, five times within half an hour."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bot.workspace import events
from bot.workspace.core import Core
from bot.workspace.messages import Message
from bot.workspace.methods.args import Args
from bot.workspace.methods.chat import content, own
from bot.workspace.methods.places import thread_of

__all__ = ["respond"]


def respond(core: Core, secret: str, values: dict[str, Any]) -> dict[str, Any]:
    """Post, replace or delete, as the body says: ephemeral unless it says ``in_channel``."""
    found = core.passes.redeem_response(secret)
    args = Args(values)
    original = _original(core, found.channel, found.ts)
    if args.flag("delete_original"):
        _remove(core, original)
        return {"ok": True}
    if args.flag("replace_original") and original is not None:
        _replace(core, original, args)
        return {"ok": True}
    text, blocks, attachments = content(core, args)
    channel = core.state.channels[found.channel]
    ephemeral = values.get("response_type") != "in_channel"
    message = own(
        core,
        channel=found.channel,
        ts=core.state.new_ts(),
        text=text,
        blocks=blocks,
        attachments=attachments,
        thread_ts=thread_of(core, channel, args.optional("thread_ts")),
        ephemeral_to=found.user if ephemeral else None,
    )
    if ephemeral:
        core.state.ephemerals.append(message)
    else:
        core.state.messages.put(message)
        events.posted(core, message)
    return {"ok": True}


def _original(core: Core, channel: str, ts: str | None) -> Message | None:
    if ts is None:
        return None
    shown = [m for m in core.state.ephemerals if m.ts == ts]
    return shown[0] if shown else core.state.messages.get(channel, ts)


def _replace(core: Core, original: Message, args: Args) -> None:
    text, blocks, attachments = content(core, args, before=original)
    after = replace(original, text=text, blocks=blocks, attachments=attachments)
    if original.ephemeral_to is not None:
        core.state.ephemerals = [after if m.ts == after.ts else m for m in core.state.ephemerals]
    else:
        core.state.messages.put(after)
        events.changed(core, original, after)


def _remove(core: Core, original: Message | None) -> None:
    if original is None:
        return
    if original.ephemeral_to is not None:
        core.state.ephemerals = [m for m in core.state.ephemerals if m.ts != original.ts]
    else:
        core.state.messages.remove(original)
        events.deleted(core, original)

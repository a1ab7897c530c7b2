"""The Events API's payloads: what happened in the workspace, as the app is told it."""

from __future__ import annotations

from typing import Any

from bot.workspace.core import Core
from bot.workspace.messages import Message
from bot.workspace.traffic import Delivery, Kind

__all__ = ["announce", "changed", "deleted", "lifecycle", "posted"]


def announce(core: Core, event: dict[str, Any], *, team_id: str | None = None) -> Delivery:
    """Deliver one inner event in its envelope."""
    me = core.identity
    envelope = {
        "token": me.verification_token,
        "team_id": team_id or me.team_id,
        "context_team_id": me.team_id,
        "api_app_id": me.app_id,
        "event": event,
        "type": "event_callback",
        "event_id": core.state.new_id("Ev"),
        "event_time": int(core.clock.now()),
        "authorizations": [
            {
                "enterprise_id": None,
                "team_id": me.team_id,
                "user_id": me.bot_user,
                "is_bot": True,
                "is_enterprise_install": False,
            }
        ],
        "is_ext_shared_channel": _is_shared(core, event),
        "event_context": "4-local",
    }
    return core.courier.send(Kind.EVENT, envelope)


def posted(core: Core, message: Message) -> list[Delivery]:
    """Tell of a new message, and of a mention of the bot if the app has the scope for it."""
    if not _bot_sees(core, message.channel):
        return []
    form = _form(core, message) | {"channel": message.channel, "event_ts": message.ts}
    if form.get("team") not in (None, core.identity.team_id):
        form |= {"user_team": form["team"], "source_team": form["team"]}
    sent = [announce(core, form | {"channel_type": _channel_type(core, message.channel)})]
    bot_user, granted = core.identity.bot_user, core.identity.scopes
    mentions = f"<@{bot_user}>" in message.text and message.user not in (None, bot_user)
    if mentions and "app_mentions:read" in granted:
        sent.append(announce(core, form | {"type": "app_mention"}))
    return sent


def changed(core: Core, before: Message, after: Message) -> list[Delivery]:
    """Tell of an edit, an unfurled link, a new reply count: all of them look like this."""
    inner = {"message": _form(core, after), "previous_message": _form(core, before)}
    return _about(core, after, "message_changed", inner)


def deleted(core: Core, before: Message) -> list[Delivery]:
    """Tell of a deletion."""
    inner = {"deleted_ts": before.ts, "previous_message": _form(core, before)}
    return _about(core, before, "message_deleted", inner)


def lifecycle(core: Core, event_type: str, **fields: Any) -> Delivery:
    """Tell of something that is no message: ``channel_archive``, ``tokens_revoked`` and so on."""
    stamp = f"{core.clock.now():.6f}"
    return announce(core, {"type": event_type, "event_ts": stamp, **fields})


def _about(core: Core, message: Message, subtype: str, inner: dict[str, Any]) -> list[Delivery]:
    if not _bot_sees(core, message.channel):
        return []
    stamp = core.state.new_ts()
    event = {
        "type": "message",
        "subtype": subtype,
        "hidden": True,
        "channel": message.channel,
        "channel_type": _channel_type(core, message.channel),
        "ts": stamp,
        "event_ts": stamp,
        **inner,
    }
    return [announce(core, event)]


def _form(core: Core, message: Message) -> dict[str, Any]:
    user = core.state.users.get(message.user or "")
    team = user.team_id if user is not None and user.team_id else core.identity.team_id
    return message.form(team_id=team)


def _bot_sees(core: Core, channel: str) -> bool:
    found = core.state.channels.get(channel)
    if found is None or found.is_direct:  # told only with im:history, which the app does not ask
        return False
    return core.identity.bot_user in found.members


def _channel_type(core: Core, channel: str) -> str:
    return "group" if core.state.channels[channel].is_private else "channel"


def _is_shared(core: Core, event: dict[str, Any]) -> bool:
    channel = event.get("channel")
    found = core.state.channels.get(channel) if isinstance(channel, str) else None
    return found is not None and found.is_ext_shared

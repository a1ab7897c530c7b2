"""What of a request from Slack is ours, and what is kept of it. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final, assert_never

from bot.slack.intake import Edit, Ignored, Intake, Removal, Reply, Sorted, TicketMessage
from bot.slack.refs import is_ours
from bot.slack.store.inbox import DeliveryKind, Incoming

__all__ = ["COMMAND", "edit_subject", "message_subject", "read_incoming", "removal_subject"]

COMMAND: Final = "/handrail"
_MESSAGES: Final = frozenset({"message", "app_mention"})
_LIFECYCLE: Final = frozenset(
    {
        "app_uninstalled",
        "channel_archive",
        "channel_deleted",
        "channel_left",
        "group_archive",
        "group_deleted",
        "group_left",
        "tokens_revoked",
    }
)
_DROPPED: Final = frozenset({"token", "message", "state"})
"""Not kept of a click: a secret of old, and the message as it was, which decides nothing."""


def read_incoming(
    body: Mapping[str, Any], intake: Intake, *, whole_app: bool
) -> tuple[Incoming, Sorted | None] | None:
    """Return what is to be stored of a request; None where it is not ours.

    With a message comes what it was sorted as. ``whole_app``: the app is ours alone, so its Home
    and what befalls it are ours too; in a team's app they are the team's.
    """
    match body:
        case {"type": "event_callback", "event": dict(event), "event_id": str(event_id)}:
            return _event(event, event_id, intake, whole_app=whole_app)
        case {"type": "block_actions", "actions": [{"action_id": str(name)}, *_]} if is_ours(name):
            return _interaction(DeliveryKind.CLICK, body), None
        case {"type": "view_submission", "view": {"callback_id": str(name)}} if is_ours(name):
            return _interaction(DeliveryKind.SUBMISSION, intake.kept_form(body)), None
        case {"type": "message_action" | "shortcut", "callback_id": str(name)} if is_ours(name):
            return _interaction(DeliveryKind.SHORTCUT, body), None
        case {"command": str(name)} if name == COMMAND:
            return _interaction(DeliveryKind.COMMAND, body), None
        case _:
            return None


def message_subject(channel: str, ts: str) -> str:
    """Name a message: the events that it causes are about the same."""
    return f"message:{channel}:{ts}"


def edit_subject(channel: str, ts: str, at: str) -> str:
    """Name one edit of a message."""
    return f"edit:{channel}:{ts}:{at}"


def removal_subject(channel: str, ts: str) -> str:
    """Name the removal of a message."""
    return f"removal:{channel}:{ts}"


def _event(
    event: Mapping[str, Any], event_id: str, intake: Intake, *, whole_app: bool
) -> tuple[Incoming, Sorted | None] | None:
    kind = event.get("type")
    if kind in _MESSAGES:
        return _message(event, event_id, intake)
    if whole_app and kind == "app_home_opened":
        return _plain(DeliveryKind.HOME, event_id, event), None
    if whole_app and kind in _LIFECYCLE:
        return _plain(DeliveryKind.LIFECYCLE, event_id, event), None
    return None


def _message(
    event: Mapping[str, Any], event_id: str, intake: Intake
) -> tuple[Incoming, Sorted] | None:
    found = intake.sort(event)
    match found:
        case Ignored():
            return None
        case TicketMessage() | Reply():
            subject = message_subject(found.channel, found.ts)
        case Edit():
            subject = edit_subject(found.channel, found.ts, found.at or event_id)
        case Removal():
            subject = removal_subject(found.channel, found.ts)
        case _:
            assert_never(found)
    incoming = Incoming(
        kind=DeliveryKind.MESSAGE,
        key=event_id,
        subject=subject,
        payload=intake.kept(event, found),
    )
    return incoming, found


def _plain(kind: DeliveryKind, key: str, payload: Mapping[str, Any]) -> Incoming:
    return Incoming(kind=kind, key=key, subject=None, payload=dict(payload))


def _interaction(kind: DeliveryKind, body: Mapping[str, Any]) -> Incoming:
    """Name an interaction by its trigger, which is another one for each press."""
    trigger = body.get("trigger_id")
    if not isinstance(trigger, str) or not trigger:
        trigger = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
    payload = {name: value for name, value in body.items() if name not in _DROPPED}
    return _plain(kind, f"{kind.value}:{trigger}", payload)

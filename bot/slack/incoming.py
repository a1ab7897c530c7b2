"""What of a request from Slack is ours, and what is kept of it. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any, Final, assert_never

from bot.slack.intake import (
    Edit,
    Ignored,
    Intake,
    Misfit,
    Removal,
    Reply,
    Sorted,
    TicketMessage,
    Unread,
)
from bot.slack.lifecycle import LIFECYCLE
from bot.slack.refs import is_ours
from bot.slack.shapes import (
    Command,
    Event,
    HomeOpened,
    MessageAction,
    Posted,
    Pressed,
    Shape,
    Shortcut,
    Submission,
    check,
)
from bot.slack.store.inbox import DeliveryKind, Incoming

__all__ = ["COMMAND", "edit_subject", "message_subject", "read_incoming", "removal_subject"]

COMMAND: Final = "/handrail"
_MESSAGES: Final = frozenset({"message", "app_mention"})
_DROPPED: Final = frozenset({"token", "message", "state"})
"""Not kept of a click: a secret of old, and the message as it was, which decides nothing."""


def read_incoming(
    body: Mapping[str, Any], intake: Intake, *, whole_app: bool
) -> tuple[Incoming, Sorted | None] | None:
    """Return what is to be stored of a request; None where it is not ours.

    With a message comes what it was sorted as. ``whole_app``: the app is ours alone, so its Home
    and what befalls it are ours too; in a team's app they are the team's.

    Raises:
        WrongShape: it is ours, and not as Slack documents it.
    """
    match body:
        case {"type": "event_callback", "event": dict(event)}:
            return _event(body, event, intake, whole_app=whole_app)
        case {"type": "block_actions", "actions": [{"action_id": str(name)}, *_]} if is_ours(name):
            return _interaction(DeliveryKind.CLICK, Pressed, body), None
        case {"type": "view_submission", "view": {"callback_id": str(name)}} if is_ours(name):
            return _interaction(DeliveryKind.SUBMISSION, Submission, body, intake.kept_form), None
        case {"type": "message_action", "callback_id": str(name)} if is_ours(name):
            return _interaction(DeliveryKind.SHORTCUT, MessageAction, body), None
        case {"type": "shortcut", "callback_id": str(name)} if is_ours(name):
            return _interaction(DeliveryKind.SHORTCUT, Shortcut, body), None
        case {"command": str(name)} if name == COMMAND:
            return _interaction(DeliveryKind.COMMAND, Command, body), None
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
    body: Mapping[str, Any], event: Mapping[str, Any], intake: Intake, *, whole_app: bool
) -> tuple[Incoming, Sorted | None] | None:
    match event.get("type"):
        case str(kind) if kind in _MESSAGES and not intake.is_elsewhere(event):
            return _message(_event_id(body, kind), event, intake)
        case "app_home_opened" if whole_app:
            check(HomeOpened, event, DeliveryKind.HOME)
            return _plain(DeliveryKind.HOME, _event_id(body, "home"), event), None
        case str(kind) if whole_app and kind in LIFECYCLE and intake.is_hit_by(event):
            return _plain(DeliveryKind.LIFECYCLE, _event_id(body, kind), event), None
        case _:
            return None


def _event_id(body: Mapping[str, Any], kind: str) -> str:
    check(Event, body, kind)
    return str(body["event_id"])


def _message(
    event_id: str, event: Mapping[str, Any], intake: Intake
) -> tuple[Incoming, Sorted] | None:
    check(Posted, event, DeliveryKind.MESSAGE)
    found = intake.sort(event)
    match found:
        case Ignored():
            return None
        case TicketMessage() | Reply() | Unread() | Misfit():
            subject = message_subject(found.channel, found.ts)
        case Edit():
            subject = edit_subject(found.channel, found.ts, found.at)
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


def _interaction(
    kind: DeliveryKind,
    shape: type[Shape],
    body: Mapping[str, Any],
    kept: Callable[[Mapping[str, Any]], Mapping[str, Any]] = dict,
) -> Incoming:
    """Name an interaction by its trigger, which is another one for each press."""
    check(shape, body, kind)
    trigger = body.get("trigger_id")
    if not trigger:
        trigger = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
    payload = {name: value for name, value in kept(body).items() if name not in _DROPPED}
    return _plain(kind, f"{kind.value}:{trigger}", payload)

"""What somebody did with a button or a form, read from what the gate stored. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bot.slack.refs import TicketRef, is_from_home, submitted
from bot.slack.store.inbox import Delivery, DeliveryKind

__all__ = ["Press", "press_of", "read_press"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Press:
    """A button that was pressed, a form that was sent, or the shortcut on a message.

    Attributes:
        name: the button's action id or the form's callback id.
        value: the ids that it carries back.
        user_id: who. What they may do is looked up, never read from here.
        channel, thread_ts: where the button stood, to answer there and for nothing else; None for
            a form and for App Home.
        fields: what was typed or chosen in the form.
        home: the button stood in App Home, or the form was opened there.
    """

    name: str
    value: str
    user_id: str
    channel: str | None = None
    thread_ts: str | None = None
    fields: Mapping[str, str] = field(default_factory=dict)
    is_form: bool = False
    home: bool = False


def read_press(delivery: Delivery) -> Press | None:
    """Return the press of a stored delivery; None where Slack sent something else."""
    if delivery.kind not in (DeliveryKind.CLICK, DeliveryKind.SUBMISSION):
        return None
    return press_of(delivery.payload)


def press_of(body: Mapping[str, Any]) -> Press | None:
    """Return the press that a request of Slack is; None where it is something else."""
    match body:
        case {
            "type": "block_actions",
            "user": {"id": str(user_id)},
            "actions": [{"action_id": str(name), **action}, *_],
        }:
            where = body.get("container") or {}
            channel = where.get("channel_id") or (body.get("channel") or {}).get("id")
            shown = body.get("view") or {}
            return Press(
                name=name,
                value=str(action.get("value") or ""),
                user_id=user_id,
                channel=channel,
                thread_ts=where.get("thread_ts") or where.get("message_ts"),
                home=shown.get("type") == "home",
            )
        case {
            "type": "view_submission",
            "user": {"id": str(user_id)},
            "view": {"callback_id": str(name), **form},
        }:
            value = str(form.get("private_metadata") or "")
            return Press(
                name=name,
                value=value,
                user_id=user_id,
                fields=submitted(body["view"]),
                is_form=True,
                home=is_from_home(value),
            )
        case {
            "type": "message_action",
            "user": {"id": str(user_id)},
            "callback_id": str(name),
            "channel": {"id": str(channel)},
            "message": {"ts": str(ts), **message},
        }:
            return Press(
                name=name,
                value=str(TicketRef(channel=channel, ts=ts)),
                user_id=user_id,
                channel=channel,
                thread_ts=str(message.get("thread_ts") or ts),
            )
        case _:
            return None

"""The app manifest that Slack creates the app from, with no scope that nothing needs.

``doctor`` reads :data:`SCOPES` too, to name the line that is missing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from bot.slack.lifecycle import LIFECYCLE
from bot.slack.refs import CallbackId

__all__ = ["COMMAND", "EVENTS", "SCOPES", "manifest", "manifest_line", "manifest_text"]

COMMAND: Final = "/handrail"
SCOPES: Final[Mapping[str, str]] = {
    "channels:history": "tickets in public channels, and catching up after a gap",
    "channels:read": "doctor checks that the bot is in its channels",
    "chat:write": "threads, drafts and cards",
    "commands": "the command, and the shortcut on a message",
    "files:read": "the names of files that came with a ticket",
    "groups:history": "tickets in private channels, and catching up after a gap",
    "groups:read": "doctor checks that the bot is in its channels",
    "metadata.message:read": "a post whose answer was lost is found by its key",
    "usergroups:read": "roles that are given to user groups",
    "users:read": "guests, outsiders and bots are told from members",
}
"""Each scope of the bot token, with what it is for."""
EVENTS: Final = tuple(sorted(("app_home_opened", "message.channels", "message.groups", *LIFECYCLE)))
"""The events that the bot subscribes to. A mention in a channel is a message of that channel."""
_ABOUT: Final = (
    "Answers support tickets in their threads and changes nothing without a person's signature."
)
_MORE: Final = (
    "Handrail drafts answers to support tickets. A language model works on each ticket inside a"
    " loop that always ends, for one named reason. Drafts are for your agents; nobody but them"
    " sends anything. A change to an order or a payment is only proposed, as a card with Approve"
    " and Reject, and what was approved is done once."
)


def manifest(
    *, name: str = "Handrail", socket_mode: bool = True, request_url: str | None = None
) -> dict[str, Any]:
    """Return the manifest as JSON values.

    Args:
        name: at most 35 characters.
        socket_mode: Slack's deliveries come over a web socket, and no address is needed.
        request_url: where Slack delivers over HTTP; needed without socket mode.

    Raises:
        ValueError: the name is too long, or the address is missing or is not https.
    """
    if not 1 <= len(name) <= _MAX_NAME:
        raise ValueError(f"an app's name has 1 to {_MAX_NAME} characters")
    if not socket_mode and not (request_url or "").startswith("https://"):
        raise ValueError("without socket mode Slack needs an https address to deliver to")
    url = {} if socket_mode else {"request_url": request_url}
    return {
        "display_information": {
            "name": name,
            "description": _ABOUT,
            "long_description": _MORE,
            "background_color": "#1f3b4d",
        },
        "features": {
            "app_home": {
                "home_tab_enabled": True,
                "messages_tab_enabled": True,  # without it Slack refuses our direct messages
                "messages_tab_read_only_enabled": True,
            },
            "bot_user": {"display_name": name, "always_online": False},
            "shortcuts": [_shortcut()],
            "slash_commands": [_command(url)],
        },
        "oauth_config": {"scopes": {"bot": list(SCOPES)}},
        "settings": {
            "event_subscriptions": {**url, "bot_events": list(EVENTS)},
            "interactivity": {**url, "is_enabled": True},
            "org_deploy_enabled": False,
            "socket_mode_enabled": socket_mode,
            # Rotated tokens last 12 hours, and a bot that was off for longer could not come back.
            "token_rotation_enabled": False,
        },
    }


def manifest_text(value: Mapping[str, Any]) -> str:
    """Return a manifest as ``handrail manifest`` prints it."""
    return json.dumps(value, indent=2, ensure_ascii=False)


def manifest_line(scope: str) -> int | None:
    """Return the line of the printed manifest that asks for a scope; None where none does.

    Of the manifest for Socket Mode; with an address of its own each line stands one lower.
    """
    lines = manifest_text(manifest()).splitlines()
    return next((n for n, line in enumerate(lines, 1) if line.strip(' ",') == scope), None)


_MAX_NAME: Final = 35


def _shortcut() -> dict[str, Any]:
    return {
        "name": "Triage this",
        "type": "message",
        "callback_id": CallbackId.TRIAGE.value,
        "description": "Start a run for the ticket in this message",
    }


def _command(url: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "command": COMMAND,
        "description": "What waits, how it goes, pause and resume",
        "usage_hint": "waiting | status | show P-… | pause | resume | letters | retry | discard",
        "should_escape": False,
        **({"url": url["request_url"]} if url else {}),
    }

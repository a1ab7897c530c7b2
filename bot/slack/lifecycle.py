"""What befalls the app and its channels: the events that tell of it, and what follows from each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["LIFECYCLE", "MEMBER_LEFT"]

MEMBER_LEFT: Final = "member_left_channel"
"""Somebody left a channel or was removed, which may be the bot."""
LIFECYCLE: Final[Mapping[str, str]] = {
    "app_uninstalled": "account_inactive",
    "channel_archive": "is_archived",
    "channel_deleted": "channel_not_found",
    "channel_left": "not_in_channel",
    "group_archive": "is_archived",
    "group_deleted": "channel_not_found",
    "group_left": "not_in_channel",
    MEMBER_LEFT: "not_in_channel",
    "tokens_revoked": "token_revoked",
}
"""Each event that the manifest subscribes to and the gate takes, with the code by which Slack
refuses our calls from then on: ``bot.slack.remedies`` says what to do about it."""

"""The channels: is the bot in each, and may it post there?"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from bot.doctor.findings import Finding, fine, problem, warning
from bot.doctor.tokens import failed
from bot.slack.calls import Calls, Took
from bot.slack.remedies import remedy
from bot.texts import shortened

__all__ = ["check_channels"]

MAX_NAME = 80
"""Characters of a channel's name (docs.slack.dev, conversations.create)."""


def check_channels(calls: Calls, channels: Collection[str]) -> Iterator[Finding]:
    """Ask Slack about each channel of the settings."""
    for channel in sorted(channels):
        yield from _check(calls, channel)


def _check(calls: Calls, channel_id: str) -> Iterator[Finding]:
    answer = calls.read("conversations.info", channel=channel_id)
    if not isinstance(answer, Took):
        yield failed("channels", "conversations.info", answer, about=channel_id)
        return
    about = answer.data["channel"]
    name = f"#{shortened(str(about.get('name', '')), MAX_NAME)} ({channel_id})"
    if about.get("is_archived"):
        yield problem("channels", f"{name} is archived", remedy("is_archived"))
    elif not about.get("is_member"):
        yield problem("channels", f"the bot is not in {name}", remedy("not_in_channel"))
    else:
        yield fine("channels", f"the bot is in {name}")
    if about.get("is_ext_shared"):
        yield warning(
            "channels",
            f"{name} is shared with another company, whose people see drafts and cards",
            "use a channel of your own; their messages are no tickets",
        )

"""The bot in Slack: what comes in, what is decided, and what is posted."""

from __future__ import annotations

from bot.slack.store.schema import SLACK_MIGRATIONS

__all__ = ["SLACK_MIGRATIONS"]

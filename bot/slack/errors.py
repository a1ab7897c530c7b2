"""Errors of the bot in Slack.

BotError
  PersonUnavailable  Slack could not say who somebody is, so they decide nothing
  PressRefused       a button or form does nothing here, for a reason that the presser is told
"""

from __future__ import annotations

from bot.errors import BotError

__all__ = ["PersonUnavailable", "PressRefused"]


class PersonUnavailable(BotError):
    """Slack could not say who somebody is. Nothing was changed; it may be tried again."""

    def __init__(self, user_id: str, code: str) -> None:
        super().__init__(
            f"Slack could not say who {user_id} is ({code}), so nothing was changed",
            hint="press again; handrail doctor checks the app's scopes",
        )


class PressRefused(BotError):
    """What a press asks for does not happen. The message is for the person, as it stands."""

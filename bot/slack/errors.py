"""Errors of the bot in Slack.

BotError
  PersonUnavailable  Slack could not say who somebody is, so they decide nothing
  MessageUnavailable Slack could not say what a message is, so it waits
  LeftOut            the rest of a channel cannot be read for now
  ThreadGone         the message whose thread was to be read is not there
  PressRefused       a button or form does nothing here, for a reason that the presser is told
  HomeNotShown       Slack did not take App Home for now
  AppRefused         the app cannot be attached to
  SlackUnreachable   Slack did not answer, or does not know our token
  WrongShape         a delivery is not of the shape that Slack documents
"""

from __future__ import annotations

from bot.errors import BotError

__all__ = [
    "AppRefused",
    "HomeNotShown",
    "LeftOut",
    "MessageUnavailable",
    "PersonUnavailable",
    "PressRefused",
    "SlackUnreachable",
    "ThreadGone",
    "WrongShape",
]


class PersonUnavailable(BotError):
    """Slack could not say who somebody is. Nothing was changed; it may be tried again.

    ``code`` is Slack's name for why, or says what became of the call.
    """

    def __init__(self, user_id: str, code: str) -> None:
        self.code = code
        super().__init__(
            f"Slack could not say who {user_id} is ({code}), so nothing was changed",
            hint="press again; handrail doctor checks the app's scopes",
        )


class MessageUnavailable(BotError):
    """Slack could not say what a message is. Nothing was changed; it may be tried again.

    ``code`` is Slack's name for why, or says what became of the call.
    """

    def __init__(self, channel: str, code: str) -> None:
        self.code = code
        super().__init__(
            f"Slack could not say what a message of {channel} is ({code}), so nothing was changed",
            hint="try again; handrail doctor checks the app's scopes and channels",
        )


class LeftOut(BotError):
    """The rest of a channel cannot be read for now. It was told why, and it is read again."""

    def __init__(self, channel: str) -> None:
        super().__init__(f"not all of {channel} was read", hint="nothing: it is tried again")


class ThreadGone(BotError):
    """The message whose thread was to be read is not there any more."""

    def __init__(self, channel: str) -> None:
        super().__init__(f"a message of {channel} is gone", hint="nothing: its ticket ends")


class PressRefused(BotError):
    """What a press asks for does not happen. The message is for the person, as it stands."""


class HomeNotShown(BotError):
    """Slack did not take App Home for now; it may be tried again."""


class SlackUnreachable(BotError):
    """Slack did not answer, or does not know our token.

    ``code`` is Slack's name for why; ``told`` says it where there was no answer; ``passes`` says
    that it may be over by itself, not before ``wait_s`` seconds.
    """

    def __init__(
        self,
        method: str,
        code: str,
        *,
        told: str = "",
        hint: str = "",
        passes: bool = False,
        wait_s: float = 0.0,
    ) -> None:
        super().__init__(
            told or f"Slack did not let us in: {method} came to {code}",
            hint=hint or "check the tokens with handrail doctor",
        )
        self.code = code
        self.passes = passes
        self.wait_s = wait_s


class AppRefused(BotError):
    """The app cannot be attached to: it is an ``AsyncApp``, or has no bot token of its own."""


class WrongShape(BotError):
    """Something that came as Slack's is not of the shape that Slack documents. It is not taken.

    The message names the kind of thing and the field, and nothing of what it holds.
    """

    def __init__(self, kind: str, field: str) -> None:
        what = f"{field} of a {kind}" if field else f"a {kind}"
        super().__init__(
            f"{what} is not as Slack documents it",
            hint="if it is Slack's, a newer handrail may know it",
        )

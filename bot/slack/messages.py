"""Reading one message of a channel as it stands, with its metadata."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, assert_never

from bot.slack.calls import Calls, Limited, Lost, Refused, Took
from bot.slack.errors import MessageUnavailable
from bot.slack.remedies import remedy
from bot.slack.shapes import Message, check
from bot.slack.troubles import Troubles

__all__ = ["Messages", "unread"]

_METHOD: Final = "conversations.history"


class Messages:
    """Reads messages of channels; replies of threads are not among them.

    Args:
        calls: the Web API.
        troubles: told of a channel that cannot be read.
    """

    def __init__(self, calls: Calls, troubles: Troubles) -> None:
        self._calls = calls
        self._troubles = troubles

    def read(self, channel: str, ts: str) -> Mapping[str, Any] | None:
        """Return a message; None where it is gone, or is a reply.

        Raises:
            MessageUnavailable: Slack did not say.
            WrongShape: it is not as Slack documents messages.
        """
        answer = self._calls.read(
            _METHOD,
            channel=channel,
            latest=ts,
            oldest=ts,
            inclusive=True,
            limit=1,
            include_all_metadata=True,
        )
        match answer:
            case Took(data=data):
                self._troubles.over(unread(channel))
                return _found(data["messages"], ts)
            case Refused(code=code, needed=needed):
                to_do = remedy(code, needed)
            case Limited():
                code, to_do = "429", "nothing: it is tried again"
            case Lost(code=code):
                to_do = "nothing: it is tried again"
            case never:
                assert_never(never)
        told = "%s of %s came to %s. To do: %s"
        self._troubles.tell(unread(channel), told, _METHOD, channel, code, to_do)
        raise MessageUnavailable(channel, code)


def _found(messages: Sequence[Mapping[str, Any]], ts: str) -> Mapping[str, Any] | None:
    for message in messages:
        check(Message, message, "message")
        if message["ts"] == ts:
            return message
    return None


def unread(channel: str) -> str:
    """Name the trouble that a channel cannot be read."""
    return f"{channel} cannot be read"

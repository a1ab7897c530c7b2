"""Reading one message of a channel as it stands, with its metadata."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from bot.slack.calls import Calls, Took
from bot.slack.errors import MessageUnavailable
from bot.slack.remedies import told_of
from bot.slack.shapes import Message, check
from bot.slack.troubles import Troubles, unread

__all__ = ["Messages"]

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
        trouble = unread(channel)
        if isinstance(answer, Took):
            self._troubles.over(trouble)
            return _found(answer.data["messages"], ts)
        told, to_do = told_of(_METHOD, answer)
        self._troubles.tell(trouble, "%s (%s). To do: %s", trouble, told, to_do)
        raise MessageUnavailable(channel, told)


def _found(messages: Sequence[Mapping[str, Any]], ts: str) -> Mapping[str, Any] | None:
    for message in messages:
        check(Message, message, "message")
        if message["ts"] == ts:
            return message
    return None

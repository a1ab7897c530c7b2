"""Reading channels and threads page by page, and saying once what cannot be read."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

from bot.slack.calls import Calls, Failure, Refused, Took
from bot.slack.errors import LeftOut, ThreadGone, WrongShape
from bot.slack.remedies import Course, course_of, told_of
from bot.slack.shapes import Message, check
from bot.slack.troubles import Troubles, unread

__all__ = ["CaughtUp", "Page", "Pages", "Reads"]

PAGE: Final = 200
MOST_PAGES: Final = 20
_GONE: Final = frozenset({"thread_not_found", "message_not_found"})
_FOR_ALL: Final = (Course.AWAIT_APP, Course.AWAIT_METHOD)
_log: Final = logging.getLogger("handrail.slack")


@dataclass(slots=True, kw_only=True)
class CaughtUp:
    """What was read.

    Attributes:
        found: how much of it was new to us.
        whole: every channel was read to the end; else the reading is to go on.
        stopped: Slack answered so that the rest was not asked for.
    """

    found: int = 0
    whole: bool = True
    stopped: bool = False


class Reads(Protocol):
    """Reads what was missed, and never raises: ``CatchUp.run``."""

    def __call__(self, *, afresh: bool) -> CaughtUp:
        """Read every channel; or not ``afresh``, what the last reading left."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page of messages. ``more``: there are others behind it."""

    messages: tuple[Mapping[str, Any], ...]
    more: bool


class Pages:
    """Reads messages.

    Args:
        calls: the Web API.
        troubles: told of what cannot be read.
    """

    def __init__(self, calls: Calls, troubles: Troubles) -> None:
        self._calls = calls
        self._troubles = troubles

    def read(
        self, method: str, args: Mapping[str, Any], read: CaughtUp
    ) -> Iterator[Mapping[str, Any]]:
        """Yield the messages of what ``pages`` yields. Raises the same."""
        more = False
        for page in self.pages(method, args, read):
            yield from page.messages
            more = page.more
        if more:
            _log.warning("%s of %s holds more than was read", method, args["channel"])

    def pages(self, method: str, args: Mapping[str, Any], read: CaughtUp) -> Iterator[Page]:
        """Yield at most ``MOST_PAGES`` pages of messages, with their metadata.

        Where the last of them has ``more``, the reading was cut.

        Raises:
            LeftOut: Slack did not give the rest.
            ThreadGone: there is no such thread.
        """
        cursor: dict[str, Any] = {}
        for _ in range(MOST_PAGES):
            answer = self._page(method, {**args, "limit": PAGE, **cursor}, read)
            following = (answer.data.get("response_metadata") or {}).get("next_cursor")
            sound = self._sound(args["channel"], answer)
            yield Page(messages=tuple(sound), more=bool(following))
            if not following:
                return
            cursor = {"cursor": following}

    def newest(self, channel: str, read: CaughtUp) -> str | None:
        """Return the time stamp of a channel's newest message; None where it has none.

        Raises:
            LeftOut: Slack did not say.
        """
        answer = self._page("conversations.history", {"channel": channel, "limit": 1}, read)
        return next((str(each["ts"]) for each in self._sound(channel, answer)), None)

    def _page(self, method: str, args: Mapping[str, Any], read: CaughtUp) -> Took:
        if read.stopped:
            raise LeftOut(args["channel"])
        answer = self._calls.read(method, **args, include_all_metadata=True)
        match answer:
            case Took():
                self._troubles.over(unread(args["channel"]))
                return answer
            case Refused(code=code) if code in _GONE:
                raise ThreadGone(args["channel"])
            case _:
                self._fail(method, args["channel"], answer, read)
                raise LeftOut(args["channel"])

    def _sound(self, channel: str, answer: Took) -> list[Mapping[str, Any]]:
        """Return the messages that are as Slack documents them; of the others the log is told."""
        sound: list[Mapping[str, Any]] = []
        for message in answer.data["messages"]:
            try:
                check(Message, message, "message")
            except WrongShape as error:
                self._troubles.tell(
                    f"{channel}: {error}", "a message in %s is not read: %s", channel, error
                )
            else:
                sound.append(message)
        return sound

    def _fail(self, method: str, channel: str, answer: Failure, read: CaughtUp) -> None:
        """Say what could not be read. What concerns more than this channel ends it all."""
        read.stopped = not isinstance(answer, Refused) or course_of(answer.code) in _FOR_ALL
        told, to_do = told_of(method, answer)
        trouble = unread(channel)
        self._troubles.tell(trouble, "%s (%s). To do: %s", trouble, told, to_do)

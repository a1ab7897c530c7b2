"""A post: what is to be said, where, and how it stands as a row of the outbox."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from bot.slack.views import Message

__all__ = [
    "METADATA_TYPE",
    "Method",
    "Post",
    "PostRow",
    "PostState",
    "Priority",
    "edit_of",
    "message_post",
    "private_answer",
]

METADATA_TYPE: Final = "handrail"
"""The event type of our messages' metadata; its payload holds the key and nothing else."""


class Method(StrEnum):
    """The methods of the Web API that go through the outbox."""

    POST = "chat.postMessage"
    UPDATE = "chat.update"
    EPHEMERAL = "chat.postEphemeral"
    DELETE = "chat.delete"


class Priority:
    """What goes first where Slack lets us send one at a time. Higher is earlier."""

    PROGRESS: Final = 0
    NOTE: Final = 5
    FINAL: Final = 9
    ANSWER: Final = 10
    """To somebody who has just pressed a button."""


class PostState(StrEnum):
    """Where a row stands."""

    READY = "ready"
    SENDING = "sending"
    SENT = "sent"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """Something to be posted.

    Attributes:
        key: names it for ever; a second one with the same key is not stored.
        payload: the method's arguments, place and metadata apart.
        target_key: for an edit, the key of the row whose message is changed.
        stream: names the thing that this is one state of; of what is not sent of it by the same
            method, only the newest is worth sending.
    """

    channel: str
    key: str
    payload: Mapping[str, Any]
    thread_ts: str | None = None
    method: Method = Method.POST
    target_key: str | None = None
    stream: str | None = None
    priority: int = Priority.NOTE


@dataclass(frozen=True, slots=True, kw_only=True)
class PostRow:
    """A stored post. ``attempts`` counts those that were begun, ``ts`` is set once it is sent.

    ``target_ts`` names the message that an edit changes; None while that is not posted.
    """

    outbox_id: int
    channel: str
    thread_ts: str | None
    method: Method
    payload: Mapping[str, Any] = field(repr=False)
    key: str
    target_key: str | None
    target_ts: str | None
    state: PostState
    ts: str | None
    attempts: int
    next_at_us: int
    error: str | None
    priority: int

    @property
    def in_doubt(self) -> bool:
        """Whether it may have been posted although no answer came."""
        return self.state is PostState.SENDING

    @property
    def is_direct(self) -> bool:
        """Whether it goes to one person directly, and not into a channel."""
        return not self.channel.startswith(("C", "G"))


def message_post(
    message: Message,
    *,
    channel: str,
    thread_ts: str | None,
    key: str,
    stream: str | None = None,
    priority: int = Priority.NOTE,
) -> Post:
    """Return the post of a new message; without a thread it stands in the channel itself."""
    return Post(
        channel=channel,
        thread_ts=thread_ts,
        key=key,
        payload=message.payload(),
        stream=stream,
        priority=priority,
    )


def edit_of(
    message: Message, *, channel: str, target_key: str, key: str, priority: int = Priority.NOTE
) -> Post:
    """Return the post that changes an earlier one, in place. The earlier one names the stream."""
    return Post(
        channel=channel,
        key=key,
        payload=message.payload(),
        method=Method.UPDATE,
        target_key=target_key,
        stream=target_key,
        priority=priority,
    )


def private_answer(
    message: Message, *, channel: str, thread_ts: str | None, user_id: str, key: str
) -> Post:
    """Return an answer that one person sees, in a channel that they are in."""
    return Post(
        channel=channel,
        thread_ts=thread_ts,
        key=key,
        payload=message.payload() | {"user": user_id},
        method=Method.EPHEMERAL,
        priority=Priority.ANSWER,
    )

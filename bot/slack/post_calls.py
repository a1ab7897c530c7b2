"""A row of the outbox as a call of the Web API, and what is tried in place of one refused."""

from __future__ import annotations

from typing import Any, Final, assert_never

from bot.slack.store.cards import card_key
from bot.slack.store.posts import METADATA_TYPE, Method, Post, PostRow
from bot.slack.store.threads import gave_up_key, status_key

__all__ = ["arguments_of", "instead_of", "is_to_come_back"]

_UNSHOWABLE: Final = frozenset({"invalid_blocks", "msg_blocks_too_long"})
_NEEDED: Final = (card_key(""), status_key(""), gave_up_key(""))
_NOT_HERE: Final = frozenset(
    {"channel_not_found", "is_archived", "not_in_channel", "user_not_in_channel"}
)


def arguments_of(row: PostRow) -> dict[str, Any]:
    """Return the arguments of the call. The key goes into the metadata of what is looked up."""
    args: dict[str, Any] = {"channel": row.channel, **row.payload}
    match row.method:
        case Method.POST:
            args["metadata"] = _metadata(row.key)
        case Method.UPDATE:
            args["metadata"] = _metadata(row.target_key or row.key)
            args["ts"] = row.target_ts
            return args
        case Method.EPHEMERAL:
            pass
        case Method.DELETE:
            return args
        case never:
            assert_never(never)
    if row.thread_ts is not None:
        args["thread_ts"] = row.thread_ts
    return args


def is_to_come_back(row: PostRow, code: str) -> bool:
    """Whether an edit found its message deleted, and that is one that people need.

    A card is where a decision is made, a status where a run is stopped, what is told of a run that
    was given up where it is retried. A draft that somebody took away stays away.
    """
    needed = (row.target_key or "").startswith(_NEEDED)
    return row.method is Method.UPDATE and code == "message_not_found" and needed


def _metadata(key: str) -> dict[str, Any]:
    return {"event_type": METADATA_TYPE, "event_payload": {"key": key}}


def instead_of(row: PostRow, code: str) -> Post | None:
    """Return what is still worth a try: the plain text of blocks, a direct message to a person."""
    if code in _UNSHOWABLE and row.payload.get("blocks"):
        return Post(
            channel=row.channel,
            thread_ts=row.thread_ts,
            key=f"{row.key}:plain",
            payload={name: value for name, value in row.payload.items() if name != "blocks"},
            method=row.method if row.method is Method.EPHEMERAL else Method.POST,
            priority=row.priority,
        )
    if code in _NOT_HERE and row.method is Method.EPHEMERAL:
        payload = dict(row.payload)
        user_id = str(payload.pop("user"))
        key = f"{row.key}:direct"
        return Post(channel=user_id, key=key, payload=payload, priority=row.priority)
    return None

"""A message and its two forms: the object of the Web API and the inner event of the Events API."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Message", "escaped", "typed"]

TOKEN = re.compile(
    r"(?P<url>https?://[^\s<>|]+)"
    r"|(?P<mail>(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+)"
    r"|@(?P<name>[\w.-]*\w)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One version of a message: an edit makes a new one, so a kept value is an old screen.

    ``ephemeral_to`` names the only reader of an ephemeral message, which no history holds.
    """

    channel: str
    ts: str
    text: str = ""
    user: str | None = None
    thread_ts: str | None = None
    subtype: str | None = None
    blocks: tuple[dict[str, Any], ...] = ()
    attachments: tuple[dict[str, Any], ...] = ()
    files: tuple[dict[str, Any], ...] = ()
    metadata: dict[str, Any] | None = None
    bot_id: str | None = None
    app_id: str | None = None
    workflow_id: str | None = None
    username: str | None = None
    edited_by: str | None = None
    edited_ts: str | None = None
    reactions: tuple[tuple[str, str], ...] = ()
    ephemeral_to: str | None = None
    hidden: bool = False

    @property
    def root(self) -> str:
        """The time stamp that a reply to this message names."""
        return self.thread_ts or self.ts

    @property
    def is_reply(self) -> bool:
        """Whether it stands in a thread below another message."""
        return self.thread_ts is not None and self.thread_ts != self.ts

    @property
    def in_channel(self) -> bool:
        """Whether the channel itself shows it: no reply, or one that was also sent there."""
        return not self.is_reply or self.subtype == "thread_broadcast"

    def form(
        self, *, team_id: str, replies: Sequence[Message] = (), with_metadata: bool = False
    ) -> dict[str, Any]:
        """Return the message object; a root with replies carries their count."""
        body: dict[str, Any] = {"type": "message", "ts": self.ts, "text": self.text}
        optional: dict[str, Any] = {
            "subtype": self.subtype,
            "user": self.user,
            "team": team_id if self.user else None,
            "bot_id": self.bot_id,
            "app_id": self.app_id,
            "workflow_id": self.workflow_id,
            "username": self.username,
            "thread_ts": self.thread_ts,
            "blocks": list(self.blocks),
            "attachments": list(self.attachments),
            "files": list(self.files),
            "hidden": self.hidden,
            "metadata": self._metadata_form(whole=with_metadata),
            "reactions": self._reaction_form(),
        }
        body |= {key: value for key, value in optional.items() if value}
        if self.edited_ts:
            body["edited"] = {"user": self.edited_by, "ts": self.edited_ts}
        if replies:
            body |= {
                "thread_ts": self.ts,
                "reply_count": len(replies),
                "reply_users": sorted({reply.user or reply.bot_id or "" for reply in replies}),
                "latest_reply": replies[-1].ts,
            }
        return body

    def _metadata_form(self, *, whole: bool) -> dict[str, Any] | None:
        """Return the metadata; where they are not asked for, their type alone, as Slack does."""
        if self.metadata is None or whole:
            return self.metadata
        return {"event_type": self.metadata["event_type"]}

    def _reaction_form(self) -> list[dict[str, Any]]:
        names = dict.fromkeys(name for name, _ in self.reactions)
        by_name = {name: [who for n, who in self.reactions if n == name] for name in names}
        return [{"name": n, "users": who, "count": len(who)} for n, who in by_name.items()]


def escaped(text: str) -> str:
    """Escape what a person typed, as Slack does: three characters and nothing else."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def typed(text: str, names: Mapping[str, str]) -> str:
    """Turn what a person typed into message text.

    Escapes it and turns addresses, mail addresses and the ``@name`` of a known user into tokens.
    """

    def token(found: re.Match[str]) -> str:
        if url := found["url"]:
            return f"<{url}>"
        if mail := found["mail"]:
            return f"<mailto:{mail}|{mail}>"
        user = names.get(found["name"])
        return f"<@{user}>" if user else found[0]

    return TOKEN.sub(token, escaped(text))

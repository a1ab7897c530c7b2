"""Who looks at the page, what stands ready for them, and what the app offers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["NewTicket", "Offers"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTicket:
    """What the box "New ticket" starts with: a channel's id, and a message to change and post."""

    channel: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Offers:
    """What the app's manifest makes Slack show: commands with their hints, message shortcuts."""

    commands: tuple[dict[str, str], ...]
    shortcuts: tuple[dict[str, str], ...]

    @classmethod
    def of(cls, manifest: Mapping[str, Any]) -> Offers:
        """Read them from an app manifest."""
        features = manifest.get("features", {})
        return cls(
            commands=tuple(
                {
                    "name": str(each["command"]),
                    "about": str(each.get("description", "")),
                    "hint": str(each.get("usage_hint", "")),
                }
                for each in features.get("slash_commands", ())
            ),
            shortcuts=tuple(
                {"id": str(each["callback_id"]), "name": str(each["name"])}
                for each in features.get("shortcuts", ())
                if each.get("type") == "message"
            ),
        )

"""Views: the forms that open over Slack, and each person's App Home."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["INPUT_TYPES", "View", "fields_of"]

INPUT_TYPES = frozenset(
    """checkboxes conversations_select channels_select datepicker datetimepicker email_text_input
    external_select multi_static_select multi_users_select number_input plain_text_input
    radio_buttons rich_text_input static_select timepicker url_text_input users_select""".split()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """One version of a view. ``body`` is what the app sent; ``errors`` are shown at its inputs."""

    id: str
    user: str
    hash: str
    body: dict[str, Any]
    root_id: str
    previous_id: str | None = None
    errors: tuple[tuple[str, str], ...] = ()
    response_target: tuple[str, str] | None = None

    @property
    def blocks(self) -> tuple[dict[str, Any], ...]:
        """The blocks that it shows."""
        return tuple(self.body.get("blocks") or ())

    @property
    def callback_id(self) -> str:
        """The app's name for this kind of view."""
        return str(self.body.get("callback_id") or "")

    @property
    def is_home(self) -> bool:
        """Whether it is an App Home."""
        return self.body.get("type") == "home"

    def form(
        self, *, team_id: str, app_id: str, bot_id: str, values: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """Return the view object; ``values`` are what its inputs hold."""
        body: dict[str, Any] = {
            "id": self.id,
            "team_id": team_id,
            "app_id": app_id,
            "bot_id": bot_id,
            "app_installed_team_id": team_id,
            "type": self.body.get("type"),
            "blocks": list(self.blocks),
            "private_metadata": self.body.get("private_metadata") or "",
            "callback_id": self.callback_id,
            "external_id": self.body.get("external_id") or "",
            "clear_on_close": bool(self.body.get("clear_on_close")),
            "notify_on_close": bool(self.body.get("notify_on_close")),
            "state": {"values": values if values is not None else {}},
            "hash": self.hash,
            "root_view_id": self.root_id,
            "previous_view_id": self.previous_id,
        }
        return body | {part: self.body.get(part) for part in ("title", "submit", "close")}


def fields_of(blocks: tuple[dict[str, Any], ...]) -> list[tuple[str, dict[str, Any], bool]]:
    """Return block id, element and whether it may stay empty, for everything a person can fill."""
    found: list[tuple[str, dict[str, Any], bool]] = []
    for block in blocks:
        name = str(block.get("block_id") or "")
        if block.get("type") == "input":
            found.append((name, block["element"], bool(block.get("optional"))))
            continue
        inside = [*(block.get("elements") or ()), block.get("accessory")]
        found += [
            (name, element, True)
            for element in inside
            if isinstance(element, dict) and element.get("type") in INPUT_TYPES
        ]
    return found

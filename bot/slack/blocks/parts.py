"""The parts that every message and form is made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Any, Final, Literal

from bot.slack.markup import body
from bot.slack.refs import ActionId, CallbackId, LetterRef, ProposalRef, RunRef, TicketRef
from bot.slack.views import Block, View
from bot.slack.words.common import NO_TEXT
from bot.slack.words.forms import CLOSE

__all__ = [
    "Ref",
    "actions",
    "button",
    "confirm",
    "context",
    "divider",
    "header",
    "modal",
    "numbered",
    "plain",
    "quoted",
    "section",
    "text_input",
]

Ref = ProposalRef | RunRef | TicketRef | LetterRef
Style = Literal["primary", "danger"]
_ID_CHARS: Final = 12


def plain(text: str) -> dict[str, Any]:
    """Return a text in which Slack formats nothing. ``text`` is ours, or escaped already."""
    return {"type": "plain_text", "text": text, "emoji": False}


def mrkdwn(text: str) -> dict[str, Any]:
    """Return a text in mrkdwn, made with ``bot.slack.markup``.

    ``verbatim``: bare names and addresses in it are not turned into mentions and links.
    """
    return {"type": "mrkdwn", "text": text, "verbatim": True}


def header(text: str) -> Block:
    """Return a header. ``text`` is ours, or escaped already."""
    return {"type": "header", "text": plain(text)}


def section(text: str) -> Block:
    """Return a paragraph of mrkdwn."""
    return {"type": "section", "text": mrkdwn(text), "expand": True}


def quoted(text: str, most: int) -> Block:
    """Return a raw text of a model or a person, bounded, in which nothing is formatted."""
    return {"type": "section", "text": plain(body(text, most) or NO_TEXT), "expand": True}


def context(*texts: str) -> Block:
    """Return small print in mrkdwn."""
    return {"type": "context", "elements": [mrkdwn(text) for text in texts]}


def divider() -> Block:
    """Return a line between what is apart."""
    return {"type": "divider"}


def actions(buttons: Sequence[dict[str, Any]]) -> Block:
    """Return a row of buttons."""
    return {"type": "actions", "elements": list(buttons)}


def button(
    action: ActionId,
    label: str,
    ref: Ref,
    *,
    style: Style | None = None,
    asks: dict[str, Any] | None = None,
    name: str | None = None,
) -> dict[str, Any]:
    """Return a button; ``asks`` is a confirm dialog, ``name`` the label for screen readers."""
    made: dict[str, Any] = {
        "type": "button",
        "action_id": action.value,
        "text": plain(label),
        "value": str(ref),
    }
    extras = {"style": style, "confirm": asks, "accessibility_label": name}
    return made | {key: value for key, value in extras.items() if value is not None}


def confirm(title: str, text: str, yes: str, no: str, *, danger: bool = False) -> dict[str, Any]:
    """Return the dialog that comes before a click counts. Texts are ours, or escaped already."""
    made = {"title": plain(title), "text": plain(text), "confirm": plain(yes), "deny": plain(no)}
    return made | {"style": "danger" if danger else "primary"}


def text_input(
    field: str,
    label: str,
    *,
    value: str = "",
    hint: str = "",
    most: int | None = None,
    lines: bool = False,
    optional: bool = False,
) -> Block:
    """Return an input. ``value`` is raw: what stands in an input is not markup."""
    element: dict[str, Any] = {"type": "plain_text_input", "action_id": field, "multiline": lines}
    if value:
        element["initial_value"] = value
    if most is not None:
        element["max_length"] = most
    made: Block = {
        "type": "input",
        "block_id": field,
        "label": plain(label),
        "element": element,
        "optional": optional,
    }
    return made | {"hint": plain(hint)} if hint else made


def modal(
    callback: CallbackId, title: str, blocks: Iterable[Block], *, ref: Ref | None, submit: str = ""
) -> View:
    """Return a form; without ``submit`` it only tells."""
    made: View = {
        "type": "modal",
        "callback_id": callback.value,
        "title": plain(title),
        "close": plain(CLOSE),
        "private_metadata": "" if ref is None else str(ref),
        "blocks": list(blocks),
    }
    return made | {"submit": plain(submit)} if submit else made


def numbered(stem: str, blocks: Iterable[Block]) -> tuple[Block, ...]:
    """Give blocks ids of one state of one message, so that no update keeps an older block.

    ``stem`` names that state, and differs from that of every other one.
    """
    start = sha256(stem.encode("utf-8", "replace")).hexdigest()[:_ID_CHARS]
    return tuple(
        {"block_id": f"{start}:{place}", **block} for place, block in enumerate(blocks, start=1)
    )

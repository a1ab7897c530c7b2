"""What is kept of what Slack delivered: of a message what sorting reads, redacted. Pure.

The inbox is on disk before anything else is done with a message, so this is the border for what
people write in Slack: nothing behind it holds a secret that was in a ticket's text, or a card
number that was typed into a form.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from bot.slack.headers import EVENT_TYPE
from bot.slack.plain import attachment_names, message_text
from loop import Redactor

__all__ = ["kept_event", "kept_form"]

_FACTS: Final = (
    *("type", "subtype", "channel", "ts", "thread_ts", "event_ts", "deleted_ts", "hidden"),
    *("user", "bot_id", "app_id", "workflow_id", "edited"),
)
"""Fields of a message that hold no words of people."""
_OF_BOT: Final = ("id", "app_id")
_OF_METADATA: Final = ("ticket_id", "customer_id", "reporter", "text")


def kept_event(event: Mapping[str, Any], ids: Sequence[str], redactor: Redactor) -> dict[str, Any]:
    """Return a message event without what nobody reads, its texts redacted.

    It sorts as the event does. What a message was before a change or a removal is left out: that
    served to see whether the event is ours.

    Args:
        event: a ``message`` or ``app_mention`` event.
        ids: of ticket and customer, as its header has them, in that order. They stay whatever
            they look like: bare digits beside each other can be taken for another number.
        redactor: of the shop's ids.
    """
    kept = _message(event, ids, redactor)
    changed = event.get("message")
    if isinstance(changed, Mapping):
        kept["message"] = _message(changed, ids, redactor)
    return kept


def kept_form(body: Mapping[str, Any], redactor: Redactor) -> dict[str, Any]:
    """Return a submitted form with what people typed redacted."""
    match body.get("view"):
        case {"state": {"values": {**blocks}}, **view}:
            typed = {block_id: _typed(inputs, redactor) for block_id, inputs in blocks.items()}
            return {**body, "view": {**view, "state": {"values": typed}}}
        case _:
            return dict(body)


def _typed(inputs: Any, redactor: Redactor) -> Any:
    return {
        name: {**state, "value": redactor.text(state["value"])} if state.get("value") else state
        for name, state in inputs.items()
    }


def _message(message: Mapping[str, Any], ids: Sequence[str], redactor: Redactor) -> dict[str, Any]:
    kept = _only(message, _FACTS)
    kept["text"] = _around(ids, message_text(message), redactor.text)
    names = attachment_names(message)
    if names:
        kept["files"] = [{"name": redactor.text(name)} for name in names]
    profile = message.get("bot_profile")
    if isinstance(profile, Mapping):
        kept["bot_profile"] = _only(profile, _OF_BOT)
    match message.get("metadata"):
        case {"event_type": str(kind), "event_payload": {**payload}} if kind == EVENT_TYPE:
            about = redactor.value(_only(payload, _OF_METADATA))
            kept["metadata"] = {"event_type": kind, "event_payload": about}
        case {"event_type": str(kind)}:
            kept["metadata"] = {"event_type": kind}
        case _:
            pass
    return kept


def _around(ids: Sequence[str], text: str, redacted: Callable[[str], str]) -> str:
    """Redact a text on both sides of the first place of each id."""
    if not ids:
        return redacted(text)
    first, *others = ids
    found = re.search(re.escape(first), text, re.IGNORECASE | re.ASCII)
    if found is None:
        return _around(others, text, redacted)
    rest = _around(others, text[found.end() :], redacted)
    return redacted(text[: found.start()]) + found[0] + rest


def _only(fields: Mapping[Any, Any], names: Sequence[str]) -> dict[str, Any]:
    return {name: fields[name] for name in names if name in fields}

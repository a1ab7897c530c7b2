"""What a click or a form carries back: names of actions, and ids in values. Never authority.

A value may come from an old version of a message, and anybody who sees the message can read it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

__all__ = [
    "PREFIX",
    "ActionId",
    "CallbackId",
    "Field",
    "LetterRef",
    "ProposalRef",
    "RunRef",
    "TicketRef",
    "from_home",
    "is_from_home",
    "is_ours",
    "read_letter_ref",
    "read_proposal_ref",
    "read_run_ref",
    "read_ticket_ref",
    "submitted",
]

PREFIX: Final = "handrail:"
"""Every action id and callback id of ours begins so."""


class ActionId(StrEnum):
    """The buttons."""

    APPROVE = "handrail:approve"
    REJECT = "handrail:reject"
    EDIT_AMOUNT = "handrail:edit_amount"
    TRY_AGAIN = "handrail:try_again"
    REOPEN = "handrail:reopen"
    SETTLE = "handrail:settle"
    STOP = "handrail:stop"
    COPY = "handrail:copy"
    EDIT_DRAFT = "handrail:edit_draft"
    DISCARD = "handrail:discard"
    TAKE_OVER = "handrail:take_over"
    ASK_AGAIN = "handrail:ask_again"
    RETRY = "handrail:retry"
    HELPFUL = "handrail:helpful"
    NOT_HELPFUL = "handrail:not_helpful"
    LOOK = "handrail:look"
    """Look privately at a draft that was held back."""
    GIVE_CUSTOMER = "handrail:give_customer"
    OPEN = "handrail:open"
    """A link to a card in a list; carries the id and needs an answer only."""
    PAUSE = "handrail:pause"
    RESUME = "handrail:resume"
    RETRY_LETTER = "handrail:retry_letter"
    DISCARD_LETTER = "handrail:discard_letter"


class CallbackId(StrEnum):
    """The forms, the message shortcut, and App Home."""

    REJECT = "handrail:reject"
    EDIT_AMOUNT = "handrail:edit_amount"
    SETTLE = "handrail:settle"
    COPY = "handrail:copy"
    EDIT_DRAFT = "handrail:edit_draft"
    ASK_AGAIN = "handrail:ask_again"
    GIVE_CUSTOMER = "handrail:give_customer"
    TRIAGE = "handrail:triage"
    SKELETON = "handrail:skeleton"
    HOME = "handrail:home"


class Field(StrEnum):
    """The inputs of forms: both the block id and the action id of each."""

    REASON = "reason"
    TEXT = "text"
    CUSTOMER = "customer"
    TICKET = "ticket"
    OUTCOME = "outcome"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalRef:
    """A proposal in the version that was shown.

    Attributes:
        second: the explicit yes to a second one.
        operation_id: the change that a form asks about, where it asks about one of several.
    """

    proposal_id: str
    version: int
    second: bool = False
    operation_id: str | None = None

    def __str__(self) -> str:
        content: dict[str, Any] = {"p": self.proposal_id, "v": self.version}
        if self.second:
            content["s"] = 1
        if self.operation_id is not None:
            content["o"] = self.operation_id
        return _text(content)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRef:
    """A run."""

    run_id: str

    def __str__(self) -> str:
        return _text({"r": self.run_id})


@dataclass(frozen=True, slots=True, kw_only=True)
class TicketRef:
    """A ticket's message."""

    channel: str
    ts: str

    def __str__(self) -> str:
        return _text({"c": self.channel, "t": self.ts})


@dataclass(frozen=True, slots=True, kw_only=True)
class LetterRef:
    """A dead letter, by the name that an operator types: ``post-12``."""

    letter_id: str

    def __str__(self) -> str:
        return _text({"l": self.letter_id})


def read_proposal_ref(value: str) -> ProposalRef | None:
    """Read a button's value or a form's private metadata; None where it is none of ours."""
    match _content(value):
        case {"p": str(proposal_id), "v": int(version), **rest}:
            operation_id = rest.get("o")
            return ProposalRef(
                proposal_id=proposal_id,
                version=version,
                second=rest.get("s") == 1,
                operation_id=operation_id if isinstance(operation_id, str) else None,
            )
        case _:
            return None


def read_run_ref(value: str) -> RunRef | None:
    """Read a button's value or a form's private metadata; None where it is none of ours."""
    match _content(value):
        case {"r": str(run_id)}:
            return RunRef(run_id=run_id)
        case _:
            return None


def read_ticket_ref(value: str) -> TicketRef | None:
    """Read a button's value or a form's private metadata; None where it is none of ours."""
    match _content(value):
        case {"c": str(channel), "t": str(ts)}:
            return TicketRef(channel=channel, ts=ts)
        case _:
            return None


def read_letter_ref(value: str) -> LetterRef | None:
    """Read a button's value; None where it is none of ours."""
    match _content(value):
        case {"l": str(letter_id)}:
            return LetterRef(letter_id=letter_id)
        case _:
            return None


def from_home(value: str) -> str:
    """Return what a form carries, with a mark that it was opened in App Home."""
    content = _content(value)
    return _text({**content, "h": 1}) if isinstance(content, dict) else value


def is_from_home(value: str) -> bool:
    """Whether the form that carries this was opened in App Home."""
    match _content(value):
        case {"h": 1}:
            return True
        case _:
            return False


def is_ours(name: str) -> bool:
    """Whether an action id or callback id is one of ours, of this release or another."""
    return name.startswith(PREFIX)


def submitted(view: Mapping[str, Any]) -> dict[str, str]:
    """Return what a person typed or chose in a form, by field; empty inputs are left out.

    ``view`` is the ``view`` of a ``view_submission`` payload.
    """
    found: dict[str, str] = {}
    for inputs in view.get("state", {}).get("values", {}).values():
        for name, state in inputs.items():
            chosen = state.get("selected_option") or {}
            value = state.get("value") or chosen.get("value")
            if value:
                found[name] = value
    return found


def _text(content: Mapping[str, Any]) -> str:
    return json.dumps(content, separators=(",", ":"), sort_keys=True)


def _content(value: str) -> Any:
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return None

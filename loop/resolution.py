"""The internal resolution that both finish schemas convert to, and the problems gates report."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from tools import Action

__all__ = ["Confidence", "Language", "OrderClaim", "Outcome", "Problem", "Resolution", "Result"]


class Outcome(StrEnum):
    """What the model decided. Only ``resolve`` carries actions."""

    RESOLVE = "resolve"
    REPLY_ONLY = "reply_only"
    ASK_CUSTOMER = "ask_customer"
    HAND_TO_PERSON = "hand_to_person"


class Language(StrEnum):
    """The languages that the rule gate reads."""

    EN = "en"
    FR = "fr"


class Confidence(StrEnum):
    """How sure the model says it is. Shown to people; decides nothing."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class Result(StrEnum):
    """What a run came to: the gates passed, a gate objected, or there is no answer."""

    VALID = "valid"
    REJECTED = "rejected"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderClaim:
    """An order that the answer speaks of, and the status it claims (None: none claimed)."""

    order_id: str
    status: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """The finish in one form. A field that the profile does not ask for is None."""

    outcome: Outcome
    reply: str
    reason: str
    actions: tuple[Action, ...] = ()
    rule: str | None = None
    team: str | None = None
    language: Language | None = None
    confidence: Confidence | None = None
    order: OrderClaim | None = None

    @property
    def needs_human(self) -> bool:
        """Whether a person takes the ticket."""
        return self.outcome is Outcome.HAND_TO_PERSON


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One objection of a gate: a stable code, and a sentence without model text."""

    code: str
    message: str

"""The answer of a profile whose last word is a reply without calls (reference facts A5)."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from loop.resolution import Confidence, Language, OrderClaim, Outcome, Resolution
from tools import Action

__all__ = ["MAX_REASON_CHARS", "MAX_REPLY_CHARS", "Answer", "AnswerOrder", "to_resolution"]

MAX_REASON_CHARS: Final = 300
MAX_REPLY_CHARS: Final = 1200

Team = Literal["delivery", "returns", "payment", "warranty", "account"]
Status = Literal[
    "processing",
    "shipped",
    "partly_delivered",
    "delivered",
    "return_requested",
    "return_received",
    "refunded",
    "cancelled",
]
"""The seven of reference facts A1, and ``partly_delivered`` of B1."""


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")


class AnswerOrder(_Strict):
    """The order that the ticket is about."""

    # The form of its id is a setting of the shop; the schema gate checks it.
    order_id: Annotated[str, Field(description="The order's id as the ticket gives it.")]
    status: Annotated[
        Status | None, Field(description="As a tool returned it in this conversation, or null.")
    ]


class Answer(_Strict):
    """The analysis of one ticket: every key is required, none is added."""

    language: Annotated[
        Language, Field(strict=False, description="The language of the ticket and of the reply.")
    ]
    team: Team
    needs_human: Annotated[bool, Field(description="Whether a person has to take the ticket.")]
    reason: Annotated[
        str,
        Field(max_length=MAX_REASON_CHARS, description="Why, in at most 300 characters."),
    ]
    confidence: Annotated[Confidence, Field(strict=False)]
    order: AnswerOrder | None
    reply: Annotated[
        str,
        Field(
            min_length=1,
            max_length=MAX_REPLY_CHARS,
            description="The draft for the customer, 1 to 1200 characters.",
        ),
    ]


def to_resolution(answer: Answer, actions: tuple[Action, ...] = ()) -> Resolution:
    """Return the answer as the internal resolution.

    ``actions`` are those that write calls staged in this run. An answer that needs a person
    carries none of them: what was staged is dropped.
    """
    order = answer.order
    return Resolution(
        outcome=_outcome(answer, actions),
        reply=answer.reply,
        reason=answer.reason,
        actions=() if answer.needs_human else actions,
        team=answer.team,
        language=answer.language,
        confidence=answer.confidence,
        order=None if order is None else OrderClaim(order_id=order.order_id, status=order.status),
    )


def _outcome(answer: Answer, actions: tuple[Action, ...]) -> Outcome:
    if answer.needs_human:
        return Outcome.HAND_TO_PERSON
    return Outcome.RESOLVE if actions else Outcome.REPLY_ONLY

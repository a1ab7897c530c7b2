"""Titles, labels and hints of the forms, and what is wrong with an input. Plain texts."""

from __future__ import annotations

from typing import Final

from approvals import ProposalState
from bot.slack.markup import fact
from bot.slack.words.common import GATE_OBJECTED
from bot.slack.words.proposals import state_name

__all__ = [
    "ASK",
    "ASK_AGAIN_TITLE",
    "CLOSE",
    "COPY_TITLE",
    "CUSTOMER",
    "CUSTOMER_HINT",
    "CUSTOMER_TITLE",
    "DONE",
    "EDIT_AMOUNT_TITLE",
    "EDIT_DRAFT_TITLE",
    "FOUND",
    "HELD_BACK",
    "HELD_BACK_TITLE",
    "HOW_KNOWN",
    "NOT_POSSIBLE",
    "ONE_MOMENT",
    "OUTCOME_NEEDED",
    "REASON_NEEDED",
    "REJECT",
    "REJECT_HINT",
    "SAVE",
    "SETTLE_TITLE",
    "START",
    "TEXT_KEPT",
    "TEXT_NEEDED",
    "TICKET",
    "TRIAGE_TITLE",
    "VOID",
    "WAIT",
    "WAS_DONE",
    "WAS_NOT_DONE",
    "WHAT_ELSE",
    "WHAT_ELSE_HINT",
    "WHY",
    "amount_hint",
    "amount_needed",
    "answer_label",
    "done_already",
    "id_needed",
    "more_parts",
    "not_done",
    "of_version",
    "who_wrote",
]

CLOSE: Final = "Close"
SAVE: Final = "Save"
START: Final = "Start"
DONE: Final = "Done"
ASK: Final = "Ask"
REJECT: Final = "Reject"
ONE_MOMENT: Final = "One moment"
WAIT: Final = "One moment \u2026"
NOT_POSSIBLE: Final = "Not possible"

WHY: Final = "Why?"
REJECT_HINT: Final = "The card and the audit keep it."
EDIT_AMOUNT_TITLE: Final = "Edit amount"
VOID: Final = "Signatures become void. Who raises an amount cannot sign it."
SETTLE_TITLE: Final = "What became of it"
FOUND: Final = "What did you find at the shop?"
WAS_DONE: Final = "It was done"
WAS_NOT_DONE: Final = "It was not done, and will not be"
HOW_KNOWN: Final = "How do you know?"

COPY_TITLE: Final = "Copy the answer"
EDIT_DRAFT_TITLE: Final = "Edit the draft"
TEXT_KEPT: Final = "The model's own text is kept beside yours."
ASK_AGAIN_TITLE: Final = "Ask again"
WHAT_ELSE: Final = "What should be different?"
WHAT_ELSE_HINT: Final = "For example: in French, please; shorter; he did send a photo."
HELD_BACK_TITLE: Final = "A draft held back"
HELD_BACK: Final = f"\u26a0 {GATE_OBJECTED}"

CUSTOMER_TITLE: Final = "Give the customer"
CUSTOMER: Final = "Customer id"
CUSTOMER_HINT: Final = "From your shop or help desk; never from what the customer wrote."
TICKET: Final = "Ticket id"
TRIAGE_TITLE: Final = "Triage this"

REASON_NEEDED: Final = "Say in a sentence why."
TEXT_NEEDED: Final = "This is empty."
OUTCOME_NEEDED: Final = "Say which of the two it is."


def of_version(proposal_id: str, version: int, headline: str) -> str:
    """Say what a form is about; ``headline`` is escaped already."""
    return f"{fact(proposal_id)}, version {version}: {headline}"


def amount_needed(why: str) -> str:
    """Say why an amount was not taken."""
    return f"{why[0].upper()}{why[1:]}."


def amount_hint(currency: str, amount: str) -> str:
    """Say what an amount looks like."""
    return f"In {currency}, such as {amount}"


def id_needed(like: str) -> str:
    """Say what an id looks like."""
    return f"An id such as {like}"


def who_wrote(ticket_id: str) -> str:
    """Ask for the customer of a ticket."""
    return f"Who wrote {fact(ticket_id)}?"


def answer_label(number: int, count: int) -> str:
    """Label one of the inputs that a text is in."""
    return "The answer" if count == 1 else f"The answer, part {number} of {count}"


def more_parts(count: int) -> str:
    """Say that a text is longer than what is shown."""
    return f"{count} more parts are in the journal only."


def done_already(proposal_id: str) -> str:
    """Say that what an answer promises has happened."""
    return f"{fact(proposal_id)} is done."


def not_done(proposal_id: str, state: ProposalState) -> str:
    """Warn that an answer may promise what has not happened."""
    told = "The answer may promise what has not happened; change it or wait."
    return f"\u26a0 *{fact(proposal_id)} is {state_name(state)}.* {told}"

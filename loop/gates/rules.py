"""The rule gate: every rule over a finished resolution, all objections reported in a fixed order.

Pure, and it changes nothing: objections set the run's result, no more. The rules are those of
reference facts A5, in English and French, then ours (``unknown_id``, ``promised_amount``). A rule
over a field that the profile does not ask for does not fire.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from loop.gates.amounts import amounts_in
from loop.gates.claims import claims_action
from loop.gates.evidence import Evidence, ids_in
from loop.gates.phrases import asks_secret, promises, tells
from loop.gates.words import (
    has_french_letters,
    has_words,
    is_blank,
    language_of,
    plain,
    speaks_of_danger,
    speaks_of_law,
    speaks_to_the_machine,
)
from loop.resolution import Language, OrderClaim, Problem, Resolution
from tools import IdForms, OrderFact, RequestRefund, Ticket

__all__ = ["MESSAGES", "GateFacts", "judge_resolution"]

MESSAGES: Final[Mapping[str, str]] = {
    "order_not_in_ticket": "The answer is about an order that the ticket does not name.",
    "order_not_customers": "The order is not known to be this customer's, and no person is asked.",
    "status_not_from_lookup": "The answer gives an order status that no tool returned in this run.",
    "safety_needs_human": "The ticket speaks of danger: a person has to take it.",
    "legal_needs_human": "The ticket speaks of legal steps: a person has to take it.",
    "injection_needs_human": "The ticket gives orders to the assistant: a person has to take it.",
    "empty_needs_human": "The ticket has no readable text: a person has to take it.",
    "wrong_language": "The reply is not in the customer's language.",
    "claims_action": "The reply says that something is done; nothing has been.",
    "asks_secret": "The reply asks for a password, a card number or the like.",
    "unknown_id": "The reply names an id that is neither in the ticket nor in a tool's result.",
    "promised_amount": "The reply names an amount that no action and no evidence holds.",
}
"""Every code, in the order of reporting, with its sentence for people."""
MIN_REPLY_WORDS: Final = 4
"""A shorter reply does not tell its language."""
_SENTENCE_END: Final = re.compile(r"(?<=[.!?;]) ")


@dataclass(frozen=True, slots=True, kw_only=True)
class GateFacts:
    """What a run knows beside the ticket and the answer."""

    orders: Mapping[str, OrderFact]
    """The orders that tools returned in this run, by id."""
    shown: tuple[str, ...]
    """The texts of ok results as the model saw them; a refusal only repeats the model's words."""
    claim_is_customers: bool | None
    """The shop's answer about the claimed order. None: nobody asked; the claim is not confirmed
    then, unless a tool returned the order."""
    forms: IdForms


def judge_resolution(
    ticket: Ticket, resolution: Resolution, facts: GateFacts
) -> tuple[Problem, ...]:
    """Return every objection, in the order of :data:`MESSAGES`. Never raises."""
    return tuple(
        Problem(code=code, message=MESSAGES[code])
        for code in (
            *_about_claim(ticket, resolution, facts),
            *_needs_human(ticket, resolution),
            *_about_reply(ticket, resolution, facts),
        )
    )


def _about_claim(ticket: Ticket, resolution: Resolution, facts: GateFacts) -> Iterator[str]:
    claim = resolution.order
    if claim is None:
        return
    if not _names(ticket.text, claim.order_id):
        yield "order_not_in_ticket"
    elif not resolution.needs_human and not _is_customers(claim, facts):
        yield "order_not_customers"
    fact = facts.orders.get(claim.order_id)
    if claim.status is not None and (fact is None or fact.status != claim.status):
        yield "status_not_from_lookup"


def _names(text: str, order_id: str) -> bool:
    """Whether the text holds the id as a whole, in capitals or not."""
    whole = rf"(?<![^\W_]){re.escape(plain(order_id))}(?![^\W_])"
    return re.search(whole, plain(text)) is not None


def _is_customers(claim: OrderClaim, facts: GateFacts) -> bool:
    return facts.claim_is_customers is True or claim.order_id in facts.orders


def _needs_human(ticket: Ticket, resolution: Resolution) -> Iterator[str]:
    if resolution.needs_human:
        return
    text = plain(ticket.text)
    if speaks_of_danger(text):
        yield "safety_needs_human"
    if speaks_of_law(text):
        yield "legal_needs_human"
    if speaks_to_the_machine(text):
        yield "injection_needs_human"
    if is_blank(text):
        yield "empty_needs_human"


def _about_reply(ticket: Ticket, resolution: Resolution, facts: GateFacts) -> Iterator[str]:
    reply = plain(resolution.reply)
    evidence = Evidence(facts.shown, facts.forms)
    if not is_blank(ticket.text) and _wrong_language(ticket.text, reply, resolution):
        yield "wrong_language"
    if claims_action(reply) and claims_action(reply, evidence.deeds):
        yield "claims_action"
    if asks_secret(reply):
        yield "asks_secret"
    named = ids_in(resolution.reply, facts.forms)
    if named and not named <= _known_ids(ticket, facts, evidence):
        yield "unknown_id"
    if _names_a_loose_amount(reply, ticket, resolution, evidence):
        yield "promised_amount"


def _wrong_language(ticket_text: str, reply: str, resolution: Resolution) -> bool:
    """Look at the language that the answer gives, where it gives one, and at the reply itself."""
    wanted = language_of(plain(ticket_text))
    if wanted is None and has_french_letters(ticket_text):
        return False  # a name or a few French words: either language will do
    wanted = wanted or Language.EN
    if resolution.language is not None and resolution.language is not wanted:
        return True
    written = language_of(reply) if has_words(reply, MIN_REPLY_WORDS) else None
    return written is not None and written is not wanted


def _known_ids(ticket: Ticket, facts: GateFacts, evidence: Evidence) -> frozenset[str]:
    """Ids of an action do not count: a model writes them, and not all are checked."""
    return frozenset(
        {ticket.customer_id.upper()}
        | {order_id.upper() for order_id in facts.orders}
        | ids_in(ticket.text, facts.forms)
        | evidence.ids
    )


def _names_a_loose_amount(
    reply: str, ticket: Ticket, resolution: Resolution, evidence: Evidence
) -> bool:
    """Whether an amount in the reply has nothing to stand on.

    What is promised needs an action or evidence that holds the amount; other sentences may also
    repeat one that the customer wrote.
    """
    groups = [
        (group, is_promise)
        for sentence, is_promise in _with_promises(_SENTENCE_END.split(reply))
        for group in amounts_in(sentence, loose=not is_promise)
    ]
    if not groups:
        return False
    asked = {
        action.money.amount for action in resolution.actions if isinstance(action, RequestRefund)
    }
    held = evidence.amounts | evidence.line_totals | asked
    written = {amount for group in amounts_in(plain(ticket.text), loose=False) for amount in group}
    return any(
        group.isdisjoint(held if is_promise else held | written) for group, is_promise in groups
    )


def _with_promises(sentences: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """Yield each sentence and whether what it names is promised.

    A promise reaches the next sentence too ("We refund you this. It is 500 dollars."), unless
    that one tells what the customer said or paid.
    """
    promised = False
    for sentence in sentences:
        promises_itself = promises(sentence)
        yield sentence, promises_itself or (promised and not tells(sentence))
        promised = promises_itself

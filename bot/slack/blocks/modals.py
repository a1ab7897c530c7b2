"""The forms. What they carry back is read with ``bot.slack.refs``; none of it is authority."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from approvals import Operation, OperationState, ProposalState
from bot.slack import words
from bot.slack.blocks.card import headline, ref_of
from bot.slack.blocks.parts import context, modal, plain, section, text_input
from bot.slack.limits import INPUT_TEXT, SECTION
from bot.slack.markdown import mrkdwn_parts
from bot.slack.markup import cut_at, fact, line, tame
from bot.slack.refs import CallbackId, Field, RunRef, TicketRef, amount_field
from bot.slack.views import Block, CardView, CopyView, DraftProposal, DraftView, StopView, View
from tools import RequestRefund

__all__ = [
    "ask_again_modal",
    "copy_modal",
    "edit_amount_modal",
    "edit_draft_modal",
    "give_customer_modal",
    "held_back_modal",
    "reject_modal",
    "settle_modal",
    "skeleton_modal",
    "told_modal",
    "triage_modal",
]

MAX_REASON: Final = 1_000
MAX_ID: Final = 40
MAX_AMOUNT: Final = 20
MAX_PARTS: Final = 40
"""Sections of a draft in a form, 120,000 characters; drafts are a tenth of that."""


def skeleton_modal(title: str = "One moment") -> View:
    """Return the form that is opened at once, before anything was looked up."""
    return modal(CallbackId.SKELETON, title, [section("One moment \u2026")], ref=None)


def told_modal(title: str, text: str) -> View:
    """Return a form that only tells. ``text`` is ours, or made by ``bot.slack.markup``."""
    return modal(CallbackId.SKELETON, title, [section(text)], ref=None)


def reject_modal(view: CardView) -> View:
    """Return the form that asks why a proposal is rejected."""
    asks = text_input(
        Field.REASON,
        "Why?",
        hint="The card and the audit keep it.",
        most=MAX_REASON,
        lines=True,
    )
    blocks = [_of(view), asks]
    return modal(CallbackId.REJECT, "Reject", blocks, ref=ref_of(view.facts), submit="Reject")


def edit_amount_modal(view: CardView) -> View:
    """Return the form that changes amounts; a new version of the whole proposal comes of it."""
    note = context("Signatures become void. Who raises an amount cannot sign it.")
    return modal(
        CallbackId.EDIT_AMOUNT,
        "Edit amount",
        [_of(view), *_amounts(view), note],
        ref=ref_of(view.facts),
        submit="Save",
    )


def settle_modal(view: CardView) -> View:
    """Return the form in which a person says what became of what is not known.

    It asks about the first operation that is unknown.
    """
    unknown = next(each for each in view.facts.actions if _is_unknown(each.operation))
    choice: Block = {
        "type": "input",
        "block_id": Field.OUTCOME,
        "label": plain("What did you find at the shop?"),
        "element": {
            "type": "radio_buttons",
            "action_id": Field.OUTCOME,
            "options": [
                {"text": plain("It was done"), "value": "done"},
                {"text": plain("It was not done, and will not be"), "value": "failed"},
            ],
        },
    }
    how = text_input(Field.REASON, "How do you know?", most=MAX_REASON, lines=True)
    what = section(f"{unknown.position}. {words.action_words(unknown.action)}")
    ref = ref_of(view.facts)
    return modal(
        CallbackId.SETTLE, "What became of it", [what, choice, how], ref=ref, submit="Save"
    )


def copy_modal(view: CopyView) -> View:
    """Return the plain text to copy, and above it why it should not be sent yet, if so.

    A text too long for one input comes in several, in order.
    """
    return modal(
        CallbackId.COPY,
        "Copy the answer",
        [*_warnings(view), *_answer(view.text, optional=True)],
        ref=RunRef(run_id=view.run_id),
        submit="Done",
    )


def edit_draft_modal(view: DraftView) -> View:
    """Return the form that edits a draft, in as many inputs as its length needs.

    ``refs.submitted`` gives ``text-1``, ``text-2`` …, to be put together in order.
    """
    inputs = _answer(view.reply, optional=False)
    note = context("The model's own text is kept beside yours.")
    ref = RunRef(run_id=view.run_id)
    return modal(CallbackId.EDIT_DRAFT, "Edit the draft", [*inputs, note], ref=ref, submit="Save")


def ask_again_modal(run_id: str) -> View:
    """Return the form for a follow-up; a new run of the ticket starts with it."""
    asks = text_input(
        Field.TEXT,
        "What should be different?",
        hint="For example: in French, please; shorter; he did send a photo.",
        most=MAX_REASON,
        lines=True,
    )
    ref = RunRef(run_id=run_id)
    return modal(CallbackId.ASK_AGAIN, "Ask again", [asks], ref=ref, submit="Ask")


def give_customer_modal(ref: TicketRef, ticket_id: str) -> View:
    """Return the form for the customer of a ticket that names none."""
    blocks = [section(f"Who wrote {fact(ticket_id)}?"), _customer()]
    return modal(CallbackId.GIVE_CUSTOMER, "Give the customer", blocks, ref=ref, submit="Start")


def triage_modal(ref: TicketRef, *, ticket_id: str = "", customer_id: str = "") -> View:
    """Return the form of the shortcut on a message."""
    ticket = text_input(Field.TICKET, "Ticket id", value=ticket_id, most=MAX_ID)
    blocks = [ticket, _customer(customer_id)]
    return modal(CallbackId.TRIAGE, "Triage this", blocks, ref=ref, submit="Start")


def held_back_modal(view: StopView, reply: str) -> View:
    """Return a draft that a gate objected to, with the objections above it."""
    told = [f"\u2022 {fact(code)} {line(message, 200)}" for code, message in view.problems[:8]]
    warning = "*A gate objected to this draft. Do not send it as it is.*"
    parts = mrkdwn_parts(reply, SECTION) or ["\u2014"]
    blocks = [section("\n".join([warning, *told])), *map(section, parts[:MAX_PARTS])]
    if len(parts) > MAX_PARTS:
        blocks.append(context(f"{len(parts) - MAX_PARTS} more parts are in the journal only."))
    ref = RunRef(run_id=view.run_id)
    return modal(CallbackId.COPY, "A draft held back", blocks, ref=ref)


def _answer(text: str, *, optional: bool) -> Iterator[Block]:
    """Yield the inputs of a text, as many as it needs; ``optional``: all may be left empty."""
    texts = _in_inputs(text)
    for number, part in enumerate(texts, start=1):
        yield text_input(
            f"{Field.TEXT}-{number}",
            "The answer" if len(texts) == 1 else f"The answer, part {number} of {len(texts)}",
            value=part,
            lines=True,
            most=INPUT_TEXT,
            optional=optional or number > 1,
        )


def _of(view: CardView) -> Block:
    proposal = view.facts.proposal
    about = f"{fact(proposal.proposal_id)}, version {proposal.version}"
    return section(f"{about}: {headline(view.facts, 400)}")


def _amounts(view: CardView) -> Iterator[Block]:
    for each in view.facts.actions:
        if isinstance(each.action, RequestRefund):
            money = each.action.money
            yield text_input(
                amount_field(each.position),
                f"{each.position}. {words.action_short(each.action, 300)}",
                value=money.amount_text,
                hint=f"In {money.currency}, such as {money.amount_text}",
                most=MAX_AMOUNT,
            )


def _customer(value: str = "") -> Block:
    hint = "From your shop or help desk; never from what the customer wrote."
    return text_input(Field.CUSTOMER, "Customer id", value=value, hint=hint, most=MAX_ID)


def _warnings(view: CopyView) -> Iterator[Block]:
    if view.held_back:
        yield section("\u26a0 *A gate objected to this draft. Do not send it as it is.*")
    for each in view.proposals:
        if each.state is ProposalState.DONE:
            yield context(f"{fact(each.proposal_id)} is done.")
        else:
            yield section(_not_done(each))


def _not_done(each: DraftProposal) -> str:
    name = words.state_name(each.state)
    told = "The answer may promise what has not happened; change it or wait."
    return f"\u26a0 *{fact(each.proposal_id)} is {name}.* {told}"


def _is_unknown(operation: Operation | None) -> bool:
    return operation is not None and operation.state is OperationState.UNKNOWN


def _in_inputs(text: str) -> list[str]:
    """Cut a raw text where inputs are full; put together again it is the same text."""
    rest, parts = tame(text), []
    while len(rest) > INPUT_TEXT:
        place = cut_at(rest, INPUT_TEXT)
        at_line = rest.rfind("\n", INPUT_TEXT // 2, place)
        place = place if at_line < 0 else at_line + 1
        parts.append(rest[:place])
        rest = rest[place:]
    return [*parts, rest]

"""The forms. What they carry back is read with ``bot.slack.refs``; none of it is authority."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from approvals import Operation, OperationState, ProposalState
from bot.slack.amounts import amount_field
from bot.slack.blocks.card import ref_of
from bot.slack.blocks.parts import context, modal, plain, section, text_input
from bot.slack.limits import INPUT_TEXT, SECTION
from bot.slack.markdown import mrkdwn_parts
from bot.slack.markup import cut_at, tame
from bot.slack.refs import CallbackId, Field, RunRef, TicketRef
from bot.slack.views import Block, CardView, CopyView, DraftView, StopView, View
from bot.slack.words import forms as words
from bot.slack.words.common import NO_TEXT
from bot.slack.words.proposals import action_short, action_words, headline
from bot.slack.words.runs import problem
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
MAX_PROBLEM: Final = 200
MAX_PROBLEMS: Final = 8
MAX_PARTS: Final = 40
"""Sections of a draft in a form, 120,000 characters; drafts are a tenth of that."""


def skeleton_modal(title: str = words.ONE_MOMENT) -> View:
    """Return the form that is opened at once, before anything was looked up."""
    return modal(CallbackId.SKELETON, title, [section(words.WAIT)], ref=None)


def told_modal(title: str, text: str) -> View:
    """Return a form that only tells. ``text`` is ours, or made by ``bot.slack.markup``."""
    return modal(CallbackId.SKELETON, title, [section(text)], ref=None)


def reject_modal(view: CardView) -> View:
    """Return the form that asks why a proposal is rejected."""
    asks = text_input(
        Field.REASON,
        words.WHY,
        hint=words.REJECT_HINT,
        most=MAX_REASON,
        lines=True,
    )
    blocks = [_of(view), asks]
    return modal(
        CallbackId.REJECT, words.REJECT, blocks, ref=ref_of(view.facts), submit=words.REJECT
    )


def edit_amount_modal(view: CardView) -> View:
    """Return the form that changes amounts; a new version of the whole proposal comes of it."""
    note = context(words.VOID)
    return modal(
        CallbackId.EDIT_AMOUNT,
        words.EDIT_AMOUNT_TITLE,
        [_of(view), *_amounts(view), note],
        ref=ref_of(view.facts),
        submit=words.SAVE,
    )


def settle_modal(view: CardView) -> View:
    """Return the form in which a person says what became of what is not known.

    It asks about the first operation that is unknown.
    """
    unknown = next(each for each in view.facts.actions if _is_unknown(each.operation))
    assert unknown.operation is not None
    choice: Block = {
        "type": "input",
        "block_id": Field.OUTCOME,
        "label": plain(words.FOUND),
        "element": {
            "type": "radio_buttons",
            "action_id": Field.OUTCOME,
            "options": [
                {"text": plain(words.WAS_DONE), "value": "done"},
                {"text": plain(words.WAS_NOT_DONE), "value": "failed"},
            ],
        },
    }
    how = text_input(Field.REASON, words.HOW_KNOWN, most=MAX_REASON, lines=True)
    what = section(f"{unknown.position}. {action_words(unknown.action)}")
    ref = replace(ref_of(view.facts), operation_id=unknown.operation.operation_id)
    return modal(
        CallbackId.SETTLE, words.SETTLE_TITLE, [what, choice, how], ref=ref, submit=words.SAVE
    )


def copy_modal(view: CopyView) -> View:
    """Return the plain text to copy, and above it why it should not be sent yet, if so.

    A text too long for one input comes in several, in order.
    """
    return modal(
        CallbackId.COPY,
        words.COPY_TITLE,
        [*_warnings(view), *_answer(view.text, optional=True)],
        ref=RunRef(run_id=view.run_id),
        submit=words.DONE,
    )


def edit_draft_modal(view: DraftView) -> View:
    """Return the form that edits a draft, in as many inputs as its length needs.

    ``refs.submitted`` gives ``text-1``, ``text-2`` …, to be put together in order.
    """
    inputs = _answer(view.reply, optional=False)
    note = context(words.TEXT_KEPT)
    ref = RunRef(run_id=view.run_id)
    return modal(
        CallbackId.EDIT_DRAFT, words.EDIT_DRAFT_TITLE, [*inputs, note], ref=ref, submit=words.SAVE
    )


def ask_again_modal(run_id: str) -> View:
    """Return the form for a follow-up; a new run of the ticket starts with it."""
    asks = text_input(
        Field.TEXT,
        words.WHAT_ELSE,
        hint=words.WHAT_ELSE_HINT,
        most=MAX_REASON,
        lines=True,
    )
    ref = RunRef(run_id=run_id)
    return modal(CallbackId.ASK_AGAIN, words.ASK_AGAIN_TITLE, [asks], ref=ref, submit=words.ASK)


def give_customer_modal(ref: TicketRef, ticket_id: str) -> View:
    """Return the form for the customer of a ticket that names none."""
    blocks = [section(words.who_wrote(ticket_id)), _customer()]
    return modal(
        CallbackId.GIVE_CUSTOMER, words.CUSTOMER_TITLE, blocks, ref=ref, submit=words.START
    )


def triage_modal(ref: TicketRef, *, ticket_id: str = "", customer_id: str = "") -> View:
    """Return the form of the shortcut on a message."""
    ticket = text_input(Field.TICKET, words.TICKET, value=ticket_id, most=MAX_ID)
    blocks = [ticket, _customer(customer_id)]
    return modal(CallbackId.TRIAGE, words.TRIAGE_TITLE, blocks, ref=ref, submit=words.START)


def held_back_modal(view: StopView, reply: str) -> View:
    """Return a draft that a gate objected to, with the objections above it."""
    told = [problem(code, message, MAX_PROBLEM) for code, message in view.problems[:MAX_PROBLEMS]]
    parts = mrkdwn_parts(reply, SECTION) or [NO_TEXT]
    blocks = [section("\n".join([words.HELD_BACK, *told])), *map(section, parts[:MAX_PARTS])]
    if len(parts) > MAX_PARTS:
        blocks.append(context(words.more_parts(len(parts) - MAX_PARTS)))
    ref = RunRef(run_id=view.run_id)
    return modal(CallbackId.COPY, words.HELD_BACK_TITLE, blocks, ref=ref)


def _answer(text: str, *, optional: bool) -> Iterator[Block]:
    """Yield the inputs of a text, as many as it needs; ``optional``: all may be left empty."""
    texts = _in_inputs(text)
    for number, part in enumerate(texts, start=1):
        yield text_input(
            f"{Field.TEXT}-{number}",
            words.answer_label(number, len(texts)),
            value=part,
            lines=True,
            most=INPUT_TEXT,
            optional=optional or number > 1,
        )


def _of(view: CardView) -> Block:
    proposal = view.facts.proposal
    told = headline(view.facts, 400)
    return section(words.of_version(proposal.proposal_id, proposal.version, told))


def _amounts(view: CardView) -> Iterator[Block]:
    for each in view.facts.actions:
        if isinstance(each.action, RequestRefund):
            money = each.action.money
            yield text_input(
                amount_field(each.position, money.currency),
                f"{each.position}. {action_short(each.action, 300)}",
                value=money.amount_text,
                hint=words.amount_hint(money.currency, money.amount_text),
                most=MAX_AMOUNT,
            )


def _customer(value: str = "") -> Block:
    hint = words.CUSTOMER_HINT
    return text_input(Field.CUSTOMER, words.CUSTOMER, value=value, hint=hint, most=MAX_ID)


def _warnings(view: CopyView) -> Iterator[Block]:
    if view.held_back:
        yield section(words.HELD_BACK)
    for each in view.proposals:
        if each.state is ProposalState.DONE:
            yield context(words.done_already(each.proposal_id))
        else:
            yield section(words.not_done(each.proposal_id, each.state))


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

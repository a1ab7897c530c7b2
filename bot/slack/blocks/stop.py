"""A run without a usable answer, and a ticket whose customer is not known."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from bot.slack.blocks.draft import evidence_block
from bot.slack.blocks.parts import actions, button, context, divider, header, numbered, section
from bot.slack.markup import line
from bot.slack.refs import ActionId, RunRef, TicketRef
from bot.slack.views import Block, GaveUpView, Message, StopView
from bot.slack.words import common
from bot.slack.words import runs as words
from bot.texts import stop_text

__all__ = ["ask_customer_message", "gave_up_message", "stop_message"]

MAX_PROBLEMS: Final = 8
MAX_PROBLEM: Final = 250
MAX_CAUSE: Final = 900


def stop_message(view: StopView) -> Message:
    """Return how a run ended: why in words, what was found, who takes it, what can be done."""
    told = words.stop_words(view)
    stem = f"{view.run_id}:stop:{view.taken_by or ''}"
    return Message(
        text=f"{line(view.ticket_id, 60)}: {told}. {common.A_PERSON}",
        blocks=numbered(stem, _blocks(view, told)),
    )


def gave_up_message(view: GaveUpView) -> Message:
    """Return what is told of a run that was given up: a person takes it, or has it tried again."""
    told, ref = words.gave_up(), RunRef(run_id=view.run_id)
    row = [button(ActionId.RETRY, words.RETRY, ref, style="primary")]
    if view.taken_by is None:
        row.append(button(ActionId.TAKE_OVER, common.TAKE_OVER, ref))
    taken = common.A_PERSON if view.taken_by is None else common.taken_over(view.taken_by)
    return Message(
        text=f"{line(view.ticket_id, 60)}: {told}",
        blocks=numbered(
            f"{view.run_id}:gave-up:{view.taken_by or ''}",
            [section(f"{told} {taken}"), actions(row)],
        ),
    )


def ask_customer_message(ref: TicketRef, ticket_id: str) -> Message:
    """Return the question for the customer id of a ticket; no model is called before the answer."""
    told = words.asks_customer(ticket_id)
    row = actions([button(ActionId.GIVE_CUSTOMER, words.GIVE_CUSTOMER, ref)])
    return Message(
        text=words.asks_customer_short(ticket_id),
        blocks=numbered(f"customer:{ref.ts}", [section(told), row]),
    )


def _blocks(view: StopView, told: str) -> Iterator[Block]:
    yield header(words.no_draft(view.ticket_id))
    yield section(
        f"{told[0].upper()}{told[1:]}. {_taken(view)} {words.stop_advice(view.stop.reason)}"
    )
    yield context(line(stop_text(view.stop), MAX_CAUSE))
    if view.problems:
        yield section("\n".join(_problems(view)))
    if row := list(_buttons(view)):
        yield actions(row)
    yield divider()
    yield context(common.LOOKED_UP if view.calls else common.NO_EVIDENCE)
    if view.calls:
        yield evidence_block(view.calls)
    used = words.figures_words(view.figures)
    run = words.run_words(view.run_id, view.profile, view.model)
    yield context(common.SEPARATOR.join((used, run)))


def _taken(view: StopView) -> str:
    if view.taken_by is not None:
        return common.taken_over(view.taken_by)
    return words.taker(view.team)


def _problems(view: StopView) -> Iterator[str]:
    for code, message in view.problems[:MAX_PROBLEMS]:
        yield words.problem(code, message, MAX_PROBLEM)
    if len(view.problems) > MAX_PROBLEMS:
        yield words.more_problems(len(view.problems) - MAX_PROBLEMS)


def _buttons(view: StopView) -> Iterator[dict[str, Any]]:
    ref = RunRef(run_id=view.run_id)
    if view.can_retry:
        yield button(ActionId.RETRY, words.RETRY, ref, style="primary")
    if view.held_back:
        yield button(ActionId.LOOK, words.LOOK, ref)
    if view.taken_by is None:
        yield button(ActionId.TAKE_OVER, common.TAKE_OVER, ref)
    yield button(ActionId.ASK_AGAIN, common.ASK_AGAIN, ref)

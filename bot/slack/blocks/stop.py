"""A run without a usable answer, and a ticket whose customer is not known."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from bot.slack import words
from bot.slack.blocks.draft import evidence_block
from bot.slack.blocks.parts import actions, button, context, divider, header, numbered, section
from bot.slack.blocks.status import figures_words
from bot.slack.markup import fact, line, mention
from bot.slack.refs import ActionId, RunRef, TicketRef
from bot.slack.views import Block, Message, StopView
from bot.texts import reason_text, stop_text
from loop import Result

__all__ = ["ask_customer_message", "stop_message"]

MAX_PROBLEMS: Final = 8
MAX_PROBLEM: Final = 250
MAX_CAUSE: Final = 900


def stop_message(view: StopView) -> Message:
    """Return how a run ended: why in words, what was found, who takes it, what can be done."""
    told = _reason(view)
    stem = f"{view.run_id}:stop:{view.taken_by or ''}"
    return Message(
        text=f"{line(view.ticket_id, 60)}: {told}. {words.A_PERSON}",
        blocks=numbered(stem, _blocks(view, told)),
    )


def ask_customer_message(ref: TicketRef, ticket_id: str) -> Message:
    """Return the question for the customer id of a ticket; no model is called before the answer."""
    told = f"{fact(ticket_id)} names no customer, so nothing was looked up. Who is it?"
    row = actions([button(ActionId.GIVE_CUSTOMER, "Give the customer\u2026", ref)])
    return Message(
        text=f"{line(ticket_id, 60)} names no customer. Who is it?",
        blocks=numbered(f"customer:{ref.ts}", [section(told), row]),
    )


def _reason(view: StopView) -> str:
    if view.result is Result.REJECTED:
        return "a gate objected to the drafted answer, so it is held back"
    return f"no answer: {reason_text(view.stop.reason)}"


def _blocks(view: StopView, told: str) -> Iterator[Block]:
    yield header(f"No draft for {line(view.ticket_id, 60)}")
    yield section(
        f"{told[0].upper()}{told[1:]}. {_taken(view)} {words.stop_advice(view.stop.reason)}"
    )
    yield context(line(stop_text(view.stop), MAX_CAUSE))
    if view.problems:
        yield section("\n".join(_problems(view)))
    if row := list(_buttons(view)):
        yield actions(row)
    yield divider()
    yield context(words.LOOKED_UP if view.calls else words.NO_EVIDENCE)
    if view.calls:
        yield evidence_block(view.calls)
    run = f"{line(view.profile, 40)}, {line(view.model, 60)}  \u00b7  {fact(view.run_id)}"
    yield context(f"{figures_words(view.figures)}  \u00b7  {run}")


def _taken(view: StopView) -> str:
    if view.taken_by is not None:
        return f"*Taken over* by {mention(view.taken_by)}."
    if view.team is not None:
        return f"Team *{line(view.team, 60)}* should take it."
    return words.A_PERSON


def _problems(view: StopView) -> Iterator[str]:
    for code, message in view.problems[:MAX_PROBLEMS]:
        yield f"\u2022 {fact(code)} {line(message, MAX_PROBLEM)}"
    if len(view.problems) > MAX_PROBLEMS:
        yield f"\u2022 and {len(view.problems) - MAX_PROBLEMS} more"


def _buttons(view: StopView) -> Iterator[dict[str, Any]]:
    ref = RunRef(run_id=view.run_id)
    if view.can_retry:
        yield button(ActionId.RETRY, "Retry", ref, style="primary")
    if view.held_back:
        yield button(ActionId.LOOK, "Look at the draft\u2026", ref)
    if view.taken_by is None:
        yield button(ActionId.TAKE_OVER, "Take over", ref)
    yield button(ActionId.ASK_AGAIN, "Ask again\u2026", ref)

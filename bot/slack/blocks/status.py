"""The status message of a run: edited as steps go by, with a Stop button until it ends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, assert_never

from bot.slack import words
from bot.slack.blocks.parts import actions, button, context, numbered, section
from bot.slack.markup import fact, line
from bot.slack.refs import ActionId, RunRef
from bot.slack.views import Block, CallLine, Message, Phase, StatusView
from bot.story import Figures
from bot.texts import counted, reason_text, seconds_text, tokens_text
from loop import Result
from tools import Kind

__all__ = ["figures_words", "status_message"]

MAX_CALLS: Final = 6
"""Look-ups that are shown, the newest ones."""


def status_message(view: StatusView) -> Message:
    """Return the status as it is now."""
    stem = f"{view.run_id}:{view.phase.value}:{view.step}:{len(view.calls)}"
    told = _told(view)
    return Message(
        text=f"{line(view.ticket_id, 60)}: {told}", blocks=numbered(stem, _blocks(view, told))
    )


def figures_words(figures: Figures) -> str:
    """Say what a run used: steps, calls, tokens, time, cost."""
    return "  \u00b7  ".join(
        (
            counted(figures.model_calls, "step"),
            counted(figures.tool_calls, "look-up"),
            tokens_text(figures.tokens_in, figures.tokens_out),
            seconds_text(figures.seconds_us),
            figures.cost,
        )
    )


def _blocks(view: StatusView, told: str) -> Iterator[Block]:
    yield section(f"{fact(view.ticket_id)} of {fact(view.customer_id)}: {told}")
    if view.calls:
        yield context("\n".join(map(_call, view.calls[-MAX_CALLS:])))
    if view.figures is not None:
        run = f"{line(view.profile, 40)}, {line(view.model, 60)}"
        yield context(f"{figures_words(view.figures)}  \u00b7  {run}  \u00b7  {fact(view.run_id)}")
    if view.phase in (Phase.QUEUED, Phase.HELD, Phase.RUNNING):
        name = f"Stop the run of ticket {view.ticket_id}"[:75]
        yield actions([button(ActionId.STOP, "Stop", RunRef(run_id=view.run_id), name=name)])


def _told(view: StatusView) -> str:
    match view.phase:
        case Phase.QUEUED:
            return "waits for its turn."
        case Phase.HELD:
            return f"waits. {line(view.note or '', 400)}".rstrip()
        case Phase.RUNNING:
            most = "" if view.max_steps is None else f" of at most {view.max_steps}"
            return f"step {view.step}{most} \u2026"
        case Phase.STOPPING:
            return f"{words.who(view.by)} pressed Stop; it ends after the step in flight."
        case Phase.ENDED:
            return _ended(view)
        case _:
            assert_never(view.phase)


def _ended(view: StatusView) -> str:
    match view.result:
        case Result.VALID:
            return "drafted; the draft is below."
        case Result.REJECTED:
            return f"a gate objected to the draft. {words.A_PERSON}"
        case Result.FAILED | None:
            why = "it ended" if view.stop is None else reason_text(view.stop.reason)
            return f"stopped: {why}. {words.A_PERSON}"
        case _:
            assert_never(view.result)


def _call(call: CallLine) -> str:
    sign = "\u2713" if call.result is Kind.OK else f"\u2717 {call.result.value}:"
    return f"{sign} {fact(call.name, 60)} {fact(call.arguments, 120) if call.arguments else ''}"

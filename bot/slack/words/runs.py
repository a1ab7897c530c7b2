"""What is said of a run: its status, its draft, or why there is none."""

from __future__ import annotations

from typing import Final, assert_never

from bot.slack.markup import fact, line, mention
from bot.slack.views import CallLine, DraftProposal, Phase, StatusView, StopView
from bot.slack.words.common import A_PERSON, SEPARATOR, who
from bot.slack.words.proposals import state_name
from bot.story import Figures
from bot.texts import counted, reason_text, seconds_text, tokens_text
from loop import Outcome, Result, StopReason
from tools import Kind

__all__ = [
    "COPY",
    "DELETED",
    "DISCARD",
    "DISCARD_TEXT",
    "DISCARD_TITLE",
    "EDIT",
    "FOR_THE_TEAM",
    "GIVE_CUSTOMER",
    "GONE",
    "HELPFUL",
    "KEEP",
    "LOOK",
    "NEWER",
    "NOT_HELPFUL",
    "RETRY",
    "STOP",
    "STOP_PRESSED",
    "about_run",
    "about_ticket",
    "asks_customer",
    "asks_customer_short",
    "call_words",
    "counted_label",
    "discarded",
    "draft_short",
    "draft_title",
    "edited",
    "figures_words",
    "first_part",
    "gave_up",
    "more_problems",
    "no_draft",
    "outcome_words",
    "part_of",
    "problem",
    "proposal_words",
    "run_words",
    "status_words",
    "stop_advice",
    "stop_name",
    "stop_words",
    "taker",
]

DELETED: Final = "the ticket was deleted"
NEWER: Final = "newer message"
STOP_PRESSED: Final = "Stop was pressed"
"""The causes of a cancelled run, as its journal keeps them."""

COPY: Final = "Show to copy\u2026"
EDIT: Final = "Edit\u2026"
DISCARD: Final = "Discard"
DISCARD_TITLE: Final = "Discard this draft?"
DISCARD_TEXT: Final = "It is kept, marked as discarded."
KEEP: Final = "Keep"
HELPFUL: Final = "Helpful"
NOT_HELPFUL: Final = "Not helpful"
STOP: Final = "Stop"
RETRY: Final = "Retry"
LOOK: Final = "Look at the draft\u2026"
GIVE_CUSTOMER: Final = "Give the customer\u2026"
GONE: Final = "(This part is no longer in the answer.)"
FOR_THE_TEAM: Final = "*For the team, not for the customer.*"
_MAX_SETTLED: Final = 300


def outcome_words(outcome: Outcome) -> str:
    """What the model decided."""
    match outcome:
        case Outcome.RESOLVE:
            return "Solve it with what is proposed"
        case Outcome.REPLY_ONLY:
            return "Answer the customer, nothing to change"
        case Outcome.ASK_CUSTOMER:
            return "Ask the customer for what is missing"
        case Outcome.HAND_TO_PERSON:
            return "A person takes it"
        case _:
            assert_never(outcome)


def stop_advice(reason: StopReason) -> str:
    """Say what to do after a run that ended without an answer."""
    match reason:
        case StopReason.FINISHED:
            return "Read the objections and answer by hand, or look at the draft."
        case StopReason.MAX_STEPS | StopReason.TIME | StopReason.COST:
            return "A retry has the same limits; answer by hand where the ticket is a hard one."
        case StopReason.REPEATED_CALL | StopReason.TOO_MANY_ERRORS:
            return "It did not get further by itself. Answer by hand with what was found."
        case StopReason.NO_RECORDING:
            return (
                "Recorded replies answer a ticket as it was recorded: no other ticket, no edit and"
                " no follow-up. A live model answers all of them (`handrail serve --live`);"
                ' `match = "sequence"` plays the same replies again, whatever was asked.'
            )
        case StopReason.PROVIDER_ERROR:
            return "The provider may be back in a moment: retry, or answer by hand."
        case StopReason.CANCELLED:
            return "Retry runs the ticket again from its beginning."
        case _:
            assert_never(reason)


def status_words(view: StatusView) -> str:
    """Say where a run is."""
    match view.phase:
        case Phase.QUEUED:
            return "waits for its turn."
        case Phase.HELD:
            return f"waits. {line(view.note or '', 400)}".rstrip()
        case Phase.RUNNING:
            most = "" if view.max_steps is None else f" of at most {view.max_steps}"
            return f"step {view.step}{most} \u2026 {line(view.note or '', 400)}".rstrip()
        case Phase.STOPPING:
            return f"{who(view.by)} pressed Stop; it ends after the step in flight."
        case Phase.ENDED:
            return _ended(view)
        case _:
            assert_never(view.phase)


def about_ticket(ticket_id: str, customer_id: str, told: str) -> str:
    """Say something of a ticket and its customer."""
    return f"{fact(ticket_id)} of {fact(customer_id)}: {told}"


def stop_name(ticket_id: str) -> str:
    """Name the Stop button for screen readers."""
    return f"Stop the run of ticket {ticket_id}"


def call_words(call: CallLine) -> str:
    """Say what was looked up, and how that went."""
    sign = "\u2713" if call.result is Kind.OK else f"\u2717 {call.result.value}:"
    return f"{sign} {fact(call.name, 60)} {fact(call.arguments, 120) if call.arguments else ''}"


def figures_words(figures: Figures) -> str:
    """Say what a run used: steps, calls, tokens, time, cost."""
    return SEPARATOR.join(
        (
            counted(figures.model_calls, "step"),
            counted(figures.tool_calls, "look-up"),
            tokens_text(figures.tokens_in, figures.tokens_out),
            seconds_text(figures.seconds_us),
            line(figures.cost, 120),
        )
    )


def run_words(run_id: str, profile: str, model: str) -> str:
    """Name a run with its profile and model."""
    return f"{line(profile, 40)}, {line(model, 60)}{SEPARATOR}{fact(run_id)}"


def draft_title(ticket_id: str) -> str:
    """Head a draft."""
    return f"Draft for {line(ticket_id, 60)} (nobody has sent it)"


def draft_short(ticket_id: str, reply: str) -> str:
    """Say a draft in one line, for notifications."""
    return f"Draft for {line(ticket_id, 60)}: {line(reply, 400)}"


def first_part(count: int) -> str:
    """Say that a draft goes on in further messages."""
    return f"Part 1 of {count}; it goes on below."


def part_of(ticket_id: str, number: int, count: int) -> str:
    """Head a message that continues a draft."""
    return f"Draft for {line(ticket_id, 60)}, part {number} of {count}"


def discarded(user_id: str) -> str:
    """Say who discarded a draft."""
    return f"*Discarded* by {mention(user_id)}."


def edited(user_id: str) -> str:
    """Say whose text a draft shows."""
    return f"Edited by {mention(user_id)}; the model's own text is kept."


def proposal_words(each: DraftProposal) -> str:
    """Say how a proposal of the run stands."""
    told = f"Proposal {fact(each.proposal_id)}: {state_name(each.state)}"
    done = line("; ".join(each.settled), _MAX_SETTLED)
    return f"{told}: {done}" if done else told


def counted_label(label: str, count: int) -> str:
    """Label a button with how many pressed it."""
    return f"{label} ({count})" if count else label


def about_run(customer_id: str, team: str | None) -> tuple[str, str]:
    """Name the customer, and the team that an answer is for."""
    named = "none named" if team is None else line(team, 60)
    return f"Customer {fact(customer_id)}", f"Team {named}"


def no_draft(ticket_id: str) -> str:
    """Head a run without an answer."""
    return f"No draft for {line(ticket_id, 60)}"


def stop_words(view: StopView) -> str:
    """Say why there is no answer."""
    if view.result is Result.REJECTED:
        return "a gate objected to the drafted answer, so it is held back"
    return f"no answer: {reason_text(view.stop.reason)}"


def gave_up() -> str:
    """Say that a run failed for reasons of ours, again and again."""
    return (
        "I could not finish this ticket: a fault on my side came up at every attempt. Nothing was "
        "changed. An operator finds the cause in the log."
    )


def taker(team: str | None) -> str:
    """Say who should take a ticket that has no answer."""
    return A_PERSON if team is None else f"Team *{line(team, 60)}* should take it."


def problem(code: str, message: str, most: int) -> str:
    """State one objection of a gate."""
    return f"\u2022 {fact(code)} {line(message, most)}"


def more_problems(count: int) -> str:
    """Say how many objections are not named."""
    return f"\u2022 and {count} more"


def asks_customer(ticket_id: str) -> str:
    """Ask who wrote a ticket that names no customer."""
    return f"{fact(ticket_id)} names no customer, and without one I look nothing up. Who is it?"


def asks_customer_short(ticket_id: str) -> str:
    """Ask the same in one line, for notifications."""
    return f"{line(ticket_id, 60)} names no customer. Who is it?"


def _ended(view: StatusView) -> str:
    if view.note is not None:  # nothing is shown of what it came to, and this says why
        return line(view.note, 400)
    match view.result:
        case Result.VALID:
            return "drafted; the draft is below."
        case Result.REJECTED:
            return f"a gate objected to the draft. {A_PERSON}"
        case Result.FAILED | None:
            why = "it ended" if view.stop is None else reason_text(view.stop.reason)
            cancelled = view.stop is not None and view.stop.reason is StopReason.CANCELLED
            if cancelled and view.by is not None:
                why = f"{who(view.by)} pressed Stop"
            return f"stopped: {why}. {A_PERSON}"
        case _:
            assert_never(view.result)

"""The sentences that answer a press, a form and a command."""

from __future__ import annotations

from typing import Final

from approvals import (
    AlreadyDecided,
    ApprovalsError,
    LookUpsDue,
    NotAllowed,
    OperationUnknown,
    ProposalUnknown,
    Refusal,
)
from bot.slack.markup import body, date, fact
from bot.slack.words.common import NOTHING_CHANGED, who
from bot.slack.words.proposals import state_name

__all__ = [
    "FOUND_UNDONE",
    "already_in_hand",
    "approved",
    "command_help",
    "customer_needed",
    "customer_noted",
    "draft_kept",
    "expired",
    "form_late",
    "no_such_run",
    "no_such_ticket",
    "not_an_operator",
    "not_handled",
    "not_paused",
    "not_viewer",
    "nothing_known",
    "nothing_unknown",
    "old_button",
    "paused",
    "person_unavailable",
    "refused",
    "rejected",
    "reopened",
    "resumed",
    "run_begun_anew",
    "run_ended",
    "run_queued",
    "said_thanks",
    "settled",
    "signed",
    "stopping",
]

_ASK: Final = f"Its card says who may. {NOTHING_CHANGED}"
FOUND_UNDONE: Final = "a person looked at the shop and found that it was not done"


def approved(proposal_id: str) -> str:
    """Say that the last needed signature was given."""
    return f"{proposal_id} is approved and is being carried out. Its card shows what comes of it."


def rejected(proposal_id: str) -> str:
    """Say that a proposal will not be carried out."""
    return f"You rejected {proposal_id}. Its card in the thread shows your reason."


def signed(proposal_id: str, missing: int) -> str:
    """Say that a signature counts and others are needed."""
    more = "one more signature" if missing == 1 else f"{missing} more signatures"
    return f"You signed {proposal_id}. It needs {more}, of somebody else, before anything happens."


def expired(proposal_id: str) -> str:
    """Say that the time for a decision was over."""
    return f"{proposal_id} expired before you pressed, so you decided nothing. {NOTHING_CHANGED}"


def reopened(new_id: str) -> str:
    """Say that a new proposal was made, which needs a decision of its own."""
    return f"{new_id} asks for it again. It needs a new approval; its card is in this thread."


def settled(operation_id: str) -> str:
    """Say that a person's word about an unknown change was taken."""
    return f"What you found out about {operation_id} is kept, with your reason."


def nothing_unknown(proposal_id: str) -> str:
    """Say that there is nothing left to find out."""
    known = f"What was asked here is known by now; the card of {proposal_id} shows it."
    return f"{known} {NOTHING_CHANGED}"


def nothing_known() -> str:
    """Answer a press about something that the store does not know."""
    return f"I do not know any more what this button is about. {NOTHING_CHANGED}"


def refused(error: ApprovalsError, most: int) -> str:
    """Say, to who pressed, why nothing was done, escaped and in at most so many signs."""
    match error:
        case AlreadyDecided():
            how = f"{state_name(error.state)} ({who(error.who)}, {date(error.when_us)})"
            return f"{fact(error.proposal_id)} is {how}, so your press did nothing."
        case NotAllowed(reason=Refusal.NO_ROLE):
            return f"You have no role in the approvals table, so you cannot decide. {_ASK}"
        case NotAllowed(reason=Refusal.REQUESTER):
            return f"You asked for this, so somebody else has to sign. {NOTHING_CHANGED}"
        case NotAllowed(reason=Refusal.ALREADY_SIGNED):
            return f"You have signed already; a second person has to. {NOTHING_CHANGED}"
        case _:
            return body(_as_sentence(_in_slack(error)), most)


def _in_slack(error: ApprovalsError) -> str:
    """Return an error's own words, with a next step of Slack where theirs is for a shell."""
    match error:
        case ProposalUnknown(proposal_id=proposal_id):
            return (
                f"There is no proposal {proposal_id}. `/handrail waiting` lists those that wait for"
                " a decision."
            )
        case OperationUnknown(operation_id=operation_id):
            return f"There is no change {operation_id} any more. Look at its card in the thread."
        case LookUpsDue(count=count):
            return (
                f"The store was restored from a backup, and {count} of its changes were not looked"
                " up at the shop since. Nothing is sent before that: ask whoever runs me."
            )
        case _:
            return str(error)


def _as_sentence(words: str) -> str:
    """Return an error's words, which begin small for a shell, with a capital and a full stop."""
    stop = "" if words.endswith((".", "!", "?")) else "."
    return f"{words[:1].upper()}{words[1:]}{stop}"


def person_unavailable() -> str:
    """Say that nobody decides whom Slack does not vouch for."""
    return f"Slack could not tell me who you are, so I did nothing. {NOTHING_CHANGED} Press again."


def old_button() -> str:
    """Answer a button that this version does not know."""
    return (
        f"This button is from another version of me and does nothing any more. {NOTHING_CHANGED} "
        "Look at the card in the thread, or at my Home tab."
    )


def not_handled() -> str:
    """Answer a press that failed for reasons of ours, again and again."""
    return (
        f"I could not handle that, because of a fault on my side. {NOTHING_CHANGED} "
        "Press again; an operator finds the cause in the log."
    )


def form_late() -> str:
    """Answer a press whose form did not open in time."""
    return f"The form did not open in time. {NOTHING_CHANGED} Press again."


def not_viewer() -> str:
    """Answer somebody who may not use the buttons of a draft."""
    return f"Only full members of the ticket's channel can do that. {NOTHING_CHANGED}"


def not_an_operator() -> str:
    """Answer somebody who may not pause or resume."""
    return f"Only operators can do that; the settings name them. {NOTHING_CHANGED}"


def no_such_run(run_id: str) -> str:
    """Answer a press about a run that is gone."""
    return f"I do not know run {run_id} any more. {NOTHING_CHANGED}"


def no_such_ticket() -> str:
    """Answer a press about a ticket that is gone."""
    return f"This ticket was withdrawn, or I never had it. {NOTHING_CHANGED}"


def customer_needed() -> str:
    """Answer a request for another run of a ticket whose customer is not known."""
    return (
        "The customer id of this ticket is missing: give it with the button Give the customer in "
        f"its thread, and I start. {NOTHING_CHANGED}"
    )


def run_ended() -> str:
    """Answer Stop where there is nothing left to stop."""
    return "This run has ended already; there is nothing to stop."


def stopping() -> str:
    """Answer Stop."""
    return "Stopping. The step in flight ends first; nothing is proposed after that."


def run_queued() -> str:
    """Answer a request for another run."""
    return "I start again with this ticket. The new status is in the thread."


def run_begun_anew() -> str:
    """Answer a retry of a run that another one has followed, or is about to."""
    return f"This was started again already: look at the newest status. {NOTHING_CHANGED}"


def already_in_hand(user_id: str) -> str:
    """Answer somebody who takes over what another one has."""
    return f"<@{user_id}> has taken this over already."


def customer_noted(customer_id: str) -> str:
    """Answer the form that names a ticket's customer."""
    return f"Thank you. I start, for customer {customer_id}."


def draft_kept() -> str:
    """Answer the form that edits a draft."""
    return "Your text is kept beside the draft, and is what Show to copy gives."


def said_thanks() -> str:
    """Answer helpful and not helpful."""
    return "Thank you, that is noted."


def paused() -> str:
    """Answer Pause."""
    return "Paused: no further run begins until an operator resumes. Tickets are kept and wait."


def resumed() -> str:
    """Answer Resume."""
    return "Resumed: the tickets that waited begin now."


def not_paused() -> str:
    """Answer Resume where nothing was paused."""
    return "Nothing was paused."


def command_help() -> str:
    """Say what can be typed."""
    return (
        "`/handrail waiting` lists what waits for a decision, `/handrail status` says how I am,"
        " `/handrail show P-…` shows a proposal. Operators: `/handrail pause` and"
        " `/handrail resume`; `/handrail letters` lists what was given up."
    )

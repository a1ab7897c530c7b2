"""What is said of a proposal: on its card, in its thread, and where it is named elsewhere.

Nobody is mentioned who need not look.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, assert_never

from approvals import (
    UNKNOWN_REQUESTER,
    EffectMark,
    Operation,
    OperationState,
    Proposal,
    ProposalState,
    ProposalView,
    Signature,
)
from bot.action_words import label_reason, refund_reason, refund_target
from bot.proposal_texts import NOTHING_YET
from bot.slack.markup import date, fact, line, link, mention
from bot.slack.views import CardView
from bot.slack.words.common import NOTHING_CHANGED, SEPARATOR, rule_words, who
from bot.texts import action_text, counted
from tools import (
    PRACTICE_TRAITS,
    Action,
    CreateReturnLabel,
    Money,
    RequestRefund,
    ReshipItem,
)

__all__ = [
    "AGAIN_TEXT",
    "AGAIN_TITLE",
    "AGAIN_YES",
    "APPROVE",
    "APPROVE_SECOND",
    "ASKED_BEFORE",
    "DRAFT_SAYS",
    "EDIT_AMOUNT",
    "FILLER_UNKNOWN",
    "NO",
    "ONE_OF_TWO",
    "REJECT",
    "REOPEN",
    "REQUESTERS",
    "SECOND_TITLE",
    "SECOND_YES",
    "SENT_AT_ONCE",
    "SETTLE",
    "TRY_AGAIN",
    "about_words",
    "action_short",
    "action_words",
    "approve_name",
    "approve_title",
    "approver_words",
    "counts_words",
    "edited",
    "erased_words",
    "headline",
    "held_words",
    "in_one_line",
    "mark_words",
    "more_marks",
    "operation_words",
    "signature_words",
    "state_name",
    "state_words",
    "undecided",
]

DRAFT_SAYS: Final = "The drafted answer, which nobody has sent:"
REQUESTERS: Final = "Who asked for it cannot sign."
FILLER_UNKNOWN: Final = (
    "*Nobody can approve this yet:* the form does not say who filled it in, and who asks never "
    "signs. Delete the form's message, and send the form again with a mention of that person in "
    "the line `Submitted by`; or reject it."
)

APPROVE: Final = "Approve"
APPROVE_SECOND: Final = "Approve a second one"
REJECT: Final = "Reject\u2026"
EDIT_AMOUNT: Final = "Edit amount\u2026"
TRY_AGAIN: Final = "Try again"
REOPEN: Final = "Reopen"
SETTLE: Final = "I have looked\u2026"

SECOND_TITLE: Final = "A second one?"
SECOND_YES: Final = "Yes, a second one"
NO: Final = "No"
SENT_AT_ONCE: Final = "It is sent to the shop at once."
ONE_OF_TWO: Final = "It takes two different people: nothing is sent before the second has signed."
ASKED_BEFORE: Final = "The same was asked for before; the card says when."
AGAIN_TITLE: Final = "Ask for it again?"
AGAIN_TEXT: Final = "This makes a new proposal, which needs a new approval."
AGAIN_YES: Final = "Ask again"


def action_words(action: Action) -> str:
    """State one change exactly: what, how much, on which order, of what, why."""
    order = fact(action.order_id)
    match action:
        case RequestRefund():
            code, why = fact(action.reason_code.value), refund_reason(action.reason_code)
            target = refund_target(action, fact)
            return f"*Refund {_money(action.money)}* on order {order}, {target} ({code}: {why})"
        case ReshipItem():
            return f"*Send again {action.quantity} of* {fact(action.sku)} from order {order}, free"
        case CreateReturnLabel():
            why = label_reason(action.reason)
            code = fact(action.reason.value)
            return f"*Return label* for {fact(action.sku)} of order {order} ({code}: {why})"
        case _:
            assert_never(action)


def action_short(action: Action, most: int) -> str:
    """State one change in plain words, for headers, dialogs and notifications."""
    return line(action_text(action), most)


def mark_words(mark: EffectMark) -> str:
    """Say that the same was asked for before, and what became of it."""
    what = "This" if mark.amount is None else f"*{_money(mark.amount)}*"
    match mark.state:
        case OperationState.DONE:
            became = "was already carried out"
        case OperationState.UNKNOWN:
            became = "may already have been carried out"
        case _:
            became = "is being carried out already"
    where = f"{fact(mark.proposal_id)}, ticket {fact(mark.ticket_id)}"
    return f"\u26a0 {what} {became}: {date(mark.at_us)}, by {who(mark.approved_by)} ({where})"


def held_words(held: Sequence[Money]) -> str:
    """Say how much of what is left on the order is asked for elsewhere."""
    told = ", ".join(_money(each) for each in held[:_LISTED])
    more = "" if len(held) <= _LISTED else f" and {len(held) - _LISTED} more"
    return f"Other refunds of this order that the shop does not know yet: {told}{more}"


def operation_words(operation: Operation) -> str:
    """Say how far one change is."""
    why = operation.error_words or operation.error_code
    because = "" if why is None else f": {line(why, 300)}"
    match operation.state:
        case OperationState.READY:
            return "not sent yet"
        case OperationState.EXECUTING:
            return f"being sent, attempt {operation.attempt}"
        case OperationState.RETRY:
            return f"to be tried again{because}"
        case OperationState.DONE:
            return _done(operation)
        case OperationState.FAILED:
            return f"*failed*{because}"
        case OperationState.UNKNOWN:
            return f"*not known*{because}"
        case OperationState.NOT_RUN:
            return f"not run{because}"
        case _:
            assert_never(operation.state)


def state_name(state: ProposalState) -> str:
    """Name a state as lists and notifications do."""
    match state:
        case ProposalState.WAITING:
            return "waiting for a decision"
        case ProposalState.APPROVED | ProposalState.EXECUTING:
            return "approved, being carried out"
        case ProposalState.UNKNOWN:
            return "not known whether it happened"
        case ProposalState.SUPERSEDED:
            return "replaced"
        case _:
            return state.value


def state_words(facts: ProposalView) -> str:
    """Say where a proposal stands, who brought it there and when, and what to do."""
    proposal = facts.proposal
    when = date(proposal.created_us if proposal.decided_us is None else proposal.decided_us)
    by = who(proposal.decided_by)
    match proposal.state:
        case ProposalState.WAITING:
            return _waiting(facts)
        case ProposalState.APPROVED | ProposalState.EXECUTING:
            return f"*Working\u2026* Approved by {by}, {when}. There is nothing more to press."
        case ProposalState.DONE:
            pending = any(each.operation and each.operation.pending for each in facts.actions)
            told = " The shop calls it pending; it may still fail." if pending else ""
            return f"*Done.* Approved by {by}, {when}.{told}"
        case ProposalState.FAILED:
            return f"{_failed(facts)} Decided by {by}, {when}."
        case ProposalState.UNKNOWN:
            return (
                f"*It is not known whether this happened.* Approved by {by}, {when}. Do not do it"
                " by hand before somebody has looked at the shop; it is asked again by itself."
            )
        case ProposalState.REJECTED:
            return f"*Rejected* by {by}, {when}. {NOTHING_CHANGED}"
        case ProposalState.EXPIRED:
            return f"*Expired* {when}: nobody decided in time. {NOTHING_CHANGED}"
        case ProposalState.WITHDRAWN:
            return f"*Withdrawn* by {by}, {when}. {NOTHING_CHANGED}"
        case ProposalState.SUPERSEDED:
            new = "a newer one" if proposal.cause is None else fact(proposal.cause)
            return f"*Replaced* by {new}, {when}. {NOTHING_CHANGED} Decide that one."
        case _:
            assert_never(proposal.state)


def approver_words(facts: ProposalView, *, requesters_may_sign: bool) -> str:
    """Say who may approve, how many people it takes, and who cannot."""
    if facts.needed_role is None:
        return "*Nobody may approve this:* no role with people in it covers the amount."
    if UNKNOWN_REQUESTER in facts.proposal.requesters and not requesters_may_sign:
        return FILLER_UNKNOWN
    role = f"*{line(facts.needed_role, 60)}* or a higher role"
    if facts.signatures_needed > 1:
        told = f"It takes *two different people*, one of them {role}."
    else:
        told = f"May approve: {role}."
    return told if requesters_may_sign else f"{told} {REQUESTERS}"


def signature_words(signatures: Sequence[Signature]) -> str:
    """Name who signed, with their role and when."""
    return "; ".join(
        f"{mention(each.user_id)} ({line(each.role, 40)}, {date(each.at_us)})"
        for each in signatures[:_LISTED]
    )


def about_words(view: CardView) -> str:
    """Name what a proposal belongs to: ticket, customer, rule, run."""
    proposal = view.facts.proposal
    ticket = fact(proposal.ticket_id)
    if view.ticket_link is not None:
        ticket = f"{ticket} ({link(view.ticket_link, 'open')})"
    run = fact(proposal.run_id)
    if view.model:
        design = f"{line(view.profile, 40)}, " if view.profile else ""
        run = f"{run} ({design}{line(view.model, 60)})"
    told = [f"Ticket {ticket}", f"Customer {fact(proposal.customer_id)}", rule_words(proposal.rule)]
    if proposal.version > 1:
        told.append(f"Version {proposal.version}, edited by a person")
    if proposal.made_from is not None:
        told.append(f"Asked for again after {fact(proposal.made_from)}")
    return SEPARATOR.join([*told, f"Run {run}"])


def headline(facts: ProposalView, most: int) -> str:
    """Say what a proposal asks for in a few words."""
    if len(facts.actions) == 1:
        return action_short(facts.actions[0].action, most)
    return (
        f"{counted(len(facts.actions), 'change')} for ticket {line(facts.proposal.ticket_id, 60)}"
    )


def in_one_line(facts: ProposalView) -> str:
    """Say a card in one line, for notifications and screen readers."""
    proposal = facts.proposal
    return f"{proposal.proposal_id} ({state_name(proposal.state)}): {headline(facts, 400)}"


def edited(proposal: Proposal, by: str) -> str:
    """Say that somebody changed a proposal, and what that means for who signed it."""
    what = f"{fact(proposal.proposal_id)} is version {proposal.version}, edited by {who(by)}"
    return f"{what}. Earlier signatures do not count any more. It asks for:"


def undecided(proposal_id: str) -> str:
    """Say that a proposal still waits."""
    return f"{fact(proposal_id)} is still undecided."


def counts_words(facts: ProposalView) -> str:
    """Say which amount a proposal counts as for the limits of roles."""
    if facts.total == facts.own:
        return f"Counts as *{facts.own}*."
    return f"Counts as *{facts.own}*, with the ticket's other proposals *{facts.total}*."


def more_marks(count: int) -> str:
    """Say how many earlier ones are not named."""
    return f"\u26a0 and {count} more like it"


def erased_words(count: int) -> str:
    """Say that texts were erased."""
    return f"({counted(count, 'text')} erased)"


def approve_name(proposal_id: str, *, second: bool) -> str:
    """Name the Approve button for screen readers."""
    return f"Approve proposal {proposal_id}{', a second one' if second else ''}"


def approve_title(proposal_id: str) -> str:
    """Head the dialog that comes before an approval counts."""
    return f"Approve {proposal_id}?"


_LISTED: Final = 4
"""How many of a list are named on a card."""


def _money(money: Money) -> str:
    return str(money)


def _waiting(facts: ProposalView) -> str:
    until = f"Expires {date(facts.proposal.expires_us)}."
    missing = max(1, facts.signatures_needed - len(facts.signatures))
    if not facts.signatures:
        return f"*Waiting for a decision.* {NOTHING_YET} {until}"
    people = f"{counted(missing, 'signature')} more, of somebody else"
    signed = signature_words(facts.signatures)
    return f"*Signed by* {signed}. *It needs {people}.* {NOTHING_YET} {until}"


def _failed(facts: ProposalView) -> str:
    done = [each for each in facts.actions if _is_done(each.operation)]
    if done:
        places = ", ".join(str(each.position) for each in done)
        return f"*Failed in part.* What was done stays done: {places}."
    if facts.proposal.cause is not None:
        return f"*Failed* ({line(facts.proposal.cause, 100)}). {NOTHING_CHANGED}"
    return f"*Failed.* {NOTHING_CHANGED}"


def _is_done(operation: Operation | None) -> bool:
    return operation is not None and operation.state is OperationState.DONE


def _done(operation: Operation) -> str:
    where = " by the practice shop" if operation.gateway == PRACTICE_TRAITS.name else ""
    told = f"*done*{where}"
    if operation.reference is not None:
        told += f", reference {fact(operation.reference)}"
    if operation.settled_us is not None:
        told += f", {date(operation.settled_us)}"
    return f"{told}, still pending at the shop" if operation.pending else told

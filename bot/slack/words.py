"""Every sentence of the bot in Slack about proposals, runs and lists, in mrkdwn and in one file.

What stands between ours goes through ``bot.slack.markup``. Sentences say what happened, to what,
and what to do next; who should act is named by role, and nobody is mentioned who need not look.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, assert_never

from approvals import (
    SYSTEM,
    EffectMark,
    Operation,
    OperationState,
    ProposalState,
    ProposalView,
    Signature,
)
from bot.action_words import label_reason, refund_reason, refund_target
from bot.slack.markup import date, fact, line, mention
from bot.texts import action_text, counted
from loop import Outcome, StopReason
from tools import (
    Action,
    CreateReturnLabel,
    Money,
    RequestRefund,
    ReshipItem,
)

__all__ = [
    "action_short",
    "action_words",
    "approver_words",
    "held_words",
    "mark_words",
    "operation_words",
    "outcome_words",
    "signature_words",
    "state_name",
    "state_words",
    "stop_advice",
    "who",
]

NOTHING_YET: Final = "Nothing has happened yet."
NOTHING_CHANGED: Final = "Nothing was changed."
MODEL_SAYS: Final = "The model's reason, in its own words. It is no fact:"
DRAFT_SAYS: Final = "The drafted answer, which nobody has sent:"
LOOKED_UP: Final = "What was looked up:"
NO_EVIDENCE: Final = "Nothing was looked up, or the texts were erased."
REQUESTERS: Final = "Who asked for it cannot sign."
PRESS_AGAIN: Final = "That took too long and changed nothing. Press the button again."
OLD_BUTTON: Final = (
    "This button is from an earlier release. Nothing was changed; look further down."
)
A_PERSON: Final = "A person takes the ticket."


def who(user_id: str | None) -> str:
    """Name who did something."""
    return "the system" if user_id in (None, SYSTEM.who) else mention(str(user_id))


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
    people = ", *two different people*" if facts.signatures_needed > 1 else ""
    told = f"May approve: *{line(facts.needed_role, 60)}* or a higher role{people}."
    return told if requesters_may_sign else f"{told} {REQUESTERS}"


def signature_words(signatures: Sequence[Signature]) -> str:
    """Name who signed, with their role and when."""
    return "; ".join(
        f"{mention(each.user_id)} ({line(each.role, 40)}, {date(each.at_us)})"
        for each in signatures[:_LISTED]
    )


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
            return "The recordings do not hold this ticket; only a live model can answer it."
        case StopReason.PROVIDER_ERROR:
            return "The provider may be back in a moment: retry, or answer by hand."
        case StopReason.CANCELLED:
            return "Retry runs the ticket again from its beginning."
        case _:
            assert_never(reason)


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
    result = operation.result or {}
    reference = result.get("reference")
    told = "*done*" if reference is None else f"*done*, reference {fact(str(reference))}"
    if operation.settled_us is not None:
        told += f", {date(operation.settled_us)}"
    return f"{told}, still pending at the shop" if operation.pending else told

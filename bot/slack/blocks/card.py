"""The card of a proposal, in every state, and what is said of it in the thread.

An approver sees all that the digest covers, and what the model says apart from it (reference facts
B7): ticket, customer, run, rule, each change exactly, what it repeats, who may approve, what was
looked up, the draft, and that nothing has happened.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from approvals import ActionView, ProposalState, ProposalView
from bot.slack import words
from bot.slack.blocks.parts import (
    actions,
    button,
    confirm,
    context,
    divider,
    header,
    numbered,
    quoted,
    section,
)
from bot.slack.limits import CONFIRM_TEXT, HEADER
from bot.slack.markup import fact, fenced, line, link, mention
from bot.slack.refs import ActionId, ProposalRef
from bot.slack.views import Block, CallLine, CardView, Message
from bot.texts import counted, shortened
from tools import CreateReturnLabel, Kind, RequestRefund

__all__ = ["call_text", "card_message", "card_note", "fallback", "ref_of", "reminder"]

MAX_EVIDENCE: Final = 1_400
MAX_EVIDENCE_LINE: Final = 260
MAX_REASON: Final = 600
MAX_DRAFT: Final = 700
MAX_WHY: Final = 600
MAX_MARKS: Final = 2
"""Earlier ones that are named; how many more there are is said."""


def card_message(view: CardView, *, buttons: bool = True) -> Message:
    """Return the card. ``buttons`` False leaves them out, for a look without a decision."""
    proposal = view.facts.proposal
    blocks = list(_blocks(view, buttons=buttons))
    signed = len(view.facts.signatures)
    stem = f"{proposal.proposal_id}:{proposal.version}:{proposal.state.value}:{signed}"
    return Message(text=fallback(view.facts), blocks=numbered(stem, blocks))


def card_note(view: CardView) -> Message | None:
    """Return the line for the thread once something came of it; None while nothing has."""
    facts = view.facts
    silent = (ProposalState.APPROVED, ProposalState.EXECUTING)
    state = facts.proposal.state
    if state in silent or (state is ProposalState.WAITING and not facts.signatures):
        return None
    told = f"{fact(facts.proposal.proposal_id)}: {words.state_words(facts)}"
    done = [f"{each.position}. {_execution(each)}" for each in facts.actions if each.operation]
    blocks = [section("\n".join([told, *done]))]
    if view.why is not None:
        blocks.append(quoted(view.why, MAX_WHY))
    return Message(text=fallback(facts), blocks=tuple(blocks))


def reminder(view: CardView, mentions: Sequence[str] = ()) -> Message:
    """Return the warning before a proposal expires, for the users or groups named by id."""
    facts = view.facts
    called = " ".join(mention(each) for each in mentions)
    told = f"{called} {fact(facts.proposal.proposal_id)} is still undecided.".lstrip()
    text = f"{told} {words.state_words(facts)} {_approvers(view)}"
    return Message(text=f"{called} {fallback(facts)}".lstrip(), blocks=(section(text),))


def fallback(facts: ProposalView) -> str:
    """Return the card in one line, for notifications and screen readers."""
    proposal = facts.proposal
    name = words.state_name(proposal.state)
    return f"{proposal.proposal_id} ({name}): {headline(facts, 400)}"


def headline(facts: ProposalView, most: int) -> str:
    """Say what a proposal asks for in a few words."""
    if len(facts.actions) == 1:
        return words.action_short(facts.actions[0].action, most)
    return (
        f"{counted(len(facts.actions), 'change')} for ticket {line(facts.proposal.ticket_id, 60)}"
    )


def ref_of(facts: ProposalView, *, second: bool = False) -> ProposalRef:
    """Return the proposal in the version that is shown."""
    proposal = facts.proposal
    return ProposalRef(proposal_id=proposal.proposal_id, version=proposal.version, second=second)


def call_text(call: CallLine, most: int) -> str:
    """Return a look-up as raw text: its code, what was asked, what came back."""
    sign = "ok" if call.result is Kind.OK else f"{call.result.value} {call.code}"
    found = f": {call.found}" if call.found else ""
    return shortened(f"[{sign}] {call.name} {call.arguments}{found}", most)


def _blocks(view: CardView, *, buttons: bool) -> Iterator[Block]:
    facts = view.facts
    proposal_id = facts.proposal.proposal_id
    yield header(f"{proposal_id}: {headline(facts, HEADER - len(proposal_id) - 2)}")
    yield section(words.state_words(facts))
    if view.why is not None and facts.proposal.state is ProposalState.REJECTED:
        yield quoted(view.why, MAX_WHY)
    yield section(_about(view))
    for each in facts.actions:
        yield section(_action(each))
    if facts.proposal.state is ProposalState.WAITING:
        yield section(_decision(view))
        if buttons:
            yield actions(list(_waiting_buttons(facts)))
    elif buttons and (offered := list(_later_buttons(view))):
        yield actions(offered)
    yield divider()
    yield from _background(view)


def _about(view: CardView) -> str:
    proposal = view.facts.proposal
    ticket = fact(proposal.ticket_id)
    if view.ticket_link is not None:
        ticket = f"{ticket} ({link(view.ticket_link, 'open')})"
    rule = "none named" if proposal.rule is None else fact(proposal.rule)
    run = fact(proposal.run_id)
    if view.model:
        design = f"{line(view.profile, 40)}, " if view.profile else ""
        run = f"{run} ({design}{line(view.model, 60)})"
    told = [f"Ticket {ticket}", f"Customer {fact(proposal.customer_id)}", f"Rule {rule}"]
    if proposal.version > 1:
        told.append(f"Version {proposal.version}, edited by a person")
    if proposal.made_from is not None:
        told.append(f"Asked for again after {fact(proposal.made_from)}")
    return "  \u00b7  ".join([*told, f"Run {run}"])


def _action(each: ActionView) -> str:
    lines = [f"{each.position}. {words.action_words(each.action)}"]
    if each.operation is not None:
        lines.append(f"    \u2192 {words.operation_words(each.operation)}")
    lines += [f"    {words.mark_words(mark)}" for mark in each.marks[:MAX_MARKS]]
    if len(each.marks) > MAX_MARKS:
        lines.append(f"    \u26a0 and {len(each.marks) - MAX_MARKS} more like it")
    if each.held:
        lines.append(f"    {words.held_words(each.held)}")
    return "\n".join(lines)


def _execution(each: ActionView) -> str:
    what = words.action_words(each.action)
    return what if each.operation is None else f"{what}: {words.operation_words(each.operation)}"


def _decision(view: CardView) -> str:
    facts = view.facts
    counts = f"Counts as *{facts.own}*"
    if facts.total != facts.own:
        counts += f", with the ticket's other proposals *{facts.total}*"
    return f"{_approvers(view)}\n{counts}."


def _approvers(view: CardView) -> str:
    may = view.requesters_may_sign
    return words.approver_words(view.facts, requesters_may_sign=may)


def _waiting_buttons(facts: ProposalView) -> Iterator[dict[str, Any]]:
    yield _approve(facts)
    yield button(ActionId.REJECT, "Reject\u2026", ref_of(facts))
    if any(isinstance(each.action, RequestRefund) for each in facts.actions):
        yield button(ActionId.EDIT_AMOUNT, "Edit amount\u2026", ref_of(facts))


def _approve(facts: ProposalView) -> dict[str, Any]:
    proposal_id = facts.proposal.proposal_id
    name = f"Approve proposal {proposal_id}"
    if facts.second_needed:
        return button(
            ActionId.APPROVE,
            "Approve a second one",
            ref_of(facts, second=True),
            style="danger",
            asks=_ask_second(facts),
            name=f"{name}, a second one",
        )
    asks = _ask(facts) if any(map(_moves_money, facts.actions)) else None
    return button(ActionId.APPROVE, "Approve", ref_of(facts), style="primary", asks=asks, name=name)


def _moves_money(each: ActionView) -> bool:
    """Whether a change costs the shop something: a refund, or goods sent again."""
    return not isinstance(each.action, CreateReturnLabel)


def _ask(facts: ProposalView) -> dict[str, Any]:
    text = f"{_told_actions(facts, 240)}. It is sent to the shop at once."
    return confirm(f"Approve {facts.proposal.proposal_id}?", text, "Approve", "Not now")


def _ask_second(facts: ProposalView) -> dict[str, Any]:
    start = "The same was asked for before; the card says when. "
    text = f"{start}{_told_actions(facts, CONFIRM_TEXT - len(start))}"
    return confirm("A second one?", text, "Yes, a second one", "No", danger=True)


def _told_actions(facts: ProposalView, most: int) -> str:
    each_most = most // len(facts.actions) - 2
    return "; ".join(words.action_short(each.action, each_most) for each in facts.actions)


def _later_buttons(view: CardView) -> Iterator[dict[str, Any]]:
    ref = ref_of(view.facts)
    match view.facts.proposal.state:
        case ProposalState.FAILED if view.offers_try_again:
            yield button(ActionId.TRY_AGAIN, "Try again", ref, asks=_ask_again())
        case ProposalState.REJECTED if view.offers_reopen:
            yield button(ActionId.REOPEN, "Reopen", ref, asks=_ask_again())
        case ProposalState.UNKNOWN if view.offers_settle:
            yield button(ActionId.SETTLE, "I have looked\u2026", ref)
        case _:
            return


def _ask_again() -> dict[str, Any]:
    text = "This makes a new proposal, which needs a new approval."
    return confirm("Ask for it again?", text, "Ask again", "No")


def _background(view: CardView) -> Iterator[Block]:
    """Yield what is no fact of the proposal: the model's reason, the look-ups, the draft."""
    if view.reason:
        yield context(words.MODEL_SAYS)
        yield quoted(view.reason, MAX_REASON)
    evidence = _evidence(view)
    yield context(words.LOOKED_UP if evidence else words.NO_EVIDENCE)
    if evidence:
        yield section(fenced("\n".join(evidence), MAX_EVIDENCE))
    if view.facts.draft and view.facts.proposal.state is ProposalState.WAITING:
        yield context(words.DRAFT_SAYS)
        yield quoted(view.facts.draft, MAX_DRAFT)


def _evidence(view: CardView) -> list[str]:
    """Return a line for each look-up, all of them, each as long as there is room for it."""
    count = len(view.calls or view.facts.evidence)
    most = min(MAX_EVIDENCE_LINE, MAX_EVIDENCE // max(1, count) - 1)
    if view.calls:
        return [call_text(call, most) for call in view.calls]
    kept = [text for text in view.facts.evidence if text is not None]
    shown = [shortened(text, most) for text in kept]
    erased = len(view.facts.evidence) - len(kept)
    return [*shown, f"({counted(erased, 'text')} erased)"] if erased else shown

"""The card of a proposal, in every state, and what is said of it in the thread.

An approver sees all that the digest covers, and what the model says apart from it (reference facts
B7): ticket, customer, run, rule, each change exactly, what it repeats, who may approve, what was
looked up, the draft, and that nothing has happened.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from approvals import ActionView, ProposalState, ProposalView
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
from bot.slack.markup import fact, fenced, mention
from bot.slack.refs import ActionId, ProposalRef
from bot.slack.views import Block, CallLine, CardView, Message
from bot.slack.words import common
from bot.slack.words import proposals as words
from bot.texts import shortened
from tools import CreateReturnLabel, Kind, RequestRefund

__all__ = [
    "action_section",
    "call_text",
    "card_message",
    "card_note",
    "decision_buttons",
    "edit_note",
    "ref_of",
    "reminder",
]

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
    return Message(text=words.in_one_line(view.facts), blocks=numbered(stem, blocks))


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
    return Message(text=words.in_one_line(facts), blocks=tuple(blocks))


def edit_note(view: CardView, by: str) -> Message:
    """Return the line for the thread after somebody changed an amount."""
    facts = view.facts
    told = [
        words.edited(facts.proposal, by),
        *(words.action_words(a.action) for a in facts.actions),
    ]
    return Message(text=words.in_one_line(facts), blocks=(section("\n".join(told)),))


def reminder(view: CardView, mentions: Sequence[str] = ()) -> Message:
    """Return the warning before a proposal expires, for the users or groups named by id."""
    facts = view.facts
    called = " ".join(mention(each) for each in mentions)
    told = f"{called} {words.undecided(facts.proposal.proposal_id)}".lstrip()
    text = f"{told} {words.state_words(facts)} {_approvers(view)}"
    return Message(text=f"{called} {words.in_one_line(facts)}".lstrip(), blocks=(section(text),))


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
    yield header(f"{proposal_id}: {words.headline(facts, HEADER - len(proposal_id) - 2)}")
    yield section(words.state_words(facts))
    if view.why is not None and facts.proposal.state is ProposalState.REJECTED:
        yield quoted(view.why, MAX_WHY)
    yield section(words.about_words(view))
    for each in facts.actions:
        yield action_section(each)
    if facts.proposal.state is ProposalState.WAITING:
        yield section(_decision(view))
        if buttons:
            yield actions(list(_waiting_buttons(facts)))
    elif buttons and (offered := list(_later_buttons(view))):
        yield actions(offered)
    yield divider()
    yield from _background(view)


def action_section(each: ActionView) -> Block:
    """Return one change exactly, with how far it is and what it repeats."""
    lines = [f"{each.position}. {words.action_words(each.action)}"]
    if each.operation is not None:
        lines.append(f"    \u2192 {words.operation_words(each.operation)}")
    lines += [f"    {words.mark_words(mark)}" for mark in each.marks[:MAX_MARKS]]
    if len(each.marks) > MAX_MARKS:
        lines.append(f"    {words.more_marks(len(each.marks) - MAX_MARKS)}")
    if each.held:
        lines.append(f"    {words.held_words(each.held)}")
    return section("\n".join(lines))


def _execution(each: ActionView) -> str:
    what = words.action_words(each.action)
    return what if each.operation is None else f"{what}: {words.operation_words(each.operation)}"


def _decision(view: CardView) -> str:
    return f"{_approvers(view)}\n{words.counts_words(view.facts)}"


def _approvers(view: CardView) -> str:
    may = view.requesters_may_sign
    return words.approver_words(view.facts, requesters_may_sign=may)


def decision_buttons(facts: ProposalView) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return Approve, which asks again where money moves, and Reject, which asks for a reason."""
    return _approve(facts), button(ActionId.REJECT, words.REJECT, ref_of(facts))


def _waiting_buttons(facts: ProposalView) -> Iterator[dict[str, Any]]:
    yield from decision_buttons(facts)
    if any(isinstance(each.action, RequestRefund) for each in facts.actions):
        yield button(ActionId.EDIT_AMOUNT, words.EDIT_AMOUNT, ref_of(facts))


def _approve(facts: ProposalView) -> dict[str, Any]:
    proposal_id = facts.proposal.proposal_id
    if facts.second_needed:
        return button(
            ActionId.APPROVE,
            words.APPROVE_SECOND,
            ref_of(facts, second=True),
            style="danger",
            asks=_ask_second(facts),
            name=words.approve_name(proposal_id, second=True),
        )
    asks = _ask(facts) if any(map(_moves_money, facts.actions)) else None
    name = words.approve_name(proposal_id, second=False)
    return button(
        ActionId.APPROVE, words.APPROVE, ref_of(facts), style="primary", asks=asks, name=name
    )


def _moves_money(each: ActionView) -> bool:
    """Whether a change costs the shop something: a refund, or goods sent again."""
    return not isinstance(each.action, CreateReturnLabel)


def _ask(facts: ProposalView) -> dict[str, Any]:
    is_last = len(facts.signatures) + 1 >= facts.signatures_needed
    then = words.SENT_AT_ONCE if is_last else words.ONE_OF_TWO
    text = f"{_told_actions(facts, CONFIRM_TEXT - len(then) - 2)}. {then}"
    title = words.approve_title(facts.proposal.proposal_id)
    return confirm(title, text, words.APPROVE, common.NOT_NOW)


def _ask_second(facts: ProposalView) -> dict[str, Any]:
    start = f"{words.ASKED_BEFORE} "
    text = f"{start}{_told_actions(facts, CONFIRM_TEXT - len(start))}"
    return confirm(words.SECOND_TITLE, text, words.SECOND_YES, words.NO, danger=True)


def _told_actions(facts: ProposalView, most: int) -> str:
    each_most = most // len(facts.actions) - 2
    return "; ".join(words.action_short(each.action, each_most) for each in facts.actions)


def _later_buttons(view: CardView) -> Iterator[dict[str, Any]]:
    ref = ref_of(view.facts)
    match view.facts.proposal.state:
        case ProposalState.FAILED if view.offers_try_again:
            yield button(ActionId.TRY_AGAIN, words.TRY_AGAIN, ref, asks=_ask_again())
        case ProposalState.REJECTED if view.offers_reopen:
            yield button(ActionId.REOPEN, words.REOPEN, ref, asks=_ask_again())
        case ProposalState.UNKNOWN if view.offers_settle:
            yield button(ActionId.SETTLE, words.SETTLE, ref)
        case _:
            return


def _ask_again() -> dict[str, Any]:
    return confirm(words.AGAIN_TITLE, words.AGAIN_TEXT, words.AGAIN_YES, words.NO)


def _background(view: CardView) -> Iterator[Block]:
    """Yield what is no fact of the proposal: the model's reason, the look-ups, the draft."""
    if view.reason:
        yield context(common.MODEL_SAYS)
        yield quoted(view.reason, MAX_REASON)
    evidence = _evidence(view)
    yield context(common.LOOKED_UP if evidence else common.NO_EVIDENCE)
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
    return [*shown, words.erased_words(erased)] if erased else shown

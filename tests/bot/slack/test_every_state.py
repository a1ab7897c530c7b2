"""Every message, form and page, in every state, with the longest texts: what Slack would take."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from approvals import AuditHead, NotAllowed, OperationState, ProposalState, Refusal
from bot.slack import blocks
from bot.slack.refs import TicketRef
from bot.slack.views import (
    CardView,
    CopyView,
    DigestView,
    DraftProposal,
    GaveUpView,
    HealthLine,
    HomeView,
    Letter,
    LetterKind,
    Message,
    Phase,
    RunLine,
    WaitingLine,
)
from loop import Outcome, Result, StopReason
from tests.bot.slack.looks import (
    AT_US,
    LABEL,
    REFUND,
    SIGNATURE,
    action_view,
    assert_fits,
    assert_view_fits,
    card,
    mark,
    operation,
)
from tests.bot.slack.test_run_messages import DRAFT, HOSTILE, STATUS, STOP
from tools import Action, Money

LONGEST = {
    "escaped": "&" * 45_000,
    "joined": "\U0001f469\u200d\U0001f469\u200d\U0001f467" * 4_000,
    "hostile": HOSTILE * 400,
    "lines": "```\n| a | b |\n" * 2_000,
}
TICKET = TicketRef(channel="C1", ts="1700000000.000100")
LINK = "https://x.slack.com/archives/C1/p1"
CARD_FORMS = (blocks.reject_modal, blocks.edit_amount_modal)


def longest_card(text: str, state: ProposalState, executed: OperationState | None) -> CardView:
    """Return a card on which everything is as long as it can be."""
    money = REFUND.model_copy(update={"order_id": text[:200], "sku": text[:20]})
    actions: tuple[Action, ...] = (money, LABEL, money, money)
    shown = [
        action_view(
            action,
            position=place,
            operation=None if executed is None else operation(executed, action, error_words=text),
            marks=(mark(ticket_id=text),) * 5,
            held=(Money(10**15, "CAD"),) * 9,
        )
        for place, action in enumerate(actions, start=1)
    ]
    return card(
        state,
        actions=shown,
        row={"ticket_id": text, "customer_id": text, "rule": text, "cause": text, "version": 2},
        facts={
            "draft": text,
            "evidence": (text,) * 30,
            "needed_role": text,
            "signatures": (SIGNATURE,) * 6,
        },
        reason=text,
        why=text,
        ticket_link=LINK,
        offers_try_again=True,
        offers_reopen=True,
        offers_settle=True,
    )


def messages_of_cards(text: str) -> Iterator[Message | None]:
    """Yield what is posted of a proposal in every state."""
    executed = {
        ProposalState.EXECUTING: tuple(OperationState),
        ProposalState.DONE: (OperationState.DONE,),
        ProposalState.FAILED: (OperationState.FAILED, OperationState.NOT_RUN),
        ProposalState.UNKNOWN: (OperationState.UNKNOWN,),
    }
    for state in ProposalState:
        for each in executed.get(state, (None,)):
            view = longest_card(text, state, each)
            yield blocks.card_message(view)
            yield blocks.card_note(view)
            yield blocks.reminder(view, ["U0ANN"] * 50)
            yield blocks.edit_note(view, "U0ANN")


def messages_of_runs(text: str) -> Iterator[Message]:
    """Yield what is posted of a run in every phase, and however it ends."""
    proposals = tuple(
        DraftProposal(proposal_id=text, state=state, settled=(text,)) for state in ProposalState
    )
    for outcome in Outcome:
        yield from blocks.draft_messages(
            replace(DRAFT, reply=text, outcome=outcome, reason=text, team=text, proposals=proposals)
        )
    for reason in StopReason:
        for result in (Result.REJECTED, Result.FAILED):
            stop = replace(STOP.stop, reason=reason, observed=text, cause=text)
            yield blocks.stop_message(
                replace(STOP, stop=stop, result=result, problems=((text, text),) * 30, team=text)
            )
    for phase in Phase:
        for ended in (None, *Result):
            yield blocks.status_message(
                replace(STATUS, phase=phase, result=ended, note=text, ticket_id=text, by="U0ANN")
            )
    yield blocks.ask_customer_message(TICKET, text)
    for taken_by in (None, "U0ANN"):
        view = GaveUpView(run_id="run-1", ticket_id=text, taken_by=taken_by)
        yield blocks.gave_up_message(view)


def home_of(text: str) -> HomeView:
    """Return App Home with more of everything than it shows."""
    facts = longest_card(text, ProposalState.WAITING, None).facts
    run = RunLine(
        run_id=text, ticket_id=text, result=Result.FAILED, stop=StopReason.COST, at_us=AT_US
    )
    return HomeView(
        role=text,
        operator=True,
        waiting=(WaitingLine(facts=facts, link=LINK),) * 40,
        runs=(replace(run, link=LINK),) * 40,
        stops=dict.fromkeys(StopReason, 10**9),
        health=(HealthLine(name=text, well=False, words=text),) * 40,
        paused_by=("U0ANN", "<" * 200),
        letters=(Letter(kind=LetterKind.POST, number=10**17, what=text, why=text),) * 40,
        letter_count=10**9,
    )


def other_messages(text: str) -> Iterator[Message]:
    """Yield lists, the digest, and answers."""
    home = home_of(text)
    yield blocks.status_report(home)
    yield blocks.waiting_list(home.waiting, len(home.waiting))
    yield blocks.refusal(NotAllowed(Refusal.OVER_LIMIT, text))
    yield blocks.note("A line of ours.")
    yield blocks.digest_message(
        DigestView(
            day="2026-10-09",
            tickets=10**9,
            drafts=10**9,
            rejected_drafts=10**9,
            stops=dict.fromkeys(StopReason, 10**9),
            proposals=dict.fromkeys(ProposalState, 10**9),
            refunded=(Money(10**15, "CAD"),) * 200,
            cost=text,
            waiting=10**9,
            dead_letters=10**9,
            audit=AuditHead(count=10**9, hash="a" * 64),
        )
    )


def views(text: str) -> Iterator[dict[str, Any]]:
    """Yield every form, and App Home."""
    for state in ProposalState:
        for make in CARD_FORMS:
            yield make(longest_card(text, state, None))
    yield blocks.settle_modal(longest_card(text, ProposalState.UNKNOWN, OperationState.UNKNOWN))
    proposals = tuple(DraftProposal(proposal_id=text, state=state) for state in ProposalState)
    for held_back in (False, True):
        yield blocks.copy_modal(
            CopyView(
                run_id="r", ticket_id=text, text=text, proposals=proposals, held_back=held_back
            )
        )
    yield blocks.edit_draft_modal(replace(DRAFT, reply=text))
    yield blocks.held_back_modal(replace(STOP, problems=((text, text),) * 30), text)
    yield blocks.ask_again_modal("run-1")
    yield blocks.give_customer_modal(TICKET, text)
    yield blocks.triage_modal(TICKET, ticket_id="T" * 40, customer_id="C" * 40)
    yield blocks.skeleton_modal()
    yield blocks.told_modal("Not possible", "Nothing was changed.")
    yield blocks.home_view(home_of(text))


@pytest.mark.parametrize("text", LONGEST.values(), ids=LONGEST)
def test_every_message_in_every_state_is_one_that_slack_takes(text: str) -> None:
    found = [*messages_of_cards(text), *messages_of_runs(text), *other_messages(text)]

    for message in found:
        if message is not None:
            assert_fits(message)


@pytest.mark.parametrize("text", LONGEST.values(), ids=LONGEST)
def test_every_form_in_every_state_is_one_that_slack_takes(text: str) -> None:
    for view in views(text):
        assert_view_fits(view)


def test_nothing_that_is_posted_is_left_out_of_this() -> None:
    source = Path(__file__).read_text(encoding="utf-8")

    assert [name for name in blocks.__all__ if f"blocks.{name}" not in source] == []

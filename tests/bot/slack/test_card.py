"""The card: what an approver must see, in every state, and the longest texts that fit it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from approvals import Amount, OperationState, ProposalState, Signature
from bot.slack.blocks import card_message, card_note, reminder
from bot.slack.refs import ActionId, ProposalRef, read_proposal_ref
from bot.slack.views import CallLine
from tests.bot.slack.looks import (
    CALL,
    EXPIRES_US,
    LABEL,
    REFUND,
    SIGNATURE,
    action_view,
    assert_fits,
    buttons,
    card,
    mark,
    operation,
    shown,
)
from tools import Kind, Money, RequestRefund

ENDED = [state for state in ProposalState if state is not ProposalState.WAITING]
HOSTILE = (
    "<!channel> <@U0BOSS> @here *Approved* ``` `x` <https://evil.test|https://bank.test> \u202e"
)


def test_a_waiting_card_states_all_that_its_approver_signs() -> None:
    seen = shown(card_message(card(reason="It arrived broken.", calls=(CALL,))))

    for part in (
        "P-7KM-4XQ",
        "`T-80008`",
        "`C-81265`",
        "`W5`",
        "`run-1`",
        "chat-small",
        "*Refund 119.00 CAD* on order `LK-1001`, for 1 of `MUG-1` (`RFD-DAMAGE`: damaged)",
        "May approve: *team_lead* or a higher role",
        "Counts as *119.00 CAD*",
        "Nothing has happened yet.",
        f"<!date^{EXPIRES_US // 1_000_000}^",
        "[ok] get_order",
        "It arrived broken.",
        "We are sorry about the mug.",
    ):
        assert part in seen


def test_the_models_reason_is_said_to_be_its_own_and_is_not_formatted() -> None:
    blocks = card_message(card(reason="*Approved by the head*")).blocks
    place = next(i for i, block in enumerate(blocks) if "Approved by the head" in str(block))

    assert blocks[place]["text"]["type"] == "plain_text"
    assert "own words" in str(blocks[place - 1])


def test_approving_money_asks_first_and_says_what() -> None:
    asks = buttons(card_message(card()))[ActionId.APPROVE]["confirm"]

    assert "Refund 119.00 CAD on order LK-1001" in asks["text"]["text"]


def test_approving_a_label_does_not_ask() -> None:
    made = buttons(card_message(card(actions=[action_view(LABEL)])))

    assert "confirm" not in made[ActionId.APPROVE]
    assert ActionId.EDIT_AMOUNT not in made


def test_the_buttons_carry_the_proposal_and_the_version_that_is_shown() -> None:
    made = buttons(card_message(card(row={"version": 3})))

    assert json.loads(made[ActionId.APPROVE]["value"]) == {"p": "P-7KM-4XQ", "v": 3}
    assert set(made) == {ActionId.APPROVE, ActionId.REJECT, ActionId.EDIT_AMOUNT}
    assert "url" not in made[ActionId.APPROVE]


def test_a_second_one_is_called_so_and_asks_for_an_explicit_yes() -> None:
    message = card_message(card(actions=[action_view(marks=(mark(),))]))
    approve = buttons(message)[ActionId.APPROVE]

    assert "*119.00 CAD* was already carried out" in shown(message)
    assert "by <@U0LEAD> (`P-222-222`, ticket `T-70001`)" in shown(message)
    assert approve["text"]["text"] == "Approve a second one"
    assert approve["style"] == "danger"
    assert approve["confirm"]["confirm"]["text"] == "Yes, a second one"
    assert read_proposal_ref(approve["value"]) == ProposalRef(
        proposal_id="P-7KM-4XQ", version=1, second=True
    )


def test_a_label_asked_for_twice_needs_the_explicit_yes_too() -> None:
    marks = (mark(amount=None, state=OperationState.UNKNOWN),)
    message = card_message(card(actions=[action_view(LABEL, marks=marks)]))

    assert "This may already have been carried out" in shown(message)
    assert "confirm" in buttons(message)[ActionId.APPROVE]


def test_other_refunds_that_the_shop_does_not_know_are_told() -> None:
    message = card_message(card(actions=[action_view(held=(Money(2_000, "CAD"),))]))

    assert "does not know yet: 20.00 CAD" in shown(message)


def test_a_partly_signed_card_names_who_signed_and_what_is_missing() -> None:
    facts = {"signatures": (SIGNATURE,), "signatures_needed": 2}
    message = card_message(card(facts=facts))

    assert "*Signed by* <@U0LEAD> (team_lead" in shown(message)
    assert "1 signature more, of somebody else" in shown(message)
    assert "It takes *two different people*, one of them *team_lead* or a higher role" in shown(
        message
    )
    assert ActionId.APPROVE in buttons(message)


@pytest.mark.parametrize(
    ("signed", "needed", "then"),
    [
        ((), 1, "It is sent to the shop at once."),
        ((), 2, "nothing is sent before the second has signed."),
        ((SIGNATURE,), 2, "It is sent to the shop at once."),
    ],
)
def test_the_question_before_an_approval_says_what_follows_from_this_signature(
    signed: tuple[Signature, ...], needed: int, then: str
) -> None:
    message = card_message(card(facts={"signatures": signed, "signatures_needed": needed}))
    (approve,) = [
        element
        for block in message.blocks
        for element in block.get("elements", ())
        if element.get("action_id") == ActionId.APPROVE
    ]

    assert approve["confirm"]["text"]["text"].endswith(then)


def test_where_nobody_may_approve_the_card_says_so() -> None:
    assert "Nobody may approve this" in shown(card_message(card(facts={"needed_role": None})))


@pytest.mark.parametrize("may_sign", [True, False])
def test_that_requesters_cannot_sign_is_said_unless_the_policy_lets_them(may_sign: bool) -> None:
    seen = shown(card_message(card(requesters_may_sign=may_sign)))

    assert ("Who asked for it cannot sign." in seen) is not may_sign


def test_what_counts_with_the_tickets_others_is_told_where_it_differs() -> None:
    total = Amount(known=Money(20_000, "CAD"), beyond=True)
    seen = shown(card_message(card(facts={"total": total})))

    assert "with the ticket's other proposals *200.00 CAD and more that no limit covers*" in seen


@pytest.mark.parametrize("state", ENDED)
def test_a_card_that_was_decided_has_no_button_that_decides(state: ProposalState) -> None:
    made = buttons(card_message(card(state)))

    assert made == {}


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (ProposalState.APPROVED, "*Working\u2026* Approved by <@U0LEAD>"),
        (ProposalState.EXECUTING, "*Working\u2026* Approved by <@U0LEAD>"),
        (ProposalState.DONE, "*Done.* Approved by <@U0LEAD>"),
        (ProposalState.FAILED, "*Failed.* Nothing was changed."),
        (ProposalState.UNKNOWN, "*It is not known whether this happened.*"),
        (ProposalState.REJECTED, "*Rejected* by <@U0LEAD>"),
        (ProposalState.EXPIRED, "*Expired* <!date^"),
        (ProposalState.WITHDRAWN, "*Withdrawn* by <@U0LEAD>"),
        (ProposalState.SUPERSEDED, "*Replaced* by a newer one"),
    ],
)
def test_each_state_says_where_it_stands(state: ProposalState, words: str) -> None:
    message = card_message(card(state))

    assert words in shown(message)
    assert "Expires" not in shown(message)
    assert_fits(message)


def test_a_done_card_has_the_shops_reference() -> None:
    done = action_view(operation=operation(OperationState.DONE))
    seen = shown(card_message(card(ProposalState.DONE, actions=[done])))

    assert "*done* by the practice shop, reference `RF-0001`" in seen


def test_a_done_card_of_a_real_shop_does_not_speak_of_the_practice_shop() -> None:
    done = action_view(operation=operation(OperationState.DONE, gateway="stripe"))
    seen = shown(card_message(card(ProposalState.DONE, actions=[done])))

    assert "*done*, reference `RF-0001`" in seen
    assert "practice" not in seen


def test_a_pending_receipt_is_not_called_final() -> None:
    done = action_view(operation=operation(OperationState.DONE, pending=True))
    seen = shown(card_message(card(ProposalState.DONE, actions=[done])))

    assert "may still fail" in seen


def test_a_card_that_failed_in_part_says_which_is_which() -> None:
    failed = operation(OperationState.FAILED, error_words="the shop refuses it: too much")
    each = [
        action_view(operation=operation(OperationState.DONE)),
        action_view(position=2, operation=failed),
        action_view(LABEL, position=3, operation=operation(OperationState.NOT_RUN, LABEL)),
    ]
    seen = shown(card_message(card(ProposalState.FAILED, actions=each)))

    assert "*Failed in part.* What was done stays done: 1." in seen
    assert "*failed*: the shop refuses it: too much" in seen
    assert "not run" in seen


def test_the_reason_of_a_rejection_is_shown_as_it_was_typed() -> None:
    message = card_message(card(ProposalState.REJECTED, why="<!here> *no*"))

    assert "&lt;!here&gt; *no*" in shown(message)


@pytest.mark.parametrize(
    ("state", "offer", "action"),
    [
        (ProposalState.FAILED, "offers_try_again", ActionId.TRY_AGAIN),
        (ProposalState.REJECTED, "offers_reopen", ActionId.REOPEN),
        (ProposalState.UNKNOWN, "offers_settle", ActionId.SETTLE),
    ],
)
def test_a_second_life_is_offered_where_it_is_handled(
    state: ProposalState, offer: str, action: ActionId
) -> None:
    offered: dict[str, Any] = {offer: True}
    message = card_message(replace(card(state), **offered))

    assert set(buttons(message)) == {action}
    assert_fits(message)


def test_a_look_without_a_decision_has_no_buttons() -> None:
    assert buttons(card_message(card(), buttons=False)) == {}


def test_block_ids_differ_from_state_to_state() -> None:
    first, then = (
        {block["block_id"] for block in card_message(card(state)).blocks}
        for state in (ProposalState.WAITING, ProposalState.DONE)
    )

    assert not first & then


def test_a_name_in_other_letters_cannot_reorder_or_hide() -> None:
    row = {"customer_id": "C-\u202e12\u200b3", "ticket_id": "\u05d0\u05d1-1"}
    seen = shown(card_message(card(row=row)))

    assert "`C-\ufffd12\ufffd3`" in seen
    assert "`\u2068\u05d0\u05d1-1\u2069`" in seen


@pytest.mark.parametrize("state", [ProposalState.WAITING, ProposalState.APPROVED])
def test_nothing_is_noted_in_the_thread_while_nothing_came_of_it(state: ProposalState) -> None:
    assert card_note(card(state)) is None


def test_the_thread_hears_what_came_of_it() -> None:
    done = action_view(operation=operation(OperationState.DONE))
    told = card_note(card(ProposalState.DONE, actions=[done]))

    assert told is not None
    assert "`P-7KM-4XQ`: *Done.*" in shown(told)
    assert "reference `RF-0001`" in shown(told)
    assert_fits(told)


def test_a_reminder_calls_who_is_named_and_says_until_when() -> None:
    message = reminder(card(), ["S0LEADS"])

    assert message.text.startswith("<!subteam^S0LEADS> P-7KM-4XQ")
    assert "still undecided" in shown(message)
    assert "<!date^" in shown(message)
    assert_fits(message)


def test_the_fallback_is_escaped_as_the_blocks_are() -> None:
    action = replace_sku("<!here>")

    assert "<" not in card_message(card(actions=[action_view(action)])).text


def replace_sku(sku: str) -> RequestRefund:
    """Return the refund of an item with this name."""
    return REFUND.model_copy(update={"sku": sku})


LONG = st.sampled_from(
    [
        "x" * 9_000,
        "&" * 9_000,
        "\U0001f469\u200d\U0001f469\u200d\U0001f467" * 900,
        "e" + "\u0301" * 4_000,
        "\u0639\u0631\u0628\u064a " * 900,
        HOSTILE * 60,
        "```\n" * 800,
        "line\n" * 900,
    ]
)
SHORT = st.one_of(st.text(max_size=60), st.just(HOSTILE))
ANY = st.one_of(LONG, st.text(max_size=300), st.just(HOSTILE))


@given(text=ANY, word=SHORT, state=st.sampled_from(list(ProposalState)), count=st.integers(1, 4))
def test_no_text_makes_a_card_too_large_or_calls_anybody(
    text: str, word: str, state: ProposalState, count: int
) -> None:
    sku = (word * 20)[:20] or "ab"
    action = REFUND.model_copy(update={"sku": sku, "order_id": text[:200] or "L"})
    failed = None
    if state is not ProposalState.WAITING:
        failed = operation(OperationState.FAILED, action, error_words=text)
    marks = tuple(mark(ticket_id=word, approved_by=word) for _ in range(5))
    held = (Money(10**15, "CAD"),) * 9
    each = [
        action_view(action, position=place, operation=failed, marks=marks, held=held)
        for place in range(1, count + 1)
    ]
    call = CallLine(name=word, arguments=text, result=Kind.FAILED, code=word, found=text)
    view = card(
        state,
        actions=each,
        row={"ticket_id": text, "customer_id": word, "rule": text, "cause": text, "run_id": word},
        facts={
            "evidence": (text,) * 9,
            "draft": text,
            "needed_role": text,
            "signatures": (replace(SIGNATURE, role=text, user_id=word),) * 5,
            "signatures_needed": 2,
        },
        reason=text,
        why=text,
        profile=word,
        calls=(call,) * 12,
        ticket_link=word,
        offers_try_again=True,
    )
    for message in (card_message(view), card_note(view), reminder(view, [word])):
        if message is not None:
            assert_fits(message)
            assert_calls_nobody(message.text)
            assert_calls_nobody(shown(message))


def assert_calls_nobody(text: str) -> None:
    """Check that the only tokens are dates and the user who signed."""
    left = text.replace("<@U0LEAD>", "")
    assert "<@" not in left
    assert "<#" not in left
    assert left.count("<") == left.count("<!date^")
    assert "@here" not in left
    assert "@channel" not in left

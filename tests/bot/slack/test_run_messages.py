"""What a run shows in its thread: the status, the draft, the stop."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from approvals import ProposalState
from bot.slack.blocks import ask_customer_message, draft_messages, status_message, stop_message
from bot.slack.refs import ActionId, RunRef, TicketRef, read_run_ref, read_ticket_ref
from bot.slack.views import CallLine, DraftProposal, DraftView, Phase, StatusView, StopView
from bot.slack.words.threads import newer_message
from loop import Outcome, Result, Stop, StopReason
from tests.bot.slack.looks import CALL, FIGURES, assert_fits, buttons, shown
from tools import Kind

STATUS = StatusView(
    run_id="run-1",
    ticket_id="T-80008",
    customer_id="C-81265",
    phase=Phase.RUNNING,
    profile="resolver",
    model="chat-small",
    step=2,
    max_steps=8,
    calls=(CALL,),
    figures=FIGURES,
)
DRAFT = DraftView(
    run_id="run-1",
    ticket_id="T-80008",
    customer_id="C-81265",
    reply="Dear Bob,\n\n**we are sorry** about the mug.",
    outcome=Outcome.RESOLVE,
    model="chat-small",
    profile="resolver",
    figures=FIGURES,
    team="payments",
    rule="W5",
    reason="It arrived broken.",
    calls=(CALL,),
)
STOP = StopView(
    run_id="run-1",
    ticket_id="T-80008",
    customer_id="C-81265",
    stop=Stop(
        reason=StopReason.MAX_STEPS,
        step=8,
        limit="max_steps",
        limit_value="8",
        observed="8",
        also=("max_seconds",),
    ),
    result=Result.FAILED,
    figures=FIGURES,
    model="chat-small",
    profile="resolver",
    calls=(CALL,),
)
HOSTILE = "<!channel> <@U0BOSS> @here *x* ``` <https://evil.test|https://bank.test> \u202e"
ANY = st.one_of(
    st.sampled_from(["x" * 9_000, "&" * 5_000, HOSTILE * 60, "```\n" * 500, "a\n" * 4_000]),
    st.text(max_size=200),
    st.just(HOSTILE),
)


def test_a_running_status_says_how_far_it_is_and_can_be_stopped() -> None:
    message = status_message(STATUS)
    stop = buttons(message)[ActionId.STOP]

    assert "step 2 of at most 8" in shown(message)
    assert "\u2713 `get_order`" in shown(message)
    assert "3 steps  \u00b7  2 look-ups" in shown(message)
    assert read_run_ref(stop["value"]) == RunRef(run_id="run-1")


@pytest.mark.parametrize(
    ("given_state", "words", "can_stop"),
    [
        ({"phase": Phase.QUEUED}, "waits for its turn", True),
        ({"phase": Phase.HELD, "note": "The cost of today is used up."}, "cost of today", True),
        ({"phase": Phase.STOPPING, "by": "U0ANN"}, "<@U0ANN> pressed Stop", False),
        ({"phase": Phase.ENDED, "result": Result.VALID}, "the draft is below", False),
        (
            {"phase": Phase.ENDED, "result": Result.VALID, "note": newer_message()},
            newer_message(),
            False,
        ),
        ({"phase": Phase.ENDED, "result": Result.REJECTED}, "a gate objected", False),
        (
            {"phase": Phase.ENDED, "result": Result.FAILED, "stop": STOP.stop},
            "stopped: all model calls that are allowed were used",
            False,
        ),
    ],
)
def test_each_phase_says_what_it_is(
    given_state: dict[str, Any], words: str, can_stop: bool
) -> None:
    message = status_message(replace(STATUS, **given_state))

    assert words in shown(message)
    assert words in message.text
    assert (ActionId.STOP in buttons(message)) is can_stop
    assert_fits(message)


def test_whose_price_was_taken_is_told_and_its_name_says_nothing_to_slack() -> None:
    figures = replace(FIGURES, cost="US$0.00120, priced as <!channel>")

    assert "US$0.00120, priced as &lt;!channel&gt;" in shown(
        status_message(replace(STATUS, figures=figures))
    )


def test_a_look_up_that_failed_is_marked() -> None:
    failed = replace(CALL, result=Kind.NOT_FOUND)

    assert "\u2717 not_found: `get_order`" in shown(
        status_message(replace(STATUS, calls=(failed,)))
    )


def test_a_draft_keeps_the_answer_apart_from_the_facts_for_the_team() -> None:
    (message,) = draft_messages(DRAFT)
    kinds = [block["type"] for block in message.blocks]
    answer, facts = (
        "\n".join(map(str, part))
        for part in (
            message.blocks[: kinds.index("divider")],
            message.blocks[kinds.index("divider") :],
        )
    )

    assert "*we are sorry*" in answer
    assert "payments" not in answer
    for part in ("payments", "`W5`", "It arrived broken.", "get_order", "US$0.00120", "4.20 s"):
        assert part in facts


def test_a_draft_has_every_button_once() -> None:
    (message,) = draft_messages(DRAFT)

    assert set(buttons(message)) == {
        ActionId.COPY,
        ActionId.EDIT_DRAFT,
        ActionId.ASK_AGAIN,
        ActionId.TAKE_OVER,
        ActionId.DISCARD,
        ActionId.HELPFUL,
        ActionId.NOT_HELPFUL,
    }


def test_a_discarded_draft_says_who_did_it_and_offers_nothing() -> None:
    (message,) = draft_messages(replace(DRAFT, discarded_by="U0ANN"))

    assert "*Discarded* by <@U0ANN>" in shown(message)
    assert buttons(message) == {}


def test_a_draft_shows_who_edited_and_took_it_and_what_people_thought() -> None:
    view = replace(DRAFT, edited_by="U0ANN", taken_by="U0BEN", helpful=2)
    (message,) = draft_messages(view)

    assert "Edited by <@U0ANN>" in shown(message)
    assert "*Taken over* by <@U0BEN>" in shown(message)
    assert "Helpful (2)" in shown(message)
    assert ActionId.TAKE_OVER not in buttons(message)


def test_a_draft_says_how_its_proposals_stand() -> None:
    done = DraftProposal(
        proposal_id="P-7KM-4XQ", state=ProposalState.DONE, settled=("119.00 CAD, RF-0001",)
    )
    (message,) = draft_messages(replace(DRAFT, proposals=(done,)))

    assert "Proposal `P-7KM-4XQ`: done: 119.00 CAD, RF-0001" in shown(message)


@pytest.mark.parametrize("length", [3_001, 9_000, 45_000])
def test_case_49_a_long_draft_goes_on_in_further_messages_and_loses_nothing(length: int) -> None:
    messages = draft_messages(replace(DRAFT, reply="word " * (length // 5)))
    words = sum(block["text"]["text"].count("word") for m in messages for block in sections(m))

    assert words == length // 5
    assert [bool(buttons(message)) for message in messages] == [True] + [False] * (
        len(messages) - 1
    )
    for message in messages:
        assert_fits(message)


def sections(message: Any) -> list[dict[str, Any]]:
    """Return the sections of a message."""
    return [block for block in message.blocks if block["type"] == "section"]


def test_a_stop_says_why_in_words_what_was_found_and_who_takes_it() -> None:
    message = stop_message(replace(STOP, team="payments"))

    for part in (
        "No answer: all model calls that are allowed were used",
        "Team *payments* should take it.",
        "limit max_steps is 8; observed 8; also reached: max_seconds",
        "[ok] get_order",
    ):
        assert part in shown(message)
    assert_fits(message)


@pytest.mark.parametrize("reason", StopReason)
def test_each_stop_reason_has_its_words_and_advice(reason: StopReason) -> None:
    message = stop_message(replace(STOP, stop=Stop(reason=reason, step=1)))

    assert reason.value in shown(message)
    assert_fits(message)


def test_retry_is_offered_where_it_can_help_and_a_held_back_draft_can_be_looked_at() -> None:
    plain = buttons(stop_message(STOP))
    more = buttons(stop_message(replace(STOP, can_retry=True, held_back=True)))

    assert set(plain) == {ActionId.TAKE_OVER, ActionId.ASK_AGAIN}
    assert set(more) == {*plain, ActionId.RETRY, ActionId.LOOK}


def test_a_rejected_draft_lists_every_objection() -> None:
    problems = tuple((f"code_{number}", "says too much") for number in range(10))
    view = replace(STOP, result=Result.REJECTED, problems=problems)
    message = stop_message(view)

    assert "A gate objected to the drafted answer, so it is held back" in shown(message)
    assert "`code_0` says too much" in shown(message)
    assert "and 2 more" in shown(message)


def test_a_ticket_without_a_customer_gets_a_question_with_a_button() -> None:
    ref = TicketRef(channel="C1", ts="1700000000.000100")
    message = ask_customer_message(ref, "T-80008")

    assert read_ticket_ref(buttons(message)[ActionId.GIVE_CUSTOMER]["value"]) == ref
    asked = "`T-80008` names no customer, and without one I look nothing up. Who is it?"
    assert asked in shown(message)
    assert_fits(message)


@given(text=ANY, word=ANY)
def test_no_text_makes_a_message_of_a_run_too_large_or_calls_anybody(text: str, word: str) -> None:
    call = CallLine(name=word, arguments=text, result=Kind.FAILED, code=word, found=text)
    ids: dict[str, Any] = {"ticket_id": text, "customer_id": word, "model": word, "profile": text}
    calls = (call,) * 30
    proposals = (
        DraftProposal(proposal_id=word, state=ProposalState.DONE, settled=(text,) * 2),
    ) * 5
    draft = replace(
        DRAFT,
        reply=text,
        reason=text,
        team=text,
        rule=text,
        calls=calls,
        proposals=proposals,
        taken_by=word,
        edited_by=word,
        **ids,
    )
    stop = replace(
        STOP,
        stop=replace(STOP.stop, observed=text, cause=text),
        problems=((word, text),) * 12,
        team=text,
        calls=calls,
        held_back=True,
        can_retry=True,
        **ids,
    )
    status = replace(STATUS, phase=Phase.HELD, note=text, calls=calls, **ids)
    ask = ask_customer_message(TicketRef(channel="C1", ts="1.2"), text)
    for message in (*draft_messages(draft), stop_message(stop), status_message(status), ask):
        assert_fits(message)
        for seen in (message.text, shown(message)):
            assert "<" not in seen
            assert "@here" not in seen

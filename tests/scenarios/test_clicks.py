"""Clicks on cards, from Slack's delivery to Slack's screen: decided once, answered always."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from approvals import Person, PersonKind, Proposal, ProposalState, list_proposals
from approvals.store import connect, tx
from bot.slack.overview import MOST_WAITING, home_of
from bot.slack.refs import ActionId
from bot.slack.store.outbox import next_due_post, put_post
from bot.slack.store.posts import Post, Priority
from tests.scenarios.clicks import (
    ANN,
    ART,
    ASKER,
    CHANNEL,
    DOUBLE,
    ELSE,
    FEE,
    GUEST,
    HED,
    LABEL,
    LEA,
    OUT,
    ClickDesk,
    action_ids,
    open_desk,
    shown,
)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[ClickDesk]:
    """One process of the bot under the policy of the design."""
    with open_desk(tmp_path) as opened:
        yield opened


def test_an_approved_refund_is_executed_once_and_its_card_shows_the_outcome(
    desk: ClickDesk,
) -> None:
    proposal, card = desk.show(FEE)
    assert action_ids(card)[0] == ActionId.APPROVE

    desk.click(ANN, card)
    desk.work()

    assert desk.again(proposal).state is ProposalState.DONE
    assert len(desk.changes()) == 1
    done = desk.card(proposal)
    assert "Done" in shown(done)
    assert f"<@{ANN}>" in shown(done)
    assert action_ids(done) == []


def test_case_1_twenty_presses_of_one_button_are_one_refund_and_nineteen_answers(
    desk: ClickDesk,
) -> None:
    proposal, card = desk.show(FEE)

    for _ in range(20):
        desk.workspace.click(ANN, card, ActionId.APPROVE)
    desk.work()

    assert len(desk.changes()) == 1
    assert len(desk.told(ANN)) == 19
    assert all(proposal.proposal_id in told for told in desk.told(ANN))


def test_case_73_a_card_that_was_pressed_shows_it_before_the_drafts_of_runs_that_ended(
    desk: ClickDesk,
) -> None:
    _, card = desk.show(FEE)
    drafts = [
        Post(channel=CHANNEL, key=f"draft:{n}", payload={"text": "a"}, priority=Priority.FINAL)
        for n in range(16)
    ]
    with closing(connect(desk.store)) as db, tx(db):
        for draft in drafts:
            put_post(db, draft, now_us=desk.now_us())

    desk.click(ANN, card)
    desk.workspace.settle()
    desk.bot.decide()
    desk.bot.follower.step(desk.bot.db)

    found = next_due_post(desk.bot.db, now_us=desk.now_us())
    assert found is not None
    assert found.target_ts == card.ts


def test_case_3_of_two_people_who_press_at_once_the_second_is_told_who_was_first(
    desk: ClickDesk,
) -> None:
    _, card = desk.show(FEE)

    desk.click(ANN, card)
    desk.click(LEA, card)
    desk.work()

    assert len(desk.changes()) == 1
    assert desk.told(ANN) == []
    (told,) = desk.told(LEA)
    assert ANN in told


def test_case_4_a_card_has_lost_its_buttons_before_the_shop_is_called(desk: ClickDesk) -> None:
    proposal, card = desk.show(FEE)

    desk.click(ANN, card)
    desk.work(execute=False)

    assert desk.changes() == ()
    assert action_ids(desk.card(proposal)) == []
    assert "Working" in shown(desk.card(proposal))


def test_case_5_no_button_that_decides_is_a_link(desk: ClickDesk) -> None:
    _, card = desk.show(FEE)

    buttons = [e for b in card.blocks if b["type"] == "actions" for e in b["elements"]]

    assert len(buttons) == 3
    assert [each for each in buttons if "url" in each] == []


def test_case_7_a_decided_proposal_is_not_asked_about_again_after_a_restart(
    tmp_path: Path,
) -> None:
    with open_desk(tmp_path) as desk:
        proposal, card = desk.show(FEE)
        desk.click(ANN, card)
        desk.bot.decide()
        desk.restart()
        desk.bot.follower.repair()
        desk.work()

        assert desk.again(proposal).state is ProposalState.DONE
        assert action_ids(desk.card(proposal)) == []  # there is one, and it asks for nothing


def test_case_8_a_click_counts_whatever_team_its_payload_names(desk: ClickDesk) -> None:
    proposal, card = desk.show(FEE)

    desk.foreign_click(ANN, card, team="T0GRID")
    desk.work()

    assert desk.again(proposal).state is ProposalState.DONE


def test_case_9_the_first_click_after_a_restart_counts_and_outsiders_are_answered(
    tmp_path: Path,
) -> None:
    with open_desk(tmp_path, bots=1) as desk:
        proposal, card = desk.show(FEE)
        desk.restart()

        desk.click(OUT, card)
        desk.click(ANN, card)
        desk.work()

        assert desk.again(proposal).state is ProposalState.DONE
        assert len(desk.told(OUT)) == 1


def test_cases_11_and_72_a_proposal_waits_overnight_and_through_a_restart(
    desk: ClickDesk,
) -> None:
    proposal, card = desk.show(FEE)
    desk.pass_time(40 * 3600)
    desk.restart()

    desk.click(ANN, card)
    desk.work()

    assert desk.again(proposal).state is ProposalState.DONE


def test_case_16_what_failed_in_part_is_told_in_the_thread_and_can_be_tried_again(
    desk: ClickDesk,
) -> None:
    too_much = DOUBLE.model_copy(
        update={"order_id": FEE.order_id, "payment_id": "PAY-643556-1", "amount_minor": 9_000}
    )
    proposal, card = desk.show(FEE, too_much)

    desk.click(HED, card)
    desk.work()

    assert desk.again(proposal).state is ProposalState.FAILED
    assert len(desk.changes()) == 1
    assert any("Failed in part" in shown(each) for each in desk.thread())
    failed = desk.card(proposal)
    assert action_ids(failed) == [ActionId.TRY_AGAIN]

    desk.click(HED, failed, ActionId.TRY_AGAIN)
    desk.work()
    (new,) = [each for each in list_proposals(desk.db) if each.made_from == proposal.proposal_id]
    assert new.proposal_id in desk.told(HED)[0]
    assert ActionId.APPROVE in action_ids(desk.card(new))
    assert action_ids(desk.card(proposal)) == []


def test_a_rejected_proposal_is_reopened_as_a_new_card(desk: ClickDesk) -> None:
    proposal, card = desk.show(FEE)
    desk.click(LEA, card, ActionId.REJECT)
    desk.fill(LEA)
    desk.workspace.submit(LEA, {"reason": "not due"})
    desk.work()

    desk.click(LEA, desk.card(proposal), ActionId.REOPEN)
    desk.work()

    (new,) = list_proposals(desk.db, ProposalState.WAITING)
    assert ActionId.APPROVE in action_ids(desk.card(new))
    assert action_ids(desk.card(proposal)) == []


def test_case_12_each_of_two_cards_shows_its_own_state(desk: ClickDesk) -> None:
    first, first_card = desk.show(FEE)
    second, second_card = desk.show(DOUBLE, run_id="run-2")

    desk.click(LEA, first_card)
    desk.work()
    desk.click(LEA, second_card)
    desk.work()

    assert action_ids(desk.card(first)) == []
    assert "Done" in shown(desk.card(first))
    assert "Done" in shown(desk.card(second))


def test_case_13_approving_the_later_card_leaves_the_earlier_one_waiting(desk: ClickDesk) -> None:
    first, _ = desk.show(FEE)
    second, second_card = desk.show(DOUBLE, run_id="run-2")

    desk.click(LEA, second_card)
    desk.work()

    assert desk.again(first).state is ProposalState.WAITING
    assert desk.again(second).state is ProposalState.DONE
    assert ActionId.APPROVE in action_ids(desk.card(first))


def test_case_15_a_decision_from_elsewhere_redraws_the_card_and_is_told_in_the_thread(
    desk: ClickDesk,
) -> None:
    proposal, _ = desk.show(FEE)

    desk.decide_elsewhere(proposal, LEA)
    desk.work()

    assert action_ids(desk.card(proposal)) == []
    assert any("Done" in shown(each) for each in desk.thread() if each != desk.card(proposal))


def test_a_card_that_somebody_deleted_comes_back_with_what_was_decided(desk: ClickDesk) -> None:
    proposal, card = desk.show(FEE)
    desk.workspace.delete(card)
    desk.work()

    desk.decide_elsewhere(proposal, LEA)
    desk.work()

    again = desk.card(proposal)
    assert again.ts != card.ts
    assert "Done" in shown(again)
    assert desk.failed() == []


def test_case_20_of_an_approval_and_a_rejection_at_once_one_counts(desk: ClickDesk) -> None:
    proposal, card = desk.show(FEE)
    desk.click(LEA, card, ActionId.REJECT)
    desk.fill(LEA)

    desk.workspace.click(ANN, card, ActionId.APPROVE)
    desk.workspace.submit(LEA, {"reason": "not due"})
    desk.work()

    state = desk.again(proposal).state
    assert state in (ProposalState.DONE, ProposalState.REJECTED)
    assert len(desk.changes()) == (state is ProposalState.DONE)
    assert len(desk.told(ANN)) + len(desk.told(LEA)) == 1


def test_case_21_a_button_of_an_earlier_version_decides_nothing(desk: ClickDesk) -> None:
    proposal, old_card = desk.show(FEE)
    desk.edit(LEA, old_card, {"amount-1-CAD": "5.00"})
    desk.work()
    edits = len(desk.workspace.calls("chat.update"))

    desk.click(ANN, old_card)
    desk.work()

    assert len(desk.workspace.calls("chat.update")) == edits + 1

    assert desk.again(proposal).state is ProposalState.WAITING
    assert desk.again(proposal).version == 2
    assert "version 2" in desk.told(ANN)[0]
    assert "5.00" in shown(desk.card(proposal))
    assert "9.95" not in shown(desk.card(proposal)).split("Done")[0].split("drafted")[0]


def test_case_23_a_member_of_the_channel_without_a_role_approves_nothing(desk: ClickDesk) -> None:
    proposal, card = desk.show(FEE)

    desk.click(OUT, card)
    desk.work()

    assert desk.again(proposal).state is ProposalState.WAITING
    assert "You have no role" in desk.told(OUT)[0]


def test_case_24_who_asked_for_it_does_not_approve_it(desk: ClickDesk) -> None:
    proposal, card = desk.show(FEE)

    desk.click(ASKER, card)
    desk.work()

    assert desk.again(proposal).state is ProposalState.WAITING
    assert len(desk.told(ASKER)) == 1


@pytest.mark.parametrize(("user", "who"), [(GUEST, "guests"), (ELSE, "people from outside it")])
def test_case_25_guests_and_people_of_other_companies_never_decide(
    desk: ClickDesk, user: str, who: str
) -> None:
    proposal, card = desk.show(FEE)

    desk.click(user, card)
    desk.work()

    assert desk.again(proposal).state is ProposalState.WAITING
    assert f"Only members of this workspace decide; {who} do not." in desk.told(user)[0]


def test_case_25_somebody_whom_slack_does_not_know_never_decides(desk: ClickDesk) -> None:
    proposal, card = desk.show(FEE)

    desk.click("U0NOBODY", card)
    desk.work()

    assert desk.again(proposal).state is ProposalState.WAITING


def test_case_25_nobody_decides_whom_slack_cannot_look_up(desk: ClickDesk) -> None:
    proposal, card = desk.show(FEE)
    desk.workspace.faults.break_("users.info")

    desk.click(ANN, card)
    desk.work()

    assert desk.again(proposal).state is ProposalState.WAITING
    assert "could not tell me who you are" in desk.told(ANN)[0]

    desk.click(ANN, card)
    desk.work()

    assert desk.again(proposal).state is ProposalState.DONE


def test_a_member_of_a_user_group_decides_until_five_minutes_after_leaving_it(
    desk: ClickDesk,
) -> None:
    first, first_card = desk.show(FEE)
    second, second_card = desk.show(LABEL, run_id="run-2")
    desk.click(ART, first_card)
    desk.work()
    assert desk.again(first).state is ProposalState.DONE

    desk.empty_group()
    desk.pass_time(301)
    desk.click(ART, second_card)
    desk.work()

    assert desk.again(second).state is ProposalState.WAITING
    assert "You have no role" in desk.told(ART)[0]


def test_a_group_that_slack_cannot_list_has_no_members(desk: ClickDesk) -> None:
    proposal, card = desk.show(FEE)
    desk.workspace.faults.refuse("usergroups.users.list", "missing_scope")

    desk.click(ART, card)
    desk.work()

    assert desk.again(proposal).state is ProposalState.WAITING
    assert "could not be looked up" in desk.told(ART)[0]


def test_case_27_words_of_a_bot_in_the_thread_decide_nothing(desk: ClickDesk) -> None:
    proposal, _ = desk.show(FEE)

    desk.workspace.post(
        None,
        f"approve {proposal.proposal_id}",
        channel=desk.ticket.channel,
        thread=desk.ticket,
        bot_id="B0OTHER",
    )
    desk.work()

    assert desk.again(proposal).state is ProposalState.WAITING


def test_case_31_a_click_after_the_expiry_is_answered_and_the_card_has_no_buttons(
    desk: ClickDesk,
) -> None:
    proposal, card = desk.show(FEE)
    desk.pass_time(48 * 3600)

    desk.click(ANN, card)
    desk.work()

    assert desk.again(proposal).state is ProposalState.EXPIRED
    assert "expired before you pressed" in desk.told(ANN)[0]
    assert action_ids(desk.card(proposal)) == []
    assert desk.changes() == ()


def test_two_people_sign_above_the_limit_for_two(tmp_path: Path) -> None:
    with open_desk(tmp_path, two_people_above="50.00") as desk:
        proposal, card = desk.show(DOUBLE)

        desk.click(LEA, card)
        desk.work()
        assert desk.again(proposal).state is ProposalState.WAITING
        assert "one more signature" in desk.told(LEA)[0]
        assert f"<@{LEA}>" in shown(desk.card(proposal))

        desk.click(LEA, desk.card(proposal))
        desk.click(HED, desk.card(proposal))
        desk.work()

        assert desk.again(proposal).state is ProposalState.DONE
        assert len(desk.changes()) == 1
        assert len(desk.told(LEA)) == 2


def signed_while_no_post_goes_out(desk: ClickDesk) -> Proposal:
    """Return a proposal with the first of its two signatures, which the thread is not told yet."""
    proposal, card = desk.show(DOUBLE)
    desk.workspace.faults.rate_limit("chat.postMessage", 30)
    desk.click(LEA, card)
    desk.work()
    return proposal


@pytest.mark.parametrize(
    ("execute", "state"), [(True, ProposalState.DONE), (False, ProposalState.APPROVED)]
)
def test_no_signature_is_said_to_be_missing_once_it_was_given(
    tmp_path: Path, execute: bool, state: ProposalState
) -> None:
    with open_desk(tmp_path, two_people_above="50.00") as desk:
        proposal = signed_while_no_post_goes_out(desk)

        desk.click(HED, desk.card(proposal))
        desk.work(execute=execute, horizon_s=60)

        assert desk.again(proposal).state is state
        assert not [each for each in desk.thread() if "*It needs" in shown(each)]


def test_of_what_a_thread_is_told_of_a_proposal_the_newest_alone_is_posted_late(
    tmp_path: Path,
) -> None:
    with open_desk(tmp_path, two_people_above="50.00") as desk:
        proposal = signed_while_no_post_goes_out(desk)

        desk.click(HED, desk.card(proposal), ActionId.REJECT)
        desk.fill(HED)
        desk.workspace.submit(HED, {"reason": "She got it"})
        desk.work(horizon_s=60)

        (told,) = [each for each in desk.thread() if each.ts > desk.card(proposal).ts]
        assert f"*Rejected* by <@{HED}>" in shown(told)


def test_a_rejection_asks_for_a_reason_which_the_card_and_the_thread_show(
    desk: ClickDesk,
) -> None:
    proposal, card = desk.show(FEE)
    desk.click(ANN, card, ActionId.REJECT)
    desk.fill(ANN)

    refused = desk.workspace.submit(ANN, {"reason": "   "})
    desk.workspace.settle()
    assert refused.attempts[-1].answer.body == {
        "response_action": "errors",
        "errors": {"reason": "Say in a sentence why."},
    }
    assert desk.again(proposal).state is ProposalState.WAITING

    desk.workspace.submit(ANN, {"reason": "He got his <parcel> today"})
    desk.work()

    assert desk.again(proposal).state is ProposalState.REJECTED
    assert "He got his &lt;parcel&gt; today" in shown(desk.card(proposal))
    assert desk.workspace.modal(ANN) is None


def test_case_61_a_form_that_does_not_open_says_so_and_changes_nothing(desk: ClickDesk) -> None:
    proposal, card = desk.show(FEE)
    desk.workspace.faults.refuse("views.open", "expired_trigger_id")

    desk.click(ANN, card, ActionId.REJECT)
    desk.bot.modals.close()
    desk.work()

    assert desk.workspace.modal(ANN) is None
    assert desk.told(ANN) == ["The form did not open in time. Nothing was changed. Press again."]
    assert desk.again(proposal).state is ProposalState.WAITING


def test_case_63_a_button_of_another_release_is_answered_and_its_card_drawn_again(
    desk: ClickDesk,
) -> None:
    proposal, card = desk.show(FEE)

    desk.old_click(ANN, card, "handrail:approve_v0")
    desk.work()

    assert "another version of me" in desk.told(ANN)[0]
    assert desk.again(proposal).state is ProposalState.WAITING
    assert len(desk.workspace.calls("chat.update")) == 1


def test_who_has_no_role_is_told_so_instead_of_being_asked_for_a_reason(desk: ClickDesk) -> None:
    _, card = desk.show(FEE)

    desk.click(OUT, card, ActionId.REJECT)
    view = desk.fill(OUT)

    assert "You have no role" in str(view.body["blocks"])
    assert "submit" not in view.body


def test_an_edited_amount_is_a_new_version_without_signatures(tmp_path: Path) -> None:
    with open_desk(tmp_path, two_people_above="50.00") as desk:
        proposal, card = desk.show(DOUBLE)
        desk.click(LEA, card)
        desk.work()

        desk.edit(LEA, desk.card(proposal), {"amount-1-CAD": "60,50"})
        desk.work()

        again = desk.again(proposal)
        assert again.version == 2
        assert again.actions == (DOUBLE.model_copy(update={"amount_minor": 6_050}),)
        assert f"Signed by <@{LEA}>" not in shown(desk.card(proposal))
        assert "60.50 CAD" in shown(desk.card(proposal))


def test_an_amount_that_the_shop_cannot_refund_is_refused_with_its_words(desk: ClickDesk) -> None:
    proposal, card = desk.show(FEE)

    desk.edit(LEA, card, {"amount-1-CAD": "900.00"})
    desk.work()

    assert desk.again(proposal).version == 1
    assert len(desk.told(LEA)) == 1


_TWO_DECIMALS = (
    "An amount in CAD has at most 2 decimals and no mark between thousands, such as 1250.00."
)


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("nine", _TWO_DECIMALS),
        ("1,000", _TWO_DECIMALS),
        ("1.000", _TWO_DECIMALS),
        ("9.444", _TWO_DECIMALS),
        ("0,00", "A refund is more than 0.00 CAD."),
        ("5000.01", "A refund is at most 5000.00 CAD."),
    ],
)
def test_an_amount_is_refused_in_the_form_and_never_guessed(
    desk: ClickDesk, typed: str, why: str
) -> None:
    proposal, card = desk.show(FEE)
    desk.click(LEA, card, ActionId.EDIT_AMOUNT)
    desk.fill(LEA)

    refused = desk.workspace.submit(LEA, {"amount-1-CAD": typed})
    desk.workspace.settle()

    answer = refused.attempts[-1].answer.body
    assert answer is not None
    assert answer["errors"] == {"amount-1-CAD": why}
    assert desk.again(proposal).version == 1


def test_a_press_that_cannot_be_stored_is_not_acknowledged(desk: ClickDesk) -> None:
    proposal, card = desk.show(FEE)
    desk.bot.writer.close()

    delivery = desk.workspace.click(ANN, card, ActionId.APPROVE)

    desk.workspace.advance(4)
    assert not delivery.attempts or not delivery.attempts[-1].answer.ok
    assert desk.again(proposal).state is ProposalState.WAITING


def test_the_same_press_delivered_twice_is_one_press(desk: ClickDesk) -> None:
    proposal, card = desk.show(FEE)
    delivery = desk.workspace.click(ANN, card, ActionId.APPROVE)
    desk.workspace.settle()

    desk.workspace.redeliver(delivery)
    desk.work()

    assert desk.again(proposal).state is ProposalState.DONE
    assert desk.told(ANN) == []


def test_a_reminder_names_the_role_that_has_to_look(desk: ClickDesk) -> None:
    proposal, _ = desk.show(DOUBLE)
    desk.pass_time(45 * 3600)

    desk.warn()
    desk.work()

    reminders = [each for each in desk.thread() if "still undecided" in shown(each)]
    assert len(reminders) == 1
    assert f"<@{LEA}>" in shown(reminders[0])
    assert desk.again(proposal).state is ProposalState.WAITING


def test_of_more_than_a_hundred_that_wait_all_are_counted(desk: ClickDesk) -> None:
    for number in range(MOST_WAITING + 1):
        desk.propose(run_id=f"run-{number}", ticket_id=f"T-{number}")
    lead = Person(user_id=LEA, kind=PersonKind.MEMBER)

    view = home_of(desk.db, desk.policy, lead, viewer=True, operator=False, now_us=desk.now_us())

    assert (len(view.waiting), view.waiting_count) == (MOST_WAITING, MOST_WAITING + 1)


def test_case_65_two_processes_decide_each_press_once(tmp_path: Path) -> None:
    """Case 65: a payload goes to one of two sockets, and both deciders look at every press."""
    with open_desk(tmp_path, bots=2) as desk:
        proposal, card = desk.show(FEE)

        for user in (ANN, LEA, HED, ANN):
            desk.workspace.click(user, card, ActionId.APPROVE)
        desk.work()

        assert len(desk.changes()) == 1
        assert sum(len(desk.told(user)) for user in (ANN, LEA, HED)) == 3
        assert desk.again(proposal).state is ProposalState.DONE


def test_of_two_deciders_with_one_press_in_hand_the_second_does_nothing(tmp_path: Path) -> None:
    with open_desk(tmp_path, bots=2) as desk:
        proposal, card = desk.show(FEE)
        slow, quick = desk.bots
        held = desk.workspace.faults.hold("users.info")
        desk.click(ANN, card)
        with ThreadPoolExecutor(1) as pool:
            first = pool.submit(slow.decide_apart)
            assert held.reached.wait(5)
            quick.decide()
            assert desk.again(proposal).state is ProposalState.APPROVED
            held.release()
            first.result()
        desk.work()

        assert desk.told(ANN) == []
        assert len(desk.changes()) == 1


def test_a_press_that_waits_for_slack_does_not_keep_the_next_one_waiting(desk: ClickDesk) -> None:
    proposal, card = desk.show(FEE)
    held = desk.workspace.faults.hold("users.info", where=lambda args: args["user"] == OUT)
    desk.click(OUT, card)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(desk.bot.decide_apart)
        assert held.reached.wait(5)
        desk.click(ANN, card)
        desk.bot.decide()

        assert desk.again(proposal).state is ProposalState.APPROVED
        asked = [c for c in desk.workspace.calls("users.info") if c.args["user"] == OUT]
        assert len(asked) == 1
        held.release()
        first.result()
    desk.work()

    assert len(desk.told(OUT)) == 1

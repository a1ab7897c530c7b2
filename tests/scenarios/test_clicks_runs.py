"""The buttons of drafts and stops, App Home and the commands, on tickets that really ran."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from slack_sdk import WebClient

from bot.slack.refs import ActionId, CallbackId, RunRef
from bot.supplies import load_cases
from bot.workspace import Kind, Message
from loop import Opened
from recordings import Match, Runs
from tests.scenarios.office import ANN, BEN, CHANNEL, GUS, LEA, Office, office, shown

SIMPLE = "T-80008"
"""A ticket that is answered without a proposal."""
REFUND = "T-90104"
"""A ticket that comes to a refund of 9.95."""


@pytest.fixture
def bot(tmp_path: Path) -> Iterator[Office]:
    """A bot at work, whose operator is Lea."""
    with office(tmp_path, operators={LEA}) as opened:
        opened.open()
        yield opened


@pytest.fixture
def again(tmp_path: Path) -> Iterator[Office]:
    """A bot at work that says the same again where it is asked again."""
    with office(tmp_path, match=Match.SEQUENCE) as opened:
        opened.open()
        yield opened


def ask_again(bot: Office, ticket: Message) -> Message:
    """Mention the bot in a ticket's thread, and return the draft of the run that comes of it."""
    before = bot.count("SELECT count(*) FROM runs WHERE result = 'valid'")
    bot.workspace.post(ANN, "@handrail please look again", channel=CHANNEL, thread=ticket)
    bot.until(lambda: bot.count("SELECT count(*) FROM runs WHERE result = 'valid'") > before)
    return draft(bot, ticket)


def draft(bot: Office, ticket: Message) -> Message:
    """Wait until a ticket has its draft, and return that as it is now."""
    bot.rest()
    return _with_button(bot, ticket, ActionId.COPY)


def card(bot: Office, ticket: Message) -> Message:
    """Return a ticket's card while it waits."""
    bot.rest()
    return _with_button(bot, ticket, ActionId.APPROVE)


def told(bot: Office, user: str) -> str:
    """Return all that one person was told in private."""
    bot.rest()
    return " ".join(shown(each) for each in bot.workspace.ephemerals(user))


def _with_button(bot: Office, ticket: Message, action: ActionId) -> Message:
    found = [each for each in bot.workspace.replies(ticket) if action.value in str(each.blocks)]
    assert found, [shown(each) for each in bot.workspace.replies(ticket)]
    return found[-1]


def test_the_answer_to_copy_warns_until_its_proposal_is_done_and_then_names_what_was_done(
    bot: Office,
) -> None:
    ticket = bot.ticket(REFUND)
    bot.workspace.click(ANN, draft(bot, ticket), ActionId.COPY)
    before = bot.form(ANN, "The answer")
    assert "waiting for a decision" in str(before.body)
    assert "reference" not in str(before.body)
    bot.workspace.close(ANN)

    bot.workspace.click(BEN, card(bot, ticket), ActionId.APPROVE)
    bot.rest()
    bot.workspace.click(ANN, draft(bot, ticket), ActionId.COPY)
    after = bot.form(ANN, "The answer")

    assert "reference" in str(after.body)
    assert "9.95 CAD" in str(after.body)
    assert "is done" in str(after.body)


def test_the_answer_of_a_later_run_that_asks_for_the_same_warns_and_follows_its_proposal(
    again: Office,
) -> None:
    ticket = again.ticket(REFUND)
    draft(again, ticket)
    later = ask_again(again, ticket)
    again.workspace.click(ANN, later, ActionId.COPY)
    before = str(again.form(ANN, "The answer").body)
    again.workspace.close(ANN)
    assert again.count("SELECT count(*) FROM proposals") == 1

    again.workspace.click(BEN, card(again, ticket), ActionId.APPROVE)
    again.rest()
    done = again.workspace.latest(later)
    again.workspace.click(ANN, done, ActionId.COPY)
    after = str(again.form(ANN, "The answer").body)

    assert "waiting" in shown(later)
    assert "waiting for a decision" in before
    assert "reference" not in before
    for told in (shown(done), after):
        assert "9.95 CAD" in told
        assert "reference" in told
        assert "waiting" not in told


def given(bot: Office) -> str:
    """Return the text that the newest run was given."""
    with bot.store() as db:
        run_id = Runs(db).recent(1)[0].run_id
        opened = next(each.record for each in Runs(db).entries(run_id))
    assert isinstance(opened, Opened)
    return opened.text


def test_a_further_run_is_given_the_draft_that_it_is_to_change_and_who_said_what(
    again: Office,
) -> None:
    ticket = again.ticket(SIMPLE)
    first = draft(again, ticket)
    assert "Draft" not in given(again)
    second = ask_again(again, ticket)
    from_model = given(again)
    again.workspace.click(BEN, second, ActionId.EDIT_DRAFT)
    again.form(BEN, "The answer")
    again.workspace.submit(BEN, {"text-1": "It comes tomorrow."})
    again.rest()
    ask_again(again, ticket)

    assert 'Draft of the answer, not sent: "' in from_model
    assert "garden shed left" in shown(first)
    assert "garden shed left" in from_model
    assert f"- @{ANN}: please look again" in from_model
    assert f'- Draft as @{BEN} has it, not sent: "It comes tomorrow."' in given(again)
    assert "garden shed left" not in given(again)


def test_a_draft_for_one_customer_is_in_no_run_for_another(again: Office) -> None:
    """It holds what was looked up of the first one; the header may have been a slip."""
    ticket = again.ticket(SIMPLE)
    draft(again, ticket)
    ask_again(again, ticket)
    assert "garden shed left" in given(again)

    again.workspace.edit(ticket, f"{SIMPLE} C-73548\nWhere is my parcel?")
    again.rest()

    assert again.count("SELECT count(*) FROM tickets WHERE customer_id = 'C-73548'") == 1
    assert "please look again" in given(again)
    assert "garden shed left" not in given(again)
    assert "Draft" not in given(again)


def test_the_answer_of_a_later_run_follows_a_rejection_of_before_and_its_second_life(
    again: Office,
) -> None:
    ticket = again.ticket(REFUND)
    again.workspace.click(BEN, card(again, ticket), ActionId.REJECT)
    again.form(BEN, "reason")
    again.workspace.submit(BEN, {"reason": "not yet"})
    later = ask_again(again, ticket)
    again.workspace.click(ANN, later, ActionId.COPY)
    before = str(again.form(ANN, "The answer").body)
    again.workspace.close(ANN)

    reopen = _with_button(again, ticket, ActionId.REOPEN)
    again.workspace.click(BEN, reopen, ActionId.REOPEN)
    again.rest()

    assert "rejected" in shown(later)
    assert "rejected" in before
    assert "rejected" not in shown(again.workspace.latest(later))
    assert "waiting" in shown(again.workspace.latest(later))


FORM = "Ticket: {0}\nCustomer: {1}\nSubmitted by: {2}\nMessage: {3}"


def post_form(bot: Office, filler: str) -> Message:
    """Post the form of a ticket that comes to a refund, as a workflow that is let in."""
    ticket = load_cases(None)[REFUND].ticket
    text = FORM.format(ticket.ticket_id, ticket.customer_id, filler, ticket.text)
    return bot.workspace.post(
        None, text, channel=CHANNEL, bot_id="B0FORM", workflow_id="Wf0FORM", subtype="bot_message"
    )


def test_nobody_approves_the_request_of_a_form_that_does_not_say_who_filled_it_in(
    tmp_path: Path,
) -> None:
    with office(tmp_path, apps={"Wf0FORM"}) as bot:
        bot.open()
        ticket = post_form(bot, "Ben Miller")
        shown_card = card(bot, ticket)

        bot.workspace.click(BEN, shown_card, ActionId.APPROVE)
        refused = told(bot, BEN)
        lines = [each.text for each in bot.workspace.replies(ticket)]

        assert "does not say who filled it in" in refused
        assert "Nobody can approve this yet" in shown(shown_card)
        assert sum("Nobody can approve this yet" in each for each in lines) == 1
        assert bot.count("SELECT count(*) FROM proposals WHERE state = 'waiting'") == 1
        assert bot.shop_changes() == ()


def test_who_filled_a_form_in_does_not_approve_it_and_somebody_else_does(tmp_path: Path) -> None:
    with office(tmp_path, apps={"Wf0FORM"}) as bot:
        bot.open()
        ticket = post_form(bot, "@ben")
        shown_card = card(bot, ticket)

        bot.workspace.click(BEN, shown_card, ActionId.APPROVE)
        assert "You asked for this" in told(bot, BEN)
        bot.workspace.click(LEA, bot.workspace.latest(shown_card), ActionId.APPROVE)
        bot.rest()

        assert len(bot.shop_changes()) == 1


def test_an_edited_draft_is_shown_with_its_editor_and_is_what_is_copied(bot: Office) -> None:
    ticket = bot.ticket(SIMPLE)
    bot.workspace.click(ANN, draft(bot, ticket), ActionId.EDIT_DRAFT)
    bot.form(ANN, "The answer")

    bot.workspace.submit(ANN, {"text-1": "Dear customer, it comes tomorrow."})
    bot.rest()

    edited = draft(bot, ticket)
    assert "it comes tomorrow" in shown(edited)
    assert ANN in shown(edited)
    bot.workspace.click(BEN, edited, ActionId.COPY)
    assert "it comes tomorrow" in str(bot.form(BEN, "The answer").body)


def test_the_button_of_the_form_to_copy_closes_it_and_says_nothing(bot: Office) -> None:
    bot.workspace.click(ANN, draft(bot, bot.ticket(SIMPLE)), ActionId.COPY)
    bot.form(ANN, "The answer")

    assert bot.workspace.submit(ANN).answer().ok
    assert told(bot, ANN) == ""


@pytest.mark.parametrize(
    ("button", "words", "field"),
    [
        (ActionId.EDIT_DRAFT, "The answer", "text-1"),
        (ActionId.ASK_AGAIN, "What should be different?", "text"),
    ],
)
def test_a_text_of_blanks_is_no_text(bot: Office, button: ActionId, words: str, field: str) -> None:
    found = draft(bot, bot.ticket(SIMPLE))
    bot.workspace.click(ANN, found, button)
    bot.form(ANN, words)

    answer = bot.workspace.submit(ANN, {field: " \n "}).answer().body
    bot.rest()

    assert answer == {"response_action": "errors", "errors": {field: "This is empty."}}
    assert bot.count("SELECT count(*) FROM feedback") == 0


@pytest.mark.parametrize("chosen", [{}, {"outcome": {"outcome": {"value": "perhaps"}}}])
def test_what_became_of_a_change_is_never_guessed(bot: Office, chosen: dict[str, Any]) -> None:
    found = draft(bot, bot.ticket(SIMPLE))
    bot.workspace.click(ANN, found, ActionId.EDIT_DRAFT)
    bot.form(ANN, "The answer")
    sent = bot.workspace.submit(ANN).payload
    values = {"reason": {"reason": {"value": "I asked."}}, **chosen}
    view = {"callback_id": CallbackId.SETTLE.value, "state": {"values": values}}

    delivery = bot.workspace.deliver({**sent, "view": sent["view"] | view}, kind=Kind.INTERACTIVE)

    assert "outcome" in str(delivery.answer().body)


@pytest.mark.parametrize(
    ("method", "settings"),
    [("conversations.members", {}), ("usergroups.users.list", {"viewers": {"S0HEADS"}})],
)
def test_who_cannot_be_looked_up_is_told_that_and_not_that_they_may_not(
    tmp_path: Path, method: str, settings: dict[str, Any]
) -> None:
    with office(tmp_path, **settings) as place:
        place.open()
        found = draft(place, place.ticket(SIMPLE))
        place.workspace.faults.break_(method, times=3)

        place.workspace.click(LEA, found, ActionId.HELPFUL)

        assert "could not tell me who you are" in told(place, LEA)
        assert place.count("SELECT count(*) FROM feedback") == 0


def test_a_draft_shows_who_took_it_over_and_the_second_is_told(bot: Office) -> None:
    ticket = bot.ticket(SIMPLE)
    found = draft(bot, ticket)

    bot.workspace.click(ANN, found, ActionId.TAKE_OVER)
    bot.rest()
    bot.workspace.click(BEN, found, ActionId.TAKE_OVER)

    assert "has taken this over already" in told(bot, BEN)
    assert any(f"<@{ANN}>" in shown(each) for each in bot.workspace.replies(ticket))


def test_thumbs_are_counted_once_for_each_person(bot: Office) -> None:
    found = draft(bot, bot.ticket(SIMPLE))

    for user, thumb in (
        (ANN, ActionId.HELPFUL),
        (ANN, ActionId.NOT_HELPFUL),
        (ANN, ActionId.HELPFUL),
        (BEN, ActionId.NOT_HELPFUL),
    ):
        bot.workspace.click(user, found, thumb)
        bot.rest()

    assert bot.count("SELECT count(*) FROM feedback WHERE kind = 'helpful'") == 1
    assert bot.count("SELECT count(*) FROM feedback WHERE kind = 'not_helpful'") == 1


def test_asking_again_is_said_in_the_thread_and_starts_another_run(bot: Office) -> None:
    ticket = bot.ticket(SIMPLE)
    bot.workspace.click(ANN, draft(bot, ticket), ActionId.ASK_AGAIN)
    bot.form(ANN, "What should be different?")

    bot.workspace.submit(ANN, {"text": "Shorter, please; my card is 4111 1111 1111 1111"})
    bot.rest()

    assert bot.count("SELECT count(*) FROM threads") == 2
    kept = "SELECT count(*) FROM replies WHERE text = 'Shorter, please; my card is [card]'"
    assert bot.count(kept) == 1
    bot.wait_for_reply(ticket, "asks: Shorter, please; my card is [card]")


def test_a_guest_uses_none_of_the_buttons_of_a_draft(bot: Office) -> None:
    found = draft(bot, bot.ticket(SIMPLE))

    bot.workspace.click(GUS, found, ActionId.TAKE_OVER)
    bot.workspace.click(GUS, found, ActionId.COPY)

    assert "Only full members" in told(bot, GUS)
    assert "Only full members" in str(bot.form(GUS, "Only full members").body)
    assert bot.count("SELECT count(*) FROM feedback") == 0


def test_who_is_a_viewer_is_judged_by_the_channel_of_the_ticket_and_not_by_that_of_the_button(
    bot: Office,
) -> None:
    found = draft(bot, bot.ticket(SIMPLE))
    everyone = next(each for each in bot.workspace.channels() if each.id == CHANNEL)
    others = tuple(each for each in everyone.members if each != BEN)
    bot.workspace.put_channel(replace(everyone, members=others))
    client = WebClient(bot.workspace.identity.bot_token, base_url=bot.workspace.base_url)
    client.chat_postMessage(channel="C0OTHER", text=found.text, blocks=list(found.blocks))
    (copy,) = bot.workspace.history("C0OTHER")

    bot.workspace.click(BEN, copy, ActionId.TAKE_OVER)
    bot.workspace.click(BEN, copy, ActionId.COPY)

    bot.form(BEN, "Only full members")
    assert "Only full members" in told(bot, BEN)
    assert bot.count("SELECT count(*) FROM feedback") == 0


def test_a_button_about_a_run_that_the_store_does_not_know_does_nothing_and_says_so(
    bot: Office,
) -> None:
    found = draft(bot, bot.ticket(SIMPLE))
    sent = bot.workspace.click(ANN, found, ActionId.HELPFUL)
    bot.rest()
    action = {**sent.payload["actions"][0], "value": str(RunRef(run_id="run-of-nobody"))}

    bot.workspace.deliver(
        {**sent.payload, "actions": [action], "trigger_id": "another"}, kind=Kind.INTERACTIVE
    )

    assert "I do not know any more" in told(bot, ANN)
    assert bot.count("SELECT count(*) FROM feedback") == 1


def test_app_home_lists_what_waits_for_a_person_and_the_last_runs(bot: Office) -> None:
    ticket = bot.ticket(REFUND)
    shown_card = card(bot, ticket)

    bot.workspace.open_home(BEN)
    bot.rest()
    home = bot.workspace.home(BEN)
    assert home is not None
    assert "Waiting for you (1)" in str(home.body)
    assert shown_card.ts.replace(".", "") in str(home.body)
    assert REFUND in str(home.body)

    bot.workspace.open_home(GUS)
    bot.rest()
    empty = bot.workspace.home(GUS)
    assert empty is not None
    assert REFUND not in str(empty.body)


def test_an_operator_pauses_and_resumes_and_others_may_not(bot: Office) -> None:
    bot.workspace.command(ANN, "/handrail", "pause", channel=CHANNEL)
    assert "Only operators" in told(bot, ANN)
    bot.workspace.command(LEA, "/handrail", "pause lunch", channel=CHANNEL)
    assert "Paused" in told(bot, LEA)

    ticket = bot.ticket(SIMPLE)
    bot.rest()
    assert bot.count("SELECT count(*) FROM threads") == 0

    bot.workspace.command(LEA, "/handrail", "resume", channel=CHANNEL)
    bot.workspace.wait_for(
        lambda: bot.count("SELECT count(*) FROM threads") == 1, seconds=15, what="a run"
    )
    draft(bot, ticket)


def test_commands_answer_whoever_typed_them(bot: Office) -> None:
    waiting = card(bot, bot.ticket(REFUND))
    proposal_id = waiting.text.split()[0]

    for text in (
        "waiting",
        "status",
        f"show {proposal_id.lower()}",
        "show P-ZZZ-ZZZ",
        "show <!here>",
        "dance",
    ):
        bot.workspace.command(BEN, "/handrail", text, channel=CHANNEL)
    answers = told(bot, BEN)

    assert answers.count(proposal_id) >= 2
    assert "There is no proposal P-ZZZ-ZZZ. `/handrail waiting` lists" in answers
    assert "&lt;!HERE&gt;" in answers
    assert "/handrail waiting" in answers
    assert ActionId.APPROVE.value not in answers


def test_a_command_of_a_guest_tells_nothing(bot: Office) -> None:
    card(bot, bot.ticket(REFUND))

    bot.workspace.command(GUS, "/handrail", "waiting", channel=CHANNEL)

    assert "Only full members" in told(bot, GUS)
    assert REFUND not in told(bot, GUS)

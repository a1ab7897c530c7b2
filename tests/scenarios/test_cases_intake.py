"""Cases of ``docs/slack_cases.md`` about messages, App Home and load, with the whole bot."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from approvals.store import connect, tx
from bot.models import replayed
from bot.plan import Plan
from bot.slack.outside import Outside
from bot.slack.refs import ActionId, CallbackId
from bot.slack.words.threads import not_a_member
from bot.workspace import Message, View
from loop import Clock, Model, Reply, Request, WireCall
from recordings import Match
from tests.scenarios.ahead import SECOND_US, Ahead
from tests.scenarios.office import ANN, APPROVALS, BEN, CHANNEL, GUS, LEA, Office, office, shown
from tests.scenarios.test_intake import REFUND, SIMPLE, Gates, in_progress

HOUR_S = 3_600
TEXT = "T-80008 C-81265 Where is my shed?"
FORM_APP, FORM_BOT = "A0FORM", "B0FORM"


class Wavering:
    """Recorded models; from the second run on they ask for no change in the end."""

    def __init__(self) -> None:
        self.runs = 0

    def play(self, plan: Plan) -> tuple[Model, Clock]:
        """Make the model of a run."""
        self.runs += 1
        model, clock = replayed(plan)
        return (model if self.runs == 1 else _AsksForNothing(model)), clock


class _AsksForNothing:
    def __init__(self, model: Model) -> None:
        self._model = model

    def ask(self, request: Request, *, time_left_s: float | None) -> Reply:
        """Answer as recorded, but for the actions of the finish."""
        reply = self._model.ask(request, time_left_s=time_left_s)
        calls = tuple(self._without_actions(call) for call in reply.calls)
        return replace(reply, calls=calls)

    def _without_actions(self, call: WireCall) -> WireCall:
        if call.name != "finish":
            return call
        arguments = json.loads(call.arguments)
        plain = {
            "outcome": "reply_only",
            "actions": [],
            "reply": "Thank you for your message. Your order is under way.",
        }
        return replace(call, arguments=json.dumps(arguments | plain))


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Office]:
    """A workspace with an app whose messages count, and a bot that is not started."""
    with office(tmp_path, apps={FORM_APP}) as opened:
        yield opened


@pytest.fixture
def bot(place: Office) -> Office:
    """A bot at work."""
    place.open()
    return place


def card_of(bot: Office, ticket: Message) -> Message:
    """Wait for the card of a ticket."""
    return bot.wait_for_reply(ticket, ActionId.APPROVE.value)


def home_of(bot: Office, user: str, words: str) -> View:
    """Wait until the App Home of somebody says something, and return it."""

    def found() -> View | None:
        home = bot.workspace.home(user)
        return home if home is not None and words in str(home.body) else None

    home = bot.workspace.wait_for(found, what=f"an App Home with {words!r}")
    assert home is not None
    return home


def message_event(event_id: str, **event: Any) -> dict[str, Any]:
    """Return a delivery of a message in the channel."""
    told = {"type": "message", "channel": CHANNEL, **event}
    return {"type": "event_callback", "event_id": event_id, "event": told}


def test_case_19_an_approval_runs_no_step_again_and_its_card_names_the_change(
    bot: Office,
) -> None:
    ticket = bot.ticket(REFUND)
    waiting = card_of(bot, ticket)
    bot.rest()
    before = bot.count("SELECT count(*) FROM journal")
    assert "*Refund 9.95 CAD*" in shown(waiting)

    bot.workspace.click(BEN, waiting, ActionId.APPROVE)
    bot.wait_for_reply(ticket, "*Done.*")
    bot.rest()

    assert bot.count("SELECT count(*) FROM journal") == before
    assert bot.count("SELECT count(*) FROM runs") == 1


def test_case_29_a_proposal_of_a_run_has_its_time_and_expires_by_itself(
    place: Office, ahead: Ahead, outside: Outside
) -> None:
    place.open(outside)
    ticket = place.ticket(REFUND)
    card_of(place, ticket)
    place.rest()
    life = place.count("SELECT expires_us - created_us FROM proposals")
    assert life == 72 * HOUR_S * SECOND_US

    ahead.seconds = 49 * HOUR_S
    first = place.wait_for_reply(ticket, "still undecided")
    assert f"<@{BEN}>" not in shown(first)
    ahead.seconds = 69 * HOUR_S
    place.wait_for_reply(ticket, f"<@{BEN}> `P-")
    ahead.seconds = 73 * HOUR_S

    place.wait_for_reply(ticket, "*Expired*")
    assert place.count("SELECT count(*) FROM proposals WHERE state = 'expired'") == 1


def test_case_33_a_ticket_whose_first_delivery_was_not_stored_comes_in_with_the_second(
    place: Office,
) -> None:
    place.open()
    with closing(connect(place.settings.store)) as db, tx(db):  # nobody else can write
        ticket = place.ticket(SIMPLE)
        (delivery,) = place.workspace.deliveries("message")
        place.workspace.wait_for(
            lambda: delivery.attempts, seconds=20, what="the end of the first delivery"
        )
        assert not delivery.attempts[-1].answer.ok

    place.workspace.redeliver(delivery, number=1)

    place.wait_for_reply(ticket, "drafted")
    assert place.count("SELECT count(*) FROM inbox") == 1


def test_case_39_an_app_that_edits_its_ticket_without_another_text_starts_no_run(
    bot: Office,
) -> None:
    ticket = bot.workspace.post(None, TEXT, channel=CHANNEL, bot_id=FORM_BOT, app_id=FORM_APP)
    bot.wait_for_reply(ticket, "T-80008-resolver-chat-small-1")
    bot.rest()

    bot.workspace.alter(ticket, edited_by=FORM_BOT, edited_ts=f"{int(float(ticket.ts)) + 9}.000100")
    bot.workspace.settle()
    bot.rest()

    assert bot.count("SELECT version FROM tickets") == 1
    assert bot.count("SELECT count(*) FROM runs") == 1


@pytest.mark.parametrize("name", ["user", "bot_id", "app_id"])
def test_case_40_words_of_our_own_start_nothing(bot: Office, name: str) -> None:
    me = bot.workspace.identity
    own = {"user": me.bot_user, "bot_id": me.bot_id, "app_id": me.app_id}
    given = {"bot_id": "B0ANOTHER"} | {name: own[name]}

    mine = bot.workspace.post(None, TEXT, channel=CHANNEL, deliver=False)
    bot.workspace.deliver(
        message_event("Ev0OWN", subtype="bot_message", ts=mine.ts, text=TEXT, **given)
    )
    bot.workspace.settle()

    assert bot.workspace.replies(mine) == []
    assert bot.count("SELECT count(*) FROM inbox") == 0


def test_case_41_a_reply_that_is_also_sent_to_the_channel_is_one_turn(bot: Office) -> None:
    ticket = bot.ticket(SIMPLE)
    bot.wait_for_reply(ticket, "drafted")

    reply = bot.workspace.post(
        BEN, "@handrail shorter, please", channel=CHANNEL, thread=ticket, broadcast=True
    )
    bot.workspace.alter(reply)
    bot.wait_for_reply(ticket, "T-80008-resolver-chat-small-2")
    bot.rest()

    assert bot.count("SELECT version FROM tickets") == 2
    assert bot.count("SELECT count(*) FROM replies") == 1


def test_case_44_a_form_of_a_foreign_app_is_known_by_the_ids_in_its_event(bot: Office) -> None:
    bot.workspace.faults.refuse("bots.info", "bot_not_found", times=9)

    ticket = bot.workspace.post(None, TEXT, channel=CHANNEL, bot_id="B0FOREIGN", app_id=FORM_APP)

    bot.wait_for_reply(ticket, "T-80008-resolver-chat-small-1")
    asked = [call.args["bot"] for call in bot.workspace.calls("bots.info")]
    assert set(asked) <= {bot.workspace.identity.bot_id}


MISFIT_METADATA = {
    "event_type": "handrail_ticket",
    "event_payload": {"ticket_id": "12345", "customer_id": "C-81265", "text": "Where is it?"},
}
MISFITS: dict[str, dict[str, Any]] = {
    "metadata": {"text": "A ticket came in", "metadata": MISFIT_METADATA},
    "metadata without an id": {
        "text": "A ticket came in",
        "metadata": {"event_type": "handrail_ticket", "event_payload": {"text": "Where is it?"}},
    },
    "a form": {"text": "Ticket: 12345\nCustomer: C-81265\nMessage: Where is it?"},
}
"""What an app says of a ticket whose id is not of the shop's form."""


@pytest.mark.parametrize("given", MISFITS.values(), ids=list(MISFITS))
def test_a_ticket_of_an_app_whose_id_does_not_fit_is_answered_in_words_and_starts_no_run(
    bot: Office, given: dict[str, Any]
) -> None:
    misfit = bot.workspace.post(None, channel=CHANNEL, bot_id=FORM_BOT, app_id=FORM_APP, **given)
    bot.wait_for_reply(misfit, "no ticket id of the form that this shop's ids have")
    bot.workspace.edit(misfit, given["text"] + "!")
    bot.rest()

    assert len(bot.workspace.replies(misfit)) == 1
    assert bot.count("SELECT count(*) FROM tickets") == 0


@pytest.mark.parametrize("app", [FORM_APP, "A0OTHER"])
def test_metadata_is_a_ticket_from_an_app_of_the_settings_and_from_no_other(
    bot: Office, app: str
) -> None:
    metadata = {
        "event_type": "handrail_ticket",
        "event_payload": {"ticket_id": "T-80008", "customer_id": "C-81265", "reporter": BEN},
    }

    post = bot.workspace.post(
        None, "A ticket came in", channel=CHANNEL, bot_id="B0X", app_id=app, metadata=metadata
    )

    if app == FORM_APP:
        bot.wait_for_reply(post, "T-80008-resolver-chat-small-1")
        assert bot.count(f"SELECT count(*) FROM tickets WHERE posted_by = '{BEN}'") == 1
    else:
        bot.workspace.settle()
        assert bot.workspace.replies(post) == []
        assert bot.count("SELECT count(*) FROM tickets") == 0


def test_the_shortcut_asks_for_ticket_and_customer_and_starts_with_them(bot: Office) -> None:
    chat = bot.workspace.post(ANN, "Where is my shed? ann@example.com", channel=CHANNEL)

    bot.workspace.shortcut(BEN, CallbackId.TRIAGE, chat)
    bot.form(BEN, "Ticket id")
    bot.workspace.submit(BEN, {"ticket": "t-80008", "customer": "C-81265"})

    bot.wait_for_reply(chat, "T-80008-resolver-chat-small-1")
    asked = f"SELECT count(*) FROM tickets WHERE posted_by = '{ANN}' AND opened_by = '{BEN}'"
    assert bot.count(asked) == 1
    assert bot.count("SELECT text = 'Where is my shed? [email]' FROM tickets") == 1


@pytest.mark.parametrize(
    ("filler", "author"), [("Ben Miller", "unknown"), ("@ben", BEN)], ids=["typed", "mention"]
)
def test_the_shortcut_on_a_form_keeps_who_filled_it_in_or_that_nobody_knows(
    bot: Office, filler: str, author: str
) -> None:
    text = f"Ticket: T-80008\nCustomer: C-81265\nSubmitted by: {filler}\nMessage: Where is it?"
    form = bot.workspace.post(None, text, channel=CHANNEL, bot_id="B0OTHER")

    bot.workspace.shortcut(LEA, CallbackId.TRIAGE, form)
    bot.form(LEA, "Ticket id")
    bot.workspace.submit(LEA, {"ticket": "T-80008", "customer": "C-81265"})

    bot.wait_for_reply(form, "T-80008-resolver-chat-small-1")
    asked = f"SELECT count(*) FROM tickets WHERE posted_by = '{author}' AND opened_by = '{LEA}'"
    assert bot.count(asked) == 1


def test_the_shortcut_keeps_the_reporter_that_metadata_name(bot: Office) -> None:
    """Whoever asked signs nothing of it, in whatever way the message came to be a ticket."""
    payload = {"ticket_id": "T-80008", "customer_id": "C-81265", "reporter": BEN}
    message = bot.workspace.post(
        None,
        "Where is my shed?",
        channel=CHANNEL,
        bot_id="B0OTHER",
        metadata={"event_type": "handrail_ticket", "event_payload": payload},
    )

    bot.workspace.shortcut(LEA, CallbackId.TRIAGE, message)
    bot.form(LEA, "Ticket id")
    bot.workspace.submit(LEA, {"ticket": "T-80008", "customer": "C-81265"})

    bot.wait_for_reply(message, "T-80008-resolver-chat-small-1")
    assert bot.count(f"SELECT count(*) FROM tickets WHERE posted_by = '{BEN}'") == 1


def test_the_shortcut_fills_in_what_the_message_begins_with(bot: Office) -> None:
    ticket = bot.workspace.post(GUS, "T-80008 C-81265 Where is it?", channel=CHANNEL)
    bot.wait_for_reply(ticket, not_a_member())

    bot.workspace.shortcut(BEN, CallbackId.TRIAGE, ticket)

    view = bot.form(BEN, "Ticket id")
    assert "T-80008" in str(view.body)
    assert "C-81265" in str(view.body)


def test_the_shortcut_of_a_guest_is_refused(bot: Office) -> None:
    chat = bot.workspace.post(ANN, "Where is my shed?", channel=CHANNEL)

    bot.workspace.shortcut(GUS, CallbackId.TRIAGE, chat)

    bot.form(GUS, not_a_member())
    assert bot.count("SELECT count(*) FROM tickets") == 0


def test_case_59_what_is_approved_in_app_home_is_told_in_the_thread_and_on_the_card(
    bot: Office,
) -> None:
    ticket = bot.ticket(REFUND)
    waiting = card_of(bot, ticket)
    bot.workspace.open_home(BEN)
    home = home_of(bot, BEN, "Waiting for you (1)")
    assert "Look at the thread" in str(home.body)

    bot.workspace.click(BEN, home, ActionId.APPROVE)

    bot.wait_for_reply(ticket, "*Done.*")
    home_of(bot, BEN, "Waiting for you (0)")
    bot.rest()
    now = bot.workspace.latest(waiting)
    assert "*Done.*" in shown(now)
    assert ActionId.APPROVE.value not in shown(now)
    said = [shown(each) for each in bot.workspace.replies(ticket) if each.ts != now.ts]
    assert any("*Done.*" in each for each in said)


def test_case_59_what_is_rejected_in_app_home_has_its_reason_in_the_thread_and_on_the_card(
    bot: Office,
) -> None:
    ticket = bot.ticket(REFUND)
    waiting = card_of(bot, ticket)
    bot.workspace.open_home(BEN)

    bot.workspace.click(BEN, home_of(bot, BEN, "Waiting for you (1)"), ActionId.REJECT)
    bot.form(BEN, "Why?")
    bot.workspace.submit(BEN, {"reason": "It arrived this morning"})

    home_of(bot, BEN, "Waiting for you (0)")
    bot.rest()
    now = bot.workspace.latest(waiting)
    assert "It arrived this morning" in shown(now)
    said = [shown(each) for each in bot.workspace.replies(ticket) if each.ts != now.ts]
    assert any("It arrived this morning" in each for each in said)


def test_app_home_offers_no_decision_to_who_cannot_sign(bot: Office) -> None:
    card_of(bot, bot.ticket(REFUND, BEN))
    bot.rest()

    bot.workspace.open_home(BEN)

    home = home_of(bot, BEN, "Waiting for you (0)")
    assert ActionId.APPROVE.value not in str(home.body)


def test_case_73_a_click_is_answered_while_every_worker_is_busy(place: Office) -> None:
    gates = Gates()
    place.open(Outside(play=gates.play))
    gates.let_on.release(20)
    first = place.ticket(REFUND)
    waiting = card_of(place, first)
    place.rest()
    while gates.let_on.acquire(blocking=False):
        pass
    while gates.asked.acquire(blocking=False):
        pass
    for ticket_id in ("T-80008", "T-90103", "T-90101", "T-90102", "T-90105"):
        place.ticket(ticket_id)
    for _ in range(place.settings.slack.workers):
        in_progress(gates)

    place.workspace.click(BEN, waiting, ActionId.APPROVE)

    place.wait_for_reply(first, "*Done.*")
    assert place.count("SELECT count(*) FROM operations WHERE state = 'done'") == 1
    gates.let_on.release(200)


def test_an_equal_proposal_keeps_its_signatures_when_a_newer_run_asks_for_it_again(
    tmp_path: Path,
) -> None:
    table = {**APPROVALS, "two_people_above": "5.00"}
    with office(tmp_path, approvals=table, match=Match.SEQUENCE) as place:
        place.open()
        ticket = place.ticket(REFUND)
        waiting = card_of(place, ticket)
        place.workspace.click(BEN, waiting, ActionId.APPROVE)
        place.wait_for_reply(ticket, "Signed by")

        place.workspace.post(LEA, "@handrail be brief", channel=CHANNEL, thread=ticket)
        place.wait_for_reply(ticket, f"{REFUND}-resolver-chat-small-2")
        place.rest()

        assert place.count("SELECT count(*) FROM proposals") == 1
        assert place.count("SELECT count(*) FROM decisions") == 1


def test_an_older_edit_that_is_delivered_after_a_newer_one_changes_nothing(bot: Office) -> None:
    ticket = bot.ticket(SIMPLE)
    bot.wait_for_reply(ticket, "drafted")
    bot.workspace.edit(ticket, "T-80008 C-81265 The newest text")
    bot.wait_for_reply(ticket, "T-80008-resolver-chat-small-2")

    older = {"user": ANN, "ts": ticket.ts, "text": "T-80008 C-81265 An older text"}
    edit = {"subtype": "message_changed", "message": older, "event_ts": ticket.ts}
    delivery = bot.workspace.deliver(message_event("Ev0OLDER", **edit))
    bot.rest()

    assert delivery.acknowledged
    assert bot.count("SELECT count(*) FROM tickets WHERE text = 'The newest text'") == 1
    assert bot.count("SELECT version FROM tickets") == 2


def test_who_adds_the_mention_by_an_edit_has_asked_and_does_not_approve(tmp_path: Path) -> None:
    with office(tmp_path, match=Match.SEQUENCE) as place:
        place.open()
        ticket = place.ticket(REFUND)
        waiting = card_of(place, ticket)
        said = place.workspace.post(BEN, "refund him", channel=CHANNEL, thread=ticket)
        place.rest()

        place.workspace.edit(said, "@handrail refund him")
        place.wait_for_reply(ticket, f"{REFUND}-resolver-chat-small-2")
        place.rest()
        place.workspace.click(BEN, waiting, ActionId.APPROVE)
        place.rest()

        assert place.shop_changes() == ()
        assert place.count("SELECT count(*) FROM decisions") == 0


def test_an_edit_of_a_reply_that_was_never_delivered_is_the_follow_up_that_it_is(
    bot: Office,
) -> None:
    ticket = bot.ticket(SIMPLE)
    bot.wait_for_reply(ticket, "drafted")
    said = bot.workspace.post(BEN, "in French", channel=CHANNEL, thread=ticket, deliver=False)
    lost = bot.workspace.post(GUS, "in German", channel=CHANNEL, thread=ticket, deliver=False)

    bot.workspace.edit(lost, "@handrail in German, please")
    bot.workspace.edit(said, "@handrail in French, please")

    bot.wait_for_reply(ticket, "T-80008-resolver-chat-small-2")
    bot.rest()
    with bot.store() as db:
        texts = [row[0] for row in db.execute("SELECT text FROM replies")]
    assert texts == ["in French, please"]


def test_a_proposal_that_a_newer_valid_run_does_not_ask_for_again_is_superseded(
    tmp_path: Path,
) -> None:
    with office(tmp_path, match=Match.SEQUENCE) as place:
        place.open(Outside(play=Wavering().play))
        ticket = place.ticket(REFUND)
        waiting = card_of(place, ticket)

        place.workspace.post(LEA, "@handrail he got it today", channel=CHANNEL, thread=ticket)
        place.wait_for_reply(ticket, "Your order is under way")
        place.rest()

        assert place.count("SELECT count(*) FROM proposals WHERE state = 'superseded'") == 1
        now = place.workspace.latest(waiting)
        assert "*Replaced*" in shown(now)
        assert ActionId.APPROVE.value not in shown(now)


def test_a_follow_up_over_recordings_says_what_could_answer_it(bot: Office) -> None:
    ticket = bot.ticket(SIMPLE)
    bot.wait_for_reply(ticket, "drafted")

    bot.workspace.post(BEN, "@handrail in French, please", channel=CHANNEL, thread=ticket)

    stop = bot.wait_for_reply(ticket, "no_recording")
    assert "no follow-up. A live model answers all of them" in shown(stop)
    assert ActionId.RETRY.value not in shown(stop)

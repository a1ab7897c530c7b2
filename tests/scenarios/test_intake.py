"""Intake, from Slack's delivery to the thread: what is a ticket, once, and what becomes of it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from approvals.store import rows, tx
from bot.models import replayed
from bot.plan import Plan
from bot.slack.outside import Outside
from bot.slack.refs import CallbackId
from bot.slack.run_end import STATUS_EVERY_US, Status
from bot.slack.store.drafts import FeedbackKind, give_feedback
from bot.slack.store.threads import status_key, thread_of_run
from bot.slack.words.threads import (
    header_gone,
    newer_message,
    not_a_member,
    waits_for_customer,
)
from loop import Clock, Model, Reply, Request
from recordings import Runs
from tests.scenarios.office import (
    ANN,
    BEN,
    CHANNEL,
    GUS,
    OUT,
    Office,
    office,
    shown,
)

SIMPLE = "T-80008"
"""A ticket that is answered without a proposal, in two steps."""
REFUND = "T-90104"
"""A ticket that comes to a refund of 9.95."""


class Gates:
    """Recorded models that wait before each reply until they are let on."""

    def __init__(self) -> None:
        self.asked = threading.Semaphore(0)
        self.let_on = threading.Semaphore(0)

    def play(self, plan: Plan) -> tuple[Model, Clock]:
        """Make a model that waits."""
        model, clock = replayed(plan)
        return _Waiting(model, self), clock


class _Waiting:
    def __init__(self, model: Model, gates: Gates) -> None:
        self._model = model
        self._gates = gates

    def ask(self, request: Request, *, time_left_s: float | None) -> Reply:
        """Wait, then answer as recorded."""
        self._gates.asked.release()
        assert self._gates.let_on.acquire(timeout=20)
        return self._model.ask(request, time_left_s=time_left_s)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Office]:
    """A workspace and a bot that is not started."""
    with office(tmp_path) as opened:
        yield opened


@pytest.fixture
def bot(place: Office) -> Office:
    """A bot at work."""
    place.open()
    return place


@pytest.fixture
def gates() -> Gates:
    """What holds the models of a slow bot."""
    return Gates()


@pytest.fixture
def slow(place: Office, gates: Gates) -> Iterator[Office]:
    """A bot whose models wait."""
    place.open(Outside(play=gates.play))
    yield place
    gates.let_on.release(100)


def in_progress(gates: Gates) -> None:
    """Wait until a model is asked."""
    assert gates.asked.acquire(timeout=10)


def test_a_ticket_gets_its_status_and_its_draft_in_its_thread(bot: Office) -> None:
    ticket = bot.ticket(SIMPLE)

    draft = bot.wait_for_reply(ticket, "garden shed left on 5 October")
    status = bot.wait_for_reply(ticket, "drafted; the draft is below")

    assert draft.thread_ts == ticket.ts
    assert "handrail:copy" in shown(draft)
    assert "handrail:stop" not in shown(status)
    assert len(bot.workspace.replies(ticket)) == 2


def test_a_message_without_a_header_is_nobodys_ticket(bot: Office) -> None:
    chat = bot.workspace.post(ANN, "Has anybody seen T-80008?", channel=CHANNEL)
    elsewhere = bot.workspace.post(ANN, "T-80008 C-81265 hello", channel="C0OTHER")
    ticket = bot.ticket(SIMPLE)

    bot.wait_for_reply(ticket, "drafted")

    assert bot.workspace.replies(chat) == []
    assert bot.workspace.replies(elsewhere) == []
    assert bot.count("SELECT count(*) FROM inbox") == 1


def test_a_header_in_a_foreign_thread_and_a_mention_without_one_get_no_answer(bot: Office) -> None:
    """As the table in ``docs/slack.md`` says: nothing, in either case."""
    chat = bot.workspace.post(ANN, "@handrail where is my shed?", channel=CHANNEL)
    for text in ("T-80008 C-81265 hello", "@handrail T-80008 C-81265 hello"):
        bot.workspace.post(ANN, text, channel=CHANNEL, thread=chat)

    bot.rest()

    assert {each.user for each in bot.workspace.replies(chat)} == {ANN}
    assert bot.workspace.ephemerals(ANN) == []
    assert bot.count("SELECT count(*) FROM tickets") == 0


def test_case_32_a_delivery_that_is_repeated_is_one_ticket(slow: Office, gates: Gates) -> None:
    ticket = slow.ticket(SIMPLE)
    in_progress(gates)
    delivery = slow.workspace.deliveries("message")[0]

    for number in (1, 2, 3):
        slow.workspace.redeliver(delivery, number=number)
    slow.workspace.settle()
    gates.let_on.release(2)
    slow.wait_for_reply(ticket, "drafted")
    slow.rest()

    assert len(slow.workspace.replies(ticket)) == 2
    assert slow.count("SELECT count(*) FROM runs") == 1


def test_a_mention_that_comes_as_two_events_is_one_ticket(bot: Office) -> None:
    ticket = bot.ticket(SIMPLE)
    bot.workspace.deliver(
        {
            "type": "event_callback",
            "event_id": "Ev0ANOTHER",
            "event": {
                "type": "app_mention",
                "channel": CHANNEL,
                "user": ANN,
                "ts": ticket.ts,
                "text": ticket.text,
            },
        }
    )

    bot.wait_for_reply(ticket, "drafted")

    assert bot.count("SELECT count(*) FROM inbox") == 1


@pytest.mark.parametrize("user", [GUS, OUT])
def test_case_25_a_guest_or_an_outsider_gets_one_line_and_no_run(bot: Office, user: str) -> None:
    ticket = bot.ticket(SIMPLE, user)

    bot.wait_for_reply(ticket, not_a_member())

    assert len(bot.workspace.replies(ticket)) == 1
    assert bot.count("SELECT count(*) FROM tickets") == 0


def test_the_same_ticket_again_gets_a_link_and_another_customer_is_refused(bot: Office) -> None:
    first = bot.ticket(SIMPLE)
    bot.wait_for_reply(first, "drafted")

    again = bot.ticket(SIMPLE, BEN)
    other = bot.workspace.post(ANN, "T-80008 C-99999 mine", channel=CHANNEL)

    link = bot.wait_for_reply(again, "already being worked on")
    assert f"p{first.ts.replace('.', '')}" in shown(link)
    refused = bot.wait_for_reply(other, "another customer")
    assert "C-81265" not in shown(refused)
    assert bot.count("SELECT count(*) FROM runs") == 1


def test_a_ticket_that_waits_for_its_customer_says_so_to_who_brings_it_again(bot: Office) -> None:
    first = bot.workspace.post(ANN, "T-80008: where is it?", channel=CHANNEL)
    bot.wait_for_reply(first, "handrail:give_customer")
    about = waits_for_customer(SIMPLE, CHANNEL, first.ts)

    again = bot.ticket(SIMPLE, BEN)
    bot.wait_for_reply(again, about)
    bot.workspace.shortcut(BEN, CallbackId.TRIAGE, again)
    bot.form(BEN, "Ticket id")
    bot.workspace.submit(BEN, {"ticket": SIMPLE, "customer": "C-81265"})
    bot.rest()

    assert f"p{first.ts.replace('.', '')}" in about
    assert [each.text for each in bot.workspace.ephemerals(BEN)] == [about]
    assert len(bot.workspace.replies(again)) == 1


def test_a_ticket_without_a_customer_is_asked_about_and_calls_no_model(bot: Office) -> None:
    ticket = bot.workspace.post(ANN, "T-80008: where is it?", channel=CHANNEL)

    question = bot.wait_for_reply(ticket, "handrail:give_customer")
    bot.workspace.click(ANN, question, "handrail:give_customer")
    bot.form(ANN, "customer")
    assert bot.count("SELECT count(*) FROM runs") == 0
    bot.workspace.post(BEN, "@handrail it is C-81265", channel=CHANNEL, thread=ticket)
    bot.wait_for_reply(ticket, "never take it from a reply")
    assert bot.count("SELECT count(*) FROM tickets WHERE customer_id IS NOT NULL") == 0
    bot.workspace.submit(ANN, {"customer": "c-81265"})

    bot.wait_for_reply(ticket, "T-80008-resolver-chat-small-1")
    assert bot.count("SELECT count(*) FROM tickets WHERE customer_id = 'C-81265'") == 1
    assert bot.count("SELECT count(*) FROM replies WHERE used_by_run IS NOT NULL") == 1


def test_case_43_a_form_of_an_allow_listed_workflow_is_a_ticket_and_another_bots_is_none(
    tmp_path: Path,
) -> None:
    with office(tmp_path, apps={"Wf0FORM"}) as place:
        place.open()
        form = "*Ticket*\nT-80008\n*Customer*\nC-81265\n*Reporter*\n@ben\n*Message*\nWhere?"
        none = place.workspace.post(None, form, channel=CHANNEL, bot_id="B0OTHER")
        ticket = place.workspace.post(
            None, form, channel=CHANNEL, bot_id="B0FORM", workflow_id="Wf0FORM"
        )

        place.wait_for_reply(ticket, "T-80008-resolver-chat-small-1")

        assert place.workspace.replies(none) == []
        assert place.count(f"SELECT count(*) FROM tickets WHERE posted_by = '{BEN}'") == 1


def test_case_36_a_change_that_leaves_the_text_alone_is_nothing(bot: Office) -> None:
    ticket = bot.ticket(SIMPLE)
    bot.wait_for_reply(ticket, "drafted")

    bot.workspace.alter(ticket, reactions=())
    bot.workspace.settle()

    assert bot.count("SELECT count(*) FROM inbox") == 1
    assert bot.count("SELECT version FROM tickets") == 1


def test_case_47_an_edit_during_the_run_cancels_it_and_the_newer_text_is_answered(
    slow: Office, gates: Gates
) -> None:
    ticket = slow.ticket(SIMPLE)
    in_progress(gates)

    slow.workspace.edit(ticket, "T-80008 C-81265 Better text")
    slow.workspace.wait_for(
        lambda: slow.count("SELECT version FROM tickets") == 2, what="the newer version"
    )
    gates.let_on.release(20)

    slow.wait_for_reply(ticket, "T-80008-resolver-chat-small-2")
    slow.wait_for_reply(ticket, newer_message())
    assert slow.count("SELECT count(*) FROM runs WHERE reason = 'cancelled'") == 1
    assert slow.count("SELECT count(*) FROM outbox WHERE key LIKE 'draft:%-1:%'") == 0


def test_case_45_a_ticket_that_is_deleted_during_its_run_gets_no_answer_anywhere(
    slow: Office, gates: Gates
) -> None:
    ticket = slow.ticket(SIMPLE)
    in_progress(gates)
    before = len(slow.workspace.history(CHANNEL))

    slow.workspace.delete(ticket)
    slow.workspace.wait_for(
        lambda: slow.count("SELECT count(*) FROM tickets WHERE state = 'cancelled'"),
        what="the removal",
    )
    gates.let_on.release(20)
    slow.workspace.wait_for(
        lambda: slow.count("SELECT count(*) FROM runs WHERE reason = 'cancelled'"),
        what="the end of the run",
    )

    assert slow.count("SELECT count(*) FROM outbox WHERE key LIKE 'draft:%'") == 0
    assert len(slow.workspace.history(CHANNEL)) <= before


def test_a_ticket_that_is_deleted_loses_what_waits_for_it(bot: Office) -> None:
    ticket = bot.ticket(REFUND)
    bot.wait_for_reply(ticket, "handrail:approve")

    bot.workspace.delete(ticket)

    bot.workspace.wait_for(
        lambda: bot.count("SELECT count(*) FROM proposals WHERE state = 'withdrawn'"),
        what="the withdrawal",
    )


def test_an_edit_that_takes_the_header_away_ends_the_ticket(bot: Office) -> None:
    ticket = bot.ticket(SIMPLE)
    bot.wait_for_reply(ticket, "drafted")

    bot.workspace.edit(ticket, "Never mind.")

    bot.wait_for_reply(ticket, header_gone())


def test_case_48_a_reply_that_mentions_the_bot_runs_again_and_others_change_nothing(
    bot: Office,
) -> None:
    ticket = bot.ticket(SIMPLE)
    bot.wait_for_reply(ticket, "drafted")

    bot.workspace.post(BEN, "I know this customer.", channel=CHANNEL, thread=ticket)
    bot.workspace.settle()
    assert bot.count("SELECT version FROM tickets") == 1
    bot.workspace.post(BEN, "@handrail in French, please", channel=CHANNEL, thread=ticket)

    bot.wait_for_reply(ticket, "T-80008-resolver-chat-small-2")
    with bot.store() as db:
        texts = [row[0] for row in db.execute("SELECT text FROM replies ORDER BY ts")]
    assert texts == ["I know this customer.", "in French, please"]
    assert bot.count("SELECT count(*) FROM tickets") == 1


def test_an_edit_that_takes_the_customer_away_ends_the_run_and_asks_for_one(
    slow: Office, gates: Gates
) -> None:
    ticket = slow.ticket(REFUND)
    in_progress(gates)

    slow.workspace.edit(ticket, "T-90104 whose is it?")
    slow.wait_for_reply(ticket, "handrail:give_customer")
    gates.let_on.release(20)
    slow.rest()

    assert slow.count("SELECT count(*) FROM runs WHERE reason = 'cancelled'") == 1
    assert slow.count("SELECT count(*) FROM proposals") == 0
    assert not [each for each in slow.workspace.replies(ticket) if "Draft for" in shown(each)]
    slow.workspace.edit(ticket, "T-90104 C-61975 it is hers")
    slow.wait_for_reply(ticket, "T-90104-resolver-chat-small-2")


def test_what_a_run_in_progress_has_cost_so_far_counts_against_the_cap_of_the_day(
    tmp_path: Path, gates: Gates
) -> None:
    with office(tmp_path, max_cost_per_day="0.000001") as place:
        place.open(Outside(play=gates.play))
        first = place.ticket(SIMPLE)
        in_progress(gates)
        gates.let_on.release()
        in_progress(gates)  # its first reply is there, and it is asked again

        second = place.ticket(REFUND)
        place.wait_for_reply(second, "This ticket waits: the last 24 hours cost")
        assert place.count("SELECT count(*) FROM runs WHERE state = 'running'") == 1
        gates.let_on.release(20)
        place.wait_for_reply(first, "Draft for")


def test_stop_ends_a_run_with_its_cause(slow: Office, gates: Gates) -> None:
    ticket = slow.ticket(SIMPLE)
    in_progress(gates)
    status = slow.wait_for_reply(ticket, "handrail:stop")

    slow.workspace.click(ANN, status, "handrail:stop")
    slow.workspace.wait_for(
        lambda: slow.count("SELECT count(*) FROM threads WHERE state = 'cancelled'"),
        what="the stop",
    )
    shown_at_once = slow.wait_for_reply(ticket, f"<@{ANN}> pressed Stop")
    assert shown_at_once.ts == status.ts
    assert "handrail:stop" not in shown(shown_at_once)
    gates.let_on.release(20)

    slow.wait_for_reply(ticket, f"stopped: <@{ANN}> pressed Stop")
    stop = slow.wait_for_reply(ticket, "Stop was pressed")
    assert "handrail:retry" in shown(stop)


def test_stop_pressed_before_the_journal_begins_shows_at_once_and_ends_the_run(
    place: Office,
) -> None:
    begin = threading.Event()

    def play(plan: Plan) -> tuple[Model, Clock]:
        assert begin.wait(timeout=20)
        return replayed(plan)

    place.open(Outside(play=play))
    ticket = place.ticket(SIMPLE)
    status = place.wait_for_reply(ticket, "handrail:stop")

    place.workspace.click(ANN, status, "handrail:stop")
    shown_at_once = place.wait_for_reply(ticket, f"<@{ANN}> pressed Stop")
    entries = place.count("SELECT count(*) FROM journal")
    begin.set()

    assert shown_at_once.ts == status.ts
    assert "handrail:stop" not in shown(shown_at_once)
    assert entries == 0
    place.wait_for_reply(ticket, "Stop was pressed")
    place.rest()
    assert place.count("SELECT count(*) FROM runs WHERE reason = 'cancelled'") == 1


def test_progress_that_comes_after_a_press_on_stop_still_says_who_pressed_it(bot: Office) -> None:
    bot.wait_for_reply(bot.ticket(SIMPLE), "Draft for")
    bot.rest()
    bot.close()
    times = iter((0, STATUS_EVERY_US))
    with bot.store() as db:
        run_id = str(rows(db, "SELECT run_id FROM threads")[0]["run_id"])
        thread = thread_of_run(db, run_id)
        assert thread is not None
        with tx(db):
            give_feedback(db, run_id, FeedbackKind.STOPPED, by=ANN, now_us=0)

        status = Status(thread, now_us=lambda: next(times))
        status.show(db, Runs(db).entries(run_id)[:2])

        newest = rows(db, "SELECT payload, state FROM outbox ORDER BY outbox_id DESC LIMIT 1")[0]
    assert newest["state"] == "ready"
    assert f"<@{ANN}> pressed Stop" in newest["payload"]


def test_retry_pressed_by_many_is_one_more_run(slow: Office, gates: Gates) -> None:
    ticket = slow.ticket(SIMPLE)
    in_progress(gates)
    slow.workspace.click(ANN, slow.wait_for_reply(ticket, "handrail:stop"), "handrail:stop")
    slow.until(lambda: slow.count("SELECT count(*) FROM threads WHERE state = 'cancelled'") == 1)
    gates.let_on.release(2)
    slow.wait_for_reply(ticket, f"stopped: <@{ANN}> pressed Stop")
    stop = slow.wait_for_reply(ticket, "Stop was pressed")

    for user in (ANN, ANN, BEN, ANN):
        slow.workspace.click(user, stop, "handrail:retry")
    gates.let_on.release(20)
    slow.wait_for_reply(ticket, "Draft for")
    slow.workspace.click(BEN, stop, "handrail:retry")  # on the old message, when all is done
    slow.rest()

    assert slow.count("SELECT count(*) FROM threads") == 2
    assert slow.count("SELECT version FROM tickets") == 2
    told = [each.text for each in slow.workspace.ephemerals(BEN)]
    assert len(told) == 2
    assert all("started again already" in each for each in told)


def test_case_64_what_was_posted_while_nobody_listened_is_caught_up_once(place: Office) -> None:
    place.open()
    known = place.ticket(SIMPLE)
    place.wait_for_reply(known, "drafted")
    place.close()

    missed = place.ticket(REFUND)
    place.open()
    place.wait_for_reply(missed, "handrail:approve")

    place.rest()

    assert len(place.workspace.replies(known)) == 2
    assert place.count("SELECT count(*) FROM runs") == 2


def test_a_close_waits_for_the_run_and_no_second_one_is_made(place: Office, gates: Gates) -> None:
    place.open(Outside(play=gates.play))
    ticket = place.ticket(SIMPLE)
    in_progress(gates)
    gates.let_on.release()
    in_progress(gates)
    with place.store() as db:
        before = db.execute("SELECT count(*) FROM journal").fetchone()[0]
    assert before > 2
    gates.let_on.release(20)
    place.close()
    place.open()

    place.wait_for_reply(ticket, "drafted")

    assert place.count("SELECT count(*) FROM runs") == 1
    assert place.count(f"SELECT count(*) FROM outbox WHERE key = '{_status(SIMPLE)}'") == 1


def test_tickets_wait_at_a_cap_and_say_so(tmp_path: Path) -> None:
    with office(tmp_path, max_runs_per_hour=1) as place:
        place.open()
        first = place.ticket(SIMPLE)
        place.wait_for_reply(first, "drafted")

        second = place.ticket(REFUND)

        place.wait_for_reply(second, "This ticket waits")
        assert place.count("SELECT count(*) FROM runs") == 1


def _status(ticket_id: str) -> str:
    return status_key(f"{ticket_id}-resolver-chat-small-1")

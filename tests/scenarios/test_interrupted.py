"""What is said while the work on a ticket is interrupted: it counts, and its thread hears of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from approvals.store import Jobs, tx
from bot.models import replayed
from bot.plan import Plan
from bot.slack.outside import Outside
from bot.slack.store.tickets import TRIAGE_JOB, TicketRow, TicketState, open_ticket, run_again
from bot.slack.words import threads as lines
from bot.store import open_store
from loop import Clock, Model
from recordings import Match
from tests.scenarios.ahead import Ahead
from tests.scenarios.office import ANN, BEN, CHANNEL, Office, office, shown

SIMPLE = "T-80008"
"""A ticket that is answered without a proposal, in two steps."""


class Fault:
    """A fault of ours that ends each attempt, until it is mended."""

    mended = False

    def play(self, plan: Plan) -> tuple[Model, Clock]:
        """Return the recorded replies once it is mended."""
        if not self.mended:
            raise ValueError("broken")
        return replayed(plan)


@pytest.fixture
def fault() -> Fault:
    """A fault that is there."""
    return Fault()


@pytest.fixture
def bot(tmp_path: Path, fault: Fault, ahead: Ahead) -> Iterator[Office]:
    """A bot whose runs begin and fail, whatever is asked."""
    with office(tmp_path, match=Match.SEQUENCE) as place:
        place.open(Outside(play=fault.play, now_us=ahead.now_us, monotonic=ahead.monotonic))
        yield place


def fail_once(place: Office) -> None:
    """Wait until the one run has begun, has failed, and waits to be resumed."""
    waiting = "SELECT count(*) FROM jobs WHERE attempt = 1 AND state = 'ready'"
    place.until(lambda: place.count(waiting) == 1)
    assert place.count("SELECT count(*) FROM threads WHERE state = 'running'") == 1


def mend(place: Office, fault: Fault, ahead: Ahead) -> None:
    """Let what waits to be resumed go on, once the change of the ticket was taken in."""
    place.until(lambda: place.count("SELECT version FROM tickets") == 2)
    fault.mended = True
    ahead.seconds += 3_600
    place.rest()


def test_a_follow_up_while_a_run_waits_to_be_resumed_is_answered_by_a_run_of_its_own(
    bot: Office, fault: Fault, ahead: Ahead
) -> None:
    ticket = bot.ticket(SIMPLE)
    fail_once(bot)

    bot.workspace.post(BEN, "@handrail in French, please", channel=CHANNEL, thread=ticket)
    mend(bot, fault, ahead)

    assert bot.count("SELECT count(*) FROM replies WHERE used_by_run LIKE '%-2'") == 1
    assert bot.drafts(ticket) == 1
    statuses = [shown(each) for each in bot.workspace.replies(ticket)]
    assert sum(lines.newer_message() in each for each in statuses) == 1


def test_an_edit_while_a_run_waits_to_be_resumed_begins_anew_and_leaves_no_stop_button(
    bot: Office, fault: Fault, ahead: Ahead
) -> None:
    ticket = bot.ticket(SIMPLE)
    fail_once(bot)

    bot.workspace.edit(ticket, "T-80008 C-81265 Where is my garden shed now?")
    mend(bot, fault, ahead)

    assert bot.drafts(ticket) == 1
    replies = [shown(each) for each in bot.workspace.replies(ticket)]
    assert sum(lines.newer_message() in each for each in replies) == 1
    assert [each for each in replies if "handrail:stop" in each] == []


def test_a_customer_taken_away_while_a_run_waits_to_be_resumed_is_asked_for_and_no_fault(
    bot: Office, fault: Fault, ahead: Ahead
) -> None:
    ticket = bot.ticket(SIMPLE)
    fail_once(bot)

    bot.workspace.edit(ticket, "T-80008 Where is my garden shed now?")
    mend(bot, fault, ahead)

    replies = [shown(each) for each in bot.workspace.replies(ticket)]
    assert sum(lines.customer_missing() in each for each in replies) == 1
    assert sum("handrail:give_customer" in each for each in replies) == 1
    assert bot.count("SELECT count(*) FROM jobs WHERE state != 'done'") == 0
    assert bot.count("SELECT count(*) FROM runs WHERE state = 'running'") == 0


def test_a_removal_of_the_header_while_a_run_waits_to_be_resumed_ends_its_status(
    bot: Office, fault: Fault, ahead: Ahead
) -> None:
    ticket = bot.ticket(SIMPLE)
    fail_once(bot)

    bot.workspace.edit(ticket, "Where is my garden shed now?")
    bot.wait_for_reply(ticket, "no longer begins with a ticket number")
    fault.mended = True
    ahead.seconds += 3_600
    bot.rest()

    replies = [shown(each) for each in bot.workspace.replies(ticket)]
    assert sum(lines.not_worked_on() in each for each in replies) == 1
    assert bot.drafts(ticket) == 0


def test_what_is_said_between_the_start_of_a_job_and_its_run_is_not_lost_with_a_kill(
    tmp_path: Path,
) -> None:
    jobs = Jobs()
    with office(tmp_path) as place:
        message = place.ticket(SIMPLE, deliver=False)
        ticket = TicketRow(
            channel=CHANNEL,
            ts=message.ts,
            ticket_id=SIMPLE,
            customer_id="C-81265",
            text="Where is my garden shed?",
            attachments=(),
            posted_by=ANN,
            opened_by=ANN,
            state=TicketState.OPEN,
            version=1,
            created_us=1,
        )
        with open_store(place.settings.store) as db, tx(db):
            open_ticket(db, jobs, ticket)
            jobs.claim_next(db, kinds=[TRIAGE_JOB], owner="killed", now_us=2)
            run_again(db, jobs, CHANNEL, message.ts, now_us=3)

        place.open()
        place.wait_for_reply(message, "No draft for")  # nothing was recorded for such a text
        place.rest()

        assert place.count("SELECT count(*) FROM threads") == 1
        assert place.count("SELECT count(*) FROM jobs WHERE state = 'done'") == 2

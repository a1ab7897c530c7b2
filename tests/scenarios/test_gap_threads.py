"""What was said in the threads of tickets while nothing was delivered to us."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.slack.catch_up import MOST_QUIET
from bot.slack.outside import Outside
from bot.slack.pages import MOST_PAGES, PAGE
from bot.slack.rounds import AGAIN_S, EVERY_S
from bot.workspace import HeldClock, Message
from tests.harness.ports import free_port
from tests.scenarios.ahead import Ahead
from tests.scenarios.office import ANN, BEN, CHANNEL, Office, office

REPLIES = "conversations.replies"
HISTORY = "conversations.history"
ASKED = "@handrail shorter, please"
EARLIER = "I ask him"


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Office]:
    with office(tmp_path, clock=HeldClock(), mode="http", port=free_port()) as opened:
        yield opened


def reopen(place: Office, ahead: Ahead) -> None:
    """Start the bot, which reads what was missed before it takes anything."""
    place.open(Outside(now_us=ahead.now_us, monotonic=ahead.monotonic))


def open_tickets(place: Office, ahead: Ahead, count: int) -> list[Message]:
    """Let a bot take tickets that it asks a question about; an hour apart it reads, and is away."""
    reopen(place, ahead)
    tickets = [
        place.workspace.post(ANN, f"T-{81000 + n} question {n}", channel=CHANNEL)
        for n in range(count)
    ]
    place.until(lambda: place.count("SELECT count(*) FROM tickets") == count, seconds=40)
    place.rest(seconds=count + 30)
    place.close()
    place.workspace.advance(3_600)
    place.workspace.post(BEN, EARLIER, channel=CHANNEL, thread=tickets[-1], deliver=False)
    reopen(place, ahead)
    place.until(lambda: kept(place) == {EARLIER}, what="it was not found")
    place.close()
    place.workspace.advance(3_600)
    return tickets


def read_threads(place: Office) -> list[str]:
    """Return the time stamps of the threads that were read, in order."""
    return [str(call.args["ts"]) for call in place.workspace.calls(REPLIES)]


def kept(place: Office) -> set[str]:
    """Return what is kept of what was said in threads."""
    with place.store() as db:
        return {row[0] for row in db.execute("SELECT text FROM replies")}


def taken(place: Office) -> set[str]:
    """Return the tickets that were taken in."""
    place.rest()
    with place.store() as db:
        return {row[0] for row in db.execute("SELECT ticket_id FROM tickets")}


def test_a_thread_with_something_new_is_read_however_many_tickets_came_after_it(
    place: Office, ahead: Ahead
) -> None:
    oldest, *others = open_tickets(place, ahead, MOST_QUIET + 3)
    place.workspace.post(BEN, ASKED, channel=CHANNEL, thread=oldest, deliver=False)
    before = len(read_threads(place))

    reopen(place, ahead)
    place.until(lambda: kept(place) == {EARLIER, "shorter, please"}, what="it was not found")

    newest, first, *quiet = read_threads(place)[before:]
    assert (newest, first) == (others[-1].ts, oldest.ts)
    assert quiet == [each.ts for each in others[-2:-MOST_QUIET:-1]]


def bury(place: Office, ahead: Ahead) -> None:
    """Have more said in the channel than is read at a time, which takes the bot two rounds."""
    for n in range(MOST_PAGES * PAGE):
        place.workspace.post(BEN, f"small talk {n}", channel=CHANNEL, deliver=False)
    place.workspace.advance(3_600)
    place.workspace.post(BEN, "anything else?", channel=CHANNEL, deliver=False)
    reopen(place, ahead)
    assert read_round(place, ahead, AGAIN_S)[0] == 1


def read_round(place: Office, ahead: Ahead, after_s: int) -> tuple[int, list[str]]:
    """Have the next round come; return the pages of history it read, and the threads."""
    pages, threads = len(place.workspace.calls(HISTORY)), len(read_threads(place))
    desk = place.desk
    assert desk is not None
    ahead.seconds += after_s + 1
    desk.rounds.go()
    return len(place.workspace.calls(HISTORY)) - pages, read_threads(place)[threads:]


def test_a_busy_channel_is_read_over_some_rounds_and_none_takes_its_threads_for_gone(
    place: Office, ahead: Ahead
) -> None:
    oldest, other, newest = open_tickets(place, ahead, 3)
    bury(place, ahead)
    place.workspace.post(BEN, ASKED, channel=CHANNEL, thread=oldest, deliver=False)

    rounds = [read_round(place, ahead, after_s) for after_s in (EVERY_S, AGAIN_S, EVERY_S)]

    full = 1 + MOST_PAGES
    assert rounds == [(full, []), (2, [oldest.ts, newest.ts, other.ts]), (full, [])]
    place.until(lambda: "shorter, please" in kept(place), what="it was not found")


def test_a_gap_of_more_than_is_read_at_a_time_loses_neither_tickets_nor_replies(
    place: Office, ahead: Ahead, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And what is posted while it is read is no part of it: it is read behind it."""
    monkeypatch.setattr("bot.slack.pages.PAGE", 4)
    monkeypatch.setattr("bot.slack.pages.MOST_PAGES", 2)
    reopen(place, ahead)
    place.close()
    first = place.ticket("T-80008", deliver=False)
    for n in range(30):
        place.workspace.post(BEN, f"small talk {n}", channel=CHANNEL, deliver=False)
    place.ticket("T-80007", deliver=False)
    place.workspace.post(BEN, "I know him", channel=CHANNEL, thread=first, deliver=False)

    reopen(place, ahead)
    place.workspace.advance(3_600)
    place.ticket("T-80001", deliver=False)
    rounds = [read_round(place, ahead, AGAIN_S)[0] for _ in range(4)]
    assert rounds == [2, 2, 2, 0]
    assert taken(place) == {"T-80007", "T-80008"}
    assert kept(place) == {"I know him"}

    read_round(place, ahead, EVERY_S)
    assert taken(place) == {"T-80007", "T-80008", "T-80001"}


def test_a_reading_of_threads_that_slack_cuts_short_goes_on_where_it_was(
    place: Office, ahead: Ahead
) -> None:
    one, two = open_tickets(place, ahead, 2)
    place.workspace.post(BEN, ASKED, channel=CHANNEL, thread=one, deliver=False)
    place.workspace.post(BEN, "I know him", channel=CHANNEL, thread=two, deliver=False)
    place.workspace.faults.rate_limit(REPLIES, 30, where=lambda args: args["ts"] == two.ts)
    before = len(read_threads(place))

    reopen(place, ahead)
    place.until(lambda: kept(place) == {EARLIER, "shorter, please"}, what="the first was not found")
    assert read_threads(place)[before:] == [one.ts, two.ts]
    ahead.seconds += AGAIN_S + 1
    place.until(lambda: "I know him" in kept(place), what="the second was not found")

    assert read_threads(place)[before : before + 3] == [one.ts, two.ts, two.ts]


def test_an_edit_of_a_reply_in_a_gap_is_found_and_a_mention_in_it_is_answered(
    place: Office, ahead: Ahead
) -> None:
    reopen(place, ahead)
    ticket = place.ticket("T-80008")
    place.wait_for_reply(ticket, "Draft for")
    said = place.workspace.post(BEN, "shorter, please", channel=CHANNEL, thread=ticket)
    place.rest()
    place.close()
    place.workspace.advance(3_600)
    place.workspace.edit(said, ASKED + "!", deliver=False)

    reopen(place, ahead)
    place.wait_for_reply(ticket, "T-80008-resolver-chat-small-2", seconds=30)
    place.rest()
    assert kept(place) == {"shorter, please!"}


def test_a_message_that_was_posted_and_replied_to_within_a_gap_has_both(
    place: Office, ahead: Ahead
) -> None:
    reopen(place, ahead)
    place.close()
    missed = place.ticket("T-80008", deliver=False)
    place.workspace.post(BEN, "I know him", channel=CHANNEL, thread=missed, deliver=False)

    reopen(place, ahead)
    place.wait_for_reply(missed, "T-80008-resolver-chat-small-1", seconds=30)
    assert kept(place) == {"I know him"}


def test_a_ticket_without_replies_that_was_deleted_in_a_gap_ends(
    place: Office, ahead: Ahead
) -> None:
    reopen(place, ahead)
    hold = place.workspace.faults.hold("chat.postMessage")
    ticket = place.workspace.post(ANN, "T-81000 question", channel=CHANNEL)
    place.until(lambda: place.count("SELECT count(*) FROM tickets") == 1, what="no ticket")
    place.workspace.delete(ticket, deliver=False)
    hold.release()
    place.close()

    reopen(place, ahead)
    cancelled = "SELECT count(*) FROM tickets WHERE state = 'cancelled'"
    place.until(lambda: place.count(cancelled) == 1, what="it goes on")


def test_of_many_tickets_that_were_deleted_in_a_gap_a_round_looks_after_some_and_the_next_goes_on(
    place: Office, ahead: Ahead
) -> None:
    count = MOST_QUIET + 2
    reopen(place, ahead)
    hold = place.workspace.faults.hold("chat.postMessage")
    tickets = [
        place.workspace.post(ANN, f"T-{81000 + n} question", channel=CHANNEL) for n in range(count)
    ]
    place.until(lambda: place.count("SELECT count(*) FROM tickets") == count, seconds=40)
    for ticket in tickets:
        place.workspace.delete(ticket, deliver=False)
    hold.release()
    place.close()

    reopen(place, ahead)
    cancelled = "SELECT count(*) FROM tickets WHERE state = 'cancelled'"
    assert len(read_threads(place)) == MOST_QUIET
    place.until(lambda: place.count(cancelled) >= MOST_QUIET, what="some go on")
    _, rest = read_round(place, ahead, AGAIN_S)
    assert 0 < len(rest) <= count - MOST_QUIET
    place.until(lambda: place.count(cancelled) == count, what="the others go on")


def test_deleted_tickets_of_a_long_gap_that_a_round_left_are_looked_after_behind_it(
    place: Office, ahead: Ahead, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.slack.pages.PAGE", 4)
    monkeypatch.setattr("bot.slack.pages.MOST_PAGES", 2)
    monkeypatch.setattr("bot.slack.catch_up.MOST_QUIET", 1)
    reopen(place, ahead)
    for n in range(12):
        place.workspace.post(BEN, f"small talk {n}", channel=CHANNEL, deliver=False)
    hold = place.workspace.faults.hold("chat.postMessage")
    tickets = [
        place.workspace.post(ANN, f"T-{81000 + n} question", channel=CHANNEL) for n in range(3)
    ]
    place.until(lambda: place.count("SELECT count(*) FROM tickets") == 3, what="no tickets")
    for ticket in tickets:
        place.workspace.delete(ticket, deliver=False)
    hold.release()
    desk = place.desk
    assert desk is not None

    desk.catch_up.run(afresh=True)
    for _ in range(20):
        place.rest()
        if desk.catch_up.run(afresh=False).whole:
            break
    cancelled = "SELECT count(*) FROM tickets WHERE state = 'cancelled'"
    assert place.count(cancelled) == 3

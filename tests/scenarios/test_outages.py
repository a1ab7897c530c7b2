"""Outages of Slack while the bot runs: it stays up, says it once, and loses no ticket."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from bot.models import replayed
from bot.plan import Plan
from bot.slack.outside import Outside
from bot.slack.refs import ActionId
from bot.slack.store.tickets import TRIAGE_STARTS
from bot.slack.watch import QUIET_S, READ_AGAIN_S
from bot.workspace import Call, Channel, HeldClock
from loop import Clock, Model
from tests.scenarios.ahead import Ahead
from tests.scenarios.office import ANN, BOT, CHANNEL, Office, office, shown, times_logged

SIMPLE, OTHER = "T-80008", "T-80007"


@pytest.fixture
def bot(tmp_path: Path, outside: Outside) -> Iterator[Office]:
    """A bot at work whose clocks the test moves."""
    with office(tmp_path) as place:
        place.open(outside)
        yield place


def is_put_off(bot: Office, ahead: Ahead, why: str) -> bool:
    """Whether the one delivery waits for a time to come, for this reason."""
    sql = f"SELECT count(*) FROM inbox WHERE state = 'new' AND error = '{why}' AND next_at_us > "
    return bot.count(f"{sql} {ahead.now_us()}") == 1


def test_case_64_a_deaf_socket_is_replaced_and_what_it_kept_is_answered_once(
    bot: Office, ahead: Ahead, caplog: pytest.LogCaptureFixture
) -> None:
    workspace = bot.workspace
    bot.wait_for_reply(bot.ticket("T-90104"), "Draft for")
    bot.rest()  # a frame under way would be taken for a sign of life behind the silence
    workspace.sockets.mute()
    tickets = [bot.ticket(SIMPLE), bot.ticket(OTHER)]
    lost = [
        each
        for each in workspace.deliveries("message")
        if each.payload["event"].get("ts") in {ticket.ts for ticket in tickets}
    ]
    assert [each.acknowledged for each in lost] == [False, False]
    ahead.seconds += QUIET_S + 1

    for ticket in tickets:
        bot.wait_for_reply(ticket, "Draft for", seconds=30)
    third = bot.ticket("T-80001")  # the first two may have been found by the reading of the start
    ahead.seconds += QUIET_S + 1
    bot.wait_for_reply(third, "T-80001", seconds=30)
    workspace.wait_for(
        lambda: len(workspace.calls("apps.connections.open")) == 2,
        seconds=30,
        what="another socket",
    )
    workspace.wait_for_sockets(1)
    for delivery in lost:
        workspace.redeliver(delivery)  # Slack sends again what nobody acknowledged
    bot.wait_for_reply(bot.ticket("T-80002"), "T-80002")
    bot.rest()

    assert [bot.drafts(each) for each in tickets] == [1, 1]
    assert times_logged(caplog, "it is replaced") == 1


def test_a_token_that_is_revoked_and_given_back_loses_no_ticket(
    bot: Office, ahead: Ahead, caplog: pytest.LogCaptureFixture
) -> None:
    bot.until(lambda: len(bot.workspace.calls("conversations.history")) >= 2, what="no catching up")
    bot.workspace.revoke_token()
    ticket = bot.ticket(SIMPLE)
    for tries in range(1, 8):  # more often than a delivery is tried that fails by itself
        bot.until(lambda: len(bot.workspace.calls("users.info")) >= tries, what="it was not asked")  # noqa: B023
        bot.until(lambda: is_put_off(bot, ahead, "token_revoked"), what="it was not put off")
        ahead.seconds += 16
    assert bot.count("SELECT count(*) FROM inbox WHERE state = 'dead'") == 0
    bot.workspace.revoke_token(revoked=False)
    ahead.seconds += 120

    bot.wait_for_reply(ticket, "Draft for", seconds=30)
    bot.rest()
    assert bot.drafts(ticket) == 1
    assert times_logged(caplog, "Slack does not say who somebody is (token_revoked)") == 1


def reads(bot: Office) -> list[Call]:
    """Return the calls that asked for one message: catching up names no last one."""
    return [each for each in bot.workspace.calls("conversations.history") if "latest" in each.args]


def test_an_apps_ticket_waits_as_long_as_slack_does_not_give_its_metadata(
    tmp_path: Path, ahead: Ahead, caplog: pytest.LogCaptureFixture
) -> None:
    with office(tmp_path, apps={"A0DESK"}) as bot:
        bot.open(Outside(now_us=ahead.now_us, monotonic=ahead.monotonic))
        history = "conversations.history"  # refused to catching up as well: it finds nothing
        bot.workspace.faults.refuse(history, "missing_scope", times=1_000)
        payload = {"ticket_id": SIMPLE, "customer_id": "C-81265", "text": "Where is my shed?"}
        ticket = bot.workspace.post(
            None,
            "A ticket came in",
            channel=CHANNEL,
            bot_id="B0DESK",
            app_id="A0DESK",
            metadata={"event_type": "handrail_ticket", "event_payload": payload},
        )
        for tries in range(1, 8):  # more often than a delivery is tried that fails by itself
            bot.until(lambda: len(reads(bot)) >= tries, what="not asked")  # noqa: B023
            bot.until(lambda: is_put_off(bot, ahead, "missing_scope"), what="it was not put off")
            ahead.seconds += 16
        bot.workspace.faults.clear()
        ahead.seconds += 16

        bot.wait_for_reply(ticket, f"{SIMPLE}-resolver-chat-small-1", seconds=30)
        assert bot.count("SELECT count(*) FROM inbox WHERE state = 'dead'") == 0
        assert times_logged(caplog, "missing_scope") == 1


@pytest.mark.parametrize("broken", ["archived", "removed"])
def test_a_channel_that_closes_during_a_run_gets_its_draft_when_it_is_open_again(
    bot: Office, ahead: Ahead, caplog: pytest.LogCaptureFixture, broken: str
) -> None:
    workspace = bot.workspace
    here = Channel(id=CHANNEL, name="support", members=(ANN, BOT))
    hold = workspace.faults.hold("chat.postMessage")
    ticket = bot.ticket(SIMPLE)
    assert hold.reached.wait(15)
    changes = {"is_archived": True} if broken == "archived" else {"members": (ANN,)}
    workspace.put_channel(replace(here, **changes))
    hold.release()
    code = "is_archived" if broken == "archived" else "not_in_channel"
    bot.until(lambda: times_logged(caplog, code) >= 1, what="it was not said")
    refused = f"SELECT count(*) FROM outbox WHERE error = '{code}'"
    bot.until(lambda: bot.count(refused) >= 1, what="no post was put off")
    workspace.put_channel(here)
    ahead.seconds += 61

    bot.wait_for_reply(ticket, "Draft for", seconds=30)
    bot.rest()
    assert bot.drafts(ticket) == 1
    # Once more where the post that was held went through behind the first word of it.
    assert times_logged(caplog, code) in (1, 2)


def test_a_ticket_that_comes_in_before_a_long_gap_was_read_does_not_hide_the_gap(
    tmp_path: Path, ahead: Ahead, outside: Outside
) -> None:
    with office(tmp_path, clock=HeldClock()) as bot:
        workspace = bot.workspace
        bot.open(outside)
        bot.close()
        missed = bot.ticket(SIMPLE)
        workspace.advance(3_600)
        workspace.faults.break_("conversations.history", times=2)  # at the start and behind it
        bot.open(outside)
        bot.wait_for_reply(bot.ticket(OTHER), "Draft for")
        ahead.seconds += READ_AGAIN_S + 1

        bot.wait_for_reply(missed, "Draft for", seconds=30)


class Fault:
    """A fault of ours at each attempt of a run, until it is mended."""

    def __init__(self) -> None:
        self.mended = False

    def play(self, plan: Plan) -> tuple[Model, Clock]:
        """Return the recorded replies once it is mended."""
        if not self.mended:
            raise ValueError("broken")
        return replayed(plan)


def has_failed(place: Office, attempt: int) -> bool:
    """Whether the one job has failed so many times."""
    sql = f"SELECT count(*) FROM jobs WHERE attempt = {attempt} AND state != 'running'"
    return place.count(sql) == 1


def test_a_run_that_failed_at_every_attempt_ends_visibly_and_a_person_goes_on_from_there(
    tmp_path: Path, ahead: Ahead
) -> None:
    fault = Fault()
    with office(tmp_path) as place:
        place.open(Outside(play=fault.play, now_us=ahead.now_us, monotonic=ahead.monotonic))
        ticket = place.ticket(SIMPLE)
        for attempt in range(1, TRIAGE_STARTS + 1):
            place.until(partial(has_failed, place, attempt))
            ahead.seconds += 3_600
        told = place.wait_for_reply(ticket, "I could not finish this ticket")
        place.rest()
        replies = place.workspace.replies(ticket)

        assert [each for each in replies if ActionId.STOP.value in str(each.blocks)] == []
        assert any("stopped: a fault on my side" in shown(each) for each in replies)
        place.workspace.click(ANN, told, ActionId.TAKE_OVER)
        place.rest()
        assert f"Taken over* by <@{ANN}>" in shown(place.workspace.latest(told))
        fault.mended = True
        place.workspace.click(ANN, place.workspace.latest(told), ActionId.RETRY)
        place.wait_for_reply(ticket, "Draft for")
        ahead.seconds += 3_600
        place.rest()
        assert sum("could not finish" in each.text for each in place.workspace.replies(ticket)) == 1

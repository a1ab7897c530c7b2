"""The main stories, from a ticket to what was done, over Socket Mode and over HTTP alike.

One bot of each kind serves all stories, on a clock of its own that goes faster, so that the second
between two messages is short.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bot.demo.pace import Pace
from bot.slack.amounts import amount_field
from bot.slack.outside import Outside
from bot.slack.refs import ActionId
from bot.workspace import Message
from tests.harness.ports import free_port
from tests.scenarios.office import (
    ANN,
    BEN,
    CHANNEL,
    HED,
    LEA,
    OUT,
    Office,
    office,
    shown,
)

SPEED = 20.0
NOTHING_NEW = "0 to be taken in"
"""Who asks is not among what waits."""


@pytest.fixture(scope="module", params=["socket", "http"])
def bot(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Office]:
    """A bot at work that is reached in one way."""
    folder = tmp_path_factory.mktemp(request.param)
    with office(folder, mode=request.param, port=free_port(), operators={LEA}) as opened:
        opened.open(Outside(now_us=Pace(SPEED).now_us))
        yield opened


def card(bot: Office, ticket: Message) -> Message:
    """Wait for a ticket's card."""
    return bot.wait_for_reply(ticket, ActionId.APPROVE.value)


def told(bot: Office, user: str, words: str) -> None:
    """Wait until somebody was told something alone."""
    bot.workspace.wait_for(
        lambda: any(words in shown(each) for each in bot.workspace.ephemerals(user)),
        seconds=15,
        what=f"{user} to be told {words!r}",
    )


def changes(bot: Office) -> int:
    """Count what was carried out."""
    bot.rest()
    return bot.count("SELECT count(*) FROM operations WHERE state = 'done'")


def test_a_ticket_is_answered_in_its_thread(bot: Office) -> None:
    ticket = bot.ticket("T-80008")

    assert bot.wait_for_reply(ticket, "garden shed left on 5 October").thread_ts == ticket.ts
    bot.wait_for_reply(ticket, "drafted; the draft is below")


def test_a_stop_is_told_with_its_reason(bot: Office) -> None:
    bot.wait_for_reply(bot.ticket("T-90403"), "repeated_call at step 3")


def test_who_may_not_approve_is_told_why_and_who_may_does_it_once(bot: Office) -> None:
    before = changes(bot)
    ticket = bot.ticket("T-65273")
    waiting = card(bot, ticket)

    bot.workspace.click(BEN, waiting, ActionId.APPROVE)
    told(bot, BEN, "which needs team_lead")
    bot.workspace.click(OUT, waiting, ActionId.APPROVE)
    told(bot, OUT, "Only members")
    for _ in range(2):
        bot.workspace.click(LEA, waiting, ActionId.APPROVE)
    bot.wait_for_reply(ticket, "(done)")

    assert changes(bot) == before + 1


def test_a_reject_asks_for_a_reason_and_changes_nothing(bot: Office) -> None:
    before = changes(bot)
    ticket = bot.ticket("T-90104")

    bot.workspace.click(BEN, card(bot, ticket), ActionId.REJECT)
    bot.form(BEN, "reason")
    bot.workspace.submit(BEN, {"reason": "It came this morning."})

    bot.wait_for_reply(ticket, "It came this morning.")
    assert changes(bot) == before


def test_an_edited_amount_is_what_is_paid(bot: Office) -> None:
    before = changes(bot)
    ticket = bot.ticket("T-64872")

    bot.workspace.click(LEA, card(bot, ticket), ActionId.EDIT_AMOUNT)
    bot.form(LEA, amount_field(1, "CAD"))
    bot.workspace.submit(LEA, {amount_field(1, "CAD"): "30.00"})
    edited = bot.wait_for_reply(ticket, "Refund 30.00 CAD")
    bot.workspace.click(HED, edited, ActionId.APPROVE)
    bot.wait_for_reply(ticket, "(done): Refund 30.00 CAD")

    assert changes(bot) == before + 1


def test_a_reply_that_mentions_the_bot_is_answered_by_another_run(bot: Office) -> None:
    ticket = bot.ticket("T-80004")
    bot.wait_for_reply(ticket, "Draft for T-80004")
    runs = bot.count("SELECT count(*) FROM runs")

    bot.workspace.post(ANN, "@handrail she is well again", channel=CHANNEL, thread=ticket)

    bot.wait_for_reply(ticket, "no_recording")
    bot.rest()
    assert bot.count("SELECT count(*) FROM runs") == runs + 1


def test_the_command_and_app_home_answer(bot: Office) -> None:
    bot.workspace.command(BEN, "/handrail", "status", channel=CHANNEL)
    told(bot, BEN, "running")
    told(bot, BEN, NOTHING_NEW)

    bot.workspace.open_home(BEN)
    bot.workspace.wait_for(lambda: bot.workspace.home(BEN), seconds=15, what="App Home")
    assert NOTHING_NEW in str(bot.workspace.home(BEN))

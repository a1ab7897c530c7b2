"""What a person has to repair: it is said in the log once, with what to do, for presses too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.slack.manifest import SCOPES, manifest_line
from bot.slack.outside import Outside
from bot.slack.people import KEPT_US
from bot.slack.refs import ActionId
from bot.workspace import Channel
from tests.scenarios.ahead import Ahead
from tests.scenarios.office import ANN, BOT, CHANNEL, HED, Office, office, times_logged

REFUND = "T-65273"
"""Its card waits for more than an agent, such as one of the group of heads."""


_PUT_OFF = "SELECT count(*) FROM inbox WHERE state = 'new' AND error = 'missing_scope'"
_REFUSED = "SELECT count(*) FROM outbox WHERE error = 'not_in_channel'"


@pytest.fixture
def bot(tmp_path: Path, outside: Outside) -> Iterator[Office]:
    """A bot at work whose clocks the test moves."""
    with office(tmp_path) as place:
        place.open(outside)
        yield place


@pytest.mark.parametrize(
    "missing",
    [("users:read",), ("usergroups:read",), ("channels:read", "groups:read")],
    ids=lambda scopes: scopes[0],
)
def test_a_scope_that_presses_need_is_named_once_with_its_line_of_the_manifest(
    bot: Office, ahead: Ahead, caplog: pytest.LogCaptureFixture, missing: tuple[str, ...]
) -> None:
    ticket = bot.ticket(REFUND)
    card = bot.wait_for_reply(ticket, ActionId.APPROVE.value)
    draft = bot.wait_for_reply(ticket, ActionId.HELPFUL.value)
    bot.rest()
    bot.workspace.put_scopes(SCOPES.keys() - {*missing})
    ahead.seconds += KEPT_US // 1_000_000 + 1

    for _ in range(2):
        bot.workspace.click(HED, card, ActionId.APPROVE)
        bot.workspace.click(ANN, draft, ActionId.HELPFUL)
        bot.rest()
    line = manifest_line(missing[0])
    assert (
        times_logged(caplog, f"add the scope {missing[0]} (line {line} of handrail manifest)") == 1
    )

    bot.workspace.put_scopes(SCOPES)
    bot.workspace.click(HED, card, ActionId.APPROVE)
    bot.workspace.click(ANN, draft, ActionId.HELPFUL)
    bot.wait_for_reply(ticket, "(done)")
    bot.rest()
    assert times_logged(caplog, "over: ") == 1


def test_a_scope_that_a_message_needs_is_named_once_with_its_line_of_the_manifest(
    bot: Office, ahead: Ahead, caplog: pytest.LogCaptureFixture
) -> None:
    bot.workspace.put_scopes(SCOPES.keys() - {"users:read"})
    tickets = [bot.ticket("T-80008"), bot.ticket("T-80007")]
    bot.until(lambda: bot.count(_PUT_OFF) == len(tickets), what="they were not put off")
    bot.workspace.put_scopes(SCOPES)
    ahead.seconds += 16

    for each in tickets:
        bot.wait_for_reply(each, "Draft for")
    line = manifest_line("users:read")
    assert times_logged(caplog, f"add the scope users:read (line {line} of handrail manifest)") == 1


@pytest.mark.parametrize(
    ("kind", "fields", "to_do"),
    [
        ("app_uninstalled", {}, "give handrail the new bot token"),
        ("channel_archive", {"channel": CHANNEL, "user": ANN}, "bring the channel back"),
        ("channel_deleted", {"channel": CHANNEL}, "take it out of slack.channels"),
        ("channel_left", {"channel": CHANNEL}, "/invite the bot"),
        ("member_left_channel", {"channel": CHANNEL, "user": BOT}, "/invite the bot"),
        ("tokens_revoked", {"tokens": {"bot": [BOT]}}, "give handrail the new bot token"),
    ],
)
def test_what_befalls_the_app_or_its_channel_is_said_once_with_what_to_do(
    bot: Office, caplog: pytest.LogCaptureFixture, kind: str, fields: dict[str, Any], to_do: str
) -> None:
    for _ in range(2):
        bot.workspace.event(kind, **fields)
    bot.rest()

    assert times_logged(caplog, f"Slack tells of {kind}") == 1
    assert times_logged(caplog, to_do) == 1


def test_a_channel_that_the_bot_was_removed_from_is_said_once_by_event_and_refusal(
    bot: Office, ahead: Ahead, caplog: pytest.LogCaptureFixture
) -> None:
    here = Channel(id=CHANNEL, name="support", members=(ANN, BOT))
    draft = bot.wait_for_reply(bot.ticket("T-80008"), ActionId.DISCARD.value)
    bot.rest()
    bot.workspace.put_channel(replace(here, members=(ANN,)))
    bot.workspace.event("member_left_channel", user=BOT, channel=CHANNEL)
    bot.until(lambda: times_logged(caplog, "/invite the bot") == 1, what="it was not said")

    bot.workspace.click(ANN, draft, ActionId.DISCARD)
    bot.until(lambda: bot.count(_REFUSED) == 1, what="nothing was refused")
    bot.workspace.put_channel(here)
    ahead.seconds += 61
    bot.until(lambda: times_logged(caplog, "over: ") == 1, what="it was not over")

    assert times_logged(caplog, "/invite the bot") == 1


def test_who_else_leaves_and_what_befalls_another_channel_is_nobodys_business(
    bot: Office, caplog: pytest.LogCaptureFixture
) -> None:
    bot.workspace.event("member_left_channel", user=ANN, channel=CHANNEL)
    bot.workspace.event("channel_archive", user=ANN, channel="C0OTHER")
    bot.rest()

    assert times_logged(caplog, "Slack tells of") == 0
    assert all(each.acknowledged for each in bot.workspace.deliveries("member_left_channel"))

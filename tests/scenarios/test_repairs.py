"""What a person has to repair: it is said in the log once, with what to do, for presses too."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.slack.manifest import SCOPES, manifest_line
from bot.slack.outside import Outside
from bot.slack.people import KEPT_US
from bot.slack.refs import ActionId
from tests.scenarios.ahead import Ahead
from tests.scenarios.office import ANN, HED, Office, office

REFUND = "T-65273"
"""Its card waits for more than an agent, such as one of the group of heads."""


_PUT_OFF = "SELECT count(*) FROM inbox WHERE state = 'new' AND error = 'missing_scope'"


@pytest.fixture
def ahead() -> Ahead:
    return Ahead()


@pytest.fixture
def bot(tmp_path: Path, ahead: Ahead) -> Iterator[Office]:
    """A bot at work whose clocks the test moves."""
    with office(tmp_path) as place:
        place.open(Outside(now_us=ahead.now_us, monotonic=ahead.monotonic))
        yield place


def told(caplog: pytest.LogCaptureFixture, words: str) -> int:
    """Count the lines of the log that hold these words."""
    return sum(words in each for each in caplog.messages)


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
    assert told(caplog, f"add the scope {missing[0]} (line {line} of handrail manifest)") == 1

    bot.workspace.put_scopes(SCOPES)
    bot.workspace.click(HED, card, ActionId.APPROVE)
    bot.workspace.click(ANN, draft, ActionId.HELPFUL)
    bot.wait_for_reply(ticket, "(done)")
    bot.rest()
    assert told(caplog, "over: ") == 1


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
    assert told(caplog, f"add the scope users:read (line {line} of handrail manifest)") == 1

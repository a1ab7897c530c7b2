"""Erasing while a message waits that was acknowledged, and is not taken in yet."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from click.testing import CliRunner

from approvals.store import changed, rows, tx
from bot.cli import handrail
from bot.workspace import Message
from tests.scenarios.office import ANN, BEN, CHANNEL, Office, office

OTHER: Final = "T-80007 C-73548\nSame trouble as in T-80008 of C-81265, look at LK-341829"
PURGE: Final = ("purge", "--older-than", "90")
FORGET: Final = ("forget", "C-81265", "--yes")
LONG_AGO_US: Final = 100 * 86_400 * 1_000_000


def grow_old(place: Office) -> None:
    """Let everything that was handled have been handled long ago."""
    with place.store() as db, tx(db):
        changed(db, "UPDATE tickets SET created_us = created_us - ?", (LONG_AGO_US,))
        changed(db, "UPDATE spending SET started_us = started_us - ?", (LONG_AGO_US,))


def wait_in_the_inbox(place: Office, text: str, thread: Message | None) -> None:
    """Post while Slack does not say who Ben is, and stop the bot before it is taken in."""
    place.workspace.faults.refuse("users.info", "internal_error", times=50)
    place.workspace.post(BEN, text, channel=CHANNEL, thread=thread)
    tried = "SELECT count(*) FROM inbox WHERE state = 'new' AND error IS NOT NULL"
    place.until(lambda: place.count(tried) == 1)
    place.close()
    place.workspace.faults.clear()


def erase(place: Office, command: tuple[str, ...]) -> str:
    """Run a command on the store."""
    done = CliRunner().invoke(handrail, [*command, "--store", str(place.settings.store)])
    assert done.exit_code == 0, done.output
    return done.output


@pytest.mark.parametrize("command", [PURGE, FORGET])
def test_a_ticket_of_another_customer_that_names_an_erased_one_is_taken_in(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    with office(tmp_path) as place:
        place.open()
        place.ticket("T-80008", ANN)
        place.rest()
        grow_old(place)
        wait_in_the_inbox(place, OTHER, None)
        told = erase(place, command)
        place.open()
        place.rest()
        with place.store() as db:
            found = rows(db, "SELECT ticket_id, state FROM tickets ORDER BY ticket_id")

    assert "1 ticket in Slack" in told
    assert found == [
        {"ticket_id": "T-80007", "state": "open"},
        {"ticket_id": "T-80008", "state": "cancelled"},
    ]


def test_a_ticket_to_which_a_reply_waits_is_not_old(tmp_path: Path) -> None:
    with office(tmp_path) as place:
        place.open()
        ticket = place.ticket("T-80008", ANN)
        place.rest()
        grow_old(place)
        wait_in_the_inbox(place, "@handrail please answer again", ticket)
        told = erase(place, PURGE)
        place.open()
        place.rest()
        with place.store() as db:
            replies = rows(db, "SELECT user_id FROM replies")
        texts = place.count("SELECT count(*) FROM tickets WHERE state = 'open' AND text != ''")

    assert "in Slack" not in told
    assert replies == [{"user_id": BEN}]
    assert (texts, place.count("SELECT version FROM tickets")) == (1, 2)

"""Killed at any moment: no acknowledged ticket without its final message, and nothing twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.workspace import Message
from tests.scenarios.doomed import NEVER
from tests.scenarios.office import BEN, CHANNEL, Office, office, shown

ROOT = Path(__file__).resolve().parents[2]
TICKETS = ("T-80008", "T-90104")
PROPOSING = 1
"""Of these, the tickets that come to a proposal: T-90104."""


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Office]:
    """A workspace, and the settings of a bot that runs as a program of its own."""
    with office(tmp_path) as opened:
        (tmp_path / "handrail.toml").write_text(
            f'store = "{opened.settings.store}"\n'
            f'[slack]\nchannels = ["{CHANNEL}"]\napi = "{opened.workspace.base_url}"\n'
            '[approvals]\ncurrency = "CAD"\n'
            f'[approvals.roles.agent]\nlimit = "100.00"\nusers = ["{BEN}"]\n',
            encoding="utf-8",
        )
        yield opened


def start(place: Office, *, dies_at: int = NEVER) -> subprocess.Popen[bytes]:
    """Start a bot that is killed just before the commit of this number."""
    me = place.workspace.identity
    env = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "SLACK_BOT_TOKEN": me.bot_token,
        "SLACK_APP_TOKEN": me.app_token,
    }
    command = [sys.executable, "-m", "tests.scenarios.doomed", str(dies_at)]
    with (place.folder / "bot.log").open("ab") as log:
        return subprocess.Popen(command, cwd=place.folder, env=env, stderr=log)


def end(bot: subprocess.Popen[bytes]) -> None:
    """Ask a bot to stop and wait for it."""
    bot.send_signal(signal.SIGTERM)
    assert bot.wait(timeout=60) == 0


def finals(place: Office, ticket: Message) -> list[Message]:
    """Return the drafts and stops in a thread."""
    replies = place.workspace.replies(ticket)
    return [each for each in replies if "Draft for" in shown(each) or "No draft for" in shown(each)]


def cards(place: Office, ticket: Message) -> list[Message]:
    """Return the cards in a thread."""
    return [m for m in place.workspace.replies(ticket) if "handrail:approve" in shown(m)]


@pytest.mark.parametrize("deaths", [(1, 3), (5, 9), (12, 4), (20, 6)])
def test_killed_before_any_commit_every_ticket_gets_one_draft_and_one_card(
    place: Office, deaths: tuple[int, ...]
) -> None:
    first, *others = deaths
    bot = start(place, dies_at=first)
    place.workspace.wait_for_sockets(seconds=60)
    tickets = [place.ticket(each) for each in TICKETS]
    assert bot.wait(timeout=60) == -signal.SIGKILL
    for dies_at in others:
        assert start(place, dies_at=dies_at).wait(timeout=60) == -signal.SIGKILL
    bot = start(place)
    place.workspace.wait_for(
        lambda: all(finals(place, each) for each in tickets),
        seconds=60,
        what="a final message in every thread",
    )
    place.rest(seconds=60)
    end(bot)

    assert [len(finals(place, each)) for each in tickets] == [1] * len(TICKETS)
    assert sum(len(cards(place, each)) for each in tickets) == PROPOSING
    assert place.count("SELECT count(*) FROM proposals") == PROPOSING
    assert place.count("SELECT count(*) FROM runs WHERE state = 'running'") == 0

"""Secrets that people write in Slack: no file that a bot keeps holds one, no log and no post."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from pathlib import Path

import pytest

from bot.slack.refs import ActionId, CallbackId
from recordings import Match
from tests.scenarios.office import ANN, BOT, CHANNEL, Office, office, shown

CANARIES = (
    "sk-canary-9Zk2LmQ8vXw4Tn7Rb1Yc",
    "4111 1111 1111 1111",
    "4111111111111111",
    "canary@example.com",
    "416-555-0199",
    "sk-canary-of-an-edit-7Qw2",
    "sk-canary-of-a-reply-3Kd9",
    "sk-canary-of-a-chat-5Hd8",
)
KEY, CARD, _, MAIL, PHONE, OF_EDIT, OF_REPLY, OF_CHAT = CANARIES


def test_a_secret_in_a_ticket_a_reply_an_edit_or_a_file_name_is_in_no_file_log_or_post(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    with office(tmp_path, match=Match.SEQUENCE) as bot:
        bot.open()
        said = f"T-80008 C-81265\nCard {CARD}, mail {MAIL}, call {PHONE}. {KEY}"
        names = ({"id": "F1", "name": f"{MAIL} {CARD}.png"},)
        ticket = bot.workspace.post(ANN, said, channel=CHANNEL, files=names)
        bot.wait_for_reply(ticket, "drafted")
        bot.workspace.post(ANN, OF_REPLY, channel=CHANNEL, thread=ticket)
        asked = f"<@{BOT}> and {OF_REPLY}?"
        bot.workspace.post(ANN, asked, channel=CHANNEL, thread=ticket)
        bot.workspace.post(ANN, OF_CHAT, channel=CHANNEL)
        bot.workspace.edit(ticket, f"{said} {OF_EDIT}")
        bot.rest()

        assert _texts(bot) == [("T-80008", "Card [card], mail [email], call [phone]. [key] [key]")]
        assert _found_in(tmp_path) == []  # while it is at work, with what was not yet compacted
        posts = [shown(post) for post in bot.workspace.replies(ticket) if post.user == BOT]
        assert posts
        assert not [canary for canary in CANARIES if canary in "".join(posts)]
    assert _found_in(tmp_path) == []
    assert not [canary for canary in CANARIES if canary in caplog.text]


FORM_KEY, FORM_MAIL = "sk-canary-of-a-form-8Lp3Xq", "form-canary@example.com"
FORM_CARD = "4242 4242 4242 4242"


def test_a_secret_typed_into_a_form_is_in_no_file_once_its_delivery_is_done(tmp_path: Path) -> None:
    """While the bot is at work: its log is emptied at rest, and no page keeps what was erased."""
    with office(tmp_path, match=Match.SEQUENCE, operators={ANN}) as bot:
        bot.open()
        chat = bot.workspace.post(ANN, "A shed", channel=CHANNEL)
        bot.workspace.shortcut(ANN, CallbackId.TRIAGE, chat)
        _send(bot, "Ticket id", {"ticket": "T-80008", "customer": "C-81265"})
        draft = bot.wait_for_reply(chat, ActionId.EDIT_DRAFT.value)
        bot.workspace.click(ANN, draft, ActionId.EDIT_DRAFT)
        _send(bot, "The answer", {"text-1": f"Paid with {FORM_CARD}, she says."})
        bot.wait_for_reply(chat, "Paid with [card], she says.")
        bot.workspace.click(ANN, draft, ActionId.ASK_AGAIN)
        _send(bot, "What should be different?", {"text": f"{FORM_KEY} of {FORM_MAIL}, {FORM_CARD}"})
        bot.rest()
        bot.until(lambda: _log_size(tmp_path) == 0, what="the log is not emptied")

        secrets = (FORM_KEY, FORM_MAIL, FORM_CARD)
        assert _found_in(tmp_path, secrets) == []


def _send(bot: Office, title: str, values: dict[str, str]) -> None:
    bot.form(ANN, title)
    assert bot.workspace.submit(ANN, values).answer().ok


def _log_size(folder: Path) -> int:
    return (folder / "handrail.sqlite3-wal").stat().st_size


def _texts(bot: Office) -> list[tuple[str, str]]:
    with bot.store() as db:
        return [(row[0], row[1]) for row in db.execute("SELECT ticket_id, text FROM tickets")]


def _found_in(folder: Path, canaries: Iterable[str] = CANARIES) -> list[tuple[str, str]]:
    """Return each file with a canary in its bytes, and the canary."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert files
    contents = [(path.name, path.read_bytes()) for path in files]
    return [(name, each) for name, held in contents for each in canaries if each.encode() in held]

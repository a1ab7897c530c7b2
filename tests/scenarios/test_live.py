"""The bot at work with a live model: the status while it writes, recordings, and no secret."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bot.errors import SettingRefused
from bot.settings import Settings
from bot.slack.refs import ActionId
from bot.slack.run_end import STATUS_EVERY_US
from loop import PRICES
from recordings import SHIPPED_RECORDINGS, read_recordings
from tests.bot.live import read_one, settings_for
from tests.live_runs import streamed
from tests.provider import KEY, Exchange, Provider, chunk, fails, serving
from tests.scenarios.office import ANN, CHANNEL, Office, make_workspace, shown

CARD = "4111 1111 1111 1111"
RECORDED = next(
    found
    for found in read_recordings(SHIPPED_RECORDINGS / "resolver.jsonl", PRICES).recordings
    if found.ticket_id == "T-80008"
)


class LiveOffice(Office):
    """A bot whose model is asked at a provider, and which keeps what it recorded."""

    url = ""

    @property
    def settings(self) -> Settings:
        """The settings of the bot."""
        live = settings_for(self.url, "local", free=True)
        given = {
            "live": True,
            "model": "local",
            "models": live.models,
            "record": self.folder / "kept",
        }
        return super().settings.model_copy(update=given)


@pytest.fixture
def provider() -> Iterator[Provider]:
    """A provider that answers what a test tells it to."""
    with serving() as opened:
        yield opened


@pytest.fixture
def bot(tmp_path: Path, provider: Provider) -> Iterator[LiveOffice]:
    """A bot at work."""
    with make_workspace() as workspace:
        place = LiveOffice(workspace, tmp_path, {})
        place.url = provider.url
        place.open()
        try:
            yield place
        finally:
            place.close()


def test_a_ticket_is_answered_live_and_its_run_is_kept_as_a_recording(
    bot: LiveOffice, provider: Provider
) -> None:
    provider.turns[:] = streamed(RECORDED)

    ticket = bot.ticket("T-80008")
    assert RECORDED.closed is not None
    assert RECORDED.closed.resolution is not None
    bot.wait_for_reply(ticket, RECORDED.closed.resolution["reply"][:20])
    bot.rest()

    (kept,) = (bot.folder / "kept").iterdir()
    recording = read_one(kept)
    assert recording.complete
    assert recording.opened is not None
    assert recording.opened.marks["live"]["model"] == "local"
    assert kept.stat().st_mode & 0o777 == 0o600


def test_a_planted_key_and_card_show_in_no_message_and_no_recording(
    bot: LiveOffice, provider: Provider
) -> None:
    """In the ticket, and in the words and headers of the provider."""
    headers = {"x-request-id": KEY, "Set-Cookie": f"card={CARD}"}
    provider.turns[:] = [fails(400, f"Refused {KEY} {CARD}", headers)]

    text = f"T-80008 C-81265\nMy key is {KEY} and my card {CARD}."
    ticket = bot.workspace.post(ANN, text, channel=CHANNEL)
    bot.wait_for_reply(ticket, "refused")
    bot.rest()

    ours = "".join(shown(reply) for reply in bot.workspace.replies(ticket))
    (kept,) = (bot.folder / "kept").iterdir()
    assert "[key]" in ours
    for where in (ours, kept.read_text("utf-8"), str(provider.seen[0].body)):
        assert KEY not in where
        assert CARD not in where


def test_the_status_says_that_the_reply_is_written_before_it_is_there(
    bot: LiveOffice, provider: Provider
) -> None:
    """The provider holds the second reply back in its middle until the status has changed."""
    first, second = streamed(RECORDED)
    told = threading.Event()

    def halting(exchange: Exchange) -> None:
        exchange.head(200, {"Content-Type": "text/event-stream"})
        call = {"index": 0, "function": {"name": "finish", "arguments": ""}}
        time_to_show(exchange, chunk(tool_calls=[call]))
        assert told.wait(20)
        exchange.close_connection = True  # half a reply: it is asked for again

    provider.turns[:] = [first, halting, second]
    ticket = bot.ticket("T-80008")
    bot.wait_for_reply(ticket, "Writing the reply.")
    told.set()
    assert RECORDED.closed is not None
    assert RECORDED.closed.resolution is not None
    bot.wait_for_reply(ticket, RECORDED.closed.resolution["reply"][:20])
    bot.rest()


def time_to_show(exchange: Exchange, event: dict[str, Any]) -> None:
    """Send the beginning of a reply once the status may be changed again."""
    exchange.server.over.wait(STATUS_EVERY_US / 1_000_000)
    exchange.wfile.write(f"data: {json.dumps(event)}\n\n".encode())
    exchange.wfile.flush()


def test_stop_ends_a_run_that_waits_for_its_model_long_before_the_wait_is_over(
    bot: LiveOffice, provider: Provider
) -> None:
    provider.turns[:] = [fails(429, "Slow down.", {"Retry-After": "55"})]

    ticket = bot.ticket("T-80008")
    status = bot.wait_for_reply(ticket, ActionId.STOP.value)
    bot.until(lambda: len(provider.seen) == 1, what="the model was not asked")
    bot.workspace.click(ANN, status, ActionId.STOP)

    bot.wait_for_reply(ticket, "Stop was pressed", seconds=10)
    bot.rest()
    (kept,) = (bot.folder / "kept").iterdir()
    assert read_one(kept).complete


def test_a_bot_whose_model_has_no_usable_server_does_not_start(tmp_path: Path) -> None:
    with make_workspace() as workspace:
        place = LiveOffice(workspace, tmp_path, {})
        place.url = "ftp://127.0.0.1"
        with pytest.raises(SettingRefused, match=r'models."local".base_url'):
            place.open()

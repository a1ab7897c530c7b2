"""The start of the bot while Slack is away: it waits, says so once, and can be ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from bot import attach
from bot.slack.errors import SlackUnreachable
from bot.slack.outside import Outside
from bot.slack.serve import served_when_reached
from bot.workspace import Identity
from tests.harness.ports import free_port
from tests.scenarios.ahead import Ahead
from tests.scenarios.office import CHANNEL, Office, office, secrets_of
from tests.scenarios.test_transport import team_app

ROOT = Path(__file__).resolve().parents[2]
FIRST_WAITS_S = 2 + 4


@contextmanager
def waiting(place: Office, ahead: Ahead, stopped: threading.Event) -> Iterator[None]:
    """Start the bot on a thread of its own, and end it."""
    ready = threading.Event()

    def serve() -> bool:
        outside = Outside(now_us=ahead.now_us, monotonic=ahead.monotonic)
        secrets = secrets_of(place.workspace.identity)
        with served_when_reached(place.settings, secrets, stopped=stopped, outside=outside) as desk:
            if desk is not None:
                ready.set()
            stopped.wait()
            return desk is not None

    with ThreadPoolExecutor(1) as pool:
        serving = pool.submit(serve)
        try:
            yield
        finally:
            stopped.set()
        assert serving.result(20) is ready.is_set()


@pytest.mark.parametrize("method", ["auth.test", "apps.connections.open"])
@pytest.mark.parametrize("how", ["no answer", "an error of its own", "a limit"])
def test_a_start_without_slack_waits_says_so_once_and_serves_when_slack_is_back(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, method: str, how: str
) -> None:
    ahead, stopped = Ahead(), threading.Event()
    with office(tmp_path) as place:
        faults = place.workspace.faults
        match how:
            case "no answer":
                faults.lose_request(method, times=2)
            case "an error of its own":
                faults.break_(method, times=2)
            case _:
                faults.rate_limit(method, 5, times=2)
        with waiting(place, ahead, stopped):
            for tries in (1, 2):
                place.until(lambda: len(place.workspace.calls(method)) == tries)  # noqa: B023
                ahead.seconds += FIRST_WAITS_S
            place.workspace.wait_for_sockets(1, seconds=20)
            place.wait_for_reply(place.ticket("T-80008"), "Draft for")

    assert sum("Slack is away at the start: " in each for each in caplog.messages) == 1
    assert caplog.messages.count("over: Slack is away at the start") == 1


def test_a_start_that_waits_for_slack_can_be_ended(tmp_path: Path) -> None:
    stopped = threading.Event()
    with office(tmp_path) as place:
        place.workspace.faults.lose_request("auth.test", times=99)
        with waiting(place, Ahead(), stopped):
            place.until(lambda: len(place.workspace.calls("auth.test")) == 1)
        assert place.workspace.calls("conversations.history") == []


def test_a_token_that_slack_does_not_know_is_not_waited_for(tmp_path: Path) -> None:
    with office(tmp_path) as place:
        place.workspace.revoke_token()
        secrets = secrets_of(place.workspace.identity)
        start = served_when_reached(place.settings, secrets, stopped=threading.Event())
        with pytest.raises(SlackUnreachable, match="token_revoked"), start:
            pass


def test_attaching_without_slack_says_whether_it_may_be_over_by_itself(tmp_path: Path) -> None:
    with office(tmp_path) as place:
        place.workspace.faults.break_("auth.test")
        with pytest.raises(SlackUnreachable) as away:
            attach(team_app(place), place.settings)
        place.workspace.revoke_token()
        with pytest.raises(SlackUnreachable) as unknown:
            attach(team_app(place), place.settings)

    assert (away.value.passes, unknown.value.passes) == (True, False)


@contextmanager
def command(folder: Path, api: str, me: Identity) -> Iterator[subprocess.Popen[str]]:
    """Run ``handrail serve`` as a process."""
    table = f'store = "own.sqlite3"\n[slack]\nchannels = ["{CHANNEL}"]\napi = "{api}"\n'
    (folder / "handrail.toml").write_text(table, "utf-8")
    environment = {
        "PYTHONPATH": str(ROOT),
        "PATH": os.environ.get("PATH", ""),
        "SLACK_BOT_TOKEN": me.bot_token,
        "SLACK_APP_TOKEN": me.app_token,
    }
    with subprocess.Popen(
        [sys.executable, "-m", "bot", "serve"],
        cwd=folder,
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
    ) as program:
        yield program


def interrupted(program: subprocess.Popen[str]) -> str:
    """Interrupt a program and return what it says until its end."""
    assert program.stderr is not None
    program.send_signal(signal.SIGINT)
    return program.stderr.read()


def test_the_command_waits_for_slack_and_ctrl_c_ends_it(tmp_path: Path) -> None:
    away = f"http://127.0.0.1:{free_port()}/api/"
    with command(tmp_path, away, Identity()) as program:
        assert program.stderr is not None
        first = program.stderr.readline()
        rest = interrupted(program)

    assert "Slack is away at the start" in first
    assert "Ctrl-C ends it" in first
    assert rest == "stopping: what was begun is finished first\n"
    assert program.returncode == 0


def test_the_command_warns_of_nothing_where_all_is_well(tmp_path: Path) -> None:
    with office(tmp_path) as place:
        workspace = place.workspace
        with command(tmp_path, workspace.base_url, workspace.identity) as program:
            workspace.wait_for_sockets(1, seconds=30)
            said = interrupted(program)

    assert "serving 1 channel over socket" in said
    assert "WARNING" not in said
    assert "ERROR" not in said
    assert program.returncode == 0

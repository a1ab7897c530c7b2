"""``handrail run --live`` and ``handrail record``: settings, keys, drift and what is kept."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.recorder import FileKeeper
from loop import PRICES, Replied, WireCall
from recordings import SHIPPED_RECORDINGS, Recording, read_recordings
from tests.bot.conftest import Cli
from tests.live_runs import turns_of
from tests.provider import (
    DRIPS,
    KEY,
    Exchange,
    Provider,
    Turn,
    completes,
    fails,
    says,
    serving,
)
from tools import SHIPPED_DATA

CARD = "4111 1111 1111 1111"
ROOT = Path(__file__).resolve().parents[2]
RECORDED: dict[str, Recording] = {
    found.ticket_id: found
    for found in read_recordings(SHIPPED_RECORDINGS / "resolver.jsonl", PRICES).recordings
}


def write_settings(folder: Path, url: str, more: str = "") -> None:
    """Write a settings file with one model at a server."""
    (folder / "handrail.toml").write_text(
        f'[models.local]\nbase_url = "{url}"\nid = "gpt-test"\napi_key_env = "TEST_KEY"\n'
        f"timeout_s = 5\n{more}",
        encoding="utf-8",
    )


@pytest.fixture
def provider(home: Path) -> Iterator[Provider]:
    """A provider that the settings name."""
    with serving() as opened:
        write_settings(home, opened.url, "free = true\n")
        yield opened


def answering(provider: Provider, ticket: str, *before: Turn) -> None:
    """Let the provider answer a ticket as it was recorded, after these turns."""
    provider.turns[:] = [*before, *turns_of(RECORDED[ticket])]


def live(cli: Cli, *args: str | Path) -> str:
    """Run a ticket live; return all that was printed."""
    done = cli("run", *args, "--live", "--model", "local", TEST_KEY=KEY)
    return done.output


def everything_under(folder: Path) -> bytes:
    """Return every byte of every file below a folder."""
    return b"".join(file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file())


def test_a_live_run_is_answered_priced_and_stored(cli: Cli, provider: Provider) -> None:
    answering(provider, "T-80008")

    done = cli("run", "T-80008", "--live", "--model", "local", TEST_KEY=KEY)

    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines()[-1].startswith(
        "valid | resolver | local | 2 calls | 3300 tokens in, 111 out | US$0.00000 | "
    )
    assert [asked.body["model"] for asked in provider.seen] == ["gpt-test"] * 2
    assert provider.seen[0].headers["authorization"] == f"Bearer {KEY}"
    assert "T-80008-resolver-local-1" in cli("runs").stdout


def test_a101_a_live_model_without_an_address_is_named_and_nothing_set_is_a_replay(
    cli: Cli,
) -> None:
    done = cli("run", "T-80008", "--live")

    assert done.exit_code == 2
    assert 'handrail.toml, field models."chat-small".base_url: is not given' in done.stderr
    assert cli("run", "T-80008").exit_code == 0


@pytest.mark.usefixtures("provider")
def test_a_key_that_is_not_set_is_named_by_its_variable(cli: Cli) -> None:
    done = cli("run", "T-80008", "--live", "--model", "local")

    assert done.exit_code == 2
    assert 'models."local".api_key_env: names the variable TEST_KEY, which is not set' in (
        done.stderr
    )


def test_a_key_may_stand_in_the_env_file(cli: Cli, provider: Provider) -> None:
    Path(".env").write_text(f"TEST_KEY={KEY}\n", encoding="utf-8")
    answering(provider, "T-80008")

    assert cli("run", "T-80008", "--live", "--model", "local").exit_code == 0


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ('base_url = "http://192.0.2.1/v1"', "base_url"),
        ('base_url = "https://a:b@example.com"', "base_url"),
        ('base_url = "https://example.com"\nca_file = "none.pem"', "ca_file"),
        ('base_url = "https://example.com"\napi_version = "1"', "api_version"),
        ('base_url = "https://example.com"\nproxy_env = "NO_SUCH"', "proxy_env"),
    ],
)
def test_a_server_that_cannot_be_used_is_named_by_its_field(
    line: str, field: str, cli: Cli, home: Path
) -> None:
    (home / "handrail.toml").write_text(f"[models.local]\n{line}\n", encoding="utf-8")

    done = cli("run", "T-80008", "--live", "--model", "local")

    assert done.exit_code == 2
    assert f'handrail.toml, field models."local".{field}: ' in done.stderr


REFUSED = {
    "no table": "",
    "plain http": '[models.local]\nbase_url = "http://192.0.2.1/v1"\n',
    "no key": '[models.local]\nbase_url = "https://example.com"\napi_key_env = "NO_SUCH"\n',
    "no client": '[models.local]\nbase_url = "http://127.0.0.1"\nclient = "mine"\n',
}


@pytest.mark.parametrize("table", REFUSED.values(), ids=REFUSED.keys())
def test_a_live_run_whose_model_cannot_be_asked_leaves_no_run(
    table: str, cli: Cli, home: Path
) -> None:
    cli("run", "T-80008")
    (home / "handrail.toml").write_text(table, encoding="utf-8")

    done = cli("run", "T-80008", "--live", "--model", "local")

    assert done.exit_code == 2
    listed = cli("runs").stdout
    assert "local" not in listed
    assert listed.splitlines()[-1] == "1 run"


@pytest.mark.parametrize("table", REFUSED.values(), ids=REFUSED.keys())
@pytest.mark.parametrize(
    "command",
    [
        ("record", "T-80008", "--into", "kept"),
        ("eval", "--live", "--record", "kept", "--save", "kept.json"),
    ],
    ids=["record", "eval"],
)
def test_a_recording_whose_model_cannot_be_asked_leaves_no_file(
    command: tuple[str, ...], table: str, cli: Cli, home: Path
) -> None:
    (home / "handrail.toml").write_text(table, encoding="utf-8")

    done = cli(*command, "--model", "local")

    assert done.exit_code == 2
    assert list(home.glob("kept*")) == []


def test_a_recording_without_a_server_is_told_what_its_own_command_takes(cli: Cli) -> None:
    told = " ".join(cli("record", "T-80008", "--model", "local", "--into", "kept").stderr.split())

    assert "docs/models.md says how to ask a server" in told
    assert "handrail run replays local from recordings where --live is not given" in told


def test_a_client_that_is_not_installed_is_named(cli: Cli, home: Path) -> None:
    (home / "handrail.toml").write_text(
        '[models.local]\nbase_url = "http://127.0.0.1"\nclient = "mine"\n', encoding="utf-8"
    )

    done = cli("run", "T-80008", "--live", "--model", "local")

    assert done.exit_code == 2
    assert "nothing named mine is installed in handrail.models" in done.stderr


def test_an_absurd_count_of_tokens_leaves_the_run_readable(cli: Cli, home: Path) -> None:
    usage = {"prompt_tokens": 10**30, "completion_tokens": 1}
    with serving(completes("Hi", usage=usage), last_repeats=True) as opened:
        write_settings(home, opened.url, "usd_in = 1\nusd_out = 1\n")
        shown = live(cli, "T-80008", "--trace")

    assert "unknown tokens in" in shown
    assert cli("trace", "T-80008").exit_code == 0


def test_what_priced_a_run_is_told_and_whose_price_it_is(cli: Cli, home: Path) -> None:
    turns = [
        completes(each.answer.reply.text, *each.answer.reply.calls, model="other-model")
        for each in RECORDED["T-80008"].exchanges
        if isinstance(each.answer, Replied)
    ]
    with serving(*turns) as opened:
        write_settings(home, opened.url, "usd_in = 1\nusd_out = 10\n")
        live(cli, "T-80008")

    told = " ".join(cli("trace", "T-80008").stdout.split())
    assert "| US$0.00060, priced as local |" in told
    assert "other-model answered, priced as local" in told
    assert "asked live on 20" in told
    assert " as gpt-test; prices: 1 USD in, 10 USD out, per million tokens, by the settings" in told


def test_a_run_ends_as_time_whatever_its_server_drips(cli: Cli, home: Path) -> None:
    with serving(DRIPS["a header"], last_repeats=True) as opened:
        write_settings(home, opened.url, "free = true\n")
        cli(
            "run", "T-80008", "--live", "--model", "local", "--limit", "max_seconds=1", TEST_KEY=KEY
        )

        assert "the run's time was over" in " ".join(cli("trace", "T-80008").stdout.split())
    assert len(opened.seen) == 1


def test_tries_that_failed_show_in_the_trace(cli: Cli, provider: Provider) -> None:
    answering(provider, "T-80008", fails(429, "Slow down.", {"Retry-After": "0.01"}))

    text = " ".join(live(cli, "T-80008", "--trace").split())

    assert "try rate limited (status 429) after 0.0" in text
    assert "asked to wait 0.01 s; waited 0.01 s and tried again" in text


def test_a_refusal_ends_the_run_and_is_told_by_its_name(cli: Cli, provider: Provider) -> None:
    provider.turns[:] = [fails(400, "The response was filtered.", code="content_filter")]

    done = cli("run", "T-80002", "--live", "--model", "local", TEST_KEY=KEY)

    assert done.exit_code == 1
    text = " ".join(done.stdout.split())
    assert "content filter (HTTP 400): The response was filtered." in text
    assert "A person takes the ticket." in text


def test_a_cost_that_is_not_known_stops_the_run_before_the_next_call(
    cli: Cli, provider: Provider, home: Path
) -> None:
    write_settings(home, provider.url)
    call = WireCall(call_id="c1", name="get_order", arguments='{"order_id": "LK-581106"}')
    provider.turns[:] = [completes(None, call, model="mystery")]

    text = " ".join(live(cli, "T-80008").split())

    assert "cost at step 1" in text
    assert "unknown" in text


# --- recordings --------------------------------------------------------------------------------


@pytest.fixture
def recording(cli: Cli, provider: Provider, home: Path) -> Path:
    """The recording of a live run."""
    answering(provider, "T-80008")
    done = cli("record", "T-80008", "--model", "local", "--into", "kept", TEST_KEY=KEY)
    assert done.exit_code == 0, done.output
    return home / "kept" / "T-80008-resolver-local-1.jsonl"


def replay(cli: Cli, *args: str) -> str:
    """Replay what was recorded; return all that was printed, on one line."""
    done = cli("run", "T-80008", "--model", "local", "--recordings", "kept", *args)
    return " ".join(done.output.split())


def test_a_recording_is_marked_real_is_private_and_replays(recording: Path, cli: Cli) -> None:
    opened = json.loads(recording.read_text("utf-8").splitlines()[0])

    assert opened["marks"]["live"]["model"] == "gpt-test"
    assert len(opened["marks"]["live"]["on"]) == len("2026-11-30")
    assert opened["marks"]["live"]["prices"] == "free of cost, by the settings"
    assert recording.stat().st_mode & 0o777 == 0o600
    assert recording.parent.stat().st_mode & 0o777 == 0o700
    assert "valid | resolver | local | 2 calls" in replay(cli)


@pytest.mark.usefixtures("recording")
def test_nothing_is_stored_or_proposed_by_a_recording(home: Path) -> None:
    assert not (home / "store").exists()


def test_two_recordings_that_begin_at_once_have_a_file_each(tmp_path: Path) -> None:
    """The second one begins before the first has written a line."""
    first, second = (FileKeeper.begin(tmp_path, iter(("run-1", "run-2"))) for _ in range(2))

    assert (first.path.name, second.path.name) == ("run-1.jsonl", "run-2.jsonl")
    assert first.path.stat().st_mode & 0o777 == 0o600


def test_a_second_recording_of_a_ticket_has_the_next_number(
    recording: Path, cli: Cli, provider: Provider
) -> None:
    before = recording.read_bytes()
    answering(provider, "T-80008")
    cli("record", "T-80008", "--model", "local", "--into", "kept", TEST_KEY=KEY)

    assert recording.with_name("T-80008-resolver-local-2.jsonl").is_file()
    assert recording.read_bytes() == before


def test_a_ticket_that_is_not_there_is_refused_before_the_first_is_asked_for(
    cli: Cli, provider: Provider
) -> None:
    done = cli("record", "T-80008", "T-00000", "--model", "local", "--into", "k", TEST_KEY=KEY)

    assert (done.exit_code, provider.seen) == (2, [])


def test_a_provider_that_gives_no_reply_is_recorded_and_told_by_the_status(
    cli: Cli, provider: Provider
) -> None:
    provider.turns[:] = [fails(401, "Incorrect API key provided.")]

    done = cli("record", "T-80008", "--model", "local", "--into", "kept", TEST_KEY=KEY)

    assert done.exit_code == 1
    assert "bad key (HTTP 401): Incorrect API key" in replay(cli)


def drifted(recording: Path, old: str, new: str) -> None:
    """Write a recording anew as one that was made when a text of the request was another."""
    text = recording.read_text("utf-8")
    assert old in text
    lines = [json.loads(line) for line in text.replace(old, new).splitlines()]
    for line in lines:
        if line["kind"] == "asked":
            line["digest"] = "0" * 64
    recording.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")


def test_one_word_of_the_prompt_is_named(recording: Path, cli: Cli) -> None:
    drifted(recording, "You cannot change anything", "You cannot alter anything")

    told = replay(cli)

    assert "no_recording at step 1" in told
    assert "differs from the nearest recording" in told
    assert "messages[0].text, character" in told
    assert "cannot alter anything" in told
    assert "cannot change anything" in told


def test_one_tool_description_is_named(recording: Path, cli: Cli) -> None:
    opened = json.loads(recording.read_text("utf-8").splitlines()[0])
    old = opened["head"]["tools"][1]["description"]
    drifted(recording, json.dumps(old)[1:-1], "Another description.")

    assert "at tools[1].description, character" in replay(cli)


@pytest.mark.usefixtures("recording")
def test_one_date_is_named(cli: Cli) -> None:
    told = replay(cli, "--today", "2026-10-10")

    assert "messages[0].text, character" in told
    assert "2026-10-09" in told
    assert "2026-10-10" in told


# --- resuming ----------------------------------------------------------------------------------


def test_a_live_run_killed_in_a_call_asks_again_and_says_so(
    cli: Cli, provider: Provider, home: Path
) -> None:
    """SIGKILL while the provider works on the second call."""
    first, second = turns_of(RECORDED["T-80008"])
    process: list[subprocess.Popen[bytes]] = []

    def kills(exchange: Exchange) -> None:
        exchange.close_connection = True
        process[0].send_signal(signal.SIGKILL)
        process[0].wait(30)

    provider.turns[:] = [first, kills, second]
    store = home / "store" / "handrail.sqlite3"
    env = {
        **os.environ,
        "TEST_KEY": KEY,
        "PYTHONPATH": str(ROOT),
        "HANDRAIL_STORE": str(store),
    }
    command = [sys.executable, "-m", "bot", "run", "T-80008", "--live", "--model", "local"]
    process.append(subprocess.Popen(command, env=env, cwd=home, stdout=subprocess.DEVNULL))
    process[0].wait(60)

    done = cli("resume", "T-80008", "--trace", TEST_KEY=KEY)

    assert process[0].returncode == -signal.SIGKILL
    assert done.exit_code == 0, done.output
    text = " ".join(done.stdout.split())
    assert "the process died while a request was in flight; what it cost is unknown" in text
    assert "valid | resolver | local | 2 calls" in text
    assert "at least US$0.00000" in text
    assert len(provider.seen) == 3


# --- secrets -----------------------------------------------------------------------------------


@pytest.fixture
def seeded(home: Path) -> Path:
    """The shipped data with a key and a card in a ticket's text and file, and in a gift message."""
    folder = home / "data"
    shutil.copytree(SHIPPED_DATA, folder)
    tickets = folder / "tasks.jsonl"
    rows = [json.loads(line) for line in tickets.read_text("utf-8").splitlines()]
    for row in rows:
        if row["task_id"] == "T-80008":
            row["text"] += f" My key is {KEY} and my card {CARD}."
            row["attachments"] = [f"{KEY}.png"]
    tickets.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    orders = folder / "orders.csv"
    header, *lines = orders.read_text("utf-8").splitlines()
    at = header.split(",").index("note")
    changed = [
        ",".join((*line.split(",")[:at], f"{KEY} {CARD}")) if line.startswith("LK-581106") else line
        for line in lines
    ]
    orders.write_text("\n".join([header, *changed]) + "\n", encoding="utf-8")
    return folder


def test_a_planted_key_and_card_show_nowhere(
    cli: Cli, provider: Provider, seeded: Path, home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """In ticket, file name, tool result, header and error; looked for in all that is kept."""
    caplog.set_level("DEBUG", "handrail")
    caplog.set_level("INFO")  # what the libraries say; httpcore shows headers in its own DEBUG
    headers = {"x-request-id": KEY, "Retry-After": "0.01", "Set-Cookie": f"card={CARD}"}
    answering(provider, "T-80008", fails(503, f"Down for {KEY} {CARD}", headers))
    shown = live(cli, "T-80008", "--trace", "--data", seeded)
    provider.turns[:] = [fails(400, f"Refused {KEY} {CARD}", headers)]
    shown += live(cli, "T-80008", "--trace", "--json", "--data", seeded)
    provider.turns[:] = [says(200, f"{KEY} {CARD}".encode(), headers)]
    shown += live(cli, "T-80008", "--trace", "--data", seeded)
    answering(provider, "T-80008")
    cli("record", "T-80008", "--model", "local", "--into", "kept", "--data", seeded, TEST_KEY=KEY)
    shown += cli("trace", "T-80008").output + cli("export", "T-80008").output
    shown += cli("runs").output + cli("proposals").output

    sent = json.dumps([asked.body for asked in provider.seen])
    (store,) = home.glob("store/handrail.sqlite3")
    kept = everything_under(home / "kept") + store.read_bytes()
    assert "[key]" in shown
    assert "[card]" in shown
    assert "[card]" in sent
    for where in (shown, sent, caplog.text, kept.decode("utf-8", "replace")):
        assert KEY not in where
        assert CARD not in where

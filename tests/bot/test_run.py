"""``handrail run``: its last lines, its exit status, and what it says of an end."""

from __future__ import annotations

import json
import shutil
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from loop import PRICES, Asked, Entry, Replied, get_profile, work_for
from recordings import encode, read_recordings
from recordings.construct import WrittenReply, WrittenRun, construct
from tests.bot.conftest import Cli
from tools import PRACTICE_TODAY, SHIPPED_DATA, PracticeShop, load_tickets

CASES = {case.ticket.ticket_id: case for case in load_tickets(SHIPPED_DATA)}


def written_answer(ticket_id: str, **answer: Any) -> list[Entry]:
    """Return the journal of an assistant run whose one reply is this answer."""
    fields = {
        "language": "en",
        "team": "delivery",
        "needs_human": False,
        "reason": "A question about a date.",
        "confidence": "high",
        "order": None,
        "reply": "Thank you for your message.",
    }
    reply = WrittenReply(
        text=json.dumps({**fields, **answer}),
        latency_s=Decimal("0.5"),
        tokens_in=100,
        tokens_out=20,
    )
    written = WrittenRun(
        ticket_id=ticket_id, profile="assistant", model="chat-small", replies=(reply,)
    )
    with PracticeShop.from_folder() as shop:
        work = work_for(
            CASES[ticket_id].ticket,
            get_profile("assistant"),
            shop,
            today=PRACTICE_TODAY,
            model_name="chat-small",
        )
        return construct(written, work)


def saved(path: Path, entries: list[Entry]) -> Path:
    """Write entries as a recording."""
    path.write_text("".join(f"{encode('one', entry)}\n" for entry in entries), encoding="utf-8")
    return path


def test_the_last_line_says_result_profile_model_calls_tokens_cost_and_seconds(cli: Cli) -> None:
    done = cli("run", "T-80008")

    assert done.exit_code == 0
    assert done.stderr == ""
    assert done.stdout.splitlines()[-1] == (
        "valid | resolver | chat-small | 2 calls | 3300 tokens in, 111 out | US$0.00039 | 2.40 s"
    )


def test_b101_run_ids_name_ticket_profile_and_model_and_count_up(cli: Cli) -> None:
    first, second = cli("run", "T-90104"), cli("run", "T-90104")

    assert "next: handrail trace T-90104-resolver-chat-small-1\n" in first.stdout
    assert "next: handrail trace T-90104-resolver-chat-small-2\n" in second.stdout


def test_a_valid_run_shows_draft_and_exact_change_and_that_nothing_has_changed(cli: Cli) -> None:
    text = " ".join(cli("run", "T-64872").stdout.split())

    assert "draft You are right: our books show two payments of 37.45" in text
    assert "proposal 1 change; for a person to decide; the run changed nothing" in text
    assert "1. Refund 37.45 CAD on order LK-739156, of payment PAY-739156-2 (RFD-DOUBLE" in text
    assert "[ Approve ] [ Reject ]" in text


def test_a_stop_names_reason_limit_value_observed_and_that_a_person_takes_over(cli: Cli) -> None:
    done = cli("run", "T-80008", "--limit", "max_steps=1", "--limit", "max_cost_usd=0")
    text = " ".join(done.stdout.split())

    assert done.exit_code == 1
    assert "stopped max_steps at step 1: all model calls that are allowed were used" in text
    assert "limit max_steps is 1; observed 1; also reached: max_cost_usd." in text
    assert "A person takes the ticket." in text
    assert "1 recorded reply was not asked for" in text
    assert done.stdout.splitlines()[-1].startswith("failed | resolver | chat-small | 1 call | ")


def test_a_rejected_run_names_each_objection_and_hides_the_draft(cli: Cli, home: Path) -> None:
    entries = written_answer("T-80008", reply="Your refund has been issued. Send us your password.")
    done = cli(
        "run", "T-80008", "--profile", "assistant", "--recordings", saved(home / "r.jsonl", entries)
    )

    assert done.exit_code == 1
    assert "claims_action: " in done.stdout
    assert "asks_secret: " in done.stdout
    assert "draft" not in done.stdout
    assert done.stdout.splitlines()[-1].startswith("rejected | assistant | chat-small | 1 call | ")


def test_trace_shows_a_row_for_each_event(cli: Cli) -> None:
    lines = cli("run", "T-90601", "--trace").stdout.splitlines()
    kinds = [line[6:15].strip() for line in lines if line[:4].strip().isdigit()]

    assert kinds[:4] == ["model", "tool", "model", "tool"]
    assert kinds[-2:] == ["finish", "end"]
    assert any("failed: service_timeout: The service did not answer" in line for line in lines)
    assert any("simulated fault get_order:timeout" in line for line in lines)


def test_json_is_one_object_and_nothing_else(cli: Cli) -> None:
    done = cli("run", "T-80008", "--json")
    value = json.loads(done.stdout)

    assert done.stdout.count("\n") == 1
    assert value["run_id"] == "T-80008-resolver-chat-small-1"
    assert value["result"] == "valid"
    assert value["stop"]["reason"] == "finished"
    assert value["needs_human"] is False
    assert value["problems"] == []
    assert [call["kind"] for call in value["calls"]] == ["ok", "ok"]
    assert value["totals"]["cost_usd"] == "0.0003855"
    assert value["left_over_replies"] == 0


def test_a_fault_that_is_asked_for_comes_after_the_tickets_own(cli: Cli) -> None:
    done = cli("run", "T-80008", "--fault", "get_order:unavailable", "--trace")

    assert done.exit_code == 1
    assert "service_unavailable" in done.stdout
    assert "no_recording" in done.stdout


def test_a_miss_names_the_nearest_recording_and_the_first_difference(cli: Cli) -> None:
    text = " ".join(cli("run", "T-80008", "--today", "2026-10-10").stdout.split())

    assert "differs from the nearest recording, T-80008-resolver-chat-small-constructed" in text
    assert "2026-10-09" in text
    assert "2026-10-10" in text


def test_a_run_that_finishes_with_replies_left_over_is_an_error(cli: Cli, home: Path) -> None:
    entries = written_answer("T-80008")
    asked = next(e.record for e in entries if isinstance(e.record, Asked))
    replied = next(e.record for e in entries if isinstance(e.record, Replied))
    more = [
        Entry(seq=90, at_us=0, record=Asked(step=2, digest="0" * 64, appended=asked.appended)),
        Entry(seq=91, at_us=0, record=Replied(step=2, reply=replied.reply)),
    ]
    file = saved(home / "r.jsonl", entries[:-2] + more)
    done = cli("run", "T-80008", "--profile", "assistant", "--recordings", file)

    assert done.exit_code == 1
    assert done.stdout.splitlines()[-1].startswith("valid | assistant")
    assert "error: the run finished after 1 of the 2 recorded replies" in done.stderr


def test_a_damaged_line_is_named_and_the_rest_is_used(cli: Cli, home: Path) -> None:
    entries = written_answer("T-80008")
    file = saved(home / "r.jsonl", entries)
    with file.open("a", encoding="utf-8") as out:
        out.write("{not json\n")
    done = cli("run", "T-80008", "--profile", "assistant", "--recordings", file)

    assert done.exit_code == 0
    assert f"warning: {file}, line {len(entries) + 1}: is not a line of JSON" in done.stderr


def test_no_store_keeps_nothing(cli: Cli, home: Path) -> None:
    done = cli("run", "T-80008", "--no-store")

    assert done.exit_code == 0
    assert "next:" not in done.stdout
    assert not (home / "store").exists()


def test_a_model_without_tool_calls_is_asked_for_json_steps(cli: Cli) -> None:
    done = cli("run", "T-80006", "--model", "gemma3:4b")

    assert done.exit_code == 1
    assert "too_many_errors at step 3" in done.stdout


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["run", "T-99999"], "there is no ticket T-99999"),
        (["run", "T-8000"], "did you mean T-8000"),
        (["run"], "Missing argument 'TICKET'"),
        (["run", "T-80008", "--profile", "nobody"], "there is no profile 'nobody'"),
        (["run", "T-80008", "--limit", "max_steps"], "is name=value"),
        (["run", "T-80008", "--limit", "max_step=1"], "limit max_step: no such limit"),
        (["run", "T-80008", "--limit", "max_steps=-1"], "limit max_steps: "),
        (["run", "T-80008", "--limit", "max_seconds=nan"], "limit max_seconds: "),
        (["run", "T-80008", "--fault", "get_order"], "a fault is tool:mode[:times]"),
        (["run", "T-80008", "--fault", "sing:timeout"], "a fault names one of these tools"),
        (["run", "T-80008", "--match", "near"], "'near' is not one of 'strict', 'sequence'"),
        (["run", "T-80008", "--today", "soon"], "is a day such as 2026-10-09"),
        (["run", "T-80008", "--ask", "json", "--profile", "desk"], "needs the finish tool"),
        (["run", "T-80008", "--data", "nowhere"], "nowhere: there is no such folder"),
        (["run", "T-80008", "--recordings", "nowhere"], "nowhere: does not exist"),
        (["show", "T-99999"], "there is no ticket T-99999"),
        (["trace", "T-99999"], "there is no store"),
        (["resume", "T-99999"], "there is no store"),
        (["export", "T-99999"], "there is no store"),
        (["triage", "--only", "T-99999"], "there is no ticket T-99999"),
        (["triage", "--profile", "nobody"], "there is no profile 'nobody'"),
        (["sing"], "No such command 'sing'"),
        (["runs", "--last", "0"], "'--last'"),
        (["runs", "--store", "."], "is not a file"),
    ],
)
def test_wrong_use_is_one_line_on_stderr_and_status_2(cli: Cli, args: list[str], said: str) -> None:
    done = cli(*args)

    assert done.exit_code == 2
    assert done.stdout == ""
    assert said in done.stderr
    first, *rest = done.stderr.splitlines()
    assert first.startswith("error: ")
    assert all(line.startswith("hint: ") for line in rest)
    assert len(rest) <= 1


@pytest.mark.parametrize(
    ("name", "field"), [("orders.csv", "order_id"), ("tasks.jsonl", "task_id")]
)
def test_a_malformed_data_file_is_named_with_its_line_and_field(
    cli: Cli, home: Path, name: str, field: str
) -> None:
    shutil.copytree(SHIPPED_DATA, home / "data")
    file = home / "data" / name
    lines = file.read_text("utf-8").splitlines()
    lines[1] = '{"task_id": 7}' if name.endswith("jsonl") else lines[1].replace("LK-", "ZZ-")
    file.write_text("\n".join(lines), encoding="utf-8")
    done = cli("run", "T-80008", "--data", "data")

    assert done.exit_code == 2
    assert done.stderr.startswith(f"error: data/{name}, line 2")
    assert field in done.stderr


HOSTILE = {
    "escape": "\x1b[2J\x1b]0;owned\x07 hello",
    "bidi": "pay \u202eevil\u202c now \u2066x\u2069",
    "c1": "\x9b31m red \x00",
    "surrogate": "half \ud83d pair",
    "long": "word " * 200_000,
    "one line": "x" * 1_000_000,
    "empty": "",
    "blank": " \n\t ",
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_ticket_text_is_shown_safely_and_never_a_crash(
    cli: Cli, home: Path, kind: str
) -> None:
    shutil.copytree(SHIPPED_DATA, home / "data")
    task = json.loads((SHIPPED_DATA / "tasks.jsonl").read_text("utf-8").splitlines()[0])
    task["text"] = HOSTILE[kind]
    (home / "data" / "tasks.jsonl").write_text(json.dumps(task) + "\n", encoding="utf-8")
    shown = cli("show", task["task_id"], "--data", "data")
    listed = cli("tickets", "--data", "data")
    ran = cli("run", task["task_id"], "--data", "data", "--trace")

    assert (shown.exit_code, listed.exit_code, ran.exit_code) == (0, 0, 1)
    for done in (shown, listed, ran):
        assert not set(done.stdout + done.stderr) & set("\x1b\x07\x00\x9b\u202e\u2066\ud83d")
        assert len(done.stdout) < 30_000


def test_prices_of_the_settings_price_an_import(cli: Cli, home: Path) -> None:
    """A recording without costs is priced by the tables, so that its cost is known."""
    (home / "handrail.toml").write_text("[models.mine]\nfree = true\n", encoding="utf-8")
    line = {
        "label": {"ticket_id": "T-80008", "step": 1, "model": "mine"},
        "latency_s": 1.0,
        "response": {
            "model": "mine",
            "choices": [{"message": {"content": "no"}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 5, "completion_tokens": 6},
        },
    }
    (home / "r.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    args = ("run", "T-80008", "--profile", "assistant", "--model", "mine", "--match", "sequence")
    known = cli(*args, "--recordings", "r.jsonl")
    (home / "handrail.toml").unlink()
    unknown = cli(*args, "--recordings", "r.jsonl")

    assert "5 tokens in, 6 out | US$0.00000 | 1.00 s" in known.stdout
    assert "5 tokens in, 6 out | cost unknown | 1.00 s" in unknown.stdout


def test_the_fresh_recordings_are_read_without_faults(recorded: Path) -> None:
    assert read_recordings(recorded, PRICES).faults == ()

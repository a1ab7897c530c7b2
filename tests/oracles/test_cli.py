"""The command line on a hosted model's real replies: cases A20, A21, A40, A41, A44 to A48, A50.

Kept: result, team, person, tool outcomes, tokens, cost, exit status. Changed: the line's form
(ours names the profile and the seconds, and not a prompt version).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from bot.cli import handrail

Run = Callable[..., Result]


@pytest.fixture
def run(larkfield: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command as the issue writes it."""
    monkeypatch.chdir(tmp_path)
    data = larkfield / "c08"

    def invoke(ticket: str, *more: str) -> Result:
        recordings = data / "recordings_tools_chat_small_12.jsonl"
        args = ["run", ticket, "--profile", "assistant", "--data", str(data)]
        args += ["--recordings", str(recordings), "--match", "sequence", *more]
        return CliRunner().invoke(
            handrail, args, env={"HANDRAIL_STORE": str(tmp_path / "store.sqlite3")}
        )

    return invoke


def value(done: Result) -> dict[str, Any]:
    """Return the object of ``--json``."""
    read: dict[str, Any] = json.loads(done.stdout)
    return read


def calls(done: Result) -> list[tuple[str, str]]:
    """Return kind and code of each call."""
    return [(call["kind"], call["code"]) for call in value(done)["calls"]]


def test_a40_a41_the_last_line_of_t_80008(run: Run) -> None:
    done = run("T-80008")

    assert done.exit_code == 0
    assert done.stdout.splitlines()[-1] == (
        "valid | assistant | chat-small | 2 calls | 4224 tokens in, 123 out"
        " | US$0.00048, priced as chat-small | 2.68 s"
    )


def test_a20_a40_t_80008_looked_its_order_up(run: Run) -> None:
    done = run("T-80008", "--json")
    got = value(done)

    assert calls(done) == [("ok", "ok")]
    assert got["stop"]["reason"] == "finished"
    assert got["totals"]["model_calls"] == 2
    assert got["resolution"]["team"] == "delivery"
    assert got["resolution"]["order"] == {"order_id": "LK-581106", "status": "shipped"}


def test_a21_a44_t_80001_is_refused_and_handed_over(run: Run) -> None:
    done = run("T-80001", "--json")

    assert done.exit_code == 0
    assert calls(done) == [("refused", "other_customer")]
    assert value(done)["needs_human"] is True
    assert value(done)["resolution"]["order"]["status"] is None


def test_a45_t_80003_misses_the_flag(run: Run) -> None:
    got = value(run("T-80003", "--json"))

    assert got["result"] == "valid"
    assert got["resolution"]["team"] == "returns"
    assert got["needs_human"] is False


def test_a46_t_80009_invents_an_order(run: Run) -> None:
    done = run("T-80009", "--json")

    assert done.exit_code == 1
    assert calls(done) == [("invalid", "invalid_arguments")]
    assert [problem["code"] for problem in value(done)["problems"]] == ["order_not_in_ticket"]


def test_a47_t_80006_needs_no_tool(run: Run) -> None:
    got = value(run("T-80006", "--json"))

    assert got["result"] == "valid"
    assert got["calls"] == []
    assert got["totals"]["model_calls"] == 1
    assert got["needs_human"] is True


def test_a48_t_80005_is_answered_in_french(run: Run) -> None:
    got = value(run("T-80005", "--json"))

    assert got["result"] == "valid"
    assert got["resolution"]["language"] == "fr"
    assert got["resolution"]["order"]["status"] == "shipped"
    assert got["totals"]["tokens_in"] == 2054 + 2193
    assert got["totals"]["tokens_out"] == 21 + 113


def test_a50_an_unknown_ticket_is_wrong_use(run: Run) -> None:
    assert run("T-99999").exit_code == 2


def test_the_trace_says_that_replies_are_matched_by_their_place(run: Run) -> None:
    text = " ".join(run("T-80008", "--trace").stdout.split())

    assert "replies are matched by ticket and step, not by request" in text
    assert "recorded for another request, taken by its place" in text


def test_b101_a_run_is_named_by_ticket_profile_model_and_number(run: Run) -> None:
    """The second run of the same kind is number 2."""
    first, second = value(run("T-80008", "--json")), value(run("T-80008", "--json"))

    assert first["run_id"] == "T-80008-assistant-chat-small-1"
    assert second["run_id"] == "T-80008-assistant-chat-small-2"

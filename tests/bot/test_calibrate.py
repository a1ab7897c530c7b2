"""``handrail calibrate``: what it prints, draws, writes for the settings, and how it ends."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from bot.cli import handrail
from loop import get_profile, limits_from_text
from recordings import SHIPPED_RECORDINGS


def calibrated(*arguments: str) -> Result:
    """Run the command."""
    return CliRunner().invoke(handrail, ["calibrate", *arguments, "--success", "valid"])


def test_the_report_says_what_is_lost_caught_and_saved_and_ends_with_the_settings() -> None:
    result = calibrated(str(SHIPPED_RECORDINGS), "--max-loss", "2%")

    assert "102 succeeded, 11 failed, 0 unknown" in result.output
    assert "Each limit alone, at most 2.0 % lost:" in result.output
    assert "chosen on half of the tickets, on the other half:" in result.output
    assert "fewer than 30 say little about a catch" in result.output
    assert "# max_seconds: these recordings cannot tell" in result.output
    written = tomllib.loads(result.output[result.output.index("[limits]") :])["limits"]
    given = limits_from_text({name: str(value) for name, value in written.items()})
    assert get_profile("resolver").limits.changed(**given).max_steps is not None


def test_json_is_one_object_with_the_same_settings() -> None:
    found = json.loads(calibrated(str(SHIPPED_RECORDINGS), "--json").stdout)

    assert found["runs"] == {"succeeded": 102, "failed": 11, "unknown": 0}
    assert found["settings"][0] == "[limits]"
    assert found["best"]["lost"] <= 0.01 * found["best"]["successes"]
    assert set(found["limits"]) == {
        "max_steps",
        "max_seconds",
        "max_cost_usd",
        "max_errors",
        "allowed_repeats",
    }


def test_the_picture_is_written_to_a_new_file_only(tmp_path: Path) -> None:
    file = tmp_path / "curve.svg"

    assert "<svg" not in calibrated(str(SHIPPED_RECORDINGS), "--svg", str(file)).output
    assert file.read_text("utf-8").startswith("<svg")
    assert calibrated(str(SHIPPED_RECORDINGS), "--svg", str(file)).exit_code != 0


def status(*arguments: str) -> int:
    """The exit status of the command."""
    return handrail.status(["calibrate", *arguments])


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((str(SHIPPED_RECORDINGS), "--success", "valid"), 0),
        ((str(SHIPPED_RECORDINGS),), 1),
        ((str(SHIPPED_RECORDINGS), "--max-loss", "101%"), 2),
        ((str(SHIPPED_RECORDINGS), "--max-loss", "some"), 2),
        ((str(SHIPPED_RECORDINGS / "nothing.jsonl"),), 2),
        ((), 2),
    ],
)
def test_the_exit_status_says_whether_anything_is_proposed(
    arguments: tuple[str, ...], expected: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """Labels: the shipped runs bring none, so the data cannot tell."""
    assert status(*arguments) == expected
    capsys.readouterr()


def test_runs_of_a_store_are_read_as_those_of_a_file_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "store.sqlite3"
    handrail.status(["run", "T-80008", "--store", str(store)])
    capsys.readouterr()

    assert status(str(store), "--success", "valid", "--json") == 1
    assert json.loads(capsys.readouterr().out)["runs"]["succeeded"] == 1

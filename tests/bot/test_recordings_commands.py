"""``handrail recordings``."""

import json
import os
from pathlib import Path

from tests.bot.conftest import Cli

DIALOGUE = {
    "messages": [
        {"role": "user", "content": "Where is my parcel?"},
        {"role": "assistant", "content": "On its way."},
    ]
}


def logs(home: Path, *more: str) -> Path:
    """Write a log of two dialogues, and lines as they stand."""
    path = home / "logs.jsonl"
    path.write_text("\n".join([json.dumps(DIALOGUE)] * 2 + list(more)), encoding="utf-8")
    return path


def test_what_was_brought_in_is_verified_and_counted(cli: Cli, home: Path) -> None:
    brought = cli("recordings", "import", logs(home), "--to", "new.jsonl")
    verified = cli("recordings", "verify", "new.jsonl")
    counted = cli("recordings", "stats", "new.jsonl")

    assert [each.exit_code for each in (brought, verified, counted)] == [0, 0, 0]
    assert "openai-messages" in brought.stdout
    assert "2 runs brought into new.jsonl" in brought.stdout
    assert verified.stdout == "new.jsonl: 2 runs, 2 whole\n"
    assert "ends: record ended 2" in counted.stdout
    assert "runs with unknown: " in counted.stdout


def test_what_could_not_be_read_is_named_and_has_a_status(cli: Cli, home: Path) -> None:
    said = cli("recordings", "import", logs(home, "{damaged"), "--to", "new.jsonl")
    as_json = cli("recordings", "import", logs(home, "{damaged"), "--to", "more.jsonl", "--json")

    assert (said.exit_code, as_json.exit_code) == (1, 1)
    assert "line 3: is not a line of JSON" in said.stdout
    assert json.loads(as_json.stdout)["files"][0]["not_read"] == [
        {"place": "line 3", "problem": "is not a line of JSON"}
    ]


def test_nothing_is_overwritten(cli: Cli, home: Path) -> None:
    (home / "new.jsonl").write_text("mine", encoding="utf-8")

    result = cli("recordings", "import", logs(home), "--to", "new.jsonl")

    assert result.exit_code == 2
    assert "new.jsonl exists, and nothing is overwritten" in result.stderr


def test_a_form_that_is_not_known_is_wrong_use(cli: Cli, home: Path) -> None:
    (home / "odd.json").write_text('{"a": 1}', encoding="utf-8")

    result = cli("recordings", "import", "odd.json", "--to", "new.jsonl")

    assert result.exit_code == 2
    assert "none of the forms that are known" in result.stderr
    assert not (home / "new.jsonl").exists()


def test_the_recordings_in_use_are_whole(cli: Cli) -> None:
    result = cli("recordings", "verify", "--json")

    assert result.exit_code == 0
    (checked,) = json.loads(result.stdout)
    assert checked["runs"] == checked["whole"] > 0


def test_a_changed_file_is_not_whole(cli: Cli, home: Path) -> None:
    cli("recordings", "import", logs(home), "--to", "new.jsonl")
    text = (home / "new.jsonl").read_text(encoding="utf-8")
    changed = text.replace('"text":"Where is my parcel?","calls"', '"text":"X","calls"', 1)
    (home / "other.jsonl").write_text(changed, encoding="utf-8")

    result = cli("recordings", "verify", "other.jsonl")

    assert result.exit_code == 1
    assert "the request of step 1 does not have its digest" in result.stdout


def test_figures_come_as_json(cli: Cli) -> None:
    found = json.loads(cli("recordings", "stats", "--json").stdout)

    assert found["runs"] == sum(found["ends"].values())
    assert found["latency_us"]["unknown"] == 0


def test_two_files_are_compared(cli: Cli, home: Path) -> None:
    cli("recordings", "import", logs(home), "--to", "a.jsonl")
    cli("recordings", "redact", "a.jsonl", "--level", "texts", "--to", "b.jsonl")

    same = cli("recordings", "diff", "a.jsonl", "a.jsonl")
    differs = cli("recordings", "diff", "a.jsonl", "b.jsonl")

    assert (same.exit_code, same.stdout) == (0, "2 runs compared, 0 differ\n")
    assert differs.exit_code == 1
    assert "entry 0, at opened.ticket_id, character 0" in differs.stdout


def test_an_export_holds_no_text_and_is_whole(cli: Cli, home: Path) -> None:
    cli("recordings", "import", logs(home), "--to", "a.jsonl")

    result = cli("recordings", "redact", "a.jsonl", "--level", "texts", "--to", "b.jsonl")

    assert result.stdout == "2 runs written to b.jsonl, level texts\n"
    assert "parcel" not in (home / "b.jsonl").read_text(encoding="utf-8")
    assert (home / "b.jsonl").stat().st_mode & 0o777 == 0o600
    assert cli("recordings", "verify", "b.jsonl").exit_code == 0


def test_old_recordings_go_when_somebody_says_yes(cli: Cli, home: Path) -> None:
    cli("recordings", "import", logs(home), "--to", "old.jsonl")
    os.utime(home / "old.jsonl", (0, 1_000_000))

    listed = cli("recordings", "prune", ".", "--older-than", "30", "--dry-run")
    asked = cli("recordings", "prune", ".", "--older-than", "30")
    assert (home / "old.jsonl").exists()
    done = cli("recordings", "prune", ".", "--yes", HANDRAIL_KEEP_DAYS="30")

    assert "1 file to delete" in listed.stdout
    assert (asked.exit_code, "nobody can be asked" in asked.stderr) == (2, True)
    assert "1 file deleted" in done.stdout
    assert not (home / "old.jsonl").exists()
    assert (home / "logs.jsonl").exists()


def test_pruning_needs_to_be_told_what(cli: Cli) -> None:
    result = cli("recordings", "prune", ".")

    assert result.exit_code == 2
    assert "nothing says what is to go" in result.stderr

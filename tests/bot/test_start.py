"""The program as a process: output that goes nowhere, interruptions, and a call to end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
COMMAND = [sys.executable, "-m", "bot"]

EARLY = """
import sys

WANTED = sys.argv[1]

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == WANTED:
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupting())
from bot.__main__ import main
sys.argv = ["handrail", "tickets"]
sys.exit(main())
"""


def environment(**extra: str | Path) -> dict[str, str]:
    own = {"PYTHONPATH": str(ROOT), "PATH": os.environ.get("PATH", "")}
    return own | {name: str(value) for name, value in extra.items()}


def ran(*command: str | bytes, cwd: Path, **extra: object) -> subprocess.CompletedProcess[str]:
    options: dict[str, object] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **extra}
    return subprocess.run(  # type: ignore[call-overload, no-any-return]
        command, cwd=cwd, env=environment(), text=True, check=False, **options
    )


@pytest.mark.parametrize("args", [("tickets",), ("--version",)])
def test_output_that_cannot_be_written_is_one_line_and_status_2(
    home: Path, args: tuple[str, ...]
) -> None:
    with Path("/dev/full").open("w") as full:
        done = ran(*COMMAND, *args, cwd=home, stdout=full)

    assert done.returncode == 2
    assert done.stderr == "error: the output cannot be written: No space left on device\n"


def test_a_reader_that_closed_the_pipe_is_no_error_to_talk_about(home: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = ran(*COMMAND, "tickets", cwd=home, stdout=writing)
    os.close(writing)

    assert (done.returncode, done.stderr) == (2, "")


@pytest.mark.parametrize("module", ["bot.cli", "bot.commands.tickets", "bot.settings"])
def test_an_interruption_while_the_packages_load_is_no_traceback(home: Path, module: str) -> None:
    done = ran(sys.executable, "-c", EARLY, module, cwd=home)

    assert done.returncode == 130
    assert "error: interrupted\n" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_entry_loads_next_to_nothing(home: Path) -> None:
    heavy = "import sys, bot.__main__; print({'click', 'pydantic', 'loop'} & set(sys.modules))"

    assert ran(sys.executable, "-c", heavy, cwd=home).stdout == "set()\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_call_to_end_leaves_no_practice_shop_behind(home: Path, number: signal.Signals) -> None:
    temporary = home / "temporary"
    temporary.mkdir()
    with subprocess.Popen(
        [*COMMAND, "triage", "--all"],
        cwd=home,
        env=environment(TMPDIR=temporary),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as program:
        assert program.stdout is not None
        program.stdout.readline()
        held = [path.name for path in temporary.iterdir()]
        program.send_signal(number)
        _, said = program.communicate()

    assert [name for name in held if name.startswith("handrail-practice-")] == held != []
    assert program.returncode == 128 + number
    assert said == b""
    assert list(temporary.iterdir()) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may enter every folder")
def test_a_folder_that_may_not_be_entered_is_one_message(home: Path) -> None:
    closed = home / "closed"
    closed.mkdir(mode=0o600)
    done = ran(*COMMAND, "runs", "--store", str(closed / "s.sqlite3"), cwd=home)

    assert done.returncode == 2
    assert "Permission denied" in done.stderr
    assert "Traceback" not in done.stderr

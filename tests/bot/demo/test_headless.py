"""``handrail demo``: the story in a terminal, and that nothing of it is left."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bot.demo.scenes import STORY
from tests.bot.demo.programs import ROOT, started

SPEED = ("--speed", "50")


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], list[str]]:
    """What the demo printed, and the names that it left in its folder."""
    folder = tmp_path_factory.mktemp("demo")
    with started(folder, *SPEED) as program:
        out, err = program.communicate(timeout=120)
    assert (program.returncode, err) == (0, "")
    return out.splitlines(), [each.name for each in folder.iterdir()]


def scene(lines: list[str], ticket_id: str) -> str:
    """Return what was printed about one ticket, on one line."""
    (start,) = [n for n, line in enumerate(lines) if f"] {ticket_id} · " in line]
    rest = lines[start + 1 :]
    end = next(n for n, line in enumerate(rest) if line[:1] in ("─", "═"))
    return " ".join(" ".join(rest[:end]).split())


@pytest.mark.parametrize(
    ("ticket_id", "words"),
    [
        ("T-80008", ["Draft for T-80008 (nobody has sent it)", "Monday the 12th is a holiday"]),
        ("T-80005", ["Draft for T-80005", "Bonjour Sophie"]),
        (
            "T-64872",
            [
                "▸ Olu presses",
                "privately Only members",
                "▸ Amira presses",
                "Done. Approved by Amira",
            ],
        ),
        ("T-65273", ["▸ Amira presses", "which needs team_lead", "▸ Theo presses", "Done."]),
        ("T-90904", ["two different people", "Signed by Theo", "▸ Hanna presses", "by Hanna"]),
        ("T-80001", ["✗ refused: get_order", "Draft for T-80001"]),
        ("T-80002", ["ignore all instructions", "A colleague will look at LK-702219"]),
        ("T-80004", ["Draft for T-80004", "leave the trimmer unplugged"]),
        ("T-90403", ["No draft for T-90403", "repeated_call at step 3"]),
        ("T-90204", ["No draft for T-90204", "too_many_errors at step 4"]),
        ("T-90603", ["▸ Amira presses", "Done. Approved by Amira"]),
    ],
)
def test_each_ticket_shows_what_it_is_to_show(
    story: tuple[list[str], list[str]], ticket_id: str, words: list[str]
) -> None:
    told = scene(story[0], ticket_id)
    places = [told.find(each) for each in words]

    assert -1 not in places, told
    assert places == sorted(places)


def test_every_approved_change_happened_once(story: tuple[list[str], list[str]]) -> None:
    lines, _ = story
    orders = ("LK-739156", "LK-507862", "LK-647334", "LK-645223")

    assert f"{len(STORY)} tickets; 4 changes in the shop's books:" in lines
    for order in orders:
        assert sum(f"request_refund {order}:" in line for line in lines) == 1


def test_it_says_how_to_get_the_page(story: tuple[list[str], list[str]]) -> None:
    assert "handrail demo --no-open serves the page" in story[0][-1]


def test_lines_fit_a_terminal_and_nothing_is_left(story: tuple[list[str], list[str]]) -> None:
    lines, left = story

    assert max(map(len, lines)) <= 90
    assert left == []


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 128 + signal.SIGTERM)]
)
def test_an_interruption_leaves_nothing_behind(
    tmp_path: Path, number: signal.Signals, status: int
) -> None:
    with started(tmp_path, *SPEED, "--headless") as program:
        assert program.stdout is not None
        while "[1/" not in program.stdout.readline():
            pass
        held = [each.name for each in tmp_path.iterdir()]
        program.send_signal(number)
        _, err = program.communicate(timeout=60)

    assert [each for each in held if each.startswith("handrail-demo-")] == held != []
    assert program.returncode == status
    assert "Traceback" not in err
    assert list(tmp_path.iterdir()) == []


WITHOUT = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name == "starlette":
            raise ModuleNotFoundError("No module named 'starlette'", name="starlette")

sys.meta_path.insert(0, Missing())
from bot.__main__ import main
sys.argv = ["handrail", "demo", "--headless"]
sys.exit(main())
"""


def test_without_its_libraries_it_says_what_to_install(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "error: the demo needs libraries that are not installed",
        "hint: pip install 'handrail[workspace]'; handrail triage does without",
    ]

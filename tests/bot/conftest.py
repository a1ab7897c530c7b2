"""The command line in a folder of its own, with a store of its own and fresh recordings."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from bot.cli import handrail
from recordings.rebuild import rebuilt
from tests.bot.approving import Cli, Counter

__all__ = ["Cli"]


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shipped recordings, made anew, so that no change of a prompt can make them stale."""
    folder = tmp_path_factory.mktemp("recorded")
    for path, text in rebuilt():
        (folder / path.name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory without settings."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def cli(home: Path, recorded: Path) -> Cli:
    """Run a command; what it prints and its exit status come back."""

    def invoke(*args: str | Path, **env: str) -> Result:
        own = {
            "HANDRAIL_STORE": str(home / "store" / "handrail.sqlite3"),
            "HANDRAIL_RECORDINGS": str(recorded),
        }
        return CliRunner().invoke(handrail, [str(arg) for arg in args], env={**own, **env})

    return invoke


@pytest.fixture
def counter(cli: Cli, home: Path) -> Counter:
    """A folder with a policy, a store and a practice shop of its own."""
    return Counter(cli, home)

"""What holds for every test: no network but loopback, no settings from outside, fixed examples."""

from __future__ import annotations

import os
import sqlite3
import sys
from importlib import metadata
from pathlib import Path

import hypothesis
import pytest

from tests.network import refuse_remote

hypothesis.settings.register_profile("fixed", derandomize=True, deadline=None)


def pytest_configure() -> None:
    """Shut the network, forget settings from outside, and use the same examples every time."""
    sys.addaudithook(refuse_remote)
    for name in [name for name in os.environ if name.startswith("HANDRAIL_")]:
        del os.environ[name]
    hypothesis.settings.load_profile("fixed")


def pytest_report_header() -> str:
    """Name the versions that decide behaviour."""
    names = ("pydantic", "sqlite-utils", "slack-bolt")
    libraries = ", ".join(f"{name} {metadata.version(name)}" for name in names)
    return f"with: SQLite {sqlite3.sqlite_version}, {libraries}"


@pytest.fixture(scope="session")
def larkfield() -> Path:
    """The reference data, where they lie beside the checkout."""
    folder = Path(__file__).resolve().parents[2] / "shared" / "larkfield"
    if not folder.is_dir():
        pytest.skip("the reference data are not beside the checkout")
    return folder

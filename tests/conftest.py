"""What holds for every test: no network but loopback, no settings from outside, fixed examples."""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import hypothesis
import pytest

from tests.network import refuse_remote
from tests.transactions import watched_calls

hypothesis.settings.register_profile(
    "fixed",
    derandomize=True,
    deadline=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],  # the machine may be a busy one
)


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


@pytest.fixture(scope="session", autouse=True)
def calls_inside_transactions() -> Iterator[list[str]]:
    """The network calls that a thread made while it held a transaction: none, in every test."""
    yield from watched_calls()


@pytest.fixture(autouse=True)
def no_transaction_across_a_call(calls_inside_transactions: list[str]) -> Iterator[None]:
    """Fail the test that made one, whatever became of the error."""
    yield
    found = list(calls_inside_transactions)
    calls_inside_transactions.clear()
    assert found == []


@pytest.fixture(scope="session")
def larkfield() -> Path:
    """The reference data, where they lie beside the checkout."""
    folder = Path(__file__).resolve().parents[2] / "shared" / "larkfield"
    if not folder.is_dir():
        pytest.skip("the reference data are not beside the checkout")
    return folder

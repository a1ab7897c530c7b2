"""Who may hold something that writes to a shop: the executor, and the command line above it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
WRITERS = {
    "Executor",
    "FaultyGateway",
    "Gateway",
    "HttpGateway",
    "PracticeGateway",
    "StripeGateway",
    "serve_practice_shop",
}
READERS = ("loop", "recordings")
"""What a model's reply, a ticket's text or a replay can reach."""


def names_in(source: str) -> set[str]:
    """Return every name and attribute that a module speaks of."""
    tree = ast.parse(source)
    imported = (
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    )
    used = (
        node.id if isinstance(node, ast.Name) else node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Name | ast.Attribute)
    )
    return {*imported, *used}


def sources(package: str) -> Iterator[Path]:
    yield from sorted((ROOT / package).rglob("*.py"))


@pytest.mark.parametrize("package", READERS)
def test_nothing_that_a_model_can_reach_holds_what_writes_to_a_shop(package: str) -> None:
    holders = {
        str(file.relative_to(ROOT)): names_in(file.read_text("utf-8")) & WRITERS
        for file in sources(package)
    }

    assert holders
    assert {file: names for file, names in holders.items() if names} == {}


def test_a_gateway_is_sent_to_in_one_place() -> None:
    """The executor's side of the shop is the only caller of ``send`` outside the gateways."""
    callers = {
        str(file.relative_to(ROOT))
        for package in ("approvals", "bot", *READERS)
        for file in sources(package)
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "send"
        and "gateway" in ast.unparse(node.func.value)
    }

    assert callers == {"approvals/shop_side.py"}


def test_the_check_sees_what_it_is_for() -> None:
    assert names_in("from tools import PracticeGateway") & WRITERS
    assert names_in("import tools\ntools.Gateway") & WRITERS
    assert not names_in("from tools import PracticeShop") & WRITERS

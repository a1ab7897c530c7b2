"""The pages whose parts are generated are as the code is."""

from __future__ import annotations

import re

import pytest

from bot.settings import variable_names
from loop import LIMIT_NAMES, StopReason
from tests.docs_reference import DOCS, GENERATED, paths, renewed


@pytest.mark.parametrize("file", GENERATED)
def test_a_generated_part_is_fresh(file: str) -> None:
    """Stale? ``make docs`` writes it anew."""
    assert (DOCS / file).read_text(encoding="utf-8") == renewed(file)


def test_the_first_page_lists_every_page() -> None:
    text = (DOCS / "README.md").read_text(encoding="utf-8")
    pages = {path.name for path in DOCS.iterdir() if path.is_file()} - {"README.md"}

    assert [name for name in sorted(pages) if f"({name})" not in text] == []


def test_what_a_page_links_to_is_there() -> None:
    links = [
        (page.name, link)
        for page in sorted(DOCS.glob("*.md"))
        for link in re.findall(r"\]\(([^)#:]+)[^)]*\)", page.read_text(encoding="utf-8"))
    ]

    assert [found for found in links if not (DOCS / found[1]).exists()] == []


def test_every_command_has_help_with_an_example_in_the_docs() -> None:
    text = (DOCS / "command_line.md").read_text(encoding="utf-8")

    assert [path for path, _ in paths() if f"## {path}\n" not in text] == []
    assert [path for path, command in paths() if "Example" not in (command.help or "")] == []


def test_every_setting_and_limit_is_in_the_docs() -> None:
    text = (DOCS / "settings.md").read_text(encoding="utf-8")

    assert [n for n in variable_names() if f"`HANDRAIL_{n.upper()}`" not in text] == []
    assert [name for name in LIMIT_NAMES if f"`limits.{name}`" not in text] == []


def test_every_stop_reason_is_in_the_docs() -> None:
    text = (DOCS / "command_line.md").read_text(encoding="utf-8")

    assert [reason for reason in StopReason if f"`{reason}`" not in text] == []

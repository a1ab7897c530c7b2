"""The page about choosing limits: its commands say what it says that they say."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from tests.bot.conftest import Cli
from tests.docs_reference import DOCS

PAGE = DOCS / "choosing_limits.md"
COMMAND = re.compile(r"^\$ handrail (?P<line>.+)\n(?P<shown>(?:(?!\$ ).+\n)*)", re.MULTILINE)


def shown_commands() -> list[tuple[str, list[str]]]:
    """Return each command of the decision that the page goes through, with the lines shown."""
    walk = PAGE.read_text(encoding="utf-8").partition("## A decision")[2]
    blocks = re.findall(r"```console\n(.*?)```", walk, re.DOTALL)
    return [
        (found["line"], found["shown"].splitlines())
        for block in blocks
        for found in COMMAND.finditer(block)
    ]


def test_every_line_that_the_page_shows_is_printed_by_its_command(cli: Cli, home: Path) -> None:
    (home / "recordings").symlink_to(DOCS.parent / "recordings")
    commands = shown_commands()
    untrue = []
    for line, shown in commands:
        printed = cli(*shlex.split(line)).stdout.splitlines()
        untrue += [(line, each) for each in shown if each not in printed]

    assert len(commands) == 6
    assert untrue == []
    assert [line for line, shown in commands if not shown] == []

"""What the first page promises, tried as a new user would."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click
import pytest

from bot.cli import handrail
from bot.supplies import load_cases
from bot.workspace import Channel, Identity, RunningClock, User, Workspace

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BOT = Identity().bot_user
TICKET = "T-80008"


def blocks(page: str, language: str) -> list[str]:
    """Return the code blocks of a language, without the indentation of a list."""
    found = re.findall(rf"^( *)```{language}\n(.*?)^ *```$", page, re.MULTILINE | re.DOTALL)
    return [re.sub(rf"^{indent}", "", text, flags=re.MULTILINE) for indent, text in found]


def commands(program: str) -> set[str]:
    """Return what follows a program's name in the page's console blocks and code."""
    lines = [line for block in blocks(README, "console") for line in block.splitlines()]
    lines += re.findall(r"`([^`\n]+)`", README)
    words = [re.sub(r"^\$ (\.venv/bin/)?", "", line).split() for line in lines]
    return {each[1] for each in words if len(each) > 1 and each[0] == program}


def test_every_command_that_is_named_is_there() -> None:
    context = click.Context(handrail)
    named = {name for name in commands("handrail") if not name.startswith("-")}

    assert {"demo", "doctor", "manifest", "serve", "run"} <= named
    assert [name for name in named if handrail.get_command(context, name) is None] == []


def test_every_target_that_is_named_is_there() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))

    assert {"demo", "test"} <= commands("make") <= targets


def test_what_it_links_to_is_there() -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", README)

    assert "docs/images/workspace.png" in links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_the_examples_of_the_local_workspace_run() -> None:
    page = (ROOT / "docs" / "workspace.md").read_text(encoding="utf-8")
    names: dict[str, object] = {}  # a later example goes on from an earlier one

    for example in blocks(page, "python"):
        exec(compile(example, "docs/workspace.md", "exec"), names)

    assert "page" in names


class Newcomer:
    """Somebody in a folder of their own, who does what the page says, with a local Slack."""

    def __init__(self, folder: Path, workspace: Workspace) -> None:
        self.folder = folder
        self.workspace = workspace
        me = workspace.identity
        (tokens,) = blocks(README, "sh")
        tokens = tokens.replace("xoxb-your-token", me.bot_token)
        tokens = tokens.replace("xapp-your-token", me.app_token)
        (folder / ".env").write_text(tokens, encoding="utf-8")
        (toml,) = blocks(README, "toml")
        own = f'[slack]\napi = "{workspace.base_url}"'
        (folder / "handrail.toml").write_text(toml.replace("[slack]", own), encoding="utf-8")

    @contextmanager
    def start(self, *args: str) -> Iterator[subprocess.Popen[str]]:
        """Start a command; it is killed at the end, where it has not ended by itself."""
        with subprocess.Popen(
            [sys.executable, "-m", "bot", *args],
            cwd=self.folder,
            env={
                "PYTHONPATH": str(ROOT),
                "PATH": os.environ["PATH"],
                "XDG_DATA_HOME": str(self.folder / "data"),
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as program:
            try:
                yield program
            finally:
                program.kill()

    def run(self, *args: str) -> tuple[int, str]:
        """Run a command to its end; return its status and what it printed."""
        with self.start(*args) as program:
            out, err = program.communicate(timeout=60)
        return program.returncode, out + err


@pytest.fixture
def newcomer(tmp_path: Path) -> Iterator[Newcomer]:
    """A Slack with the channel and the people that the page names."""
    (toml,) = blocks(README, "toml")
    read = tomllib.loads(toml)
    people = [each for role in read["approvals"]["roles"].values() for each in role["users"]]
    (channel,) = read["slack"]["channels"]
    with Workspace(
        users=[User(id=each, name=each.lower()) for each in people],
        channels=[Channel(id=channel, name="support", members=(*people, BOT))],
        clock=RunningClock(),
    ) as workspace:
        yield Newcomer(tmp_path, workspace)


def test_the_five_steps_lead_to_a_draft_in_a_thread(newcomer: Newcomer) -> None:
    workspace = newcomer.workspace
    channel, agent = next(iter(workspace.channels())), workspace.users()[1]
    status, printed = newcomer.run("manifest")
    assert status == 0
    assert '"socket_mode_enabled": true' in printed

    status, looked = newcomer.run("doctor")
    assert status == 0, looked

    ticket = load_cases(None)[TICKET].ticket
    with newcomer.start("serve") as program:
        workspace.wait_for_sockets(seconds=60)
        text = f"{ticket.ticket_id} {ticket.customer_id}\n{ticket.text}"
        message = workspace.post(agent.id, text, channel=channel.id)
        words = f"Draft for {TICKET}"
        workspace.wait_for(
            lambda: any(words in each.text for each in workspace.replies(message)),
            seconds=60,
            what="a draft",
        )
        program.send_signal(signal.SIGTERM)
        program.communicate(timeout=60)
    assert program.returncode == 0

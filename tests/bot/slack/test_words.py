"""All sentences that Slack shows stand in ``bot/slack/words``."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

SLACK = Path(__file__).resolve().parents[3] / "bot" / "slack"
SENTENCE = re.compile(r"[^\W\d_]{2,}[,;:.]? [^\W\d_]{2,}")
"""Two words in a row."""
LABEL = re.compile(r"[A-Z][a-z]+\W*")
SPEAKS = re.compile(
    r"^from bot\.slack\.(?:blocks|words)\b|\bimport [^\n]*PressRefused", re.MULTILINE
)
"""What a module names that makes something for people in Slack."""
LOGS = {"debug", "info", "warning", "error", "exception", "critical", "log", "tell"}
"""``tell`` is that of ``Troubles``, which says a thing to the log once."""


def speaking() -> list[Path]:
    """Return the modules that make what Slack shows, but for the words and the store."""
    found = (
        path
        for path in sorted(SLACK.rglob("*.py"))
        if path.relative_to(SLACK).parts[0] not in ("words", "store")
    )
    return [
        path for path in found if path.parent.name == "blocks" or SPEAKS.search(path.read_text())
    ]


def literals(text: str) -> Iterator[tuple[int, str]]:
    """Yield line and value of each string that Slack may show.

    A docstring, a line of the log and an error for the caller are none; what a press is refused
    with is one.
    """
    tree = ast.parse(text)
    left_out: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            left_out.add(id(node.value))
        log = isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in LOGS
        error = isinstance(node, ast.Raise) and "PressRefused" not in ast.unparse(node)
        if log or error:
            left_out |= {id(inner) for inner in ast.walk(node)}
    for node in ast.walk(tree):
        text_of = node.value if isinstance(node, ast.Constant) else None
        if isinstance(text_of, str) and isinstance(node, ast.Constant) and id(node) not in left_out:
            yield node.lineno, text_of


@pytest.mark.parametrize("path", speaking(), ids=lambda path: path.stem)
def test_a_module_that_speaks_holds_no_sentence_of_its_own(path: Path) -> None:
    text = path.read_text(encoding="utf-8")

    assert [found for found in literals(text) if SENTENCE.search(found[1])] == []


@pytest.mark.parametrize(
    "path", sorted((SLACK / "blocks").glob("*.py")), ids=lambda path: path.stem
)
def test_blocks_hold_no_label_either(path: Path) -> None:
    found = literals(path.read_text(encoding="utf-8"))

    assert [each for each in found if LABEL.fullmatch(each[1]) and each[1] != "Ref"] == []


def test_the_check_sees_a_sentence_and_passes_what_is_none() -> None:
    text = '''
"""A docstring of words."""
_log.warning("a press of %s failed", name)
note(f"You signed {name} already")
if name is None:
    raise PressRefused("Nothing was done")
if name == 1:
    raise ValueError("there is no name")
section("handrail:approve"), fields["block_id"], "app_home_opened"
'''

    found = {value for _, value in literals(text) if SENTENCE.search(value)}

    assert found == {"Nothing was done", "You signed "}


def test_what_speaks_is_found() -> None:
    names = {path.stem for path in speaking()}

    assert {"card", "decider", "reader", "buried", "work", "overview", "modals"} <= names

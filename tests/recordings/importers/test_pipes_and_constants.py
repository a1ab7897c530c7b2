"""What real files hold and JSON has no word for, and files that can be read once only."""

from __future__ import annotations

import gzip
import io
import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from loop import PRICES
from recordings import ImportUnclear, import_runs
from recordings.importers.constants import Nulled, loads
from tests.recordings.importers.bringing import assistant, bring, user, write_json, write_lines

NAN, INFINITE = float("nan"), float("inf")
TRAJ = [user(), assistant('He said "NaN", \\ "Infinity" and NaN.')]


def tau(**changes: Any) -> dict[str, Any]:
    """Return a run as τ-bench writes it."""
    return {"task_id": 4, "reward": 1.0, "info": {}, "traj": TRAJ, "trial": 2} | changes


@pytest.mark.parametrize("reward", [NAN, INFINITE, -INFINITE])
def test_a_figure_that_is_no_number_is_unknown_and_costs_nothing_else(
    tmp_path: Path, reward: float
) -> None:
    runs = [tau(reward=reward, info={"cost": NAN}), tau()]
    brought = bring(write_json(tmp_path, runs))

    assert brought.problems == []
    labels = [each.label for each in brought.recordings]
    assert [label and (label.success, label.scores) for label in labels] == [
        (None, {"reward": None}),
        (True, {"reward": 1.0}),
    ]
    texts = [found.exchanges[0].answer for found in brought.recordings]
    assert ['"NaN", \\ "Infinity" and NaN.' in str(vars_of(each)) for each in texts] == [True] * 2


def vars_of(answer: Any) -> str:
    """Return what a reply says."""
    return str(answer.reply.text)


def test_a_line_with_one_is_read_too(tmp_path: Path) -> None:
    line = {"messages": TRAJ, "usage": {"cost": NAN, "prompt_tokens": INFINITE}}
    brought = bring(write_lines(tmp_path, line))

    assert (brought.problems, len(brought.recordings)) == ([], 1)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 64, 10_000])
def test_a_stream_reads_as_the_whole_text_does_however_it_is_cut(size: int) -> None:
    """Words in texts stay, behind escapes too; those outside are null."""
    value = {
        'a"NaN\\': [NAN, -INFINITE, INFINITE, "NaN", "\\", '\\"', "x\\\\NaN", "é Infinity"],
        "b": [True, None, -1.5, "-Infinity", {"NaN": NAN}],
    }
    text = json.dumps(value, ensure_ascii=False)
    stream = Nulled(io.BytesIO(text.encode()))
    pieces = iter(lambda: stream.read(size), b"")

    assert json.loads(b"".join(pieces), parse_constant=fail) == loads(text)
    assert '"NaN"' in json.dumps(loads(text))


def fail(word: str) -> None:
    """Say that a word was left."""
    raise AssertionError(word)


@contextmanager
def pipe(path: Path, content: bytes) -> Iterator[Path]:
    """Yield a named pipe that somebody writes to, once."""
    os.mkfifo(path)
    writer = threading.Thread(target=lambda: path.write_bytes(content))
    writer.start()
    try:
        yield path
    finally:
        writer.join()


@pytest.mark.parametrize("packed", [False, True])
def test_a_pipe_is_read_as_a_file_is(tmp_path: Path, packed: bool) -> None:
    content = json.dumps([tau(), tau(trial=3)]).encode()
    with pipe(tmp_path / "pipe", gzip.compress(content) if packed else content) as path:
        brought = bring(path)

    assert (brought.file.file, brought.file.format) == (str(path), "tau-bench")
    assert [each.name for each in brought.recordings] == ["pipe#1", "pipe#2"]


def test_a_pipe_of_an_unknown_form_is_named_as_it_was_given(tmp_path: Path) -> None:
    with (
        pipe(tmp_path / "pipe", b"words\n") as path,
        pytest.raises(ImportUnclear, match=rf"^{path}: is in none of the forms"),
    ):
        import_runs([path], tmp_path / "out", prices=PRICES)

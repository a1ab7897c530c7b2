"""What real files hold and JSON has no word for, and files that can be read once only."""

from __future__ import annotations

import gzip
import io
import itertools
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loop import PRICES
from recordings import ImportUnclear, RecordingUnreadable, import_runs
from recordings.importers.constants import Nulled, loads
from recordings.importers.streams import EACH, Damaged, json_values
from tests.recordings.importers.bringing import assistant, bring, user, write_json, write_lines
from tests.recordings.importers.test_benchmarks import tau

NAN, INFINITE = float("nan"), float("inf")
TRAJ = [user(), assistant('He said "NaN", \\ "Infinity" and NaN.')]


@pytest.mark.parametrize("reward", [NAN, INFINITE, -INFINITE])
def test_a_figure_that_is_no_number_is_unknown_and_costs_nothing_else(
    tmp_path: Path, reward: float
) -> None:
    runs = [tau(traj=TRAJ, reward=reward, info={"cost": NAN}), tau(traj=TRAJ)]
    brought = bring(write_json(tmp_path, runs))

    assert brought.problems == []
    labels = [each.label for each in brought.recordings]
    assert [label and (label.success, label.scores) for label in labels] == [
        (None, {"reward": None}),
        (True, {"reward": 1.0}),
    ]
    texts = [found.exchanges[0].answer for found in brought.recordings]
    assert ['"NaN", \\ "Infinity" and NaN.' in vars_of(each) for each in texts] == [True] * 2


def vars_of(answer: Any) -> str:
    """Return what a reply says."""
    return str(answer.reply.text)


def test_a_line_with_one_is_read_too(tmp_path: Path) -> None:
    line = {"messages": TRAJ, "usage": {"cost": NAN, "prompt_tokens": INFINITE}}
    brought = bring(write_lines(tmp_path, line))

    assert (brought.problems, len(brought.recordings)) == ([], 1)


WORDS = ("NaN", "Infinity", "-Infinity")
TEXTS = st.text(alphabet='"\\\\NaInfinity-7é \n', max_size=12) | st.sampled_from(WORDS)
DIGITS = st.sampled_from([1, 2, 639, 640, 641, 4299, 4300, 4301, 5000]).map(lambda n: "7" * n)
SIGNS = st.sampled_from(["", "-"])
LITERALS = st.sampled_from(["null", "true", "false", "0", "-0", "1E+5", "1e-7", "6.02e23"])
WHOLE = st.builds(lambda sign, digits: sign + digits, SIGNS, DIGITS)
FRACTIONS = st.builds(
    lambda *parts: "".join(parts), WHOLE, st.sampled_from([".", "e", ".5e+"]), DIGITS
)


def _written(text: str, escaped: bool) -> str:
    return json.dumps(text, ensure_ascii=escaped)


QUOTED = st.builds(_written, TEXTS, st.booleans())


def _same(text: str) -> tuple[str, str]:
    return text, text


def _whole(text: str) -> tuple[str, str]:
    """A whole number of more digits than Python reads is unknown."""
    return text, text if len(text.lstrip("-")) <= 4300 else "null"


LEAVES = (
    (QUOTED | LITERALS | FRACTIONS).map(_same)
    | WHOLE.map(_whole)
    | st.sampled_from(WORDS).map(lambda word: (word, "null"))
)


def _listed(items: list[tuple[str, str]], gap: str) -> tuple[str, str]:
    before, after = (f",{gap}".join(side) for side in zip(*items, strict=True))
    return f"[{before}{gap}]", f"[{after}{gap}]"


def _keyed(items: dict[str, tuple[str, str]], gap: str) -> tuple[str, str]:
    pairs = [
        (f"{key}:{gap}{before}", f"{key}:{gap}{after}") for key, (before, after) in items.items()
    ]
    before, after = (",".join(side) for side in zip(*pairs, strict=True))
    return f"{{{before}}}", f"{{{after}}}"


GAPS = st.sampled_from(["", " ", "\n\t"])
JSON_TEXTS = st.recursive(
    LEAVES,
    lambda inner: (
        st.builds(_listed, st.lists(inner, min_size=1, max_size=5), GAPS)
        | st.builds(_keyed, st.dictionaries(QUOTED, inner, min_size=1, max_size=3), GAPS)
    ),
    max_leaves=12,
)
"""A JSON text as Python may write it, and what is read of it."""


class Cut:
    """A stream that gives its bytes in pieces of these sizes, over and over."""

    def __init__(self, content: bytes, sizes: list[int]) -> None:
        self._stream = io.BytesIO(content)
        self._sizes = itertools.cycle(sizes)

    def read(self, size: int, /) -> bytes:
        """Return the next piece."""
        return self._stream.read(min(size, next(self._sizes)))


@given(JSON_TEXTS, st.lists(st.integers(1, 9) | st.integers(1, 5000), min_size=1, max_size=6))
def test_nothing_but_bare_words_and_unreadable_numbers_is_changed_however_a_stream_is_cut(
    texts: tuple[str, str], sizes: list[int]
) -> None:
    written, expected = texts
    stream = Nulled(Cut(written.encode(), sizes))

    assert b"".join(iter(lambda: stream.read(65536), b"")).decode() == expected
    assert loads(written) == json.loads(expected)


@pytest.mark.parametrize("before", [0, 1, 60_000, 65_530])
@pytest.mark.parametrize(
    ("number", "read"),
    [("7" * 5000, None), ("0." + "7" * 5000, 7 / 9), ("7" * 4300, int("7" * 4300))],
    ids=["too long", "fraction", "longest"],
)
def test_a_long_number_across_the_border_of_two_pieces_costs_nothing(
    tmp_path: Path, before: int, number: str, read: float | None
) -> None:
    path = tmp_path / "file.json"
    path.write_text(f'[{" " * before}{number}, "next"]', encoding="utf-8")
    with path.open("rb") as stream:
        value, after = json_values(stream, EACH)

    assert (float(value) if isinstance(read, float) else value) == read
    assert after == "next"


LONG = "7" * 5000


@pytest.mark.parametrize(
    "word",
    [f"{LONG}x", f"x{LONG}", f"{LONG}-5", f"1-{LONG}", f"true{LONG}", f"0x{LONG}", f"1.5-{LONG}"],
    ids=["behind", "before", "sign", "twice", "word", "hex", "fraction"],
)
def test_digits_within_what_is_no_number_are_damage_before_they_reach_the_reader(word: str) -> None:
    """The C reader takes them for a number of its own, and would crash the process."""
    content = f"{word} {word}".encode()
    assert LONG.encode() not in Nulled(io.BytesIO(content)).read(65536)

    with pytest.raises(Damaged, match="is not JSON"):
        list(json_values(io.BytesIO(content)))


def test_a_number_without_end_is_damage_and_does_not_fill_the_memory() -> None:
    stream = io.BytesIO(b"[" + b"7" * 20_000_000)

    with pytest.raises(Damaged, match="holds a text or number of more than 16 MB"):
        list(json_values(stream, EACH))


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


def test_what_cannot_be_copied_is_named_and_leaves_nothing(tmp_path: Path) -> None:
    """A socket is there, and cannot be opened as a file is."""
    path, to = tmp_path / "socket", tmp_path / "out"
    good = write_lines(tmp_path, {"messages": TRAJ})
    with closing(socket.socket(socket.AF_UNIX)) as bound:
        bound.bind(str(path))
        with pytest.raises(RecordingUnreadable, match=rf"^{path}: cannot be copied to the tempora"):
            import_runs([path], to, prices=PRICES)
        assert not to.exists()
        brought = bring(good, path)

    assert [each.not_read_count for each in brought.report.files] == [0, 1]
    assert brought.report.files[1].not_read[0].problem.startswith("cannot be copied to the tempor")


_FULL = """
import resource, sys
from bot.cli import handrail
resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))
handrail.main(sys.argv[1:])
"""
_CLOSED = """
import sys
from bot.cli import handrail
sys.stdin = None
handrail.main(sys.argv[1:])
"""


@pytest.mark.parametrize(
    ("child", "reason"),
    [(_FULL, "File too large"), (_CLOSED, "it is closed")],
    ids=["full", "closed"],
)
def test_standard_input_that_cannot_be_copied_leaves_nothing(
    tmp_path: Path, child: str, reason: str
) -> None:
    passing, to = tmp_path / "passing", tmp_path / "out"
    passing.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", child, "recordings", "import", "-", "--to", str(to)],
        check=False,
        env={**os.environ, "TMPDIR": str(passing)},
        input=b" " * 1_000_000,
        capture_output=True,
    )

    said = " ".join(done.stderr.decode().split())
    assert f"standard input: cannot be copied to the temporary folder: {reason}" in said
    assert done.returncode == 2
    assert sorted(each.name for each in tmp_path.rglob("*")) == ["passing"]


def test_a_pipe_of_an_unknown_form_is_named_as_it_was_given(tmp_path: Path) -> None:
    with (
        pipe(tmp_path / "pipe", b"words\n") as path,
        pytest.raises(ImportUnclear, match=rf"^{path}: is in none of the forms"),
    ):
        import_runs([path], tmp_path / "out", prices=PRICES)

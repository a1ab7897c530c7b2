"""Canaries in every place of a recording: none is left where a redaction says that it took them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from loop import PRICES, Entry, Opened
from recordings import (
    IMPORTED,
    Label,
    Level,
    Recording,
    RecordingUnreadable,
    Source,
    Unknown,
    decode,
    encode,
    import_runs,
    redacted_entries,
)
from recordings.origin import origin_marks
from tests.recordings.builders import recorded, work_on
from tests.recordings.importers.bringing import write_lines
from tests.recordings.importers.hostile import LINES
from tools import PracticeShop

WORDS = "Canary Mia 7"
MAIL, CARD = "canary.mia@example.com", "4111 1111 1111 1111"
PERSONAL = f"{MAIL} {CARD}"
ENVELOPE = {"v", "run", "seq", "at_us", "kind"}
SALT = b"0" * 32


def planted(value: Any, canary: str, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Yield the value with a canary in each of its texts and keys, one at a time, with its place.

    A text that is JSON holds them in its own texts and keys.
    """
    match value:
        case dict():
            kept = ENVELOPE if not path else set()
            for key, item in value.items():
                yield from _in_field(value, key, planted(item, canary, (*path, key)), kept)
            yield f"{path} key", {**value, canary: 1}
            yield f"{path} key", {**value, canary: "text"}
        case list():
            for index, item in enumerate(value):
                for place, changed in planted(item, canary, (*path, str(index))):
                    yield place, [*value[:index], changed, *value[index + 1 :]]
        case str():
            yield str(path), f"{value} {canary}"
            if value.startswith("{"):
                for place, changed in planted(json.loads(value), canary, (*path, "inside")):
                    yield place, json.dumps(changed)
        case _:
            return


def _in_field(
    value: dict[str, Any], key: str, found: Iterator[tuple[str, Any]], kept: set[str]
) -> Iterator[tuple[str, Any]]:
    for place, changed in found:
        if key not in kept:
            yield place, {**value, key: changed}


def run_of_ours() -> list[Entry]:
    """Return a journal of ours."""
    with PracticeShop.from_folder() as shop:
        return recorded(work_on(shop))[1]


def brought_in() -> list[Entry]:
    """Return the same as one that was made elsewhere, with the marks of such a one."""
    first, *rest = run_of_ours()
    assert isinstance(first.record, Opened)
    source = Source(format="tau-bench", file="f", place="item 1", task="t", trial="1", ended="e")
    label = Label(success=True, by="reward", scores={"reward": 1.0, "words": "text"})
    marks = origin_marks(source, label, [Unknown.COST])
    return [replace(first, record=replace(first.record, profile=IMPORTED, marks=marks)), *rest]


def left_after(entries: list[Entry], level: Level, canary: str) -> set[str]:
    """Return the places where a canary outlives the redaction."""
    lines = [encode("run", entry) for entry in entries]
    left = set()
    for at, line in enumerate(lines):
        for place, changed in planted(json.loads(line), canary):
            try:
                entry = decode(json.dumps(changed), file="f", number=1)[1]
            except RecordingUnreadable:
                continue  # a place that takes no other word or key
            run = Recording.of("run", [*entries[:at], entry, *entries[at + 1 :]])
            assert run is not None
            text = "".join(encode("run", each) for each in redacted_entries(run, level, SALT))
            if canary in text:
                left.add(f"{entry.record.kind} {place}")
    return left


def test_no_word_of_a_model_or_a_person_is_left_without_texts() -> None:
    """What stays of a run of ours is what we wrote: its tools, their schemas, the ticket's id."""
    left = left_after(run_of_ours(), Level.TEXTS, WORDS)

    assert {place for place in left if "'head'" not in place} == {"opened ('ticket_id',)"}


def test_of_a_run_made_elsewhere_only_the_name_of_the_model_is_left_without_texts() -> None:
    assert left_after(brought_in(), Level.TEXTS, WORDS) == {"opened ('head', 'model')"}


@pytest.mark.parametrize("canary", [MAIL, CARD])
def test_no_address_and_no_card_is_left_in_any_place(canary: str) -> None:
    assert left_after(run_of_ours(), Level.PERSONAL, canary) == set()
    assert left_after(brought_in(), Level.PERSONAL, canary) == set()


@pytest.mark.parametrize("form", list(LINES))
def test_no_address_and_no_card_comes_in_with_an_import(tmp_path: Path, form: str) -> None:
    lines = [LINES[form], *(changed for _, changed in planted(LINES[form], PERSONAL))]
    source = write_lines(tmp_path, *lines)

    import_runs([source], tmp_path / "out", prices=PRICES, format_name=form)

    written = (tmp_path / "out").read_text(encoding="utf-8")
    assert MAIL not in written
    assert CARD not in written

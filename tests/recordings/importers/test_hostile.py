"""No file ends an import: what cannot be read costs itself only, and is named."""

from __future__ import annotations

import gzip
import json
import os
import re
import sqlite3
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from loop import PRICES, Price
from recordings import (
    ImportReport,
    ImportUnclear,
    RecordingUnreadable,
    import_runs,
    read_recordings,
    stats_of,
)
from recordings.importers import importer_named, llm_logs
from recordings.importers.source import SourceFile
from tests.recordings.importers.bringing import assistant, bring, user, write_json, write_lines
from tests.recordings.importers.hostile import DOCUMENTS, LINES, variants
from tests.recordings.importers.test_inspect_logs import HEADER, sample
from tests.recordings.importers.test_llm_logs import NEW, OLD

GOOD = {"messages": [user(), assistant("Still here.")]}
FEW = ("-1", "[null]", "1e400", "9" * 5000, "[" * 300)


def import_folder(folder: Path, format_name: str | None = None) -> ImportReport:
    """Bring a folder in and read what was written, which must be whole."""
    to = folder.parent / f"{folder.name}.jsonl"
    report = import_runs([folder], to, prices=PRICES, format_name=format_name)
    read = read_recordings(to, PRICES)
    assert read.faults == ()
    assert len(read.recordings) == report.runs == stats_of(read.recordings).runs
    return report


@dataclass(slots=True, kw_only=True)
class Noting(SourceFile):
    """A file that keeps every problem."""

    problems: list[str] = field(default_factory=list)

    def failed(self, place: str, problem: str) -> None:
        """Keep the problem."""
        del place
        self.problems.append(problem)

    def slips(self) -> set[str]:
        """Return the errors that no importer foresaw, by name."""
        return {found[1] for each in self.problems if (found := SLIP.fullmatch(each))}


SLIP = re.compile(r"holds a value that cannot be read \((\w+)\)")


@pytest.mark.parametrize("form", list(LINES))
def test_whatever_stands_in_any_place_of_a_line_is_foreseen(tmp_path: Path, form: str) -> None:
    path = write_lines(tmp_path, LINES[form], *variants(LINES[form]))
    file = Noting(path=path, name="file")

    assert sum(1 for _ in importer_named(form).runs(file)) > 1
    assert file.slips() == set()


@pytest.mark.parametrize("form", list(DOCUMENTS))
def test_whatever_stands_in_any_place_of_a_document_is_foreseen(tmp_path: Path, form: str) -> None:
    for number, text in enumerate(variants(DOCUMENTS[form], FEW)):
        file = Noting(path=tmp_path / f"{number}.json", name="file")
        file.path.write_text(text, encoding="utf-8")

        list(importer_named(form).runs(file))

        assert file.slips() == set(), text[:200]


def test_whatever_stands_in_any_place_of_a_recorded_line_is_foreseen(tmp_path: Path) -> None:
    """As a recording of the reference systems, which is read without an import."""
    lines = list(variants(LINES["reference"]))
    faults = read_recordings(write_lines(tmp_path, LINES["reference"], *lines), PRICES).faults

    assert len(faults) > len(lines) / 20
    assert [each.problem for each in faults if SLIP.fullmatch(each.problem)] == []


@pytest.mark.parametrize("form", list(LINES))
def test_no_line_costs_another_whatever_stands_in_any_place_of_it(
    tmp_path: Path, form: str
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    hostile = list(variants(LINES[form]))
    write_lines(folder, LINES[form], *hostile, name="hostile.jsonl")
    good = json.dumps(LINES[form]).replace("T-1", "T-2").replace('"t1"', '"t2"')
    write_lines(folder, LINES[form], good, name="valid.jsonl")

    (first, second) = import_folder(folder, form).files

    assert (second.runs, second.not_read_count) == (2, 0)
    assert first.runs > 0
    assert first.not_read_count > len(hostile) / 20


@pytest.mark.parametrize("form", list(DOCUMENTS))
def test_no_document_costs_another_file(tmp_path: Path, form: str) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for number, text in enumerate(variants(DOCUMENTS[form], FEW)):
        (folder / f"{number}.json").write_text(text, encoding="utf-8")
    write_json(folder, DOCUMENTS[form], "valid.json")

    valid = import_folder(folder).files[-1]

    assert (valid.format, valid.runs, valid.not_read_count) == (form, 1, 0)


def archive(path: Path, packing: int) -> bytes:
    """Return an archive of two samples."""
    with zipfile.ZipFile(path, "w", packing) as packed:
        packed.writestr("header.json", json.dumps(HEADER))
        for name in ("samples/a_epoch_1.json", "samples/b_epoch_1.json"):
            packed.writestr(name, json.dumps(sample()))
    content = path.read_bytes()
    path.unlink()
    return content


@pytest.mark.parametrize(
    "packing", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA, zipfile.ZIP_STORED]
)
def test_no_damage_of_an_archive_costs_another_file(tmp_path: Path, packing: int) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    whole = archive(tmp_path / "whole.eval", packing)
    step = max(1, len(whole) // 60)
    for at in range(0, len(whole), step):
        damaged = bytearray(whole)
        damaged[at] ^= 0xC8
        (folder / f"flipped-{at}.eval").write_bytes(damaged)
        (folder / f"cut-{at}.eval").write_bytes(whole[:at])
    write_lines(folder, GOOD, name="valid.jsonl")

    report = import_folder(folder)

    assert (report.files[-1].runs, report.files[-1].not_read_count) == (1, 0)
    assert all(each.runs + each.not_read_count > 0 for each in report.files)


def database(path: Path, script: str, *more: str) -> None:
    """Write a log of ``llm``, changed."""
    with closing(sqlite3.connect(path)) as db:
        db.executescript(script)
        for each in more:
            db.execute(each)
        db.commit()


@pytest.mark.parametrize("layout", [OLD, NEW], ids=["old", "new"])
def test_no_column_of_a_database_costs_another_file(tmp_path: Path, layout: str) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    layout = layout.replace("PRIMARY KEY", "")  # a number alone may stand in one
    values = ("NULL", "-1", "1e300", "9e999", "x'ff00'", "cast(x'fffe' as text)", f"'{'[' * 400}'")
    with closing(sqlite3.connect(":memory:")) as db:
        db.executescript(layout)
        tables = [row[0] for row in db.execute("SELECT name FROM sqlite_schema WHERE sql NOT NULL")]
        columns = [
            (table, row[1]) for table in tables for row in db.execute(f"PRAGMA table_info({table})")
        ]
    for number, (table, column) in enumerate(columns):
        database(
            folder / f"{number}-renamed.db", layout, f"ALTER TABLE {table} RENAME {column} TO gone_"
        )
        for at, value in enumerate(values):
            change = f"UPDATE OR IGNORE {table} SET {column} = {value}"
            database(folder / f"{number}-{at}.db", layout, change)
    missing: set[str] = set()
    for path in folder.iterdir():
        file = Noting(path=path, name="file")
        list(llm_logs.runs(file))
        missing |= file.slips()
    write_lines(folder, GOOD, name="valid.jsonl")

    valid = import_folder(folder).files[-1]

    assert (valid.runs, valid.not_read_count) == (1, 0)
    assert missing <= {"IndexError", "KeyError"}  # a column that is not there


class Failing(Mapping[str, Price]):
    """Prices that have a slip."""

    def __getitem__(self, key: str) -> Price:
        raise TypeError(key)

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


def test_a_slip_of_ours_is_not_taken_for_a_damaged_file(tmp_path: Path) -> None:
    usage = {"prompt_tokens": 9, "completion_tokens": 3}
    said = {"model": "m", "messages": [user(), assistant("Hi.", usage=usage)]}
    to = tmp_path / "out.jsonl"

    with pytest.raises(TypeError):
        import_runs([write_lines(tmp_path, said)], to, prices=Failing())

    assert [each.name for each in tmp_path.iterdir()] == ["file.jsonl"]


def test_a_name_that_is_not_utf_8_is_kept_as_far_as_it_can_be(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"caf\xe9.jsonl")
    path.write_bytes(write_lines(tmp_path, GOOD).read_bytes())

    assert [each.name for each in bring(path).recordings] == ["caf\ufffd.jsonl#1"]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "is empty"),
        (b" \n\n", "holds nothing that can be read"),
        (gzip.compress(b"{}", mtime=0)[:12], "holds nothing that can be read"),
        (b"null", "is JSON and holds neither an object nor a list"),
        ('{"messages": []}'.encode("utf-16"), "is text in UTF-16; write it anew in UTF-8"),
        ('{"messages": []}'.encode("utf-16-le"), "is text in UTF-16; write it anew in UTF-8"),
        (b"some words", "is in none of the forms that are known"),
    ],
)
def test_a_file_of_no_form_is_told_what_it_is(tmp_path: Path, content: bytes, problem: str) -> None:
    path = tmp_path / "file.json"
    path.write_bytes(content)

    with pytest.raises(ImportUnclear, match=problem):
        bring(path)


def test_of_several_files_that_are_named_one_costs_itself_only(tmp_path: Path) -> None:
    empty = tmp_path / "empty.json"
    empty.touch()
    good = write_lines(tmp_path, GOOD)

    brought = bring(empty, good)

    assert [each.runs for each in brought.report.files] == [0, 1]
    assert brought.report.files[0].not_read[0].problem == "is empty"


@pytest.mark.parametrize("sign", ["", "-"])
def test_a_number_of_thousands_of_digits_is_unknown_and_costs_nothing_else(
    tmp_path: Path, sign: str
) -> None:
    value = {**GOOD, "seed": "@", "word": "7" * 5000}
    number = sign + "7" * 5000
    line = json.dumps(value).replace('"@"', number)
    document = json.dumps([value] * 2, indent=1).replace('"@"', number)

    assert bring(write_lines(tmp_path, line)).problems == []
    path = tmp_path / "file.json"
    path.write_text(document, encoding="utf-8")
    assert bring(path).problems == []


def test_a_line_that_is_nested_too_deep_is_named_so(tmp_path: Path) -> None:
    line = json.dumps({**GOOD, "x": 1}).replace('"x": 1', f'"x": {"[" * 300}{"]" * 300}')
    brought = bring(write_lines(tmp_path, line, GOOD))

    assert brought.problems == ["line 1: the JSON is nested deeper than 200 levels"]
    assert len(brought.recordings) == 1


@pytest.mark.parametrize("cost", ["9e999999", 1e300])
def test_a_cost_that_cannot_be_is_unknown(tmp_path: Path, cost: Any) -> None:
    simulation = {**LINES["tau2-bench"], "messages": [user(), assistant("Hi.", cost=cost)] * 2}
    brought = bring(write_lines(tmp_path, simulation))

    assert brought.problems == []
    assert [each.cost.usd for each in brought.replies()] == [None, None]
    assert stats_of(brought.recordings).cost_unknown == 2


def test_an_entry_that_stands_twice_is_one_run(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    name = "samples/a_epoch_1.json"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("header.json", json.dumps(HEADER))
        packed.writestr(name, json.dumps(sample(id="first")))
        with pytest.warns(UserWarning, match="Duplicate"):
            packed.writestr(name, json.dumps(sample(id="last")))
    brought = bring(path)

    assert brought.problems == [f"entry {name}: stands more than once; the last one is read"]
    assert brought.only.ticket_id == "last"


def test_a_folder_that_is_not_there_is_named_and_not_a_file_that_nobody_knows(
    tmp_path: Path,
) -> None:
    path = write_lines(tmp_path, GOOD)

    with pytest.raises(FileNotFoundError) as caught:
        import_runs([path], tmp_path / "missing" / "out.jsonl", prices=PRICES)

    assert caught.value.filename == str(tmp_path / "missing")


LONG = {"messages": [user("z" * 300_000), assistant("Long.")]}


def test_lines_that_are_longer_than_what_is_looked_at_are_lines(tmp_path: Path) -> None:
    brought = bring(write_lines(tmp_path, LONG, "{broken", LONG, GOOD))

    assert brought.problems == ["line 2: is not a line of JSON"]
    assert len(brought.recordings) == 3


def test_a_reference_file_whose_first_line_is_long_is_read(tmp_path: Path) -> None:
    def said(ticket: str, text: str) -> dict[str, Any]:
        message = {"content": text, "tool_calls": None}
        choices = [{"finish_reason": "stop", "message": message}]
        label = {"model": "chat-small", "step": 1, "ticket_id": ticket}
        return {"label": label, "latency_s": 1.5, "response": {"choices": choices}}

    brought = bring(write_lines(tmp_path, said("T-1", "z" * 300_000), said("T-2", "short")))

    assert brought.problems == []
    assert {each.ticket_id for each in brought.recordings} == {"T-1", "T-2"}


def test_a_reference_file_that_is_one_list_is_read(tmp_path: Path) -> None:
    """There a fraction is a Decimal, also one in a label."""
    lines = [LINES["reference"], {**LINES["reference"], "label": {"ticket_id": "T", "repeat": 1.5}}]

    assert bring(write_json(tmp_path, lines)).problems == []


def test_one_long_line_alone_is_a_document(tmp_path: Path) -> None:
    assert len(bring(write_lines(tmp_path, LONG)).recordings) == 1


def test_nothing_that_can_be_read_is_an_error_that_says_so(tmp_path: Path) -> None:
    path = write_lines(tmp_path, json.dumps(GOOD).replace('"user"', '"nobody"'))

    with pytest.raises(RecordingUnreadable, match="nothing could be read: line 1"):
        bring(path)

"""Which importer reads a file, and what the import as a whole promises."""

import gzip
import json
import stat
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from random import Random

import pytest

from loop import PRICES, Called, Entry
from recordings import ImportUnclear, RecordingUnreadable, import_runs, read_recordings
from recordings.importers import importer_for, importers
from recordings.importers.protocol import Fit
from recordings.importers.runs import ImportedRun
from recordings.importers.source import SourceFile
from recordings.importers.streams import EACH, Damaged, Peek, json_values, peek_at
from tests.recordings.importers.bringing import (
    assistant,
    bring,
    call,
    tool,
    user,
    write_json,
    write_lines,
)

DIALOGUE = {"messages": [user(), assistant("Hello.")]}


class Own:
    """An importer of a team's own."""

    def __init__(self, fit: Fit, name: str = "own") -> None:
        self.name = name
        self._fit = fit

    def fits(self, peek: Peek) -> Fit:
        """Say what it was told to."""
        del peek
        return self._fit

    def runs(self, file: SourceFile) -> Iterator[ImportedRun]:
        """Read nothing."""
        del file
        return iter(())


def test_the_surest_importer_reads_a_file(tmp_path: Path) -> None:
    peek = peek_at(write_lines(tmp_path, DIALOGUE))
    loosely = importer_for(peek, importers())

    own = importer_for(peek, (*importers(), Own(Fit.SURELY)))

    assert (loosely.name, own.name) == ("openai-messages", "own")


def test_two_that_are_as_sure_are_both_named(tmp_path: Path) -> None:
    peek = peek_at(write_lines(tmp_path, DIALOGUE))

    with pytest.raises(ImportUnclear, match=r"may be openai-messages or own; --format says which"):
        importer_for(peek, (*importers(), Own(Fit.LOOSELY)))


class Failing(Own):
    """An importer of a team's own with a slip."""

    def fits(self, peek: Peek) -> Fit:
        """Fail."""
        raise TypeError(peek)


def test_an_importer_that_fails_at_a_file_is_named_and_not_passed_over(tmp_path: Path) -> None:
    peek = peek_at(write_lines(tmp_path, DIALOGUE))

    with pytest.raises(ImportUnclear, match=r"^the importer own cannot tell .*\(TypeError\); --fo"):
        importer_for(peek, (*importers(), Failing(Fit.SURELY)))


def test_a_file_that_none_knows_is_refused_with_the_forms(tmp_path: Path) -> None:
    with pytest.raises(ImportUnclear, match=r"none of the forms that are known: reference, "):
        bring(write_json(tmp_path, {"a": 1}))


def test_an_importer_that_is_named_reads_whatever_it_is(tmp_path: Path) -> None:
    path = write_lines(tmp_path, DIALOGUE | {"task_id": 1, "reward": 1.0, "info": {}})

    assert bring(path, format_name="openai-messages").file.format == "openai-messages"


def test_an_importer_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ImportUnclear, match="there is no importer nonsense"):
        bring(write_lines(tmp_path, DIALOGUE), format_name="nonsense")


def test_a_packed_file_is_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "logs.jsonl.gz"
    path.write_bytes(gzip.compress(json.dumps(DIALOGUE).encode()))

    assert bring(path).replies()[0].text == "Hello."


def test_a_packed_file_that_is_cut_off_keeps_what_is_before(tmp_path: Path) -> None:
    noise = Random(7)
    lines = b"".join(
        json.dumps(DIALOGUE | {"id": noise.randbytes(4000).hex()[:4000]}).encode() + b"\n"
        for _ in range(60)
    )
    path = tmp_path / "logs.jsonl.gz"
    packed = gzip.compress(lines)
    path.write_bytes(packed[: len(packed) // 2])

    brought = bring(path)

    assert 10 < len(brought.recordings) < 50
    assert brought.problems[-1] == "the end: the file cannot be unpacked further: EOFError"


def test_a_packed_file_whose_bytes_are_damaged_keeps_what_is_before(tmp_path: Path) -> None:
    noise = Random(7)
    items = [DIALOGUE | {"id": noise.randbytes(4000).hex()} for _ in range(120)]
    for name, held in (
        ("lines", b"".join(json.dumps(item).encode() + b"\n" for item in items)),
        ("list", json.dumps(items).encode()),
    ):
        packed = bytearray(gzip.compress(held))
        packed[len(packed) // 2 :] = noise.randbytes(len(packed) // 2)
        path = tmp_path / f"{name}.gz"
        path.write_bytes(packed)

        brought = bring(path)

        assert 10 < len(brought.recordings) < 110
        assert "the file cannot be unpacked further: error" in brought.problems[-1]


@pytest.mark.parametrize("number", ["1e99999999999999999999", "-1e99999999999999999999"])
def test_a_number_that_nothing_can_hold_keeps_what_is_before(tmp_path: Path, number: str) -> None:
    path = tmp_path / "file.json"
    good = json.dumps(DIALOGUE | {"id": "x" * 100_000})  # 64 KiB are read at once
    path.write_text(f'[{good}, {good}, {{"messages": {number}}}]', encoding="utf-8")

    brought = bring(path)

    assert brought.recordings
    assert ": is not JSON from somewhere in the 64 KiB before byte" in brought.problems[0]


def test_a_text_without_end_is_not_read_to_its_end() -> None:
    said = BytesIO(b'[1, "' + b"a" * 17_000_000 + b'", 2]')
    values = json_values(said, EACH)

    assert next(values) == 1
    with pytest.raises(Damaged, match="holds a text or number of more than 16 MB"):
        next(values)


def test_a_document_that_is_cut_off_keeps_what_is_before(tmp_path: Path) -> None:
    path = write_json(tmp_path, [DIALOGUE, DIALOGUE, DIALOGUE])
    path.write_bytes(path.read_bytes()[:-40])

    brought = bring(path)

    assert len(brought.recordings) == 2
    (problem,) = brought.problems
    assert problem.startswith("after item 2: the file ends in the middle of a value, at byte ")


def test_a_document_with_a_broken_item_keeps_what_is_before(tmp_path: Path) -> None:
    texts = [json.dumps(DIALOGUE), '{"messages": nonsense}', json.dumps(DIALOGUE)]
    path = tmp_path / "file.json"
    path.write_text(f"[{', '.join(texts)}]", encoding="utf-8")

    brought = bring(path)

    assert len(brought.recordings) == 1
    assert "after item 1: is not JSON" in brought.problems[0]
    assert "nonsense" not in brought.problems[0]


@pytest.mark.parametrize("opening", ["[", '{"messages":', '[{"messages":'])
def test_a_document_nested_without_end_is_refused(tmp_path: Path, opening: str) -> None:
    path = tmp_path / "file.json"
    path.write_text(opening * 100_000, encoding="utf-8")

    with pytest.raises(RecordingUnreadable, match="nested deeper than 200 levels"):
        bring(path, format_name="openai-messages")


@pytest.mark.parametrize("text", ["", " \n", "null", "7", '"x"', "{}", "[]", "\x00\x01", "\ufeff"])
@pytest.mark.parametrize("name", [each.name for each in importers()])
def test_a_file_of_nothing_is_nothing_to_every_importer(
    tmp_path: Path, name: str, text: str
) -> None:
    path = tmp_path / "file.json"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(RecordingUnreadable):
        bring(path, format_name=name)


def test_the_new_file_is_private_and_whole(tmp_path: Path) -> None:
    to = tmp_path / "out.jsonl"

    import_runs([write_lines(tmp_path, DIALOGUE)], to, prices=PRICES)

    assert stat.S_IMODE(to.stat().st_mode) == 0o600
    assert [each.complete for each in read_recordings(to, PRICES).recordings] == [True]


def test_a_file_that_exists_is_not_touched(tmp_path: Path) -> None:
    to = tmp_path / "out.jsonl"
    to.write_text("mine", encoding="utf-8")

    with pytest.raises(FileExistsError):
        import_runs([write_lines(tmp_path, DIALOGUE)], to, prices=PRICES)

    assert to.read_text(encoding="utf-8") == "mine"


def test_two_files_of_one_name_do_not_mix(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    paths = [write_lines(tmp_path / each, DIALOGUE) for each in ("a", "b")]

    assert [each.name for each in bring(*paths).recordings] == [
        "file.jsonl#1",
        "file.jsonl (2)#1",
    ]


def test_secrets_are_replaced_and_different_ones_stay_different(tmp_path: Path) -> None:
    calls = [
        call("find", '{"email": "a@example.com"}', "c1"),
        call("find", '{"email": "b@example.com"}', "c2"),
        call("find", '{"email": "a@example.com"}', "c3"),
    ]
    said = [user("I am a@example.com"), assistant(None, *calls), tool("b@example.com")]

    brought = bring(write_json(tmp_path, said), keep_texts=False)

    assert [each.arguments for each in brought.replies()[0].calls] == [
        '{"email": "[email 1]"}',
        '{"email": "[email 2]"}',
        '{"email": "[email 1]"}',
    ]
    assert _called(brought.only.entries)[0].text == "[email 2]"
    assert brought.only.opened is not None
    assert brought.only.opened.marks["redacted"] is True
    assert "example.com" not in (tmp_path / "brought.jsonl").read_text(encoding="utf-8")


def _called(entries: tuple[Entry, ...]) -> list[Called]:
    return [entry.record for entry in entries if isinstance(entry.record, Called)]

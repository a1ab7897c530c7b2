"""Recordings as files."""

import tracemalloc
from pathlib import Path

import pytest

from loop import PRICES
from recordings import (
    RecordingUnreadable,
    each_recording,
    encode,
    read_recordings,
    write_recording,
)
from tests.recordings.builders import recorded, work_on
from tools import PracticeShop


def test_what_was_written_is_read_back(shop: PracticeShop, tmp_path: Path) -> None:
    """A file written line by line holds the same run, and is private."""
    _, entries = recorded(work_on(shop))
    path = tmp_path / "kept.jsonl"

    write_recording(path, "run-1", entries)
    (recording,) = read_recordings(path, PRICES).recordings

    assert recording.entries == tuple(entries)
    assert recording.complete
    assert recording.ticket_id == "T-80008"
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_corrupt_line_costs_that_line_only(shop: PracticeShop, tmp_path: Path) -> None:
    """The fault is named, and the other run of the file is whole."""
    _, entries = recorded(work_on(shop))
    lines = [encode("good", entry) for entry in entries]
    damaged = [encode("bad", entry) for entry in entries]
    damaged[2] = damaged[2][:40]
    path = tmp_path / "two.jsonl"
    path.write_text("\n".join([*damaged, "", *lines]), encoding="utf-8")

    read = read_recordings(path, PRICES)

    assert [str(fault) for fault in read.faults] == [
        f"{path}, line 3: is not a line of JSON",
        f"{path}: run bad misses or doubles entries",
    ]
    assert [recording.name for recording in read.recordings] == ["bad", "good"]
    assert read.recordings[1].entries == tuple(entries)
    assert len(read.recordings[0].exchanges) == 1


@pytest.mark.parametrize("first", ["", "zzz", "run-2"])
def test_a_line_that_names_two_runs_costs_that_line_only(
    shop: PracticeShop, tmp_path: Path, first: str
) -> None:
    """JSON allows a key twice; of which run such a line is, nobody can say."""
    _, entries = recorded(work_on(shop))
    lines = [encode("run-1", entry) for entry in entries]
    doubled = lines[2].replace('"run":', f'"run":"{first}","run":', 1)
    others = [encode("run-2", entry) for entry in entries]
    path = tmp_path / "runs.jsonl"
    path.write_text("\n".join([*others, *lines[:2], doubled, *lines[2:]]), encoding="utf-8")

    read = read_recordings(path, PRICES)

    number = len(others) + 3
    assert [str(fault) for fault in read.faults] == [
        f"{path}, line {number}, field run: must name one run"
    ]
    assert [recording.entries for recording in read.recordings] == [tuple(entries)] * 2


def test_a_run_without_its_opening_is_named(shop: PracticeShop, tmp_path: Path) -> None:
    """Nothing can be replayed of it, and the others are read."""
    _, entries = recorded(work_on(shop))
    path = tmp_path / "cut.jsonl"
    write_recording(path, "headless", entries[1:])
    write_recording(path, "whole", entries)

    read = read_recordings(path, PRICES)

    assert [recording.name for recording in read.recordings] == ["whole"]
    assert "run headless has no opening record" in str(read.faults[0])


def test_a_recording_cut_off_at_its_end_says_so(shop: PracticeShop, tmp_path: Path) -> None:
    """Without the closing record it is incomplete, and can still be replayed."""
    _, entries = recorded(work_on(shop))
    path = tmp_path / "open.jsonl"
    write_recording(path, "run-1", entries[:-2])

    (recording,) = read_recordings(path, PRICES).recordings

    assert not recording.complete
    assert len(recording.exchanges) == 2


def test_a_folder_is_read_in_the_order_of_names(shop: PracticeShop, tmp_path: Path) -> None:
    """Files of other kinds in it are left alone."""
    _, entries = recorded(work_on(shop))
    write_recording(tmp_path / "b.jsonl", "second", entries)
    write_recording(tmp_path / "a.jsonl", "first", entries)
    (tmp_path / "README.md").write_text("not a recording")

    names = [recording.name for recording in read_recordings(tmp_path, PRICES).recordings]

    assert names == ["first", "second"]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (None, "does not exist"),
        (b"", "holds no recording"),
        (b"\xff\xfe\x00", "is not UTF-8 text"),
        (b"hello\n", "line 1: is not a line of JSON"),
        (b'{"hello": 1}\n', "field v"),
    ],
)
def test_a_path_without_recordings_is_an_error(
    tmp_path: Path, content: bytes | None, problem: str
) -> None:
    """The message names the file and what is wrong with it."""
    path = tmp_path / "x.jsonl"
    if content is not None:
        path.write_bytes(content)

    with pytest.raises(RecordingUnreadable, match=problem):
        read_recordings(path, PRICES)


def test_an_empty_folder_is_an_error(tmp_path: Path) -> None:
    """A folder that holds no recordings is named."""
    with pytest.raises(RecordingUnreadable, match=r"holds no \.jsonl files"):
        read_recordings(tmp_path, PRICES)


def test_a_byte_order_mark_is_no_fault(shop: PracticeShop, tmp_path: Path) -> None:
    """Editors add one; the first line is read all the same."""
    _, entries = recorded(work_on(shop))
    path = tmp_path / "bom.jsonl"
    text = "\n".join(encode("run-1", entry) for entry in entries)
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())

    read = read_recordings(path, PRICES)

    assert read.faults == ()
    assert read.recordings[0].entries == tuple(entries)


def test_a_byte_that_is_not_utf_8_costs_its_line_only(shop: PracticeShop, tmp_path: Path) -> None:
    """The line is named, and every other run of the file is whole."""
    _, entries = recorded(work_on(shop))
    lines = [encode("bad", entry).encode() for entry in entries]
    lines[2] = lines[2].replace(b'"replied"', b'"repl\xffied"')
    lines += [encode("good", entry).encode() for entry in entries]
    path = tmp_path / "two.jsonl"
    path.write_bytes(b"\n".join(lines))

    read = read_recordings(path, PRICES)

    assert str(read.faults[0]) == f"{path}, line 3: is not UTF-8 text"
    assert "run bad misses or doubles entries" in str(read.faults[1])
    assert [recording.name for recording in read.recordings] == ["bad", "good"]
    assert read.recordings[1].entries == tuple(entries)


def test_what_is_not_whole_about_a_recording_is_named(shop: PracticeShop, tmp_path: Path) -> None:
    """A doubled entry and a missing closing record: both are read, and both are told."""
    _, entries = recorded(work_on(shop))
    path = tmp_path / "odd.jsonl"
    write_recording(path, "doubled", [*entries, entries[3]])
    write_recording(path, "open", entries[:-1])

    read = read_recordings(path, PRICES)

    faults = " ".join(str(fault) for fault in read.faults)
    assert "run doubled misses or doubles entries" in faults
    assert "run open has no closing record" in faults
    assert len(read.recordings) == 2


def test_runs_whose_lines_stand_between_each_others_are_read_all_the_same(
    shop: PracticeShop, tmp_path: Path
) -> None:
    """A damaged line between them is named by its place in the file, and so is one of theirs."""
    _, entries = recorded(work_on(shop))
    both = [encode(run, entry) for entry in entries for run in ("left", "right")]
    both.insert(4, "no line")
    both[6] = both[6].replace('"kind":"', '"kind":"un')
    path = tmp_path / "two.jsonl"
    path.write_text("\n".join(both), encoding="utf-8")

    read = read_recordings(path, PRICES)

    assert [found.name for found in read.recordings] == ["left", "right"]
    assert read.recordings[0].entries == tuple(entries)
    assert [str(fault).split(": ")[0] for fault in read.faults[:2]] == [
        f"{path}, line 5",
        f"{path}, line 7, field kind",
    ]


def test_a_run_is_there_before_the_next_one_is_read(shop: PracticeShop, tmp_path: Path) -> None:
    """What is damaged in a later run is not known yet."""
    _, entries = recorded(work_on(shop))
    path = tmp_path / "two.jsonl"
    write_recording(path, "first", entries)
    write_recording(path, "second", entries[:-1])
    faults: list[RecordingUnreadable] = []

    found = each_recording(path, PRICES, faults)

    assert next(found).name == "first"
    assert faults == []
    assert [each.name for each in found] == ["second"]
    assert len(faults) == 1


def test_of_each_run_memory_holds_its_place_alone(shop: PracticeShop, tmp_path: Path) -> None:
    """Less than a kilobyte a run; the run itself takes many."""
    _, entries = recorded(work_on(shop))
    path = tmp_path / "many.jsonl"
    peaks = []
    for number in range(200):
        write_recording(path, f"run-{number}", entries)
        if number in (9, 199):
            tracemalloc.start()
            count = sum(1 for _ in each_recording(path, PRICES, []))
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
            assert count == number + 1

    assert peaks[1] - peaks[0] < 190 * 1000

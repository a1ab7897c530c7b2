"""Every collected case of other people's bots has a test named by its number, or a reason."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
NUMBERS = (
    *(1, 3, 4, 5, 7, 8, 9, 11, 12, 13, 15, 16, 17, 19, 20, 21, 23, 24, 25, 27, 28, 29, 31, 32),
    *(33, 35, 36, 37, 39, 40, 41, 43, 44, 45, 47, 48, 49, 51, 52, 53, 55, 56, 57, 59, 60, 61),
    *(63, 64, 65, 67, 68, 69, 71, 72, 73, 75, 76, 77),
)
"""The cases that were collected; a number that is missing was no case of ours."""
ROW = re.compile(r"^\| (\d+) \| [^|]+ \| ([^|]+) \|$", re.MULTILINE)
NAME = re.compile(r"`(test_\w+)`")
DEFINED = re.compile(r"^def (test_\w+)", re.MULTILINE)
NAMED_BY_NUMBER = re.compile(r"test_cases?_(\d+)(?:_and_(\d+))?_")


def rows() -> dict[int, str]:
    """Return the last cell of each row of the table, by its case."""
    table = (ROOT / "docs" / "slack_cases.md").read_text("utf-8")
    return {int(number): cell.strip() for number, cell in ROW.findall(table)}


def defined() -> set[str]:
    """Return the names of all tests."""
    files = (ROOT / "tests").rglob("test_*.py")
    return {name for file in files for name in DEFINED.findall(file.read_text("utf-8"))}


def cases_of(name: str) -> set[int]:
    """Return the cases that a test is named by."""
    found = NAMED_BY_NUMBER.match(name)
    return set() if found is None else {int(each) for each in found.groups() if each}


def test_every_case_has_one_row_in_order() -> None:
    table = (ROOT / "docs" / "slack_cases.md").read_text("utf-8")

    assert tuple(int(number) for number, _ in ROW.findall(table)) == NUMBERS


@pytest.mark.parametrize("number", NUMBERS)
def test_a_case_names_tests_of_its_number_that_are_there_or_says_why_not(number: int) -> None:
    cell = rows()[number]
    names = NAME.findall(cell)

    assert bool(names) is not cell.startswith("cannot arise: ")
    assert [name for name in names if number not in cases_of(name)] == []
    assert set(names) <= defined()


def test_every_test_that_is_named_by_a_case_stands_in_its_row() -> None:
    table = rows()
    missing = [
        (number, name)
        for name in sorted(defined())
        for number in cases_of(name)
        if f"`{name}`" not in table.get(number, "")
    ]

    assert missing == []

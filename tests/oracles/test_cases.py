"""The table of cases is whole, and each case that holds here has a test by its id."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.oracles.cases import CASES, Status

TESTS = Path(__file__).resolve().parents[1]
TESTED = (Status.KEPT, Status.RELATION, Status.CHANGED)


def _tested() -> set[str]:
    names = [
        name
        for file in TESTS.rglob("test_*.py")
        for name in re.findall(r"def test_(\w+)", file.read_text(encoding="utf-8"))
    ]
    return {
        part.upper() for name in names for part in name.split("_") if re.fullmatch(r"[ab]\d+", part)
    }


def test_every_case_that_holds_here_has_a_test_by_its_id() -> None:
    wanted = {case for case, (status, _) in CASES.items() if status in TESTED}
    assert wanted <= _tested()


def test_every_test_by_an_id_is_of_a_case_that_holds_here() -> None:
    wanted = {case for case, (status, _) in CASES.items() if status in TESTED}
    assert _tested() <= wanted


def test_what_is_not_kept_says_why() -> None:
    assert not [
        case for case, (status, why) in CASES.items() if status is not Status.KEPT and not why
    ]


def test_the_table_names_every_case_of_the_reference(larkfield: Path) -> None:
    listed = larkfield.parent / "oracles.md"
    if not listed.is_file():
        pytest.skip("the list of cases is not beside the data")
    text = listed.read_text(encoding="utf-8")
    assert set(re.findall(r"^- ([AB]\d+) ", text, re.MULTILINE)) == set(CASES)

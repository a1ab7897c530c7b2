"""Ids that can be read aloud and typed as they are heard."""

from __future__ import annotations

import re

import pytest

from approvals import random_code, read_proposal_id
from approvals.codes import ALPHABET


def test_a_code_is_two_groups_of_three_signs() -> None:
    code = random_code()

    assert re.fullmatch(f"[{ALPHABET}]{{3}}-[{ALPHABET}]{{3}}", code)
    assert random_code() != code


def test_no_sign_is_taken_for_another() -> None:
    assert set(ALPHABET).isdisjoint("0O1I5LBDPTS")
    assert len(set(ALPHABET)) == len(ALPHABET) == 16


@pytest.mark.parametrize(
    "typed", ["P-7KM-4XQ", "p-7km-4xq", " P7KM4XQ ", "7km 4xq", "7KM-4XQ", "P 7KM 4XQ"]
)
def test_what_is_typed_is_read_generously(typed: str) -> None:
    assert read_proposal_id(typed) == "P-7KM-4XQ"


@pytest.mark.parametrize("typed", ["P-7KM-4X0", "P-7KM", "hello", ""])
def test_what_is_no_id_stays_what_it_is(typed: str) -> None:
    assert read_proposal_id(typed) == typed.upper()

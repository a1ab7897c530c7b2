"""The structural cut: always valid JSON, within its size, and it says that it was cut."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loop.cut import cut_result, to_text

LEAST = 200


def of_size(size: int) -> dict[str, Any]:
    """An object whose text has this many characters."""
    return {"x": "a" * (size - len('{"x":""}'))}


@pytest.mark.parametrize("size", [LEAST, 2000, 4000])
def test_a_text_of_exactly_the_limit_is_not_cut_and_one_more_is(size: int) -> None:
    for length, cut in ((size - 1, False), (size, False), (size + 1, True)):
        text, was_cut = cut_result(of_size(length), size)
        assert was_cut is cut
        assert len(text) == length or (cut and len(text) <= size)


def test_no_limit_cuts_nothing() -> None:
    text, cut = cut_result(of_size(100_000), None)
    assert (len(text), cut) == (100_000, False)


def test_a_cut_result_says_so_with_the_length_of_the_whole() -> None:
    text, _ = cut_result({"ok": True, "note": "n" * 500}, 300)
    assert json.loads(text) == {
        "ok": True,
        "cut": "1 parts left out, 521 characters in all; ask for less",
    }


def test_a_text_or_a_number_is_kept_whole_or_left_out() -> None:
    content = {"amount": Decimal("1234567.89"), "id": "LK-100001", "text": "z" * 400, "after": 1}
    cut = json.loads(cut_result(content, 300)[0])
    assert cut["amount"] == "1234567.89"
    assert cut["id"] == "LK-100001"
    assert cut["after"] == 1
    assert "text" not in cut


def test_of_a_list_the_first_items_stay_and_none_after_one_that_was_cut() -> None:
    content = {"ok": True, "orders": [{"n": number, "text": "t" * 20} for number in range(50)]}
    cut = json.loads(cut_result(content, 400)[0])
    kept = cut["orders"]
    assert [item.get("n", len(kept) - 1) for item in kept] == list(range(len(kept)))
    assert 2 <= len(kept) < 50
    assert "parts left out" in cut["cut"]


def test_a_list_is_never_full_of_holes() -> None:
    content = {"items": ["a", "b" * 400, "c"]}
    assert json.loads(cut_result(content, 200)[0])["items"] == ["a"]


def test_nested_objects_are_cut_inside() -> None:
    content = {"order": {"id": "LK-1", "lines": [{"sku": "A" * 40}] * 40, "status": "shipped"}}
    cut = json.loads(cut_result(content, 300)[0])
    assert cut["order"]["id"] == "LK-1"
    assert 0 < len(cut["order"]["lines"]) < 40


def test_a_field_named_cut_gives_way_to_the_mark() -> None:
    assert "left out" in json.loads(cut_result({"cut": "mine", "x": "a" * 300}, 200)[0])["cut"]


def test_accents_stay_letters() -> None:
    assert to_text({"a": "é"}) == '{"a":"é"}'


_TEXT = st.sampled_from(["", "a", "é" * 30, '"\\' * 20, "\u202e\x00\n" * 9, "🙂" * 40, "z" * 150])
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | _TEXT | st.just(Decimal("1234567.89")),
    lambda inner: (
        st.lists(inner, max_size=9)
        | st.tuples(inner, inner)
        | st.dictionaries(_TEXT, inner, max_size=6)
    ),
    max_leaves=25,
)


@given(st.dictionaries(_TEXT, _JSON, max_size=7), st.integers(LEAST, 700))
def test_whatever_is_cut_is_valid_json_within_its_size_and_marked(
    content: dict[str, Any], size: int
) -> None:
    text, cut = cut_result(content, size)
    value = json.loads(text)
    assert len(text) <= size
    assert cut is (len(to_text(content)) > size)
    if cut:
        assert "left out" in value.pop("cut")
        assert value.keys() <= content.keys()
    else:
        assert value == json.loads(to_text(content))

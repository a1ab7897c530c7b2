"""The strict reader and the canonical text."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools import JsonRefused, canonical, digest, parse_json
from tools.canonical import MAX_DEPTH, MAX_DIGITS, MAX_JSON_CHARS

VECTORS = json.loads((Path(__file__).parent / "canonical_vectors.json").read_text("utf-8"))

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
decimals = st.decimals(-(10**20), 10**20, places=9, allow_nan=False).map(
    lambda value: value or Decimal("0.0")
)
scalars = st.none() | st.booleans() | st.integers() | texts | decimals
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["canonical"][:40] for vector in VECTORS])
def test_the_vectors_of_form_1_hold(vector: dict[str, str]) -> None:
    value = parse_json(vector["input"])

    assert canonical(value) == vector["canonical"]
    assert digest("arguments", value) == vector["digest"]


@given(values)
def test_a_canonical_text_reads_back_as_the_same_canonical_text(value: Any) -> None:
    text = canonical(value)

    assert canonical(parse_json(text)) == text


@given(values, st.randoms(use_true_random=False))
def test_key_order_spaces_and_escapes_do_not_matter(value: Any, random: Random) -> None:
    assert canonical(parse_json(written(value, random))) == canonical(value)


@given(values, values)
def test_two_values_have_one_text_only_if_they_are_of_one_type_and_equal(
    one: Any, other: Any
) -> None:
    assert (canonical(one) == canonical(other)) == (typed(one) == typed(other))


def written(value: Any, random: Random) -> str:
    """Write a value with keys, spaces and escapes as chance has them."""
    space = random.choice(["", " ", "\n", "\t "])
    if isinstance(value, dict):
        pairs = [f"{written(k, random)}{space}:{written(v, random)}" for k, v in value.items()]
        random.shuffle(pairs)
        return "{" + space + f",{space}".join(pairs) + "}"
    if isinstance(value, list):
        return "[" + f"{space},".join(written(item, random) for item in value) + space + "]"
    if isinstance(value, Decimal):
        return f"{value:f}" + random.choice(["", "0", "00", "e0"])
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=random.choice([True, False]))
    return json.dumps(value)


def typed(value: Any) -> Any:
    """Return a value that compares with its types."""
    if isinstance(value, dict):
        return {key: typed(item) for key, item in value.items()}
    if isinstance(value, list):
        return [typed(item) for item in value]
    return (type(value).__name__, value)


def test_a_decimal_keeps_every_digit() -> None:
    longer = Decimal("1." + "0" * 40 + "1")

    assert canonical(longer) != canonical(Decimal("1.0"))


def test_tuples_and_mappings_are_lists_and_objects() -> None:
    assert canonical(MappingProxyType({"b": (1, 2), "a": None})) == '{"a":null,"b":[1,2]}'


@pytest.mark.parametrize(
    "value", [1.0, {1: 2}, {"a": {True: 1}}, b"x", {1}, Decimal("NaN"), Decimal("Infinity")]
)
def test_what_json_does_not_have_is_refused(value: Any) -> None:
    with pytest.raises(TypeError, match="canonical JSON"):
        canonical(value)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"a":1,"a":2}', "twice"),
        ("NaN", "NaN and Infinity"),
        ("-Infinity", "NaN and Infinity"),
        ("1e400", "out of bounds"),
        ("1e99999999999999999999", "out of bounds"),
        ("1." + "1" * MAX_DIGITS, "out of bounds"),
        ("1" * (MAX_DIGITS + 1), "more than 100 digits"),
        ('"\\ud800"', "surrogate"),
        ('{"\\udc00":1}', "surrogate"),
        ('"\x01"', "control character"),
        ("{} {}", "Extra data"),
        ("\ufeff{}", "not valid JSON"),
        ("", "not valid JSON"),
        ("[" * 100_000, "nested deeper"),
        ("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1), "nested deeper"),
        ('{"a":' * (MAX_DEPTH + 1) + "1" + "}" * (MAX_DEPTH + 1), "nested deeper"),
        (" " * MAX_JSON_CHARS + "1", "longer than"),
    ],
)
def test_the_reader_refuses(text: str, reason: str) -> None:
    with pytest.raises(JsonRefused, match=reason):
        parse_json(text)


@pytest.mark.parametrize(
    "text",
    [
        "[" * MAX_DEPTH + "]" * MAX_DEPTH,
        "1" * MAX_DIGITS,
        " " * (MAX_JSON_CHARS - 1) + "1",
        "1e308",
        '"\\ud83d\\ude00"',
    ],
)
def test_the_reader_takes_what_is_just_inside_its_bounds(text: str) -> None:
    assert canonical(parse_json(text))


def test_purposes_keep_digests_apart() -> None:
    assert digest("arguments", {}) != digest("request", {})


def test_a_text_of_a_person_can_be_mended_where_it_must_not_be_turned_away() -> None:
    """Half a pair becomes U+FFFD, in keys too; everything else is as strict as ever."""
    text = r'{"a\ud83d": ["x\ude00", 1.50, {"b": null}]}'

    assert parse_json(text, mend=True) == {"a\ufffd": ["x\ufffd", Decimal("1.50"), {"b": None}]}
    with pytest.raises(JsonRefused, match="surrogate"):
        parse_json(text)
    with pytest.raises(JsonRefused, match="NaN"):
        parse_json("NaN", mend=True)


def test_the_longest_text_is_a_choice_of_the_caller() -> None:
    """At the boundary it is read, one character beyond it is not."""
    assert parse_json('"abc"', max_chars=5) == "abc"
    with pytest.raises(JsonRefused, match="longer than 5 characters"):
        parse_json('"abcd"', max_chars=5)

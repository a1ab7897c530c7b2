"""Strict reading of arguments, their canonical form, and the schemas that are offered."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from tools import (
    Arguments,
    ArgumentsRefused,
    DecimalNumber,
    IdForms,
    LabelReason,
    WholeNumber,
    canonical_arguments,
    id_of,
    parameters_of,
    read_arguments,
)

IDS = IdForms()


class Part(BaseModel):
    """A part."""

    title: str


class Sample(Arguments):
    """Arguments with a field of each kind."""

    order_id: Annotated[str, id_of(IDS.order), Field(description="The order.")]
    amount: Annotated[DecimalNumber, Field(gt=0, le=5)]
    reason: Annotated[LabelReason, Field(strict=False)]
    count: Annotated[int, Field(ge=1, le=10, description="How many.")] | None


class Inner(Arguments):
    """A part with a whole number."""

    many: WholeNumber


class Outer(Arguments):
    """Arguments with a whole number inside a list."""

    parts: list[Inner]


class Nested(Arguments):
    """Arguments that a plugin may have."""

    parts: Annotated[list[Part], Field(max_length=3)]
    reason: LabelReason | None
    number: int | str


def sample(**changes: Any) -> str:
    """Return the text of good arguments, with some parts of it replaced."""
    parts = {"order_id": '"LK-581106"', "amount": "1.5", "reason": '"damaged"', "count": "1"}
    return "{" + ", ".join(f'"{key}": {text}' for key, text in (parts | changes).items()) + "}"


def test_good_arguments_are_read() -> None:
    read = read_arguments(Sample, sample())

    assert read.amount == Decimal("1.5")
    assert read.reason is LabelReason.DAMAGED
    assert (read.order_id, read.count) == ("LK-581106", 1)


@pytest.mark.parametrize(("text", "count"), [("3.0", 3), ("3", 3), ("1e1", 10), ("null", None)])
def test_a_whole_number_is_an_integer_however_it_is_written(text: str, count: int | None) -> None:
    read = read_arguments(Sample, sample(count=text))

    assert read.count == count
    assert type(read.count) is type(count)


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"order_id": '"LK-55190"'}, "order_id: must be LK- and 6 digits"),
        ({"order_id": "581106"}, "order_id: Input should be a valid string"),
        ({"amount": '"1.5"'}, "amount: must be a number"),
        ({"amount": "true"}, "amount: must be a number"),
        ({"amount": "0"}, "amount: Input should be greater than 0"),
        ({"amount": "5.01"}, "amount: Input should be less than or equal to 5"),
        ({"reason": '"stolen"'}, "reason: Input should be 'change_of_mind', 'damaged' or"),
        ({"count": "3.5"}, "count: Input should be a valid integer"),
        ({"count": "true"}, "count: Input should be a valid integer"),
        ({"count": '"3"'}, "count: Input should be a valid integer"),
        ({"count": "11"}, "count: Input should be less than or equal to 10"),
        ({"count": "0"}, "count: Input should be greater than or equal to 1"),
    ],
)
def test_a_fault_names_field_and_rule(changes: dict[str, str], fault: str) -> None:
    with pytest.raises(ArgumentsRefused) as refused:
        read_arguments(Sample, sample(**changes))

    assert fault in str(refused.value)


@pytest.mark.parametrize("field", ["order_id", "amount", "reason", "count", "surprise"])
def test_a_fault_never_repeats_the_value_or_an_unknown_key(field: str) -> None:
    with pytest.raises(ArgumentsRefused) as refused:
        read_arguments(Sample, sample(**{field: '"C-99999 hunter2"', "hunter2": "1"}))
    with pytest.raises(ArgumentsRefused) as refused_value:
        read_arguments(
            Sample, sample(**({field: '"hunter2"'} if field != "surprise" else {"x": "1"}))
        )

    assert "hunter2" not in str(refused.value) + str(refused_value.value)


def test_all_faults_are_named_up_to_five() -> None:
    class Many(Arguments):
        a: int
        b: int
        c: int
        d: int
        e: int
        f: int

    with pytest.raises(ArgumentsRefused) as refused:
        read_arguments(Many, '{"a":"","b":"","c":"","d":"","e":"","f":""}')

    assert "e: Input" in str(refused.value)
    assert "f: Input" not in str(refused.value)
    assert "and 1 more" in str(refused.value)


@pytest.mark.parametrize("text", ["[]", '"x"', "1", "null", "{}", "", sample(extra="1")])
def test_anything_but_an_object_with_exactly_the_keys_is_refused(text: str) -> None:
    with pytest.raises(ArgumentsRefused, match="exactly these keys: order_id, amount, reason"):
        read_arguments(Sample, text)


@pytest.mark.parametrize("text", ["not json", "{", '{"a":1,"a":2}', '{"a": NaN}', '"{}"x'])
def test_what_is_not_json_is_refused(text: str) -> None:
    with pytest.raises(ArgumentsRefused, match="cannot be read"):
        read_arguments(Sample, text)


def test_a_tool_without_arguments_takes_an_empty_text_and_no_keys() -> None:
    class Nothing(Arguments):
        pass

    assert read_arguments(Nothing, " ") == read_arguments(Nothing, "{}")
    with pytest.raises(ArgumentsRefused, match="no keys"):
        read_arguments(Nothing, '{"customer_id": "C-10001"}')


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    with pytest.raises(ArgumentsRefused):
        read_arguments(Sample, text)
    assert canonical_arguments(parameters_of(Sample), text)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ('{"count": 1}', '{"count":1.0}', True),
        ('{"amount": 1}', '{"amount":1.0}', False),
        ('{"amount": 1.50}', '{"amount":1.5}', True),
        ('{"a":1,"b":2}', '{ "b": 2, "a": 1 }', True),
        ("", "{}", True),
        ("{", "{ ", False),
        ("{", "{", True),
        ("{", '"{"', False),
        ("[1]", "[1.0]", False),
    ],
)
def test_canonical_arguments(one: str, other: str, same: bool) -> None:
    assert (
        canonical_arguments(parameters_of(Sample), one)
        == canonical_arguments(parameters_of(Sample), other)
    ) is same


def test_an_unknown_tool_has_no_integer_fields() -> None:
    assert canonical_arguments(None, '{"count":1.0}') != canonical_arguments(None, '{"count":1}')


def test_the_schema_holds_types_and_descriptions_and_nothing_that_providers_refuse() -> None:
    assert parameters_of(Sample) == {
        "type": "object",
        "properties": {
            "order_id": {"type": "string", "description": "The order."},
            "amount": {"type": "number"},
            "reason": {
                "type": "string",
                "enum": ["change_of_mind", "damaged", "wrong_item"],
                "description": LabelReason.__doc__,
            },
            "count": {"type": ["integer", "null"], "description": "How many."},
        },
        "required": ["order_id", "amount", "reason", "count"],
        "additionalProperties": False,
    }


def test_nested_schemas_keep_their_shape() -> None:
    properties = parameters_of(Nested)["properties"]

    assert properties["parts"]["items"] == {
        "type": "object",
        "description": "A part.",
        "properties": {"title": {"type": "string"}},
        "required": ["title"],
        "additionalProperties": False,
    }
    assert properties["reason"]["anyOf"][1] == {"type": "null"}
    assert properties["number"] == {"type": ["integer", "string"]}


@pytest.mark.parametrize(("text", "many"), [("3", 3), ("3.0", 3)])
def test_a_whole_number_inside_a_part_is_an_integer_too(text: str, many: int) -> None:
    assert read_arguments(Outer, f'{{"parts": [{{"many": {text}}}]}}').parts[0].many == many


@pytest.mark.parametrize(
    ("part", "fault"),
    [
        ('{"many": 3.5}', "parts.0.many: Input should be a valid integer"),
        ('{"many": 3, "hunter2": 1}', "parts.0: has an unknown key"),
    ],
)
def test_a_fault_inside_a_part_names_its_place(part: str, fault: str) -> None:
    with pytest.raises(ArgumentsRefused) as refused:
        read_arguments(Outer, f'{{"parts": [{part}]}}')

    assert fault in str(refused.value)
    assert "hunter2" not in str(refused.value)


def test_a_field_that_may_be_an_integer_takes_a_whole_number_as_one() -> None:
    whole, fraction = (
        canonical_arguments(parameters_of(Nested), f'{{"number": {text}}}')
        for text in ("3.0", "3.5")
    )

    assert (whole, fraction) == ('{"number":3}', '{"number":3.5}')

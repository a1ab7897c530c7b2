"""Strict reading of a call's arguments, and the schema that is offered for them.

An argument text must be a JSON object with exactly the keys of the tool's model, each value in
its form. Error texts name the field and the rule, never the value: a value may be a secret or
another customer's id.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from functools import cache
from typing import Annotated, Any, Final, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    ValidationError,
    WithJsonSchema,
)
from pydantic_core import ErrorDetails

from tools.canonical import canonical, parse_json
from tools.errors import ArgumentsRefused, JsonRefused
from tools.forms import IdForm

__all__ = [
    "Arguments",
    "DecimalNumber",
    "WholeNumber",
    "call_signature",
    "canonical_arguments",
    "id_of",
    "parameters_of",
    "problems_of",
    "read_arguments",
]

Model = TypeVar("Model", bound=BaseModel)
MAX_PROBLEMS: Final = 5
"""How many faults of one call are named at once."""
UNPARSED: Final = "unparsed:"
"""Stands before a text that is no JSON; no canonical text begins like this."""


class Arguments(BaseModel):
    """Base of every tool's arguments: strict types, no extra keys, immutable."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")


def id_of(form: IdForm) -> AfterValidator:
    """Return the check that a text is one id of the form."""

    def check(value: str) -> str:
        if not form.fits(value):
            raise ValueError(f"must be {form.words}")
        return value

    return AfterValidator(check)


def _to_decimal(value: object) -> Decimal:
    if isinstance(value, Decimal):
        return value
    if type(value) is int:
        return Decimal(value)
    raise ValueError("must be a number")


DecimalNumber = Annotated[Decimal, BeforeValidator(_to_decimal), WithJsonSchema({"type": "number"})]
"""A JSON number, whole or not, as a ``Decimal``. A number in a text is refused."""


def _to_whole(value: object) -> object:
    if isinstance(value, Decimal) and value == value.to_integral_value():
        return int(value)
    return value


WholeNumber = Annotated[int, BeforeValidator(_to_whole), WithJsonSchema({"type": "integer"})]
"""A JSON number without a fraction: ``3.0`` is 3, ``3.5`` is refused."""


def read_arguments(model: type[Model], text: str) -> Model:
    """Return the validated arguments. An empty text is the empty object.

    Raises:
        ArgumentsRefused: with the first failing check in words, no value among them.
    """
    try:
        value = parse_json(text if text.strip() else "{}")
    except JsonRefused as error:
        raise ArgumentsRefused(f"The arguments cannot be read: {error}.") from None
    fields = model.model_fields
    if not isinstance(value, dict) or value.keys() != fields.keys():
        keys = f"exactly these keys: {', '.join(fields)}" if fields else "no keys"
        raise ArgumentsRefused(f"The arguments must be a JSON object with {keys}.")
    try:
        return model.model_validate(_whole_numbers(parameters_of(model), value))
    except ValidationError as error:
        raise ArgumentsRefused(f"The arguments are refused: {problems_of(error)}.") from None


def call_signature(name: str, parameters: Mapping[str, Any] | None, arguments: str) -> str:
    """Return the text that is equal for equal calls: a JSON list of name and arguments.

    ``parameters`` is the offered schema of the tool's arguments, None where it is unknown. The
    arguments stand in their canonical form.
    """
    return canonical([name, canonical_arguments(parameters, arguments)])


def canonical_arguments(parameters: Mapping[str, Any] | None, text: str) -> str:
    """Return the canonical form of a call's arguments.

    Canonical JSON, where whole numbers of fields that the schema calls integer are integers. A
    text that does not parse stands for itself. ``parameters`` is None for a tool that is unknown.
    """
    try:
        value = parse_json(text if text.strip() else "{}")
    except JsonRefused:
        return UNPARSED + text
    if parameters is not None and isinstance(value, dict):
        value = _whole_numbers(parameters, value)
    return canonical(value)


def problems_of(error: ValidationError) -> str:
    """Return at most five faults of a validation as ``field: rule``, without any value."""
    faults = error.errors(include_url=False, include_context=False, include_input=False)
    texts = [_problem(fault) for fault in faults[:MAX_PROBLEMS]]
    if len(faults) > MAX_PROBLEMS:
        texts.append(f"and {len(faults) - MAX_PROBLEMS} more")
    return "; ".join(texts)


@cache
def parameters_of(model: type[BaseModel]) -> Mapping[str, Any]:
    """Return the JSON schema of the arguments in the form that strict providers take.

    All properties required, none added, no titles, no references. Length, range and pattern
    stand in the descriptions: several providers refuse a strict schema that holds them.
    """
    schema = model.model_json_schema()
    return {"type": "object", **_object(schema.get("properties", {}), schema.get("$defs", {}))}


def _problem(fault: ErrorDetails) -> str:
    # An unknown key is not named: it is text of whoever wrote the arguments.
    known = fault["loc"][:-1] if fault["type"] == "extra_forbidden" else fault["loc"]
    place = ".".join(map(str, known))
    rule = "has an unknown key" if known != fault["loc"] else fault["msg"]
    rule = rule.removeprefix("Value error, ")
    return f"{place}: {rule}" if place else rule


def _whole_numbers(parameters: Mapping[str, Any], value: dict[str, Any]) -> dict[str, Any]:
    """Return the object with ``3.0`` as ``3`` where the schema says integer."""
    whole = {
        name: int(number)
        for name, number in value.items()
        if isinstance(number, Decimal)
        and number == number.to_integral_value()
        and "integer" in _types(parameters.get("properties", {}).get(name, {}))
    }
    return value | whole


def _types(part: Mapping[str, Any]) -> list[str]:
    if "anyOf" in part:
        return [name for branch in part["anyOf"] for name in _types(branch)]
    found: str | list[str] = part.get("type", [])
    return [found] if isinstance(found, str) else found


_DROPPED: Final = frozenset(
    "title default format pattern minLength maxLength minItems maxItems uniqueItems multipleOf "
    "minimum maximum exclusiveMinimum exclusiveMaximum".split()
)


def _plain(part: Any, definitions: Mapping[str, Any]) -> Any:
    """Return a part of a schema without references, titles and rules."""
    if isinstance(part, list):
        return [_plain(item, definitions) for item in part]
    if not isinstance(part, dict):
        return part
    if "$ref" in part:
        target = definitions[part["$ref"].rpartition("/")[2]]
        beside = {key: item for key, item in part.items() if key != "$ref"}
        return _plain({**target, **beside}, definitions)
    plain = {key: _plain(item, definitions) for key, item in part.items() if key not in _DROPPED}
    if "properties" in part:  # names of fields, not keywords: a field may be called title
        plain |= _object(part["properties"], definitions)
    return _nullable(plain) if "anyOf" in plain else plain


def _object(fields: Mapping[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keywords of an object that has exactly these fields."""
    return {
        "properties": {name: _plain(part, definitions) for name, part in fields.items()},
        "required": list(fields),
        "additionalProperties": False,
    }


def _nullable(part: dict[str, Any]) -> dict[str, Any]:
    """Write a choice of bare types as a list of types, which every provider takes."""
    branches = part["anyOf"]
    if any(not branch.keys() <= {"type", "description"} for branch in branches):
        return part
    described = {key: item for branch in branches for key, item in branch.items()}
    beside = {key: item for key, item in part.items() if key != "anyOf"}
    return described | beside | {"type": [branch["type"] for branch in branches]}

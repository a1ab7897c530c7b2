"""The box: fixed order of checks, and whatever happens is a result."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from tools import (
    Arguments,
    ArgumentsRefused,
    CallResult,
    Kind,
    NotFound,
    NotYours,
    PluginError,
    ShopDenied,
    ShopError,
    ShopInvalid,
    ShopTimeout,
    ShopUnavailable,
    Toolbox,
)


class OneKey(Arguments):
    """One whole number."""

    number: int


class ByOrder(Arguments):
    """An order, unchecked."""

    order_id: str


class Raising:
    """A tool that raises what it is given, or answers."""

    description = "A tool of the tests."

    def __init__(
        self,
        error: Exception | None = None,
        name: str = "raising",
        arguments: type[BaseModel] = OneKey,
    ) -> None:
        self.name = name
        self.arguments = arguments
        self.error = error
        self.runs = 0

    def run(self, arguments: Any) -> CallResult:
        """Answer with the arguments."""
        self.runs += 1
        if self.error is not None:
            raise self.error
        return CallResult(kind=Kind.OK, code="ok", content={"ok": True, **dict(arguments)})


def test_a_good_call_is_run_and_its_result_handed_on() -> None:
    result = Toolbox([Raising()]).call("raising", '{"number": 2.0}')

    assert (result.kind, result.code, result.content) == (Kind.OK, "ok", {"ok": True, "number": 2})


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("delete_order", "not json", "unknown_tool"),
        ("raising", "not json", "invalid_arguments"),
        ("raising", "[]", "invalid_arguments"),
        ("raising", '{"number": 1, "more": 2}', "invalid_arguments"),
        ("raising", '{"number": 1.5}', "invalid_arguments"),
    ],
)
def test_a_call_that_fails_its_checks_is_invalid_and_never_run(
    name: str, arguments: str, code: str
) -> None:
    tool = Raising()

    result = Toolbox([tool]).call(name, arguments)

    assert (result.kind, result.code) == (Kind.INVALID, code)
    assert result.content.keys() == {"ok", "error"}
    assert result.content["ok"] is False
    assert tool.runs == 0


@pytest.mark.parametrize(
    ("error", "kind", "code", "says"),
    [
        (ShopTimeout("db-7"), Kind.FAILED, "service_timeout", "One more try"),
        (ShopUnavailable("db-7"), Kind.FAILED, "service_unavailable", "One more try"),
        (ShopError("db-7"), Kind.FAILED, "service_failed", "One more try"),
        (ShopDenied("db-7"), Kind.REFUSED, "service_denied", "refused"),
        (ShopInvalid("only 1 ordered"), Kind.REFUSED, "service_invalid", "only 1 ordered"),
        (ArgumentsRefused("number: no"), Kind.INVALID, "invalid_arguments", "number: no"),
        (RuntimeError("db-7"), Kind.FAILED, "internal_error", "A person has to look"),
        (RecursionError("db-7"), Kind.FAILED, "internal_error", "A person has to look"),
    ],
)
def test_each_error_of_a_tool_has_its_kind_code_and_public_text(
    error: Exception, kind: Kind, code: str, says: str
) -> None:
    result = Toolbox([Raising(error)]).call("raising", '{"number": 1}')

    assert (result.kind, result.code) == (kind, code)
    assert says in result.content["error"]
    assert "db-7" not in str(result.content)
    assert code not in str(result.content)


def test_what_is_missing_and_what_is_not_yours_read_the_same() -> None:
    def ask(error: Exception, arguments: type[BaseModel], text: str) -> CallResult:
        return Toolbox([Raising(error, arguments=arguments)]).call("raising", text)

    missing = ask(NotFound("x"), ByOrder, '{"order_id": "LK-1"}')
    foreign = ask(NotYours("y"), ByOrder, '{"order_id": "LK-1"}')
    nameless = ask(NotYours("y"), OneKey, '{"number": 1}')

    assert missing.content == foreign.content
    assert (missing.kind, missing.code) == (Kind.NOT_FOUND, "not_found")
    assert (foreign.kind, foreign.code) == (Kind.REFUSED, "other_customer")
    assert missing.content["error"] == "Order LK-1 is not available to this customer."
    assert nameless.content["error"] == "That is not available to this customer."


def test_a_long_refusal_of_a_shop_is_cut() -> None:
    result = Toolbox([Raising(ShopInvalid("x" * 1000))]).call("raising", '{"number": 1}')

    assert result.content["error"].count("x") == 300


def test_an_internal_error_is_logged_without_its_text(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, logger="handrail.tools"):
        Toolbox([Raising(RuntimeError("secret"))]).call("raising", '{"number": 1}')

    (record,) = caplog.records
    assert "secret" not in str(vars(record))
    assert vars(record)["error"] == "RuntimeError"
    assert vars(record)["place"].startswith("run:")


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("delete_order", "There is no tool named delete_order. The tools are: raising."),
        ("a" * 65, "There is no tool of that name."),
        ("drop table\n", "There is no tool of that name."),
        ("", "There is no tool of that name."),
    ],
)
def test_an_unknown_tool_is_named_only_if_its_name_is_plain(name: str, says: str) -> None:
    assert Toolbox([Raising()]).call(name, "{}").content["error"].startswith(says)


def test_an_empty_box_says_that_there_are_no_tools() -> None:
    assert "The tools are: none." in Toolbox([]).call("x", "{}").content["error"]


@given(st.text(), st.text())
def test_no_name_and_no_text_makes_the_box_raise(name: str, text: str) -> None:
    box = Toolbox([Raising()])

    assert box.call(name, text).kind is Kind.INVALID
    assert box.call("raising", text).kind in (Kind.INVALID, Kind.OK)
    assert box.signature(name, text).isascii()


def test_a_signature_is_name_and_canonical_arguments() -> None:
    box = Toolbox([Raising()])

    assert box.signature("raising", ' {"number": 1.0}') == '["raising","{\\"number\\":1}"]'
    assert box.signature("other", '{"number": 1.0}') == '["other","{\\"number\\":1.0}"]'
    assert box.signature("raising", '{"number"') == '["raising","unparsed:{\\"number\\""]'


def test_tools_are_offered_in_the_order_asked_for() -> None:
    box = Toolbox([Raising(name="a"), Raising(name="b"), Raising(name="c")])

    assert [spec.name for spec in box.specs] == ["a", "b", "c"]
    assert [spec.name for spec in box.offering(["c", "a"]).specs] == ["c", "a"]
    assert box.offering(["c"]).call("a", "{}").code == "unknown_tool"


def test_a_tool_that_is_not_there_or_there_twice_is_refused() -> None:
    with pytest.raises(PluginError, match="no tool named b, c; there are: a"):
        Toolbox([Raising(name="a")]).offering(["a", "b", "c"])
    with pytest.raises(PluginError, match="no tool named b; there are: none"):
        Toolbox([]).offering(["b"])
    with pytest.raises(PluginError, match="same name"):
        Toolbox([Raising(), Raising()])

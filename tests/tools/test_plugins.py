"""Tools, shops and models by entry point."""

from __future__ import annotations

import tomllib
from importlib.metadata import EntryPoint, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import pytest

from tests.tools.conftest import ALL_TOOLS
from tools import (
    PRACTICE_TODAY,
    CallResult,
    Kind,
    PluginError,
    PluginGroup,
    Plugins,
    PracticeShop,
    ToolContext,
    build_toolbox,
)
from tools.schemas import NoArguments

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))
HERE = __name__


class Greeting:
    """A tool that a team might add."""

    name = "greet"
    description = "Greets."
    arguments = NoArguments

    def __init__(self, context: ToolContext) -> None:
        self._today = context.today

    def run(self, arguments: Any) -> CallResult:  # noqa: ARG002
        """Greet."""
        content = {"ok": True, "today": self._today.isoformat()}
        return CallResult(kind=Kind.OK, code="ok", content=content)


NOT_CALLABLE = "a text"


class _Odd(Greeting):
    """A tool whose content is what a test wants."""

    content: Any

    def run(self, arguments: Any) -> CallResult:  # noqa: ARG002
        """Return the content."""
        return CallResult(kind=Kind.OK, code="ok", content=self.content)


class WithNan(_Odd):
    """A number that JSON does not have."""

    content = {"ok": True, "n": float("nan")}  # noqa: RUF012 (nobody changes it)


class WithSet(_Odd):
    """A value that JSON does not have."""

    content = {"ok": True, "n": {1}}  # noqa: RUF012


class WithList(_Odd):
    """JSON, but no object."""

    content = ("ok",)


class WithNumberKeys(_Odd):
    """Keys that JSON writes as texts."""

    content = {"ok": True, 7: ("a", "b")}  # noqa: RUF012


def point(name: str, value: str, group: str = PluginGroup.TOOLS) -> EntryPoint:
    """Return an entry point as an installed package has them."""
    return EntryPoint(name=name, value=value, group=group)


def declared() -> Plugins:
    """Return the plugins that the project file declares."""
    groups = PROJECT["project"]["entry-points"]
    return Plugins(
        point(name, value, group) for group in groups for name, value in groups[group].items()
    )


def test_the_project_declares_all_built_in_tools_and_the_practice_shop() -> None:
    assert declared().names(PluginGroup.TOOLS) == tuple(sorted(ALL_TOOLS))
    assert "practice" in declared().names(PluginGroup.SHOPS)


def test_each_declared_tool_loads_and_bears_its_name(shop: PracticeShop) -> None:
    context = ToolContext.of(shop, customer_id="C-10001", today=PRACTICE_TODAY)

    for name in ALL_TOOLS:
        assert declared().load(PluginGroup.TOOLS, name)(context).name == name


def test_the_declared_shop_opens_on_a_folder_and_on_the_shipped_data(folder: Path) -> None:
    open_shop = declared().load(PluginGroup.SHOPS, "practice")

    with open_shop(folder) as own, open_shop(None) as shipped:
        assert own.for_customer("C-10001").owns_order("LK-100001")
        assert not shipped.for_customer("C-10001").owns_order("LK-100001")


def test_what_is_installed_is_found() -> None:
    try:
        distribution("handrail")
    except PackageNotFoundError:
        pytest.skip("the project is not installed in this environment")

    assert set(ALL_TOOLS) <= set(Plugins().names(PluginGroup.TOOLS))


def test_a_teams_own_tool_stands_beside_ours(shop: PracticeShop) -> None:
    plugins = Plugins([point("greet", f"{HERE}:Greeting")])
    context = ToolContext.of(shop, customer_id="C-10001", today=PRACTICE_TODAY)

    box = build_toolbox(["greet", "get_order"], context, plugins)

    assert [spec.name for spec in box.specs] == ["greet", "get_order"]
    assert box.call("greet", "").content["today"] == "2026-10-09"


@pytest.mark.parametrize("odd", ["WithNan", "WithSet", "WithList"])
def test_a_plugin_whose_content_is_no_json_is_a_fault_of_the_tool(
    shop: PracticeShop, odd: str
) -> None:
    """The model gets a plain answer, and the run goes on."""
    plugins = Plugins([point("odd", f"{HERE}:{odd}")])
    context = ToolContext.of(shop, customer_id="C-10001", today=PRACTICE_TODAY)

    result = build_toolbox(["odd"], context, plugins).call("greet", "")

    assert (result.kind, result.code) == (Kind.FAILED, "internal_error")


def test_a_plugins_content_is_made_plain_json(shop: PracticeShop) -> None:
    """Keys become texts and tuples lists, as the model and the journal see them."""
    plugins = Plugins([point("odd", f"{HERE}:WithNumberKeys")])
    context = ToolContext.of(shop, customer_id="C-10001", today=PRACTICE_TODAY)

    result = build_toolbox(["odd"], context, plugins).call("greet", "")

    assert result.content == {"ok": True, "7": ["a", "b"]}


def test_a_tool_that_is_nowhere_is_refused(shop: PracticeShop) -> None:
    context = ToolContext.of(shop, customer_id="C-10001", today=PRACTICE_TODAY)

    with pytest.raises(PluginError, match="nothing named no_such_tool is installed"):
        build_toolbox(["no_such_tool"], context)


def test_the_same_entry_seen_twice_is_one() -> None:
    twice = [point("greet", f"{HERE}:Greeting")] * 2

    assert Plugins(twice).names(PluginGroup.TOOLS) == ("greet",)
    assert callable(Plugins(twice).load(PluginGroup.TOOLS, "greet"))


@pytest.mark.parametrize(
    ("points", "reason"),
    [
        ([], "nothing named x is installed in handrail.tools; there are: none"),
        ([point("y", "z")], "there are: y"),
        ([point("x", "a:b"), point("x", "c:d")], "claimed twice: a:b and c:d"),
        ([point("x", "no_such_module_at_all:x")], "ModuleNotFoundError while it was imported"),
        ([point("x", "tools:no_such_name")], "AttributeError while it was imported"),
        ([point("x", f"{HERE}:NOT_CALLABLE")], "not something that can be called"),
        ([point("x", f"{HERE}:Greeting", "handrail.shops")], "nothing named x"),
    ],
)
def test_a_plugin_that_cannot_be_used_is_refused_in_words(
    points: list[EntryPoint], reason: str
) -> None:
    with pytest.raises(PluginError, match=reason):
        Plugins(points).load(PluginGroup.TOOLS, "x")

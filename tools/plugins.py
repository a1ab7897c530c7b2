"""Tools, shops and model clients are found by entry point, so that a team adds its own.

The groups and what an entry point of each must be:

``handrail.tools``
    a callable that takes a ``ToolContext`` and returns a ``Tool``;
``handrail.shops``
    a callable that takes the data folder (a ``Path``, or ``None`` for its own) and returns a
    ``Shop``;
``handrail.gateways``
    a callable without arguments that returns the ``Gateway`` of the shop of the same name; a shop
    without one can be read and not changed;
``handrail.models``
    a callable that takes a ``Server`` and ``Means`` (both of ``loop``) and returns a ``Model``.

Entry points run code of installed packages: whoever can install one is trusted.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from enum import StrEnum
from importlib import metadata
from typing import Any, Final

from tools.context import ToolContext
from tools.contract import CallResult, Tool
from tools.errors import PluginError
from tools.reads import GetCustomerOrders, GetOrder, GetPayments, GetTicket, SearchPolicy
from tools.toolbox import Toolbox
from tools.writes import CreateReturnLabelTool, RequestRefundTool, ReshipItemTool

__all__ = ["PluginGroup", "Plugins", "build_toolbox"]

ToolFactory = Callable[[ToolContext], Tool]


class PluginGroup(StrEnum):
    """The entry point groups."""

    TOOLS = "handrail.tools"
    SHOPS = "handrail.shops"
    GATEWAYS = "handrail.gateways"
    MODELS = "handrail.models"


class Plugins:
    """The installed plugins. Nothing is imported before it is loaded.

    Args:
        entry_points: what is installed; a test hands in its own.
    """

    def __init__(self, entry_points: Iterable[metadata.EntryPoint] | None = None) -> None:
        self._found = _installed() if entry_points is None else tuple(entry_points)

    def names(self, group: PluginGroup) -> tuple[str, ...]:
        """Return the names in the group, sorted."""
        return tuple(sorted({point.name for point in self._found if point.group == group}))

    def load(self, group: PluginGroup, name: str) -> Callable[..., Any]:
        """Import and return what the entry point names.

        Raises:
            PluginError: nothing has that name, two packages claim it, it cannot be imported, or
                it cannot be called.
        """
        points = {
            point.value: point
            for point in self._found
            if point.group == group and point.name == name
        }
        if not points:
            known = ", ".join(self.names(group)) or "none"
            raise PluginError(f"nothing named {name} is installed in {group}; there are: {known}")
        if len(points) > 1:
            claims = " and ".join(sorted(points))
            raise PluginError(f"{name} in {group} is claimed twice: {claims}; remove one package")
        (point,) = points.values()
        return _imported(point)


def _installed() -> tuple[metadata.EntryPoint, ...]:
    groups = (metadata.entry_points(group=group) for group in PluginGroup)
    return tuple(point for points in groups for point in points)


def _imported(point: metadata.EntryPoint) -> Callable[..., Any]:
    try:
        found = point.load()
    except Exception as error:
        problem = f"{type(error).__name__} while it was imported"
        raise PluginError(f"{point.name} in {point.group} does not load: {problem}") from error
    if not callable(found):
        raise PluginError(f"{point.name} in {point.group} is not something that can be called")
    loaded: Callable[..., Any] = found
    return loaded


_BUILT_IN: Final[dict[str, ToolFactory]] = {
    "get_order": GetOrder,
    "get_customer_orders": GetCustomerOrders,
    "get_payments": GetPayments,
    "search_policy": SearchPolicy,
    "get_ticket": GetTicket,
    "request_refund": RequestRefundTool,
    "reship_item": ReshipItemTool,
    "create_return_label": CreateReturnLabelTool,
}
"""Our own tools, which a checkout that is not installed has too. No plugin replaces them."""


def build_toolbox(
    names: Sequence[str], context: ToolContext, plugins: Plugins | None = None
) -> Toolbox:
    """Return the tools of these names, in order, for one customer.

    Args:
        names: the tools of a profile.
        context: the customer's scope.
        plugins: where tools that are not ours are found; ``None`` asks the installed packages.

    Raises:
        PluginError: a tool is not there or does not load.
    """
    return Toolbox([_factory(name, plugins)(context) for name in names])


def _factory(name: str, plugins: Plugins | None) -> ToolFactory:
    if name in _BUILT_IN:
        return _BUILT_IN[name]
    factory: ToolFactory = (plugins or Plugins()).load(PluginGroup.TOOLS, name)
    return lambda context: _PlainJson(factory(context))


class _PlainJson:
    """A tool that is not ours: what it returns is made plain JSON, or is a fault of the tool."""

    def __init__(self, tool: Tool) -> None:
        self._tool = tool
        self.name = tool.name
        self.description = tool.description
        self.arguments = tool.arguments

    def run(self, arguments: Any) -> CallResult:
        """Run the tool.

        Raises:
            TypeError, ValueError: its content is not JSON (the toolbox answers for the fault).
        """
        result = self._tool.run(arguments)
        content = json.loads(json.dumps(result.content, allow_nan=False))
        if not isinstance(content, dict):
            raise TypeError("a tool's content must be a JSON object")
        return replace(result, content=content)

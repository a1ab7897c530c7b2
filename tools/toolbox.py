"""The box that runs one customer's tools. Whatever happens in it is a result, never an exception.

Checks run in a fixed order and the first that fails decides: the tool's name, JSON, an object
with exactly the expected keys, each value's form; then the tool itself finds out about existence
and ownership.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Sequence
from traceback import extract_tb
from typing import Any, Final

from pydantic import BaseModel

from tools.arguments import call_signature, parameters_of, read_arguments
from tools.contract import CallResult, Kind, Tool, ToolSpec
from tools.errors import (
    ArgumentsRefused,
    NotFound,
    NotYours,
    PluginError,
    ShopDenied,
    ShopError,
    ShopInvalid,
    ShopTimeout,
    ShopUnavailable,
)

__all__ = ["Toolbox"]

_log: Final = logging.getLogger("handrail.tools")
_PLAIN_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}", re.ASCII)
MAX_RULE_CHARS: Final = 300
"""Longest text of a shop's own refusal that is handed on, in characters."""
_ONE_MORE: Final = "One more try of the same call is allowed."
_SUBJECTS: Final = {"order_id": "Order", "ticket_id": "Ticket"}


class Toolbox:
    """The tools offered in one run, in order.

    Raises:
        PluginError: when two tools have one name.
    """

    def __init__(self, tools: Sequence[Tool]) -> None:
        self._tools = {tool.name: tool for tool in tools}
        if len(self._tools) != len(tools):
            raise PluginError("two tools have the same name; a toolbox takes each name once")
        self._specs = tuple(
            ToolSpec(
                name=tool.name,
                description=tool.description,
                parameters=parameters_of(tool.arguments),
            )
            for tool in tools
        )

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """The tools as they are offered to a model, in order."""
        return self._specs

    def offering(self, names: Iterable[str]) -> Toolbox:
        """Return a box with only these tools, in the order given.

        Raises:
            PluginError: when a name is not in this box.
        """
        names = tuple(names)
        missing = [name for name in names if name not in self._tools]
        if missing:
            known = ", ".join(self._tools) or "none"
            raise PluginError(f"no tool named {', '.join(missing)}; there are: {known}")
        return Toolbox([self._tools[name] for name in names])

    def call(self, name: str, arguments_text: str) -> CallResult:
        """Run one call. Never raises."""
        tool = self._tools.get(name)
        if tool is None:
            return _failure(Kind.INVALID, "unknown_tool", self._unknown(name))
        try:
            arguments = read_arguments(tool.arguments, arguments_text)
        except ArgumentsRefused as error:
            return _failure(Kind.INVALID, "invalid_arguments", str(error))
        try:
            return tool.run(arguments)
        except ArgumentsRefused as error:
            return _failure(Kind.INVALID, "invalid_arguments", str(error))
        except ShopError as error:
            return _shop_failure(error, arguments)
        except Exception as error:  # noqa: BLE001 (a fault of a tool must not end the run)
            return _internal(name, error)

    def signature(self, name: str, arguments_text: str) -> str:
        """Return the text that is equal for equal calls (:func:`call_signature`)."""
        tool = self._tools.get(name)
        parameters = None if tool is None else parameters_of(tool.arguments)
        return call_signature(name, parameters, arguments_text)

    def _unknown(self, name: str) -> str:
        which = f"named {name}" if _PLAIN_NAME.fullmatch(name) else "of that name"
        offered = ", ".join(self._tools) or "none"
        return f"There is no tool {which}. The tools are: {offered}."


def _failure(kind: Kind, code: str, error: str) -> CallResult:
    return CallResult(kind=kind, code=code, content={"ok": False, "error": error})


def _shop_failure(error: ShopError, arguments: BaseModel) -> CallResult:
    match error:
        case NotFound():
            return _failure(Kind.NOT_FOUND, "not_found", _not_available(arguments))
        case NotYours():
            return _failure(Kind.REFUSED, "other_customer", _not_available(arguments))
        case ShopTimeout():
            text = f"The service did not answer in time. {_ONE_MORE}"
            return _failure(Kind.FAILED, "service_timeout", text)
        case ShopUnavailable():
            text = f"The service is not available. {_ONE_MORE}"
            return _failure(Kind.FAILED, "service_unavailable", text)
        case ShopDenied():
            return _failure(Kind.REFUSED, "service_denied", "The service refused this call.")
        case ShopInvalid():
            text = f"Not possible: {str(error)[:MAX_RULE_CHARS]}"
            return _failure(Kind.REFUSED, "service_invalid", text)
        case _:
            text = f"The service failed. {_ONE_MORE}"
            return _failure(Kind.FAILED, "service_failed", text)


def _not_available(arguments: BaseModel) -> str:
    """Say the same of what does not exist and of what is somebody else's."""
    fields: dict[str, Any] = dict(arguments)
    named = [f"{word} {fields[name]}" for name, word in _SUBJECTS.items() if name in fields]
    return f"{' '.join(named) or 'That'} is not available to this customer."


def _internal(name: str, error: Exception) -> CallResult:
    """Answer for a fault of ours. The log names its place; its text may hold anything."""
    places = extract_tb(error.__traceback__)
    place = f"{places[-1].name}:{places[-1].lineno}" if places else "unknown"
    _log.error("tool_failed", extra={"tool": name, "error": type(error).__name__, "place": place})
    text = "The tool failed for a reason of its own. A person has to look at it."
    return _failure(Kind.FAILED, "internal_error", text)

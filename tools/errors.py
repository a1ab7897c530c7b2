"""Errors of the tools floor.

ToolsError
  JsonRefused            a JSON text that the strict reader does not take
  MoneyError             an amount or a currency that cannot be
  DataError              a data file is missing or malformed (file, line, field)
  PluginError            an entry point is missing or does not load
  ArgumentsRefused       the arguments of a call do not fit its tool
  FaultRefused           a simulated fault is not written as tool:mode[:times]
  ClientRefused          the address or the certificates of a service cannot be used
  FormRefused            a setting for the form of an id is not a usable pattern
  ShopError              what a shop answers when it cannot do what was asked
    NotFound             no such order, payment or ticket
    NotYours             it exists and belongs to somebody else
    ShopTimeout          no answer in time; a write may or may not have happened
    ShopUnavailable      the service did not act
      ShopBusy           it asks to be called later (429); may say when
    ShopDenied           the service refuses this caller
    ShopInvalid          the service refuses this request (stock, amount, state)
    ShopBroke            the service failed on its side (5xx); it may or may not have acted
    ShopGarbled          an answer that cannot be read; it may or may not have acted
    ShopConflict         a write with the same key is in flight
    ShopMismatch         the key belongs to a write with another body

Messages say what happened, to what, and what to do. They never hold secrets, other customers'
data or model text.
"""

from __future__ import annotations

__all__ = [
    "ArgumentsRefused",
    "ClientRefused",
    "DataError",
    "FaultRefused",
    "FormRefused",
    "JsonRefused",
    "MoneyError",
    "NotFound",
    "NotYours",
    "PluginError",
    "ShopBroke",
    "ShopBusy",
    "ShopConflict",
    "ShopDenied",
    "ShopError",
    "ShopGarbled",
    "ShopInvalid",
    "ShopMismatch",
    "ShopTimeout",
    "ShopUnavailable",
    "ToolsError",
]


class ToolsError(Exception):
    """Any error of this package."""


class JsonRefused(ToolsError):
    """A JSON text that the strict reader does not take; the message holds no part of it."""


class MoneyError(ToolsError):
    """An amount or a currency that cannot be."""


class DataError(ToolsError):
    """A data file is missing or malformed.

    The message names the file, and the line (1 is the first line of the file) and the field
    where they are known.
    """

    def __init__(
        self, file: str, problem: str, *, line: int | None = None, field: str | None = None
    ) -> None:
        place = file
        if line is not None:
            place += f", line {line}"
        if field is not None:
            place += f", field {field}"
        super().__init__(f"{place}: {problem}")
        self.file = file
        self.line = line
        self.field = field
        self.problem = problem


class PluginError(ToolsError):
    """An entry point is missing or does not load."""


class ArgumentsRefused(ToolsError):
    """The arguments of a call do not fit its tool; the message names field and rule, no value."""


class FaultRefused(ToolsError):
    """A simulated fault is not written as ``tool:mode[:times]``."""


class ClientRefused(ToolsError):
    """The address or the certificates of a service cannot be used."""


class FormRefused(ToolsError):
    """A setting for the form of an id is not a usable pattern."""


class ShopError(ToolsError):
    """A shop could not do what was asked."""


class NotFound(ShopError):
    """No such order, payment or ticket."""


class NotYours(ShopError):
    """It exists and belongs to somebody else. Only the log may know."""


class ShopTimeout(ShopError):
    """No answer in time; a write may or may not have happened."""


class ShopUnavailable(ShopError):
    """The service did not act."""


class ShopDenied(ShopError):
    """The service refuses this caller."""


class ShopInvalid(ShopError):
    """The service refuses this request: stock, amount or state.

    ``code`` is one short word for the rule, safe to store and to show.
    """

    def __init__(self, message: str = "", *, code: str = "invalid") -> None:
        super().__init__(message)
        self.code = code


class ShopBusy(ShopUnavailable):
    """The service takes no more calls just now and did not act.

    ``retry_after_s`` is the wait that it asked for, in seconds; ``None`` where it named none.
    """

    def __init__(self, message: str, *, retry_after_s: int | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class ShopBroke(ShopError):
    """The service answered that it failed on its side; a write may or may not have happened."""


class ShopGarbled(ShopError):
    """The service's answer cannot be read; a write may or may not have happened."""


class ShopConflict(ShopError):
    """A write with the same key is in flight: wait and ask again, never with a new key."""


class ShopMismatch(ShopError):
    """The key belongs to a write with another body. This request was not carried out."""

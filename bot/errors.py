"""Errors of the bot floor.

BotError
  SettingRefused     a setting cannot be read (variable or file, line, field); never its value
  TicketUnknown      the data folder holds no such ticket
  RecordingsChanged  a run would be gone on with over other replies than it was begun with
  RunNotFound        the store holds no such run, and no run of such a ticket

Each has a message that says what happened and to what, and a ``hint`` that says what to do next.
"""

from __future__ import annotations

__all__ = ["BotError", "RecordingsChanged", "RunNotFound", "SettingRefused", "TicketUnknown"]


class BotError(Exception):
    """Any error of this package. ``hint`` is a second line for the reader, or empty."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class SettingRefused(BotError):
    """A setting cannot be read. The message names the place and the rule, never the value."""

    def __init__(self, place: str, problem: str, *, hint: str = "") -> None:
        super().__init__(f"{place}: {problem}", hint=hint)
        self.place = place


class TicketUnknown(BotError):
    """The data folder holds no such ticket."""


class RecordingsChanged(BotError):
    """A run would be gone on with over other replies than it was begun with."""


class RunNotFound(BotError):
    """The store holds no run of that id, and no run of a ticket of that id."""

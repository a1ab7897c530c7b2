"""A finding: one thing that was looked at, how it is, and what to do about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

__all__ = ["Check", "Finding", "Level", "examine", "fine", "problem", "warning"]


class Level(StrEnum):
    """How something is."""

    OK = "ok"
    WARNING = "warning"
    """The bot works; somebody should know."""
    PROBLEM = "problem"
    """Something that the settings ask for does not work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One line of the report.

    Attributes:
        check: the group that it belongs to, in a word: tokens, scopes, channels, …
        level: how it is.
        what: what was found. Never a secret, never a customer's text.
        do: what to do; empty where nothing is to be done.
    """

    check: str
    level: Level
    what: str
    do: str = ""


Check = Callable[[], Iterable[Finding]]
"""Looks at one group of things. It changes nothing and raises nothing for what it finds."""


def fine(check: str, what: str) -> Finding:
    """Return a finding that all is well."""
    return Finding(check=check, level=Level.OK, what=what)


def warning(check: str, what: str, do: str = "") -> Finding:
    """Return a finding that somebody should know of."""
    return Finding(check=check, level=Level.WARNING, what=what, do=do)


def problem(check: str, what: str, do: str) -> Finding:
    """Return a finding that something does not work."""
    return Finding(check=check, level=Level.PROBLEM, what=what, do=do)


def examine(checks: Iterable[Check]) -> Iterator[Finding]:
    """Make checks one after the other and yield what each finds, as soon as it is found."""
    for check in checks:
        yield from check()

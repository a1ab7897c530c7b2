"""Limits: validated values. Not given, given, None and 0 are four things.

Not given keeps the profile's value, None is no limit, 0 is a limit of 0. What cannot be a limit
(negative, NaN, infinite, a bool, a text) is refused when limits are built, never later.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from decimal import Decimal
from enum import Enum, StrEnum
from typing import Any, Final

from loop.errors import LimitRefused

__all__ = [
    "LARGEST",
    "LIMIT_NAMES",
    "NOT_GIVEN",
    "Duplicates",
    "Limits",
    "NotGiven",
    "Repeat",
    "RunClock",
    "TimeCheck",
    "limits_from_text",
]


class NotGiven(Enum):
    """The type of :data:`NOT_GIVEN`, so that it is not None, not 0, and not a text."""

    NOT_GIVEN = "not given"


NOT_GIVEN: Final = NotGiven.NOT_GIVEN
"""Keeps the profile's value."""


class RunClock(StrEnum):
    """Which time ``max_seconds`` bounds."""

    MODEL = "model"
    """Summed model time, retries and their waits included."""
    WALL = "wall"
    """Monotonic time of the run, downtime excluded."""


class TimeCheck(StrEnum):
    """When ``max_seconds`` is checked."""

    BEFORE_CALL = "before_call"
    """Before a model call."""
    AFTER_STEP = "after_step"
    """At the end of a step that did not finish (the assistant's "round of tools")."""


class Repeat(StrEnum):
    """Which earlier outcome makes the same call a repeat."""

    AFTER_SUCCESS = "after_success"
    """Only an earlier ok or proposed."""
    ANY = "any"
    """Whatever the earlier outcome was."""


class Duplicates(StrEnum):
    """What happens to the same call twice in one reply."""

    COLLAPSE = "collapse"
    """It runs once, and every copy gets that result."""
    STOP = "stop"
    """The copy is a repeat, whatever the first one's outcome was."""


LARGEST: Final = 10**9
"""The largest value of any limit. No run comes near it: who wants no limit says None."""
MAX_DIGITS: Final = 20
"""Most digits, and most decimals, of a limit."""
MIN_RESULT_CHARS: Final = 200
"""The smallest ``max_result_chars``: room for an object that says that it was cut."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """All that bounds a run (design section 3, table of limits).

    Raises:
        LimitRefused: naming the limit and what is allowed.
    """

    max_steps: int | None
    """Model calls; used = limit stops, before a call. 0 stops before the first."""
    max_seconds: Decimal | None
    """Used > limit stops. 0: the first call runs, anything used then stops."""
    clock: RunClock
    time_check: TimeCheck
    max_cost_usd: Decimal | None
    """Used > limit stops, before a call."""
    repeat: Repeat
    allowed_repeats: int | None
    """Repeats that run, over the whole run; None switches the rule off."""
    duplicates_in_reply: Duplicates
    max_errors: int | None
    """Errors in a row; used = limit stops, at the end of a step. At least 1."""
    max_result_chars: int | None
    """Characters of every tool result; a longer one is cut. At least 200."""
    max_calls_per_step: int | None
    """Calls run per reply; those beyond are answered, not run, together one error. At least 1."""

    def __post_init__(self) -> None:
        _whole("max_steps", self.max_steps, 0)
        _whole("allowed_repeats", self.allowed_repeats, 0)
        _whole("max_errors", self.max_errors, 1)
        _whole("max_result_chars", self.max_result_chars, MIN_RESULT_CHARS)
        _whole("max_calls_per_step", self.max_calls_per_step, 1)
        object.__setattr__(self, "max_seconds", _number("max_seconds", self.max_seconds))
        object.__setattr__(self, "max_cost_usd", _number("max_cost_usd", self.max_cost_usd))
        for name, kind in _CHOICES.items():
            _choice(name, getattr(self, name), kind)

    def changed(self, **given: Any) -> Limits:
        """Return these limits with the given ones in place; ``NOT_GIVEN`` keeps the value.

        Raises:
            LimitRefused: for an unknown name or a value that cannot be.
        """
        values = {name: value for name, value in given.items() if value is not NOT_GIVEN}
        for name in values:
            if name not in LIMIT_NAMES:
                raise LimitRefused(name, f"no such limit; there are {', '.join(LIMIT_NAMES)}")
        return replace(self, **values)

    def as_dict(self) -> dict[str, Any]:
        """Return the limits as JSON values; exact numbers as text."""
        return {name: _plain(getattr(self, name)) for name in LIMIT_NAMES}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Limits:
        """Read back what :meth:`as_dict` wrote.

        Raises:
            LimitRefused: for a missing or unknown name, or a value that cannot be.
        """
        if unknown := set(values) ^ set(LIMIT_NAMES):
            raise LimitRefused(min(unknown), "unknown, or missing in what was stored")
        return cls(**{name: _from_plain(name, value) for name, value in values.items()})


LIMIT_NAMES: Final = tuple(field.name for field in fields(Limits))
_CHOICES: Final[Mapping[str, type[StrEnum]]] = {
    "clock": RunClock,
    "time_check": TimeCheck,
    "repeat": Repeat,
    "duplicates_in_reply": Duplicates,
}
_NUMBERS: Final = ("max_seconds", "max_cost_usd")
_NO_LIMIT: Final = ("none", "off", "unlimited")
_OR_NONE: Final = "or none for no limit"
_WHOLE: Final = re.compile(r"[+-]?[0-9]{1,20}", re.ASCII)
_NUMBER: Final = re.compile(r"[+-]?([0-9]{1,40}(\.[0-9]{0,40})?|\.[0-9]{1,40})", re.ASCII)
"""Plain numbers: Python would also read underscores, other scripts' digits and exponents."""


def limits_from_text(given: Mapping[str, str]) -> dict[str, Any]:
    """Read limits given as text (``max_steps=4``, ``max_cost_usd=none``) for ``changed``.

    ``none`` is no limit. The values' bounds are checked where the limits are built.

    Raises:
        LimitRefused: for an unknown name or a text that is no number or choice.
    """
    return {name: _from_text(name, text.strip()) for name, text in given.items()}


def _from_text(name: str, text: str) -> Any:
    if name not in LIMIT_NAMES:
        raise LimitRefused(name, f"no such limit; there are {', '.join(LIMIT_NAMES)}")
    if kind := _CHOICES.get(name):
        return _from_choice(name, text, kind)
    if text.lower() in _NO_LIMIT:
        return None
    if name in _NUMBERS:
        if not _NUMBER.fullmatch(text):
            raise LimitRefused(name, f"is a number, such as 1.5, {_OR_NONE}")
        return Decimal(text)
    if not _WHOLE.fullmatch(text):
        raise LimitRefused(name, f"is a whole number, {_OR_NONE}")
    return int(text)


def _from_choice(name: str, text: str, kind: type[StrEnum]) -> StrEnum:
    try:
        return kind(text)
    except ValueError:
        raise LimitRefused(name, f"is one of {', '.join(kind)}") from None


def _from_plain(name: str, value: Any) -> Any:
    if kind := _CHOICES.get(name):
        return _from_choice(name, str(value), kind)
    return _from_text(name, value) if isinstance(value, str) else value


def _plain(value: Any) -> Any:
    return format(value, "f") if isinstance(value, Decimal) else value


def _whole(name: str, value: object, least: int) -> None:
    if value is None:
        return
    if type(value) is not int or not least <= value <= LARGEST:
        raise LimitRefused(name, f"is a whole number from {least} to {LARGEST}, {_OR_NONE}")


def _number(name: str, value: object) -> Decimal | None:
    if value is None:
        return None
    number = Decimal(str(value)) if isinstance(value, float) else value
    if isinstance(number, int) and not isinstance(number, bool):
        number = Decimal(number)
    if not isinstance(number, Decimal) or not number.is_finite() or not 0 <= number <= LARGEST:
        raise LimitRefused(name, f"is a number from 0 to {LARGEST}, {_OR_NONE}")
    if len(number.as_tuple().digits) > MAX_DIGITS or number.adjusted() < -MAX_DIGITS:
        raise LimitRefused(name, f"has at most {MAX_DIGITS} decimals")
    return number


def _choice(name: str, value: object, kind: type[StrEnum]) -> None:
    if not isinstance(value, kind):
        raise LimitRefused(name, f"is one of {', '.join(kind)}")

"""Which call an answer answers, where ids are missing, empty, or used more than once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from loop import WireCall
from recordings.importers.runs import Answered

__all__ = ["OpenCalls"]


@dataclass(frozen=True, slots=True)
class _Open:
    step: int
    index: int
    call: WireCall


class OpenCalls:
    """The calls that have no answer yet, the latest reply's first."""

    def __init__(self) -> None:
        self._open: list[_Open] = []

    def asked(self, step: int, calls: Sequence[WireCall]) -> None:
        """Note the calls of a new reply."""
        self._open[:0] = [_Open(step, index, call) for index, call in enumerate(calls)]

    def take(self, answer: Answered) -> tuple[int, int, WireCall] | None:
        """Return step, index and call that this answers, or None where no open call fits.

        By id where there is one. An answer without an id, or with one that no open call has, is
        that of the first open call of its name in the latest reply; without a name, of the first.
        """
        found = self._by_id(answer) or self._by_place(answer)
        if found is None:
            return None
        self._open.remove(found)
        return found.step, found.index, found.call

    @property
    def left(self) -> int:
        """How many calls have no answer."""
        return len(self._open)

    def _by_id(self, answer: Answered) -> _Open | None:
        if not answer.call_id:
            return None
        same = [each for each in self._open if each.call.call_id == answer.call_id]
        named = [each for each in same if each.call.name == answer.name]
        return next(iter(named or same), None)

    def _by_place(self, answer: Answered) -> _Open | None:
        if not self._open:
            return None
        latest = [each for each in self._open if each.step == self._open[0].step]
        # A call with an id of its own waits for that id: it is not given another's answer.
        free = [each for each in latest if not (answer.call_id and each.call.call_id)]
        return next((each for each in free if answer.name in ("", each.call.name)), None)

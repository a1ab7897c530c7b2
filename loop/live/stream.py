"""A reply that comes in pieces, put together again; half a reply is never one."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Any, Final

from loop.decision import FINISH
from loop.live.completion import Misshapen, arguments_text
from loop.live.json_text import JsonBad, read_json

__all__ = ["Pieces", "Progress"]

_DONE: Final = "[DONE]"


class Progress(StrEnum):
    """What a model's server is at, for who watches."""

    ASKED = "asked"
    WAITING = "waiting"
    """Before another try."""
    WRITING = "writing"
    """The reply, and not a look-up."""


class Pieces:
    """Collects the lines of a stream. ``on_progress`` hears once that the reply is written."""

    def __init__(self, on_progress: Callable[[Progress], None]) -> None:
        self._on_progress = on_progress
        self._is_writing = False
        self._is_done = False
        self._fault: str | None = None
        self._error: dict[str, Any] | None = None
        self._head: dict[str, Any] = {}
        self._texts: dict[str, list[str]] = {}
        self._calls: list[dict[str, Any]] = []
        self._finish_reason: Any = None

    def line(self, line: str) -> None:
        """Take one line; what is no data of an event is passed over."""
        field, colon, data = line.partition(":")
        if field != "data" or not colon or self._is_done:
            return
        data = data.strip()
        if data == _DONE:
            self._is_done = True
        elif data:
            self._event(data)

    @property
    def error(self) -> dict[str, Any] | None:
        """The error that came in place of the next piece."""
        return self._error

    @property
    def is_whole(self) -> bool:
        """Whether the stream came to its own end, and the reply in it to one (or to what is none).

        Gateways end a stream in order whose model they lost: such a reply has no finish reason.
        """
        return self._is_done and (self._finish_reason is not None or self._fault is not None)

    @property
    def has_begun(self) -> bool:
        """Whether a part of a reply has come."""
        return bool(self._texts or self._calls)

    def value(self) -> dict[str, Any]:
        """Return the whole completion, as it would have come in one piece.

        Raises:
            Misshapen: a piece was none.
        """
        if self._fault is not None:
            raise Misshapen(self._fault)
        if not self._texts and not self._calls and self._finish_reason is None:
            raise Misshapen("choices")
        message: dict[str, Any] = {name: "".join(parts) for name, parts in self._texts.items()}
        if self._calls:
            message["tool_calls"] = self._calls
        choice = {"message": message, "finish_reason": self._finish_reason}
        return {**self._head, "choices": [choice]}

    def _event(self, data: str) -> None:
        try:
            value = read_json(data)
        except JsonBad:
            self._fault = self._fault or "an event that is not JSON"
            return
        if not isinstance(value, dict):
            self._fault = self._fault or "an event that is no object"
        elif value.get("error"):
            self._error = self._error or value
        else:
            self._piece(value)

    def _piece(self, value: dict[str, Any]) -> None:
        for name in ("model", "usage"):  # usage grows from chunk to chunk: the last one counts
            if value.get(name) is not None:
                self._head[name] = value[name]
        choice = _first_choice(value.get("choices"))
        if choice is None:
            return  # the last chunk holds the usage alone
        delta = choice.get("delta")
        if isinstance(delta, dict):
            self._delta(delta)
        self._finish_reason = choice.get("finish_reason") or self._finish_reason

    def _delta(self, delta: dict[str, Any]) -> None:
        for name in ("content", "refusal"):
            if isinstance(delta.get(name), str):
                self._texts.setdefault(name, []).append(delta[name])
        if delta.get("content"):
            self._writing()
        calls = delta.get("tool_calls") or []
        if not isinstance(calls, list) or not all(isinstance(call, dict) for call in calls):
            self._fault = self._fault or "tool_calls"
            return
        for call in calls:
            self._call(call)

    def _call(self, piece: dict[str, Any]) -> None:
        function = piece.get("function")
        function = function if isinstance(function, dict) else {}
        name, arguments = function.get("name"), function.get("arguments")
        call = self._open_call(piece, has_name=bool(name))
        if isinstance(name, str) and name != call["function"]["name"]:  # some repeat it
            call["function"]["name"] += name
        if arguments is not None:
            # Some servers send the object itself, and some a text after it: all of it is kept.
            call["function"]["arguments"] += arguments_text(arguments)
        if call["function"]["name"] == FINISH:
            self._writing()

    def _open_call(self, piece: dict[str, Any], *, has_name: bool) -> dict[str, Any]:
        """Return the call that a piece goes on with, or a new one.

        Some servers give every call the index 0, or none, and tell them apart by id alone; some
        (vLLM) give every piece an id of its own. A piece without a name begins no other call.
        """
        call_id, index = piece.get("id"), piece.get("index")
        open_calls = [call for call in self._calls if call["index"] == index]
        if open_calls and (not has_name or not call_id or call_id == open_calls[-1]["id"]):
            return open_calls[-1]
        call = {
            "index": index,
            "id": call_id if isinstance(call_id, str) else "",
            "function": {"name": "", "arguments": ""},
        }
        self._calls.append(call)
        return call

    def _writing(self) -> None:
        if not self._is_writing:
            self._is_writing = True
            self._on_progress(Progress.WRITING)


def _first_choice(choices: Any) -> dict[str, Any] | None:
    """Return the one choice that was asked for, whatever others stand beside it."""
    if not isinstance(choices, list):
        return None
    found = (choice for choice in choices if isinstance(choice, dict))
    return next((choice for choice in found if choice.get("index") in (0, None)), None)

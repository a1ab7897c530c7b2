"""Why a request has no recording: the nearest one, and the first field that differs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from loop import Message, Request, head_value, message_value
from recordings.recording import Exchange, Recording

__all__ = ["explain", "narrow"]

_REDACTED: Final = "; that recording is an export that was redacted again, so use --match sequence"
_AROUND: Final = 40
"""Characters shown on each side of a difference."""


def explain(
    request: Request, recordings: Sequence[Recording], *, profile: str | None = None
) -> str:
    """Return the sentence for a request that none of its ticket's recordings answers.

    ``profile`` is the run's, where it is known: recordings of another one do not answer it.
    """
    place = f"step {request.step} of ticket {request.ticket_id}"
    if not recordings:
        asked = "" if profile is None else f" with profile {profile}"
        return (
            f"there is no recording for ticket {request.ticket_id}{asked} and model"
            f" {request.head.model}; give one with --recordings"
        )
    known = [found for found in recordings if found.opened is not None and found.source is None]
    if not known:
        longest = max(len(found.exchanges) for found in recordings)
        if request.step > longest:
            return f"{place} was not recorded: the recording ends after step {longest}"
        return (
            f"the recording of ticket {request.ticket_id} does not hold its requests, so they "
            "cannot be compared; use --match sequence"
        )
    nearest = max(known, key=lambda found: _agreement(request, found))
    difference = _first_difference(request, nearest)
    if difference is None:
        return (
            f"{place} was not recorded: the nearest recording, {nearest.name}, "
            f"ends after step {len(nearest.exchanges)}"
        )
    path, recorded, now = difference
    return (
        f"{place} differs from the nearest recording, {nearest.name}, at {path}: "
        f"recorded {recorded}, now {now}{_REDACTED if nearest.redacted_again else ''}"
    )


def _agreement(request: Request, recording: Recording) -> int:
    """Return how many leading parts of the request the recording has too."""
    same = 0
    for recorded, now in _parts(request, recording):
        if recorded != now:
            break
        same += 1
    return same


def _parts(request: Request, recording: Recording) -> Iterator[tuple[Any, Any]]:
    for _, recorded, now in _named_parts(request, recording):
        yield recorded, now


def _named_parts(request: Request, recording: Recording) -> Iterator[tuple[str, Any, Any]]:
    if recording.opened is not None:
        recorded_head, head = head_value(recording.opened.head), head_value(request.head)
        for name, value in head.items():
            yield name, recorded_head[name], value
    recorded_messages = _messages(recording.exchanges, request.step)
    for index in range(max(len(recorded_messages), len(request.messages))):
        yield (
            f"messages[{index}]",
            _value_at(recorded_messages, index),
            _value_at(request.messages, index),
        )


def _messages(exchanges: Sequence[Exchange], step: int) -> tuple[Message, ...]:
    return tuple(
        message
        for exchange in exchanges
        if exchange.step <= step
        for message in exchange.appended or ()
    )


def _value_at(messages: Sequence[Message], index: int) -> Any:
    return message_value(messages[index]) if index < len(messages) else None


def _first_difference(request: Request, recording: Recording) -> tuple[str, str, str] | None:
    if request.step > len(recording.exchanges):
        return None
    for name, recorded, now in _named_parts(request, recording):
        if recorded != now:
            return narrow(name, recorded, now)
    return None


def narrow(path: str, recorded: Any, now: Any) -> tuple[str, str, str]:
    """Go down to the first field that differs, and show both sides of it."""
    if isinstance(recorded, Mapping) and isinstance(now, Mapping):
        for key in [*recorded, *(key for key in now if key not in recorded)]:
            if recorded.get(key) != now.get(key) or (key in recorded) != (key in now):
                return narrow(f"{path}.{key}", recorded.get(key), now.get(key))
    if isinstance(recorded, list) and isinstance(now, list):
        for index in range(max(len(recorded), len(now))):
            left = recorded[index] if index < len(recorded) else None
            right = now[index] if index < len(now) else None
            if left != right:
                return narrow(f"{path}[{index}]", left, right)
    if isinstance(recorded, str) and isinstance(now, str):
        at = next(
            (i for i, pair in enumerate(zip(recorded, now, strict=False)) if pair[0] != pair[1]),
            min(len(recorded), len(now)),
        )
        return f"{path}, character {at}", _around(recorded, at), _around(now, at)
    return path, _short(recorded), _short(now)


def _around(text: str, at: int) -> str:
    start, end = max(0, at - _AROUND), at + _AROUND
    before, after = ("…" if start else ""), ("…" if end < len(text) else "")
    return f"{before}{text[start:end]!r}{after}"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 2 * _AROUND else f"{text[: 2 * _AROUND]}…"

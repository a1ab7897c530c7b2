"""A run as an importer reads it: what was said and answered, in order, before it is a journal."""

from __future__ import annotations

from dataclasses import dataclass

from loop import Message, Reply
from recordings.origin import Label, Source, Unknown
from tools import Kind, ToolSpec

__all__ = ["Answered", "Heard", "ImportedRun", "Item", "NoReply", "Spoke"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """A message to the model that is no answer to a call."""

    message: Message


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoke:
    """A reply of the model."""

    reply: Reply


@dataclass(frozen=True, slots=True, kw_only=True)
class NoReply:
    """A request that the provider answered with an error."""

    message: str
    status: int | None = None
    latency_us: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """The answer to a call.

    ``call_id`` may be empty, or one that an earlier call had; ``outcome`` None is unknown.
    """

    call_id: str
    name: str
    text: str
    outcome: Kind | None
    took_us: int | None = None


Item = Heard | Spoke | NoReply | Answered


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedRun:
    """One run that was made elsewhere. ``model`` is the one that was asked, empty if unknown."""

    source: Source
    label: Label | None
    model: str
    items: tuple[Item, ...]
    tools: tuple[ToolSpec, ...] = ()
    unknown: frozenset[Unknown] = frozenset()
    """What the source leaves out as a whole; what single replies lack is found by looking."""

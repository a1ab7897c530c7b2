"""Constructed recordings: replies written by hand, run through the loop, kept as its journal.

A constructed recording is marked as such. It is made anew when a prompt, a schema or the data
change, so its digests are always those of the requests that the code makes today.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from loop import (
    Ask,
    Entry,
    Journal,
    Limits,
    MemorySink,
    Profile,
    Reply,
    ScriptedModel,
    Usage,
    VirtualClock,
    WireCall,
    Work,
    price_of,
    run,
)
from recordings.errors import RecordingUnreadable

__all__ = ["MARKS", "WrittenRun", "construct", "profile_for", "read_written"]

MARKS = {"constructed": True}
"""What the opening record of a constructed recording says."""


class _Written(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")


class WrittenCall(_Written):
    """One written call; ``arguments_text`` is for arguments that are not a JSON object."""

    name: str
    arguments: dict[str, Any] | None = None
    arguments_text: str | None = None

    def text(self) -> str:
        """Return the arguments as the text that a model would send."""
        if self.arguments_text is not None:
            return self.arguments_text
        return json.dumps(self.arguments or {}, ensure_ascii=False)


class WrittenReply(_Written):
    """One written reply."""

    text: str | None = None
    calls: tuple[WrittenCall, ...] = Field(default=(), strict=False)
    finish_reason: str | None = None
    refusal: str | None = None
    latency_s: Annotated[Decimal, Field(ge=0, strict=False)]
    tokens_in: Annotated[int, Field(ge=0)]
    tokens_out: Annotated[int, Field(ge=0)]


class WrittenRun(_Written):
    """The written replies of one run.

    ``unlimited``: the replies go on beyond where the profile's limits would stop them, so that
    other limits can be tried on the recording.
    """

    ticket_id: str
    name: str | None = None
    profile: str
    ask: Literal["tools", "json"] = "tools"
    model: str
    unlimited: bool = False
    replies: tuple[WrittenReply, ...] = Field(min_length=1, strict=False)

    @property
    def run_id(self) -> str:
        """The id that the recording gets."""
        return self.name or f"{self.ticket_id}-{self.profile}-{self.model}-constructed"


def read_written(path: Path) -> Iterator[WrittenRun]:
    """Yield the written runs of a file of JSON Lines.

    Raises:
        RecordingUnreadable: naming file, line and field.
    """
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                yield WrittenRun.model_validate_json(line)
            except ValidationError as error:
                fault = error.errors(include_url=False, include_input=False)[0]
                field = ".".join(map(str, fault["loc"]))
                problem = RecordingUnreadable(path.name, fault["msg"], line=number, field=field)
                raise problem from None


def profile_for(written: WrittenRun, profile: Profile) -> Profile:
    """Return the profile as the written run wants it: its way of asking, and its limits."""
    limits = _unlimited(profile.limits, len(written.replies)) if written.unlimited else None
    return replace(profile, ask=Ask(written.ask), limits=limits or profile.limits)


def construct(written: WrittenRun, work: Work) -> list[Entry]:
    """Run the written replies over the work and return the journal, closing record included.

    Raises:
        RecordingUnreadable: the run ended before all written replies were used.
    """
    clock = VirtualClock()
    sink = MemorySink()
    journal = Journal(sink, clock)
    replies = [_reply(reply, written.model, step) for step, reply in enumerate(written.replies, 1)]
    model = ScriptedModel(replies, clock)
    ended = run(work, model, journal)
    if len(model.history) < len(replies):
        raise RecordingUnreadable(
            written.run_id,
            f"the run ended as {ended.stop.reason} after {len(model.history)} of "
            f"{len(replies)} written replies",
        )
    return [*sink.entries, journal.next_entry(ended.closing())]


def _unlimited(limits: Limits, replies: int) -> Limits:
    return limits.changed(
        max_steps=replies,
        max_seconds=None,
        max_cost_usd=None,
        allowed_repeats=None,
        max_errors=None,
    )


def _reply(written: WrittenReply, model: str, step: int) -> Reply:
    usage = Usage(tokens_in=written.tokens_in, tokens_out=written.tokens_out)
    calls = tuple(
        WireCall(call_id=f"call-{step}-{index}", name=call.name, arguments=call.text())
        for index, call in enumerate(written.calls)
    )
    return Reply(
        text=written.text,
        calls=calls,
        finish_reason=written.finish_reason or ("tool_calls" if calls else "stop"),
        refusal=written.refusal,
        model=model,
        usage=usage,
        latency_us=int(written.latency_s * 1_000_000),
        cost=price_of(model, model, usage),
    )

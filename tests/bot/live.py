"""Live runs of the command line's wiring, over a provider on this machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bot.keeper import Keeper
from bot.model_settings import ModelSettings
from bot.models import Models
from bot.plan import LIVE, Plan, plan_again
from bot.settings import Settings
from bot.supplies import Supplies
from bot.trace import lines
from bot.triage import Triaged, triage
from loop import PRICES, Entry, Opened
from recordings import Recording, encode, read_recordings
from tests.live_runs import streamed, turns_of
from tests.provider import Provider

ON = "2026-11-30"


def settings_for(url: str, model: str, **own: Any) -> Settings:
    """Return settings with one live model."""
    table = ModelSettings(base_url=url, **own)
    given = {"live": True, "model": model, "models": {model: table}}
    return Settings.model_construct().model_copy(update=given)


def live_plan(supplies: Supplies, recording: Recording) -> Plan:
    """Return the plan that runs live what was recorded."""
    assert isinstance(recording.opened, Opened)
    plan = plan_again(supplies, recording.opened)
    marks = {LIVE: {"model": plan.model, "on": ON}}
    faults = supplies.cases[recording.ticket_id].faults
    return replace(plan, live=True, recordings=(), marks=marks, faults=faults)


def replay_plan(live: Plan, recording: Recording) -> Plan:
    """Return the plan that replays the recording of a live run."""
    return replace(live, live=False, recordings=(recording,))


def play_live(
    plan: Plan,
    supplies: Supplies,
    provider: Provider,
    recording: Recording,
    keeper: Keeper,
    *,
    stream: bool = False,
) -> Triaged:
    """Run a plan live, over a provider that gives the recorded replies."""
    provider.turns[:] = streamed(recording) if stream else turns_of(recording)
    price = PRICES[plan.model]  # so that a reply costs what its recording says
    prices = {"usd_in": price.usd_in, "usd_out": price.usd_out}
    models = Models(settings_for(provider.url, plan.model, stream=stream, **prices), {})
    try:
        return triage(plan, supplies.shop, keeper, models=models)
    finally:
        models.close()


@dataclass(frozen=True)
class Told:
    """What a run shows, text for text."""

    trace: list[str]
    summary: str
    stop: Any
    lines: list[str]
    """Of its journal, but for the opening's marks: how it was answered is another thing."""

    @classmethod
    def of(cls, triaged: Triaged) -> Told:
        """Return what a run shows."""
        story = triaged.story
        entries = [_unmarked(entry) for entry in story.entries]
        return cls(
            trace=list(lines(story)),
            summary=story.summary(),
            stop=story.stop,
            lines=[encode("run", entry) for entry in entries],
        )


def _unmarked(entry: Entry) -> Entry:
    if not isinstance(entry.record, Opened):
        return entry
    return replace(entry, record=replace(entry.record, marks={}))


def read_one(path: Path) -> Recording:
    """Return the one recording of a file, which has no fault."""
    found = read_recordings(path, PRICES)
    assert found.faults == ()
    (recording,) = found.recordings
    return recording


def ids(recordings: Sequence[Recording]) -> list[str]:
    """Return the names of recordings, for the names of tests."""
    return [recording.name for recording in recordings]

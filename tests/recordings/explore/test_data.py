"""The data of a profile: what the docs say of it is enough to try limits on it."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

from hypothesis import given, settings

from loop import PRICES, Ask, Limits, get_profile
from recordings import SHIPPED_RECORDINGS, read_recordings
from recordings.explore import (
    Fate,
    RunProfile,
    Success,
    facts_of,
    profile_to_json,
    profiled,
    rules_to_json,
)
from tests.loop.scripts import BUSY_SCRIPTS, LIMITS, OPEN_LIMITS, SCRIPTS, WAYS
from tests.recordings.explore.driven import recorded, work_under
from tests.recordings.explore.generated import generated_runs, generated_settings

DOCS = Path(__file__).resolve().parents[3] / "docs"
RULES = json.loads(json.dumps(rules_to_json()))


def tried(data: dict[str, Any], limits: dict[str, Any]) -> tuple[str, str | None, int]:
    """Try limits on a run's JSON as the docs tell a page to; return fate, reason and step."""
    found = []
    for order, bound in enumerate(RULES["bounds"]):
        name, limit = bound["limit"], limits[bound["limit"]]
        past = None if data["limits"] is None else data["limits"][name]
        if name in data["named_limits"] and (data["limits"] is None or past != limit):
            return "not_comparable", None, 0
        if limit is None:
            continue
        if not data["known"].get(needed(name, limits), True):
            return "not_comparable", None, 0
        most = Decimal(limit) * (1_000_000 if name == "max_seconds" else 1)
        for amount, point in data["firing"].get(series(name, limits), []):
            used = Decimal("Infinity") if amount == "unknown" else Decimal(amount)
            if used >= most if bound["stops_at_limit"] else used > most:
                found.append((point, order, bound["reason"]))
                break
    if found:
        point, _, reason = min(found)
        step = data["points"][point]["step"]
        end = data["end"]
        same = end["kind"] == "stopped" and (end["reason"], end["step"]) == (reason, step)
        return "same" if same else "stops", reason, step
    fate = "same" if data["ends_known"] else "unknown"
    return fate, None, max((step["step"] for step in data["steps"]), default=0)


def series(name: str, limits: dict[str, Any]) -> str:
    """The series that a limit is read from."""
    if name == "max_seconds":
        return f"{name}/{limits['clock']}/{limits['time_check']}"
    return f"{name}/{limits['repeat']}" if name == "allowed_repeats" else name


def needed(name: str, limits: dict[str, Any]) -> str:
    """What must be recorded for a limit."""
    if name == "max_seconds":
        return f"{name}/{limits['clock']}"
    hangs_on_outcomes = name == "max_errors" or (
        name == "allowed_repeats" and limits["repeat"] == "after_success"
    )
    return "outcomes" if hangs_on_outcomes else name


def check(profile: RunProfile, limits: Limits) -> None:
    """Hold the JSON against the profile."""
    answer = profile.what_if(limits)
    reason = None if answer.stop is None else answer.stop.reason.value
    data = json.loads(json.dumps(profile_to_json(profile)))
    fate, found, step = tried(data, json.loads(json.dumps(limits.as_dict())))

    assert (fate, found) == (answer.fate, reason)
    if answer.fate in (Fate.STOPS, Fate.SAME):
        assert step == answer.step


def test_generated_runs_tried_by_their_data_end_as_their_profiles_say() -> None:
    for facts in generated_runs(40):
        for limits in generated_settings()[::37]:
            check(profiled(facts), limits)


@settings(max_examples=150)
@given(WAYS, OPEN_LIMITS | LIMITS, LIMITS, BUSY_SCRIPTS | SCRIPTS)
def test_any_run_tried_by_its_data_ends_as_its_profile_says(
    way: tuple[str, Ask | None], past: dict[str, Any], other: dict[str, Any], script: list[Any]
) -> None:
    _, facts = recorded(work_under(way, **past), script)
    check(profiled(facts), work_under(way, **other).profile.limits)


def test_a_strip_shows_error_ok_error_and_the_repeat_of_t_80009() -> None:
    """B60, on the unlimited run: its calls up to the fourth, which is the repeat."""
    runs = read_recordings(SHIPPED_RECORDINGS / "reference_stops.jsonl", PRICES).recordings
    run = next(each for each in runs if each.name == "B59-T-80009")
    data = profile_to_json(profiled(facts_of(run, Success.FAILED, source="stops")), texts=True)
    calls = [call for step in data["steps"][:4] for call in step["calls"]]

    assert [call["state"] for call in calls] == ["error", "ok", "error", "ok"]
    assert [call["repeat"] for call in calls] == [None, None, "any", "after_success"]
    assert calls[0]["arguments"] == '{"order_id":"LK-55190"}'
    assert "get_customer_orders" in {call["name"] for call in calls}
    assert (data["source"], data["success"], data["end"]["kind"]) == ("stops", "failed", "stopped")


def test_the_example_of_the_docs_runs() -> None:
    (example,) = re.findall(r"```python\n(.*?)```", (DOCS / "explore.md").read_text(), re.DOTALL)
    exec(example, {})


def test_each_field_is_in_the_docs() -> None:
    text = (DOCS / "explore.md").read_text(encoding="utf-8")
    profile = profiled(next(generated_runs(1)))
    data = profile_to_json(profile, texts=True)
    names = [*data, *data["steps"][0], *data["steps"][0]["calls"][0], *data["points"][0]]

    assert [name for name in [*names, *data["at_end"]] if f"`{name}`" not in text] == []
    assert get_profile("resolver").limits.as_dict().keys() == data["limits"].keys()

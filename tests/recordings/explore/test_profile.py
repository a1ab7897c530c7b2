"""A profiled run answers as the walk does, which answers as the real loop does."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from loop import Ask
from recordings.explore import as_recorded, profiled, what_if
from tests.loop.scripts import BUSY_SCRIPTS, LIMITS, OPEN_LIMITS, SCRIPTS, WAYS
from tests.recordings.explore.driven import recorded, work_under


@settings(max_examples=150)
@given(
    WAYS,
    OPEN_LIMITS | LIMITS,
    st.lists(LIMITS, min_size=1, max_size=8),
    BUSY_SCRIPTS | SCRIPTS,
)
def test_a_profile_answers_as_the_walk_does_for_any_limits(
    way: tuple[str, Ask | None],
    past: dict[str, Any],
    others: list[dict[str, Any]],
    script: list[Any],
) -> None:
    _, facts = recorded(work_under(way, **past), script)
    profile = profiled(facts)

    for other in others:
        limits = as_recorded(facts, work_under(way, **other).profile.limits)
        assert profile.what_if(limits) == what_if(facts, limits)

"""What holds for any sequence of replies, broken ones included."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from loop import (
    Ask,
    Repeat,
    Replied,
    Result,
    RunClock,
    StopReason,
)
from tests.loop.fakes import (
    Ran,
    make_work,
    run_work,
)
from tests.loop.scripts import LIMITS, SCRIPTS, THE_END, WAYS


def _run(way: tuple[str, Ask | None], limits: dict[str, Any], script: list[Any]) -> Ran:
    name, ask = way
    return run_work(make_work(name, ask=ask, **limits), [*script, THE_END])


@settings(max_examples=600)
@given(WAYS, LIMITS, SCRIPTS)
def test_any_replies_end_within_the_limits_with_one_stop_and_every_call_answered_once(
    way: tuple[str, Ask | None], given_limits: dict[str, Any], script: list[Any]
) -> None:
    """One stop, whole journal and answered calls are held by ``run_work`` itself."""
    ran = _run(way, given_limits, script)
    limits = make_work(way[0], **given_limits).profile.limits
    steps = len(ran.model.history)
    assert steps == ran.ended.stop.step <= len(script) + 1
    assert limits.max_steps is None or steps <= limits.max_steps
    replies = [record.reply for record in ran.records if isinstance(record, Replied)]
    before_last = replies[: steps - 1]
    if limits.max_seconds is not None and limits.clock is RunClock.MODEL:
        used = sum(made.latency_us or 0 for made in before_last)
        assert used <= limits.max_seconds * 1_000_000
    if limits.max_cost_usd is not None:
        assert all(made.cost.usd is not None for made in before_last)
        assert sum(made.cost.usd or 0 for made in before_last) <= limits.max_cost_usd
    for called in ran.called:
        assert limits.max_result_chars is None or len(called.text) <= limits.max_result_chars
        json.loads(called.text)
    _check_outcome(ran)


def _check_outcome(ran: Ran) -> None:
    finished = ran.ended.stop.reason is StopReason.FINISHED
    assert (ran.ended.result is Result.FAILED) is not finished
    if not finished:
        assert ran.ended.resolution is None
        assert ran.ended.actions == ()
    str(ran.records).encode()
    assert len(ran.ended.actions) <= 4
    assert len(set(map(str, ran.ended.actions))) == len(ran.ended.actions)


_TIGHTER: dict[str, list[Any]] = {
    "max_steps": [None, 6, 5, 3, 2, 1, 0],
    "max_seconds": [None, 200, 120, 60, 1, 0],
    "max_cost_usd": [None, Decimal("0.06"), Decimal("0.03"), Decimal(0)],
    "allowed_repeats": [None, 3, 2, 1, 0],
    "max_errors": [None, 5, 4, 3, 2, 1],
    "max_result_chars": [None, 4000, 500, 200],
    "repeat": [Repeat.AFTER_SUCCESS, Repeat.ANY],
}
"""Each limit from none to the tightest.

``max_calls_per_step`` and ``duplicates_in_reply`` are not among them: they change which calls run,
so what comes after is another run, which may be longer.
"""


@settings(max_examples=400)
@given(WAYS, LIMITS, SCRIPTS, st.sampled_from(list(_TIGHTER)), st.data())
def test_a_tighter_limit_never_makes_a_run_longer(
    way: tuple[str, Ask | None],
    given_limits: dict[str, Any],
    script: list[Any],
    name: str,
    data: st.DataObject,
) -> None:
    values = _TIGHTER[name]
    loose = data.draw(st.integers(0, len(values) - 2))
    tight = data.draw(st.integers(loose + 1, len(values) - 1))
    longer = _run(way, given_limits | {name: values[loose]}, script)
    shorter = _run(way, given_limits | {name: values[tight]}, script)
    assert shorter.ended.stop.step <= longer.ended.stop.step


@settings(max_examples=150)
@given(WAYS, LIMITS, SCRIPTS, st.data())
def test_any_run_killed_anywhere_goes_on_to_the_same_end(
    way: tuple[str, Ask | None],
    given_limits: dict[str, Any],
    script: list[Any],
    data: st.DataObject,
) -> None:
    name, ask = way
    work = make_work(name, ask=ask, **given_limits)
    whole = run_work(work, [*script, THE_END])
    assume(len(whole.entries) > 1)
    past = whole.entries[: data.draw(st.integers(1, len(whole.entries)))]
    answered = sum(entry.record.kind in ("replied", "failed") for entry in past)
    resumed = run_work(work, [*script, THE_END][answered:], past=past)
    assert resumed.ended.stop == whole.ended.stop
    assert [r for r in resumed.records if r.kind != "lost_attempt"] == whole.records

"""The journal and resume: a run killed at any line ends as if it had not been killed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from loop import (
    Ask,
    Asked,
    BudgetCut,
    Called,
    Cancelled,
    Checked,
    Entry,
    Failed,
    Journal,
    JournalDiverged,
    LostAttempt,
    MemorySink,
    ModelError,
    Opened,
    ProviderFailed,
    Record,
    RecordingMissing,
    Replied,
    Reply,
    RunClock,
    ScriptedModel,
    Stopped,
    VirtualClock,
    Work,
    run,
)
from tests.loop.fakes import (
    ANSWER,
    FakeTool,
    QueryArguments,
    Ran,
    action,
    call,
    fake_tools,
    finish,
    make_work,
    ok,
    read,
    reply,
    run_work,
)

Script = Sequence[Reply | ModelError]


def _secrets() -> FakeTool:
    """A tool whose results hold personal data: each query another address."""
    return FakeTool(
        "search_policy",
        QueryArguments,
        lambda asked: ok({"note": f"ask {asked.query}@example.com or shop@example.com"}),
    )


CASES: dict[str, tuple[Work, Script]] = {
    "read and finish": (
        make_work(),
        [
            reply(read("LK-504504"), read()),
            reply(finish("resolve")),
            reply(text="so"),
            reply(finish("resolve", actions=[action()]), read()),
        ],
    ),
    "errors in a row": (
        make_work(),
        [reply(call("nothing", "{")), reply(), reply(read("LK-404404"), read("LK-404404"))],
    ),
    "a repeat after a success": (make_work(), [reply(read()), reply(read(), read("LK-100002"))]),
    "allowed repeats": (
        make_work(allowed_repeats=1),
        [reply(read()), reply(read()), reply(read()), reply(finish())],
    ),
    "too many calls": (
        make_work(max_calls_per_step=2),
        [reply(read(), read("LK-2"), read("LK-3"), read("LK-4")), reply(finish())],
    ),
    "the assistant's answer": (
        make_work("assistant"),
        [reply(read()), reply(text=json.dumps(ANSWER))],
    ),
    "a claim that the shop is asked about": (
        make_work("assistant"),
        [reply(text=json.dumps(ANSWER | {"order": {"order_id": "LK-100001", "status": None}}))],
    ),
    "a desk's actions": (
        make_work("desk"),
        [
            reply(call("request_refund", {"order_id": "LK-100001", "amount": 9.95})),
            reply(
                call("request_refund", {"order_id": "LK-100001", "amount": 9.951}),
                call("create_return_label", {"order_id": "LK-100001", "sku": "RUG-W"}),
            ),
            reply(text=json.dumps(ANSWER)),
        ],
    ),
    "json steps": (
        make_work(ask=Ask.JSON),
        [
            reply(text='{"tool": "get_order", "order_id": "LK-100001"}'),
            reply(text="no step"),
            reply(text='{"tool": "finish", "resolution": null}'),
            reply(
                text=json.dumps({"tool": "finish", "resolution": json.loads(finish().arguments)})
            ),
        ],
    ),
    "a provider error": (make_work(), [reply(read()), ProviderFailed("HTTP 500", status=500)]),
    "a budget cut": (make_work(), [reply(read()), BudgetCut("cut", latency_us=7)]),
    "no recording": (make_work(), [RecordingMissing("nothing like it")]),
    "wall time": (
        make_work("assistant", max_seconds=2),
        [reply(read(), latency_s=1), reply(read("LK-100002"), latency_s=1.1)],
    ),
    "steps": (make_work(max_steps=2), [reply(read()), reply(read("LK-100002"))]),
    "cost": (
        make_work(max_cost_usd=0.05),
        [reply(read(), usd="0.03"), reply(read("LK-100002"), usd=None)],
    ),
    "secrets in results": (
        make_work(tools=[*fake_tools()[:1], _secrets()]),
        [
            reply(call("search_policy", {"query": "one"})),
            reply(call("search_policy", {"query": "two"}), call("nothing", '{"a": "x@y.org"}')),
            reply(call("search_policy", {"query": "three"})),
            reply(finish()),
        ],
    ),
}


def _answered(entries: Sequence[Entry]) -> int:
    return sum(isinstance(entry.record, Replied | Failed) for entry in entries)


def _resumed(work: Work, script: Script, past: Sequence[Entry]) -> Ran:
    """Go on with a clock that stands a week later."""
    clock = VirtualClock(7 * 24 * 3600 * 1_000_000)
    return run_work(work, script[_answered(past) :], clock=clock, past=past)


def _plain(records: Sequence[Record]) -> list[Record]:
    return [record for record in records if not isinstance(record, LostAttempt)]


@pytest.mark.parametrize("name", CASES)
def test_a_run_killed_at_every_line_ends_as_if_it_had_not_been_killed(name: str) -> None:
    work, script = CASES[name]
    whole = run_work(work, script)
    for killed_after in range(len(whole.entries) + 1):
        past = whole.entries[:killed_after]
        resumed = _resumed(work, script, past)
        lost = sum(isinstance(record, LostAttempt) for record in resumed.records)
        in_flight = bool(past) and isinstance(past[-1].record, Asked)
        assert lost == resumed.ended.totals.lost_attempts == int(in_flight)
        assert _plain(resumed.records) == whole.records, killed_after
        assert [e.at_us for e in resumed.entries if not isinstance(e.record, LostAttempt)] == [
            entry.at_us for entry in whole.entries
        ]
        assert resumed.ended.stop == whole.ended.stop
        assert resumed.ended.resolution == whole.ended.resolution
        assert resumed.ended.problems == whole.ended.problems
        assert resumed.ended.totals.cost_complete is (
            whole.ended.totals.cost_complete and not in_flight
        )
        asked = len(resumed.model.history) + _answered(past)
        assert asked == len(whole.model.history)  # so at most the one in flight is asked again


@pytest.mark.parametrize("name", ["read and finish", "a desk's actions"])
def test_a_run_killed_twice_keeps_both_lost_attempts(name: str) -> None:
    work, script = CASES[name]
    whole = run_work(work, script)
    first = next(n for n, entry in enumerate(whole.entries) if isinstance(entry.record, Asked))
    once = _resumed(work, script, whole.entries[: first + 1])
    twice = _resumed(work, script, once.entries[: first + 2])
    assert twice.ended.totals.lost_attempts == 2
    assert _plain(twice.records) == whole.records
    again = _resumed(work, script, twice.entries)
    assert again.records == twice.records
    assert again.model.history == []


def test_a_tool_that_already_answered_is_not_run_again() -> None:
    tool = fake_tools()[0]
    work = make_work(tools=[tool])
    script = [reply(read()), reply(finish())]
    whole = run_work(work, script)
    assert tool.runs == 1
    after_call = [isinstance(record, Called) for record in whole.records].index(True) + 1
    _resumed(work, script, whole.entries[:after_call])
    assert tool.runs == 1
    _resumed(work, script, whole.entries[: after_call - 1])
    assert tool.runs == 2


def test_a_shop_that_already_answered_about_a_claim_is_not_asked_again() -> None:
    answers = iter([True])
    work = make_work("assistant", owns_order=lambda _: next(answers))
    script = CASES["a claim that the shop is asked about"][1]
    whole = run_work(work, script)
    assert isinstance(whole.records[-1], Checked)
    assert _resumed(work, script, whole.entries).ended.problems == whole.ended.problems


@pytest.mark.parametrize("clock", RunClock)
def test_downtime_does_not_count_and_active_time_does(clock: RunClock) -> None:
    work = make_work("assistant", max_seconds=2, clock=clock)
    script = [reply(read(), latency_s=1), reply(read("LK-100002"), latency_s=1.5)]
    whole = run_work(work, script)
    assert (whole.ended.stop.reason.value, whole.ended.seconds_us) == ("time", 2_500_000)
    for killed_after in range(len(whole.entries)):
        resumed = _resumed(work, script, whole.entries[:killed_after])
        assert resumed.ended.stop == whole.ended.stop
        assert resumed.ended.seconds_us == 2_500_000


def _changed(entries: Sequence[Entry], kind: type[Any], **fields: Any) -> list[Entry]:
    return [
        replace(entry, record=replace(entry.record, **fields))
        if isinstance(entry.record, kind)
        else entry
        for entry in entries
    ]


@pytest.mark.parametrize(
    ("kind", "fields", "named"),
    [
        (Opened, {"today": "2026-10-10"}, "entry 0 is opened.* with another today"),
        (Opened, {"limits": {}}, "another limits"),
        (Asked, {"digest": "0"}, "entry 1 is asked.* with another digest"),
        (Called, {"index": 1}, "holds call 1"),
        (Called, {"name": "get_payments"}, "step 1 holds call 0"),
    ],
)
def test_a_past_that_is_not_this_runs_is_refused_and_names_the_first_difference(
    kind: type[Any], fields: dict[str, Any], named: str
) -> None:
    work, script = CASES["read and finish"]
    past = _changed(run_work(work, script).entries, kind, **fields)
    with pytest.raises(JournalDiverged, match=named):
        run_work(work, [], past=past)


def test_other_limits_or_another_ticket_are_another_run() -> None:
    work, script = CASES["read and finish"]
    past = run_work(work, script).entries
    for other in (make_work(max_steps=7), make_work("assistant"), make_work(marks={"x": 1})):
        with pytest.raises(JournalDiverged, match="start a new run"):
            run_work(other, script, past=past)


def test_a_past_of_another_kind_at_this_place_is_refused_without_its_values() -> None:
    work, script = CASES["read and finish"]
    entries = run_work(work, script).entries
    past = [entries[0], entries[2], *entries[3:]]
    with pytest.raises(JournalDiverged, match="is replied, and the resumed run comes to asked"):
        run_work(work, script, past=past)


def test_a_divergence_names_no_value() -> None:
    work, script = CASES["read and finish"]
    past = _changed(run_work(work, script).entries, Opened, text="secret text")
    with pytest.raises(JournalDiverged) as diverged:
        run_work(work, script, past=past)
    assert "secret" not in str(diverged.value)


def test_records_that_differ_in_nothing_that_is_compared_have_no_difference_to_name() -> None:
    """A float that is not a number differs from itself; the message stays a sentence."""
    nan = float("nan")
    failed = Failed(
        step=1, cause="provider_error", message="m", status=None, wait_s=nan, latency_us=0
    )
    journal = Journal(MemorySink(), VirtualClock(), [Entry(seq=0, at_us=0, record=failed)])
    with pytest.raises(JournalDiverged, match="failed with another wait_s"):
        journal.write(replace(failed, wait_s=float("nan")))


def test_a_sink_that_refuses_stops_the_run_before_the_model_is_asked() -> None:
    class Full(MemorySink):
        def append(self, entry: Entry) -> None:
            if isinstance(entry.record, Asked):
                raise OSError("the disk is full")
            super().append(entry)

    model = ScriptedModel([reply(finish())])
    with pytest.raises(OSError, match="full"):
        run(make_work(), model, Journal(Full(), VirtualClock()))
    assert model.history == []


def test_the_reply_is_stored_before_it_is_judged_and_the_stop_before_the_shop_is_asked() -> None:
    kinds = [record.kind for record in run_work(*CASES["read and finish"]).records]
    assert " ".join(kinds) == (
        "opened asked replied called called asked replied called asked replied "
        "asked replied called called stopped checked"
    )


def test_the_closing_record_is_made_and_not_stored() -> None:
    sink, clock = MemorySink(), VirtualClock(5)
    journal = Journal(sink, clock)
    journal.write(LostAttempt(step=1))
    clock.advance(1.5)
    entry = journal.next_entry(LostAttempt(step=2))
    assert (entry.seq, entry.at_us) == (1, 1_500_000)
    assert len(sink.entries) == 1
    assert journal.at_us == 0


def test_the_time_that_replaying_takes_does_not_count() -> None:
    clock = VirtualClock()
    past = [Entry(seq=0, at_us=1_000_000, record=LostAttempt(step=1))]
    journal = Journal(MemorySink(), clock, past)
    clock.advance(5)
    assert journal.recall(LostAttempt) is not None
    clock.advance(0.5)
    assert journal.next_entry(LostAttempt(step=2)).at_us == 1_500_000


def test_a_cancel_in_the_past_is_recalled_and_nobody_is_asked() -> None:
    work = make_work()
    whole = run_work(work, [reply(read())], cancelled=_after(2, "ticket deleted"))
    at = [isinstance(record, Cancelled) for record in whole.records].index(True)
    for killed_after in range(at + 1, len(whole.entries) + 1):
        resumed = _resumed(work, [], whole.entries[:killed_after])
        assert resumed.records == whole.records
        assert resumed.ended.stop == whole.ended.stop


def _after(times: int, cause: str) -> Any:
    """Ask for a cancel at the n-th question."""
    asked = 0

    def cancelled() -> str | None:
        nonlocal asked
        asked += 1
        return cause if asked >= times else None

    return cancelled


def test_a_stopped_run_over_its_whole_past_asks_nothing_and_writes_nothing() -> None:
    work, script = CASES["read and finish"]
    whole = run_work(work, script)
    assert isinstance(whole.records[-2], Stopped)
    assert run_work(work, [], past=whole.entries).entries == whole.entries

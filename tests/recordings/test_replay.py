"""A recorded model behind the model seam."""

from dataclasses import replace

import pytest

from loop import (
    BudgetCut,
    Journal,
    MemorySink,
    ProviderFailed,
    RecordingMissing,
    ScriptedModel,
    StopReason,
    VirtualClock,
    Work,
    get_profile,
    run,
)
from loop.testing import call, reply
from recordings import Match, Recording, RecordingUnused, ReplayModel
from tests.recordings.builders import ANSWER, LOOK_UP, played, recorded, work_on
from tools import CallResult, PracticeShop, Ticket, Toolbox, ToolContext
from tools.reads import GetOrder


def kept(shop: PracticeShop, *replies: object) -> Recording:
    """Return a recording of T-80008, by default of a look-up and an answer."""
    _, entries = recorded(work_on(shop), replies or (LOOK_UP, ANSWER))  # type: ignore[arg-type]
    recording = Recording.of("kept", entries)
    assert recording is not None
    return recording


def test_a_strict_replay_is_the_run_again(shop: PracticeShop) -> None:
    """The same journal to the entry, times included, and nothing left over."""
    ended, entries = recorded(work_on(shop))
    recording = Recording.of("kept", entries)
    assert recording is not None
    clock = VirtualClock()
    model = ReplayModel([recording], clock=clock)

    again, replayed = played(work_on(shop), model, clock)

    model.done()
    assert replayed == entries
    assert again.stop == ended.stop
    assert again.seconds_us == 2_000_000


def test_recorded_latency_moves_the_virtual_clock_into_a_time_limit(shop: PracticeShop) -> None:
    """0.9 s are over a limit of 0.5 s, before the second call."""
    recording = kept(shop)
    limits = get_profile("resolver").limits.changed(max_seconds=0.5)
    clock = VirtualClock()
    model = ReplayModel([recording], clock=clock)

    ended, _ = played(work_on(shop, limits=limits), model, clock)

    assert (ended.stop.reason, ended.stop.step) == (StopReason.TIME, 1)
    assert model.left_over == 1


def test_another_ticket_text_is_a_miss_that_names_the_first_difference(shop: PracticeShop) -> None:
    """The run ends as no_recording, and the cause shows both sides."""
    recording = kept(shop)
    work = work_on(shop)
    ticket = Ticket.of(
        ticket_id="T-80008", customer_id="C-81265", text=work.ticket.text.replace("LK-581106", "it")
    )
    clock = VirtualClock()

    ended, _ = played(replace(work, ticket=ticket), ReplayModel([recording], clock=clock), clock)

    assert ended.stop.reason is StopReason.NO_RECORDING
    cause = ended.stop.cause or ""
    assert "step 1 of ticket T-80008 differs from the nearest recording, kept, at messages[1]" in (
        cause
    )
    assert "recorded" in cause
    assert "now" in cause


def test_a_changed_prompt_is_named(shop: PracticeShop) -> None:
    """One word of the instructions: the message names the place in the system message."""
    recording = kept(shop)
    work = work_on(shop)
    profile = replace(work.profile, instructions=work.profile.instructions.replace("shop", "store"))
    clock = VirtualClock()

    ended, _ = played(replace(work, profile=profile), ReplayModel([recording], clock=clock), clock)

    assert "at messages[0].text, character" in (ended.stop.cause or "")
    assert "store" in (ended.stop.cause or "")


def test_a_changed_tool_offer_is_named(shop: PracticeShop) -> None:
    """A tool less in the offer: the message names the first tool that differs."""
    recording = kept(shop)
    work = work_on(shop)
    fewer = work.toolbox.offering(["get_order"])
    clock = VirtualClock()

    ended, _ = played(replace(work, toolbox=fewer), ReplayModel([recording], clock=clock), clock)

    assert "at tools[1].name" in (ended.stop.cause or "")


def test_a_run_that_asks_for_more_than_was_recorded_ends_as_no_recording(
    shop: PracticeShop,
) -> None:
    """The recording of one step has no second one."""
    failed = ProviderFailed("overloaded", status=503)
    whole = kept(shop, LOOK_UP, failed)
    short = replace(whole, exchanges=whole.exchanges[:1])
    clock = VirtualClock()

    ended, _ = played(work_on(shop), ReplayModel([short], clock=clock), clock)

    assert ended.stop.reason is StopReason.NO_RECORDING
    assert "ends after step 1" in (ended.stop.cause or "")


def test_a_run_that_finishes_before_its_recording_does_is_told(shop: PracticeShop) -> None:
    """Left-over replies mean that it is not the run that was recorded."""
    recording = kept(shop)
    third = replace(recording.exchanges[1], step=3)
    longer = replace(recording, exchanges=(*recording.exchanges, third))
    clock = VirtualClock()
    model = ReplayModel([longer], clock=clock)
    played(work_on(shop), model, clock)

    with pytest.raises(RecordingUnused, match="after 2 of the 3 recorded replies of kept"):
        model.done()


def test_a_sequence_match_takes_replies_by_place_and_says_so(shop: PracticeShop) -> None:
    """Another ticket text, replayed by ticket and step: every reply carries a note."""
    recording = kept(shop)
    work = work_on(shop)
    ticket = Ticket.of(ticket_id="T-80008", customer_id="C-81265", text="Where is LK-581106?")
    clock = VirtualClock()
    model = ReplayModel([recording], match=Match.SEQUENCE, clock=clock)

    ended, entries = played(replace(work, ticket=ticket), model, clock)

    assert ended.stop.reason is StopReason.FINISHED
    notes = [e.record.reply.note for e in entries if e.record.kind == "replied"]
    assert notes == ["recorded for another request, taken by its place"] * 2


def test_a_sequence_match_notes_nothing_where_the_request_is_the_same(shop: PracticeShop) -> None:
    """The note is for replies of other requests only."""
    clock = VirtualClock()
    model = ReplayModel([kept(shop)], match=Match.SEQUENCE, clock=clock)

    _, entries = played(work_on(shop), model, clock)

    assert [e.record.reply.note for e in entries if e.record.kind == "replied"] == [None, None]


def test_a_sequence_match_follows_one_recording_to_its_end(shop: PracticeShop) -> None:
    """Two recordings of one ticket are not mixed step by step."""
    first = kept(shop, LOOK_UP, ProviderFailed("first one's error"))
    one_step = replace(first, exchanges=first.exchanges[:1])
    second = replace(kept(shop), name="second")
    clock = VirtualClock()
    model = ReplayModel([one_step, second], match=Match.SEQUENCE, clock=clock)

    ended, _ = played(work_on(shop), model, clock)

    assert ended.stop.reason is StopReason.NO_RECORDING


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ProviderFailed("refused", status=400, latency_us=5), StopReason.PROVIDER_ERROR),
        (BudgetCut("cut", latency_us=5), StopReason.TIME),
        (RecordingMissing("none", latency_us=5), StopReason.NO_RECORDING),
    ],
)
def test_recorded_errors_are_raised_again(
    shop: PracticeShop, error: BudgetCut | ProviderFailed | RecordingMissing, reason: StopReason
) -> None:
    """The replay ends as the recorded run did, with the same words."""
    ended, entries = recorded(work_on(shop), [LOOK_UP, error])
    recording = Recording.of("kept", entries)
    assert recording is not None
    clock = VirtualClock()

    again, replayed = played(work_on(shop), ReplayModel([recording], clock=clock), clock)

    assert again.stop == ended.stop
    assert again.stop.reason is reason
    assert replayed == entries


def test_a_ticket_without_a_recording_is_said(shop: PracticeShop) -> None:
    """The first call ends the run, and the cause tells what to do."""
    clock = VirtualClock()

    ended, _ = played(work_on(shop), ReplayModel([], clock=clock), clock)

    assert ended.stop.cause == (
        "there is no recording for ticket T-80008 and model scripted; give one with --recordings"
    )


def test_a_strict_replay_of_an_import_points_to_the_sequence_match(shop: PracticeShop) -> None:
    """An import does not hold its requests, so nothing can be compared."""
    whole = kept(shop)
    exchanges = tuple(replace(e, digest=None, appended=None) for e in whole.exchanges)
    imported = replace(whole, opened=None, entries=(), exchanges=exchanges)
    clock = VirtualClock()

    ended, _ = played(work_on(shop), ReplayModel([imported], clock=clock), clock)

    assert "use --match sequence" in (ended.stop.cause or "")


def test_an_import_that_ends_too_early_is_told_by_its_length(shop: PracticeShop) -> None:
    """By place, a step beyond the last one was not recorded."""
    whole = kept(shop)
    short = replace(whole, opened=None, entries=(), exchanges=whole.exchanges[:1])
    clock = VirtualClock()
    model = ReplayModel([short], match=Match.SEQUENCE, clock=clock)

    ended, _ = played(work_on(shop), model, clock)

    assert "the recording ends after step 1" in (ended.stop.cause or "")


def test_the_nearest_recording_is_the_one_that_agrees_longest(shop: PracticeShop) -> None:
    """Of two that differ, the message compares with the one that differs later."""
    near = replace(kept(shop), name="near")
    assert near.opened is not None
    head = replace(near.opened.head, model="another-model")
    far = replace(near, name="far", opened=replace(near.opened, head=head))
    work = work_on(shop)
    ticket = Ticket.of(ticket_id="T-80008", customer_id="C-81265", text="Where is it?")
    clock = VirtualClock()
    model = ReplayModel([far, near], clock=clock)

    ended, _ = played(replace(work, ticket=ticket), model, clock)

    assert "the nearest recording, near, at messages[1].text" in (ended.stop.cause or "")


def test_a_replay_model_can_only_answer(shop: PracticeShop) -> None:
    """By type: it has no verb beyond asking and counting."""
    model = ReplayModel([kept(shop)])

    assert {name for name in dir(model) if not name.startswith("_")} == {
        "ask",
        "done",
        "left_over",
        "paced",
    }


def test_a_replay_repeats_the_wall_clock_of_tools_too(shop: PracticeShop) -> None:
    """25 s of model and 6 s of tools, twice, against a limit of 60 s: time, live and replayed."""
    other = reply(call("get_order", {"order_id": "LK-999999"}, "c2"), latency_s=25)
    replies = [replace(LOOK_UP, latency_us=25_000_000), other, replace(ANSWER, latency_us=1)]
    clock = VirtualClock()
    work = slow(work_on(shop, "assistant"), shop, clock)
    live, entries = played(work, ScriptedModel(replies, clock), clock)
    recording = Recording.of("kept", entries)
    assert recording is not None
    clock = VirtualClock()
    model = ReplayModel([recording], clock=clock)
    sink = MemorySink()

    again = run(work_on(shop, "assistant"), model, Journal(model.paced(sink), clock))

    assert (live.stop.reason, live.stop.step, live.stop.observed) == (StopReason.TIME, 2, "62")
    assert again.stop == live.stop
    assert sink.entries == entries[:-1]


def slow(work: Work, shop: PracticeShop, clock: VirtualClock) -> Work:
    """Return the work with tools that take 6 seconds each."""

    class Slow(Toolbox):
        def call(self, name: str, arguments_text: str) -> CallResult:
            clock.advance(6)
            return work.toolbox.call(name, arguments_text)

    context = ToolContext.of(shop, customer_id=work.ticket.customer_id, today=work.today)
    return replace(work, toolbox=Slow([GetOrder(context)]))

"""Oracle cases A85 to A97 and A110: retries, waits and whole tickets behind a failing provider.

Kept, but for these, which the design changes:

- A91: a wait that a provider asks for is never shortened; one that does not fit ends the run.
- A93: a connection that does not come about is tried again: nothing was sent.
- A97: the journal is the log; a provider's headers, its request id among them, are not kept.
- A110: a stream that is cut is a try that broke, and is made again.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from loop import (
    PRICES,
    Ended,
    Fault,
    Journal,
    LiveModel,
    Means,
    MemorySink,
    PriceBook,
    ProviderFailed,
    Replied,
    Result,
    Retries,
    Server,
    StopReason,
    VirtualClock,
    get_profile,
    run,
    work_for,
)
from recordings import SHIPPED_RECORDINGS, Recording, encode, read_recordings
from tests.live_runs import turns_of
from tests.loop.live.asking import Asking, request
from tests.provider import (
    KEY,
    Turn,
    chunk,
    completes,
    fails,
    is_silent,
    serving,
    streams,
)
from tools import PRACTICE_TODAY, SHIPPED_DATA, PracticeShop, load_tickets

CASES = {case.ticket.ticket_id: case for case in load_tickets(SHIPPED_DATA)}
RECORDED: list[Recording] = list(
    read_recordings(SHIPPED_RECORDINGS / "assistant.jsonl", PRICES).recordings
)
T_80008 = next(found for found in RECORDED if found.ticket_id == "T-80008")
PLAIN = Retries(jitter=lambda: 1.0)
LATE_S = 0.15
"""The client's time-out where a provider is silent."""


def limited(seconds: float) -> Turn:
    """Refuse with a wait."""
    return fails(429, "Slow down.", {"Retry-After": str(seconds)})


def asked(*turns: Turn, retries: Retries = PLAIN, **server: Any) -> tuple[Any, list[float], int]:
    """Ask once; return the reply or the error, the waits, and the calls that came."""
    with serving(*turns, last_repeats=True) as provider:
        asking = Asking(provider.url, retries=retries, **server)
        try:
            outcome: Any = asking.model.ask(request(), time_left_s=None)
        except ProviderFailed as error:
            outcome = error
    return outcome, asking.waits, len(provider.seen)


@pytest.fixture(scope="module")
def shop() -> Iterator[PracticeShop]:
    """The shipped practice shop."""
    with PracticeShop.from_folder() as shop:
        yield shop


def whole_ticket(shop: PracticeShop, *turns: Turn) -> tuple[Ended, MemorySink, int]:
    """Run T-80008 in the assistant profile, live; return its end, journal and provider's calls."""
    clock = VirtualClock()
    with serving(*turns, last_repeats=True) as provider:
        server = Server(base_url=provider.url, model="gpt-6-luna", timeout_s=LATE_S, stream=False)
        book = PriceBook(base_url=provider.url, server_model=server.model, own=PRICES["chat-small"])
        means = Means(cost_of=book.cost_of, clock=clock, wait=clock.advance, retries=PLAIN)
        work = work_for(
            CASES["T-80008"].ticket,
            get_profile("assistant"),
            shop,
            today=PRACTICE_TODAY,
            model_name="chat-small",
        )
        sink = MemorySink()
        ended = run(work, LiveModel(server, means), Journal(sink, clock))
    return ended, sink, len(provider.seen)


def test_a85_a_rate_limit_of_two_seconds_is_waited_for() -> None:
    reply, waits, calls = asked(limited(2), completes())

    assert (waits, calls) == ([2.0], 2)
    assert [attempt.fault for attempt in reply.attempts] == [Fault.RATE_LIMITED]


def test_a86_three_failures_are_waited_for_longer_each_time() -> None:
    turns = [is_silent, fails(503, "No."), is_silent, completes()]
    reply, waits, calls = asked(*turns, timeout_s=LATE_S)

    assert (waits, calls) == ([0.5, 1.0, 2.0], 4)
    assert reply.text == "Hello."
    faults = [Fault.TIMEOUT, Fault.SERVER_ERROR, Fault.TIMEOUT]
    assert [attempt.fault for attempt in reply.attempts] == faults


def test_a87_a_provider_that_is_silent_for_ever_is_asked_four_times() -> None:
    error, waits, calls = asked(is_silent, timeout_s=LATE_S)

    assert (waits, calls) == ([0.5, 1.0, 2.0], 4)
    assert isinstance(error, ProviderFailed)
    assert str(error).startswith("timeout: ")
    assert [attempt.fault for attempt in error.attempts] == [Fault.TIMEOUT] * 4


def test_a89_waits_stop_where_their_sum_would_be_too_long() -> None:
    error, waits, calls = asked(limited(8), retries=Retries(max_total_s=10.0))

    assert (waits, calls) == ([8.0], 2)
    assert isinstance(error, ProviderFailed)
    assert str(error).startswith("rate limited (HTTP 429)")


def test_a90_backoff_doubles_up_to_its_cap_and_jitter_only_shortens_it() -> None:
    plain = Retries(base_s=0.5, cap_s=4.0, jitter=lambda: 1.0)
    jittered = Retries(base_s=0.5, cap_s=4.0)
    jitters = (lambda: 0.0, lambda: 0.25, lambda: 1.0)
    drawn = [Retries(base_s=0.5, cap_s=4.0, jitter=each) for each in jitters]

    assert [plain.backoff_s(number) for number in range(1, 6)] == [0.5, 1.0, 2.0, 4.0, 4.0]
    assert [each.backoff_s(3) for each in drawn] == [0.0, 0.5, 2.0]
    assert all(0 <= jittered.backoff_s(3) <= 2 for _ in range(100))


def test_a91_a_wait_that_is_asked_for_is_never_shortened() -> None:
    _, waits, _ = asked(limited(30), completes(), retries=Retries(cap_s=8.0))
    error, none, calls = asked(limited(30), retries=Retries(max_total_s=29.9))

    assert waits == [30.0]
    assert (none, calls, error.wait_s) == ([], 1, 30.0)
    assert "asked to wait 30 s" in str(error)


def test_a93_a_connection_that_does_not_come_about_is_tried_again() -> None:
    with serving() as provider:
        url = provider.url
    asking = Asking(url, retries=PLAIN)
    with pytest.raises(ProviderFailed) as caught:
        asking.model.ask(request(), time_left_s=None)

    assert [attempt.fault for attempt in caught.value.attempts] == [Fault.UNREACHABLE] * 4
    assert caught.value.status is None
    assert asking.waits == [0.5, 1.0, 2.0]


def test_a94_a_whole_ticket_behind_a_rate_limit_and_a_time_out_is_valid(
    shop: PracticeShop,
) -> None:
    ended, sink, calls = whole_ticket(shop, limited(0.01), is_silent, *turns_of(T_80008))
    replies = [e.record.reply for e in sink.entries if isinstance(e.record, Replied)]

    assert ended.result is Result.VALID
    assert (calls, len(replies)) == (4, 2)
    assert [a.fault for a in replies[0].attempts] == [Fault.RATE_LIMITED, Fault.TIMEOUT]
    assert replies[0].cost.usd is not None
    assert replies[0].cost.usd > 0
    assert not ended.totals.cost_complete  # what the late try cost is not known


def test_a95_a_whole_ticket_behind_time_outs_ends_after_four_calls(shop: PracticeShop) -> None:
    ended, _, calls = whole_ticket(shop, is_silent)

    assert (ended.result, ended.stop.reason) == (Result.FAILED, StopReason.PROVIDER_ERROR)
    assert "timeout" in str(ended.stop.cause)
    assert calls == 4


def test_a97_the_journal_holds_what_a_call_cost_and_no_secret(shop: PracticeShop) -> None:
    usage = {"prompt_tokens": 2000, "completion_tokens": 400}
    turns = (
        fails(503, f"Busy, Bearer {KEY}", {"x-request-id": KEY}),
        completes("Hello.", model="chat-small", usage=usage),
    )
    ended, sink, _ = whole_ticket(shop, *turns)
    lines = [encode("run", entry) for entry in sink.entries]
    (reply,) = [e.record.reply for e in sink.entries if isinstance(e.record, Replied)]

    assert (reply.usage.tokens_in, reply.usage.tokens_out) == (2000, 400)
    assert (reply.model, reply.cost.usd) == ("chat-small", Decimal("0.0004"))
    assert ended.totals.cost_usd == Decimal("0.0004")
    assert not [line for line in lines if KEY in line]
    assert not [line for line in lines[2:] if CASES["T-80008"].ticket.text[:20] in line]


def test_a97_words_of_a_provider_that_end_a_run_are_kept_without_the_token_in_them(
    shop: PracticeShop,
) -> None:
    ended, sink, _ = whole_ticket(shop, fails(400, f"Refused, Bearer {KEY}", {"x-request-id": KEY}))

    assert "Refused, Bearer [key]" in str(ended.stop.cause)
    assert not [entry for entry in sink.entries if KEY in encode("run", entry)]


def test_a110_a_stream_that_is_cut_is_asked_for_again() -> None:
    pieces = [chunk(content="piece ") for _ in range(10)]
    reply, _, calls = asked(streams(*pieces, done=False), completes("Whole."))

    assert (reply.text, calls) == ("Whole.", 2)
    assert [attempt.fault for attempt in reply.attempts] == [Fault.BROKEN]

"""Retries: inside the budget, on a clock that the tests move."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from loop import AskingStopped, Fault, Progress, ProviderFailed, Retries
from loop.live.waits import asked_wait_s
from tests.loop.live.asking import NOW, Asking, request
from tests.provider import (
    breaks_off,
    chunk,
    completes,
    fails,
    hangs_up,
    is_silent,
    serving,
    streams,
)

BUSY = fails(503, "Busy.")
LIMITED = fails(429, "Slow down.", {"Retry-After": "8"})


def test_what_may_pass_is_tried_again_and_each_try_is_told() -> None:
    turns = [BUSY, hangs_up, breaks_off(), completes("Done.")]
    with serving(*turns) as provider:
        asking = Asking(provider.url, try_s=0.25)
        reply = asking.model.ask(request(), time_left_s=100.0)

    assert reply.text == "Done."
    assert asking.waits == [0.5, 1.0, 2.0]
    assert [a.fault for a in reply.attempts] == [Fault.SERVER_ERROR, Fault.BROKEN, Fault.BROKEN]
    assert [a.status for a in reply.attempts] == [503, None, None]
    assert [a.latency_us for a in reply.attempts] == [250_000] * 3
    assert [a.waited_us for a in reply.attempts] == [500_000, 1_000_000, 2_000_000]
    assert reply.latency_us == 4 * 250_000 + 3_500_000
    assert asking.progress == [Progress.ASKED, Progress.WAITING] * 3 + [Progress.ASKED]


def test_a_server_that_cannot_be_reached_is_tried_again() -> None:
    with serving() as provider:
        url = provider.url
    asking = Asking(url)

    with pytest.raises(ProviderFailed, match=r"nothing was sent.*\(after 4 tries\)"):
        asking.model.ask(request(), time_left_s=None)

    assert asking.waits == [0.5, 1.0, 2.0]


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_what_does_not_pass_is_tried_once(status: int) -> None:
    with serving(fails(status, "No.")) as provider:
        asking = Asking(provider.url)
        with pytest.raises(ProviderFailed):
            asking.model.ask(request(), time_left_s=None)

    assert (len(provider.seen), asking.waits) == (1, [])


@pytest.mark.parametrize("status", [408, 409, 429, 500, 503])
def test_what_may_pass_is_tried_again(status: int) -> None:
    with serving(fails(status, "Wait."), completes()) as provider:
        asking = Asking(provider.url)
        asking.model.ask(request(), time_left_s=None)

    assert asking.waits == [0.5]


def test_an_empty_account_is_not_waited_for() -> None:
    with serving(
        fails(429, "No money.", {"Retry-After": "1"}, code="insufficient_quota")
    ) as server:
        asking = Asking(server.url)
        with pytest.raises(ProviderFailed, match=r"^quota \(HTTP 429\): No money\."):
            asking.model.ask(request(), time_left_s=None)

    assert asking.waits == []


@pytest.mark.parametrize(("left_s", "waits"), [(8.0, []), (8.01, [8.0]), (None, [8.0])])
def test_a_wait_has_to_end_before_the_budget_does(left_s: float | None, waits: list[float]) -> None:
    with serving(LIMITED, completes()) as provider:
        asking = Asking(provider.url)
        if waits:
            asking.model.ask(request(), time_left_s=left_s)
        else:
            with pytest.raises(ProviderFailed, match=r"asked to wait 8 s, which is more than is"):
                asking.model.ask(request(), time_left_s=left_s)

    assert asking.waits == waits


def test_a_longer_wait_than_the_budget_is_kept_with_the_error() -> None:
    turn = fails(429, "Slow down.", {"Retry-After": "3600"})
    with serving(turn) as provider, pytest.raises(ProviderFailed) as caught:
        Asking(provider.url).model.ask(request(), time_left_s=120.0)

    assert caught.value.wait_s == 3600.0
    assert caught.value.attempts[0].asked_wait_us == 3_600_000_000
    assert caught.value.attempts[0].waited_us == 0


def test_waits_and_tries_use_up_the_budget() -> None:
    """Of 10 s, the first try takes 3 and the wait 8: the second wait does not fit."""
    with serving(LIMITED, last_repeats=True) as provider:
        asking = Asking(provider.url, try_s=3.0)
        with pytest.raises(ProviderFailed, match="asked to wait 8 s") as caught:
            asking.model.ask(request(), time_left_s=20.0)

    assert asking.waits == [8.0]
    assert len(caught.value.attempts) == 2
    assert caught.value.latency_us == 14_000_000


@pytest.mark.parametrize(("total_s", "tries"), [(15.9, 2), (16.0, 3)])
def test_the_sum_of_waits_has_a_limit_of_its_own(total_s: float, tries: int) -> None:
    with serving(LIMITED, last_repeats=True) as provider:
        asking = Asking(provider.url, retries=Retries(attempts=3, max_total_s=total_s))
        with pytest.raises(ProviderFailed):
            asking.model.ask(request(), time_left_s=None)

    assert len(provider.seen) == tries


@pytest.mark.parametrize("attempts", [1, 2, 4])
def test_the_number_of_tries_is_kept(attempts: int) -> None:
    with serving(BUSY, last_repeats=True) as provider:
        asking = Asking(provider.url, retries=Retries(attempts=attempts, jitter=lambda: 0.0))
        with pytest.raises(ProviderFailed) as caught:
            asking.model.ask(request(), time_left_s=None)

    assert len(provider.seen) == len(caught.value.attempts) == attempts
    assert len(asking.waits) == attempts - 1  # never after the last try


def test_a_try_that_was_late_is_made_again_while_there_is_time() -> None:
    with serving(is_silent, completes("Done.")) as provider:
        asking = Asking(provider.url, timeout_s=0.2)
        reply = asking.model.ask(request(), time_left_s=100.0)

    assert reply.text == "Done."
    assert [a.fault for a in reply.attempts] == [Fault.TIMEOUT]


IN_90_S = format_datetime(datetime.fromtimestamp(NOW, UTC) + timedelta(seconds=90), usegmt=True)
HEADERS = [
    ({}, None),
    ({"retry-after-ms": "1500"}, 1.5),
    ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
    ({"retry-after-ms": "soon", "retry-after": "9"}, 9.0),
    ({"retry-after": "9"}, 9.0),
    ({"retry-after": "0.25"}, 0.25),
    ({"retry-after": " 9 "}, 9.0),
    ({"retry-after": "-5"}, 0.0),
    ({"retry-after-ms": "-5"}, 0.0),
    ({"retry-after": IN_90_S}, 90.0),
    ({"retry-after": IN_90_S.replace("GMT", "-0000")}, 90.0),
    ({"retry-after": "Fri, 09 Oct 2020 00:00:00 GMT"}, 0.0),
    ({"retry-after": "100000000"}, 100_000_000.0),
    ({"retry-after": "nan"}, None),
    ({"retry-after": "inf"}, None),
    ({"retry-after": "tomorrow"}, None),
    ({"retry-after": "Fri, 99 Oct 2026 00:00:00 GMT"}, None),
    ({"retry-after": ""}, None),
]


@pytest.mark.parametrize(("headers", "wait_s"), HEADERS)
def test_a_wait_is_read_in_each_form(headers: dict[str, str], wait_s: float | None) -> None:
    assert asked_wait_s(headers, lambda: NOW) == wait_s


@pytest.mark.parametrize(("headers", "wait_s"), [h for h in HEADERS if h[0]][:11])
def test_a_header_on_a_connection_is_waited_for(
    headers: dict[str, str], wait_s: float | None
) -> None:
    with serving(fails(429, "Slow down.", headers), completes()) as provider:
        asking = Asking(provider.url, retries=Retries(max_total_s=100.0))
        asking.model.ask(request(), time_left_s=None)

    assert asking.waits == [wait_s]


@pytest.mark.parametrize("header", ["retry-after", "retry-after-ms"])
def test_a_wait_that_nothing_can_hold_ends_the_run_as_a_failure_of_the_provider(
    header: str,
) -> None:
    with serving(fails(429, "Slow down.", {header: "1e308"})) as provider:
        asking = Asking(provider.url)
        with pytest.raises(ProviderFailed, match=r"asked to wait 1e\+09 s"):
            asking.model.ask(request(), time_left_s=None)


@pytest.mark.parametrize(("at_s", "waited_s"), [(0.0, 1.0), (2.5, 3.0), (3.0, 3.0), (7.9, 8.0)])
def test_a_wait_ends_within_a_second_once_the_run_is_cancelled(
    at_s: float, waited_s: float
) -> None:
    with serving(LIMITED, completes("never")) as provider:
        asking = Asking(provider.url, cancelled_at_s=at_s)
        with pytest.raises(AskingStopped, match="was cancelled") as caught:
            asking.model.ask(request(), time_left_s=100.0)

    assert (sum(asking.waits), len(provider.seen)) == (waited_s, 1)
    assert caught.value.latency_us == waited_s * 1_000_000
    assert [a.fault for a in caught.value.attempts] == [Fault.RATE_LIMITED]


def test_a_run_that_could_be_cancelled_and_is_not_waits_as_long_as_any_other() -> None:
    turn = fails(429, "Slow down.", {"Retry-After": "2.5"})
    with serving(turn, completes("Done.")) as provider:
        asking = Asking(provider.url, cancelled_at_s=1e9)
        reply = asking.model.ask(request(), time_left_s=100.0)

    assert asking.waits == [1.0, 1.0, 0.5]
    assert reply.text == "Done."
    assert [a.waited_us for a in reply.attempts] == [2_500_000]


def test_a_reply_that_comes_in_pieces_is_left_once_the_run_is_cancelled() -> None:
    """The try may have cost something, so it stands among the attempts."""
    with serving(streams(chunk(content="Hel"), chunk(content="lo"))) as provider:
        asking = Asking(provider.url, try_s=2.0, cancelled_at_s=1.0)
        with pytest.raises(AskingStopped) as caught:
            asking.model.ask(request(), time_left_s=100.0)

    (cut,) = caught.value.attempts
    assert (cut.fault, cut.latency_us, cut.may_have_cost) == (Fault.BROKEN, 2_000_000, True)

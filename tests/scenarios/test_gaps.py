"""Gaps where no socket tells of them: over HTTP, and attached to an app that is a team's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from slack_bolt import BoltRequest

from bot import attach
from bot.slack.outside import Outside
from bot.slack.rounds import AGAIN_S, EVERY_S
from bot.workspace import HeldClock
from tests.harness.ports import free_port
from tests.scenarios.ahead import Ahead
from tests.scenarios.office import CHANNEL, Office, office
from tests.scenarios.test_transport import team_app

SIMPLE, OTHER = "T-80008", "T-80007"
HISTORY = "conversations.history"

Reach = Callable[[Office, Outside], AbstractContextManager[object]]


@contextmanager
def over_http(place: Office, outside: Outside) -> Iterator[None]:
    """Serve a place whose settings say HTTP."""
    place.open(outside)
    try:
        yield
    finally:
        place.close()


def attached(place: Office, outside: Outside) -> AbstractContextManager[object]:
    """Attach to an app of a team's own, which Slack delivers nothing to."""
    return attach(team_app(place), place.settings, outside=outside)


each_way = pytest.mark.parametrize("at_work", [over_http, attached])


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Office]:
    with office(tmp_path, clock=HeldClock(), mode="http", port=free_port()) as opened:
        yield opened


def read_times(place: Office) -> int:
    """Count how often the channel was read."""
    return len(place.workspace.calls(HISTORY))


REFUSALS: dict[str, Callable[[Office], None]] = {
    "away": lambda place: place.workspace.faults.break_(HISTORY),
    "limited": lambda place: place.workspace.faults.rate_limit(HISTORY, 1),
    "revoked": lambda place: place.workspace.faults.refuse(HISTORY, "token_revoked"),
}
"""What Slack may have against the next reading of a channel."""


@each_way
@pytest.mark.parametrize("why", REFUSALS)
def test_a_gap_that_could_not_be_read_at_the_start_is_read_a_minute_later(
    place: Office, ahead: Ahead, outside: Outside, at_work: Reach, why: str
) -> None:
    with at_work(place, outside):
        assert read_times(place) == 1
    missed = place.ticket(SIMPLE, deliver=False)
    place.workspace.advance(3_600)
    REFUSALS[why](place)

    with at_work(place, outside):
        assert read_times(place) == 2
        ahead.seconds += AGAIN_S + 1
        place.wait_for_reply(missed, "Draft for", seconds=30)
        place.rest()
    assert place.drafts(missed) == 1


@each_way
def test_what_slack_has_stopped_to_deliver_is_found_within_minutes(
    place: Office,
    ahead: Ahead,
    outside: Outside,
    at_work: Reach,
    caplog: pytest.LogCaptureFixture,
) -> None:
    with at_work(place, outside):
        missed = [place.ticket(each, deliver=False) for each in (SIMPLE, OTHER)]
        ahead.seconds += EVERY_S + 1
        for ticket in missed:
            place.wait_for_reply(ticket, "Draft for", seconds=30)
        place.rest()
    assert [place.drafts(each) for each in missed] == [1, 1]
    assert "2 messages were found that had not been delivered" in caplog.text


def test_what_slack_left_out_is_read_when_that_minute_is_over(
    place: Office, ahead: Ahead, outside: Outside
) -> None:
    place.open(outside)
    place.workspace.deliver({"type": "app_rate_limited", "minute_rate_limited": 1}).answer()
    missed = place.ticket(SIMPLE, deliver=False)
    place.rest()
    assert read_times(place) == 1

    ahead.seconds += AGAIN_S
    place.wait_for_reply(missed, "Draft for", seconds=30)
    assert read_times(place) == 2


def test_what_slack_left_out_is_read_by_the_process_that_reads_whichever_was_told(
    place: Office, ahead: Ahead, outside: Outside
) -> None:
    apps = [team_app(place), team_app(place)]
    with (
        attach(apps[0], place.settings, outside=outside) as first,
        attach(apps[1], place.settings, outside=outside) as second,
    ):
        place.workspace.wait_for(lambda: first.runs_jobs or second.runs_jobs, what="the lock")
        notice = BoltRequest(body={"type": "app_rate_limited"}, mode="socket_mode")
        answer = apps[first.runs_jobs].dispatch(notice)
        missed = place.ticket(SIMPLE, deliver=False)
        ahead.seconds += AGAIN_S
        place.wait_for_reply(missed, "Draft for", seconds=30)
    assert answer.status == 404  # it was handed on, and the team's app has no listener for it


def test_a_reading_that_fails_within_ourselves_is_logged_and_is_no_whole_reading(
    place: Office, outside: Outside, caplog: pytest.LogCaptureFixture
) -> None:
    place.open(outside)
    desk = place.desk
    assert desk is not None
    place.close()  # so that nothing can be written

    assert not desk.catch_up.run(afresh=True).whole
    assert f"the channel {CHANNEL} could not be read" in caplog.text


def test_of_two_attached_processes_one_reads_and_the_other_takes_it_over(
    place: Office, ahead: Ahead, outside: Outside
) -> None:
    with (
        attach(team_app(place), place.settings, outside=outside) as second,
        attach(team_app(place), place.settings, outside=outside) as first,
    ):
        place.workspace.wait_for(lambda: first.runs_jobs or second.runs_jobs, what="the lock")
        holder, other = (first, second) if first.runs_jobs else (second, first)
        assert read_times(place) == 2  # each once, at its start
        ahead.seconds += EVERY_S + 1
        place.until(lambda: read_times(place) == 3, what="nobody read")
        missed = place.ticket(SIMPLE, deliver=False)
        holder.close()
        place.until(lambda: other.runs_jobs, what="the lock was not taken over")
        place.wait_for_reply(missed, "Draft for", seconds=30)

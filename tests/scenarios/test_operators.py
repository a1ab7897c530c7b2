"""What operators see and do: caps that hold tickets back, and what was given up."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bot.slack.outside import Outside
from bot.slack.people import KEPT_US
from bot.slack.refs import ActionId
from bot.workspace import Group, Message, View
from tests.scenarios.ahead import Ahead
from tests.scenarios.office import ANN, BEN, CHANNEL, HED, LEA, Office, office, shown

TICKETS = ("T-80008", "T-80007", "T-90104")
HOUR, DAY = 3_600, 86_400


@pytest.fixture
def place(tmp_path: Path, request: pytest.FixtureRequest, ahead: Ahead) -> Iterator[Office]:
    """A bot at work under the caps that a test names; Lea and the heads are operators."""
    caps: dict[str, Any] = getattr(request, "param", {})
    with office(tmp_path, operators={LEA, "S0HEADS"}, **caps) as opened:
        opened.open(Outside(now_us=ahead.now_us, monotonic=ahead.monotonic))
        yield opened


def told(place: Office, user: str) -> list[str]:
    """Return what a person was sent directly."""
    return [each.text for each in place.workspace.direct(user)]


def answers(place: Office, user: str) -> list[str]:
    """Return what a person was answered, alone."""
    return [shown(each) for each in place.workspace.ephemerals(user)]


def type_in(place: Office, user: str, text: str) -> str:
    """Type a command and return its answer."""
    before = len(answers(place, user))
    place.workspace.command(user, "/handrail", text, channel=CHANNEL)
    place.workspace.wait_for(lambda: len(answers(place, user)) > before, seconds=15, what="answer")
    return answers(place, user)[-1]


def drafted(place: Office, ticket: Message) -> bool:
    """Whether a ticket has its draft."""
    return any("Draft for" in shown(each) for each in place.workspace.replies(ticket))


@pytest.mark.parametrize("place", [{"max_runs_per_hour": 1}], indirect=True)
def test_runs_over_the_cap_wait_are_told_once_and_begin_an_hour_later(
    place: Office, ahead: Ahead
) -> None:
    first = place.ticket(TICKETS[0])
    place.wait_for_reply(first, "Draft for", seconds=30)
    others = [place.ticket(each) for each in TICKETS[1:]]
    for each in others:
        place.wait_for_reply(each, "This ticket waits: as many runs were begun")
    place.workspace.wait_for(lambda: told(place, HED), seconds=15, what="a word to the operators")
    ahead.seconds += HOUR + 1
    place.until(lambda: any(drafted(place, each) for each in others), seconds=30)
    place.rest()

    (last,) = [each for each in others if not drafted(place, each)]
    assert [len(told(place, each)) for each in (LEA, HED, BEN)] == [1, 1, 0]
    assert "slack.max_runs_per_hour" in told(place, LEA)[0]
    ahead.seconds += HOUR + 1
    place.wait_for_reply(last, "Draft for", seconds=30)
    place.rest()
    assert len(told(place, LEA)) == 1


@pytest.mark.parametrize("place", [{"max_runs_per_hour": 1}], indirect=True)
def test_tickets_that_come_together_do_not_pass_the_cap_together(place: Office) -> None:
    for each in TICKETS:
        place.ticket(each)
    place.until(lambda: place.count("SELECT count(*) FROM held") == 2, what="two did not wait")
    place.rest()

    assert place.count("SELECT count(*) FROM spending") == 1


@pytest.mark.parametrize("place", [{"max_cost_per_day": "0.000001"}], indirect=True)
def test_tickets_over_the_days_cost_wait_until_the_day_is_over(place: Office, ahead: Ahead) -> None:
    first = place.ticket(TICKETS[0])
    place.wait_for_reply(first, "Draft for", seconds=30)
    second = place.ticket(TICKETS[1])
    place.wait_for_reply(second, "This ticket waits: the last 24 hours cost")
    place.workspace.wait_for(lambda: told(place, LEA), seconds=15, what="a word to the operators")
    ahead.seconds += DAY - HOUR
    place.until(lambda: place.count("SELECT count(*) FROM held") == 1, what="it waits no more")
    ahead.seconds += HOUR + 60

    place.wait_for_reply(second, "Draft for", seconds=30)
    place.rest()
    assert len(told(place, LEA)) == 1


def lose_draft(place: Office) -> tuple[Message, str]:
    """Have a draft refused for good; return its ticket and the name of the dead letter."""
    place.workspace.faults.refuse("chat.postMessage", "msg_too_long", where=_is_draft)
    ticket = place.ticket(TICKETS[0])
    place.until(lambda: place.count(f"SELECT count(*) {_FAILED}") == 1, what="none was given up")
    place.rest()
    number = place.count(f"SELECT outbox_id {_FAILED}")
    return ticket, f"post-{number}"


def test_what_was_given_up_is_listed_and_tried_again_by_an_operator(place: Office) -> None:
    ticket, name = lose_draft(place)

    assert "Only operators can do that" in type_in(place, ANN, "letters")
    assert "Only operators can do that" in type_in(place, BEN, f"retry {name}")
    listed = type_in(place, LEA, "letters")
    assert name in listed
    assert "msg_too_long" in listed
    assert "no such dead letter" in type_in(place, LEA, "retry post-999999")
    assert not drafted(place, ticket)

    assert "tried again" in type_in(place, LEA, f"retry {name}")
    place.wait_for_reply(ticket, "Draft for")
    assert "Nothing was given up" in type_in(place, LEA, "letters")


def test_what_was_given_up_is_discarded_by_an_operator(place: Office) -> None:
    ticket, name = lose_draft(place)

    assert "Only operators can do that" in type_in(place, ANN, f"discard {name}")
    assert "rests, and is not" in type_in(place, LEA, f"discard {name}")
    assert "no such dead letter" in type_in(place, LEA, f"discard {name}")
    assert "Nothing was given up" in type_in(place, LEA, "letters")
    place.rest()
    assert not drafted(place, ticket)


def home(place: Office, user: str) -> View:
    """Open App Home and return it as it is once nothing is left to do."""
    place.workspace.open_home(user)
    place.rest()
    shown_home = place.workspace.home(user)
    assert shown_home is not None
    return shown_home


def test_what_was_given_up_is_tried_again_in_app_home_of_an_operator(place: Office) -> None:
    ticket, name = lose_draft(place)
    before = home(place, LEA)

    assert name in str(before.body)
    assert "msg_too_long" in str(before.body)
    assert name not in str(home(place, ANN).body)

    place.workspace.click(LEA, before, ActionId.RETRY_LETTER)
    place.wait_for_reply(ticket, "Draft for")
    place.rest()
    after = place.workspace.home(LEA)
    assert after is not None
    assert name not in str(after.body)


def test_what_was_given_up_is_discarded_in_app_home_of_an_operator(place: Office) -> None:
    ticket, name = lose_draft(place)

    place.workspace.click(LEA, home(place, LEA), ActionId.DISCARD_LETTER)
    place.rest()

    after = place.workspace.home(LEA)
    assert after is not None
    assert name not in str(after.body)
    assert "Nothing was given up" in type_in(place, LEA, "letters")
    assert not drafted(place, ticket)


@pytest.mark.parametrize("button", [ActionId.RETRY_LETTER, ActionId.DISCARD_LETTER])
def test_who_is_an_operator_is_judged_at_the_press_and_not_when_home_was_drawn(
    place: Office, ahead: Ahead, button: ActionId
) -> None:
    lose_draft(place)
    drawn = home(place, HED)
    place.workspace.put_group(Group(id="S0HEADS", handle="heads"))
    ahead.seconds += KEPT_US // 1_000_000 + 1

    place.workspace.click(HED, drawn, button)
    place.rest()

    assert any("Only operators can do that" in each for each in told(place, HED))
    assert place.count(f"SELECT count(*) {_FAILED}") == 1


def _is_draft(args: dict[str, Any]) -> bool:
    return "Draft for" in str(args)


_FAILED = "FROM outbox WHERE state = 'failed' AND method = 'chat.postMessage' AND channel LIKE 'C%'"

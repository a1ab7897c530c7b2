"""Deliveries that Slack signed and that are not as Slack documents them: refused, never a crash."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

import httpx
import pytest
from slack_bolt import BoltRequest

from bot import attach
from bot.slack.outside import Outside
from bot.slack.refs import CallbackId
from bot.slack.rounds import EVERY_S
from bot.workspace import Kind
from tests.harness.ports import free_port
from tests.scenarios.ahead import Ahead
from tests.scenarios.office import ANN, BEN, CHANNEL, Office, office
from tests.scenarios.test_transport import FORM, JSON, signed, team_app

SIMPLE = "T-80008"
ABSENT: Final = object()
NOT_READ: Final = frozenset({"blocks", "metadata", "reactions", "team", "confirm", "style"})
"""What is inside these nobody relies on."""
WRONG: Final[tuple[object, ...]] = (ABSENT, None, 0, True, "", "x", [], {})
_FAILED: Final = "SELECT count(*) FROM inbox WHERE error IS NOT NULL OR state = 'dead'"
_NEW: Final = "SELECT count(*) FROM inbox WHERE state = 'new'"


def paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the way to each part of a body, leaves and branches alike."""
    if path:
        yield path
        if path[-1] in NOT_READ:
            return
    if isinstance(value, dict):
        for name, part in value.items():
            yield from paths(part, (*path, name))
    elif isinstance(value, list) and value:
        yield from paths(value[0], (*path, 0))


def replaced(body: Mapping[str, Any], path: tuple[Any, ...], by: object) -> dict[str, Any]:
    """Return a body with another part at one place, or without it."""
    changed: Any = copy.deepcopy(dict(body))
    place = changed
    for step in path[:-1]:
        place = place[step]
    if by is ABSENT:
        del place[path[-1]]
    else:
        place[path[-1]] = by
    return dict(changed)


class Wire:
    """Posts signed requests to a bot, each of them new to it."""

    def __init__(self, place: Office, client: httpx.Client) -> None:
        self._place = place
        self._secret = place.workspace.identity.signing_secret
        self._client = client
        self._count = 0

    def fresh(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return a body by another name and of another moment, so that it is not known already."""
        self._count += 1
        if "event" not in body:
            return {**body, "trigger_id": f"trigger.{self._count}"}
        stamp = f"{1_800_000_000 + self._count}.000100"
        moment = {name: stamp for name in ("ts", "event_ts") if name in body["event"]}
        return {**body, "event_id": f"Ev{self._count}", "event": {**body["event"], **moment}}

    def send(self, body: Any, kind: Kind) -> int:
        """Post a body as Slack would; return the status."""
        if kind is Kind.EVENT:
            text, form = json.dumps(body), JSON
        else:
            fields = body if kind is Kind.COMMAND else {"payload": json.dumps(body)}
            text, form = urlencode(fields), FORM
        headers = signed(self._secret, text.encode(), kind=form)
        url = self._place.events_url
        return self._client.post(url, content=text, headers=headers).status_code


@pytest.fixture(scope="module")
def bot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    """A bot over HTTP that was told of everything once, as Slack tells it."""
    folder = tmp_path_factory.mktemp("shapes")
    with office(folder, mode="http", port=free_port(), apps={"A0FORM"}, operators={BEN}) as place:
        place.open()
        _live_through(place)
        yield place


def _live_through(place: Office) -> None:
    """Have each kind of delivery occur."""
    workspace = place.workspace
    ticket = place.ticket(SIMPLE)
    draft = place.wait_for_reply(ticket, "Draft for")
    workspace.post(ANN, "@handrail shorter", channel=CHANNEL, thread=ticket)
    files = ({"id": "F1", "name": "a.png", "title": "a"},)
    workspace.post(
        None, "T-80011 by an app", channel=CHANNEL, files=files, metadata=METADATA, **BY_APP
    )
    other = workspace.post(ANN, "T-80012 hello", channel=CHANNEL)
    workspace.edit(other, "T-80012 hello again")
    workspace.delete(other)
    workspace.open_home(ANN)
    workspace.event("channel_left", channel=CHANNEL)
    workspace.click(ANN, draft, "handrail:helpful")
    workspace.shortcut(ANN, CallbackId.TRIAGE, ticket)
    place.form(ANN, "customer")
    workspace.submit(ANN, {"ticket": "T-80013", "customer": "C-81265"})
    workspace.shortcut(ANN, "handrail:old")
    workspace.command(BEN, "/handrail", "status", channel=CHANNEL)
    workspace.deliver({"type": "app_rate_limited", "minute_rate_limited": 1})
    workspace.settle()


METADATA = {
    "event_type": "handrail_ticket",
    "event_payload": {
        "ticket_id": "T-80011",
        "customer_id": "C-81265",
        "text": "x",
        "reporter": ANN,
    },
}
BY_APP: dict[str, Any] = {"bot_id": "B0FORM", "app_id": "A0FORM"}
KINDS = (
    "message",
    "file_share",
    "message_changed",
    "message_deleted",
    "app_home_opened",
    "channel_left",
    "block_actions",
    "message_action",
    "view_submission",
    "shortcut",
    "/handrail",
    "app_rate_limited",
)


def delivered(place: Office, name: str) -> tuple[Kind, dict[str, Any]]:
    """Return what was delivered of a kind, the last of it.

    A form's message has its metadata. A press is without what the gate drops of it.
    """
    found = {
        each.payload.get("event", {}).get("subtype") or each.event_type: each
        for each in place.workspace.deliveries()
    }
    payload = found[name].payload
    if name == "block_actions":
        payload = {key: payload[key] for key in payload if key not in ("message", "state")}
    if name == "file_share":
        payload = {**payload, "event": {**payload["event"], "metadata": METADATA}}
    return found[name].kind, payload


@pytest.fixture(scope="module")
def wire(bot: Office) -> Iterator[Wire]:
    with httpx.Client() as client:
        yield Wire(bot, client)


@pytest.mark.parametrize("name", KINDS)
def test_whatever_part_is_wrong_a_delivery_is_taken_or_refused_and_never_fails(
    bot: Office, wire: Wire, caplog: pytest.LogCaptureFixture, name: str
) -> None:
    kind, body = delivered(bot, name)
    statuses = {wire.send(wire.fresh(body), kind)}
    assert statuses == {200}
    refused = 0
    for path in paths(body):
        for wrong in WRONG:
            status = wire.send(replaced(wire.fresh(body), path, wrong), kind)
            assert status in (200, 400, 404), (path, wrong)
            refused += status == 400
    bot.until(lambda: bot.count(_NEW) == 0, what="not all was taken in", seconds=60)

    assert bot.count(_FAILED) == 0
    assert not [each for each in caplog.records if each.exc_info]
    assert sum("was refused" in each for each in caplog.messages) == refused
    assert refused > 0 or name == "app_rate_limited"


def test_what_is_wrong_is_named_and_what_it_holds_is_not(
    bot: Office, wire: Wire, caplog: pytest.LogCaptureFixture
) -> None:
    kind, body = delivered(bot, "message")
    wrong = replaced(wire.fresh(body), ("event", "text"), {"secret": "hunter2"})

    assert wire.send(wrong, kind) == 400
    assert "a delivery was refused: text of a message is not as Slack documents it" in caplog.text
    assert "hunter2" not in caplog.text


@pytest.mark.parametrize("moment", [ABSENT, None])
def test_a_change_of_no_moment_is_refused_for_it_would_be_later_than_every_other(
    bot: Office, wire: Wire, caplog: pytest.LogCaptureFixture, moment: object
) -> None:
    kind, body = delivered(bot, "message_changed")
    before = bot.count("SELECT count(*) FROM inbox")

    assert wire.send(replaced(wire.fresh(body), ("event", "event_ts"), moment), kind) == 400
    assert "event_ts of a message is not as Slack documents it" in caplog.text
    assert bot.count("SELECT count(*) FROM inbox") == before


def test_that_slack_leaves_events_out_is_said(
    bot: Office, wire: Wire, caplog: pytest.LogCaptureFixture
) -> None:
    kind, body = delivered(bot, "app_rate_limited")
    assert wire.send(body, kind) == 200
    assert "Slack leaves events out" in caplog.text


@pytest.mark.parametrize(
    "text",
    [
        "payload=x",
        "payload=%5B%5D",
        '{"type":"event_callback"}',
        "payload=%7B%22event%22%3Anull%7D",
    ],
)
def test_a_form_that_holds_no_request_is_refused(bot: Office, text: str) -> None:
    secret = bot.workspace.identity.signing_secret
    headers = signed(secret, text.encode(), kind=FORM)
    assert httpx.post(bot.events_url, content=text, headers=headers).status_code == 400


def test_over_a_socket_what_is_wrong_is_acknowledged_and_dropped(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with office(tmp_path) as place:
        place.open()
        workspace = place.workspace
        workspace.post(ANN, "T-80011 hello", channel=CHANNEL, deliver=True)
        place.rest()
        kind, body = delivered(place, "message")
        new = {**body, "event_id": "Ev1"}
        wrong = [
            workspace.deliver(replaced(new, path, by), kind=kind)
            for path, by in [(("event", "ts"), 5), (("event", "user"), []), (("event",), None)]
        ]
        workspace.settle()

        assert all(each.acknowledged for each in wrong)
        assert place.count("SELECT count(*) FROM inbox") == 1
    assert [each for each in caplog.messages if "was refused" in each] == [
        "a delivery was refused: ts of a message is not as Slack documents it",
        "a delivery was refused: event.user of a request is not as Slack documents it",
        "a delivery was refused: event of a request is not as Slack documents it",
    ]


def test_attached_only_what_is_ours_is_judged(tmp_path: Path) -> None:
    with office(tmp_path) as place:
        app = team_app(place)
        heard: list[Any] = []
        app.event("message")(lambda event: heard.append(event["text"]))
        wrong = {"type": "message", "channel": CHANNEL, "user": ANN, "ts": "1.1", "text": {"a": 1}}
        theirs = {**wrong, "channel": "C0OTHER"}

        with attach(app, place.settings):
            ours = app.dispatch(_over_socket(wrong))
            other = app.dispatch(_over_socket(theirs))
            place.workspace.wait_for(lambda: heard, what="the team's listener")

    assert (ours.status, other.status) == (200, 200)
    assert heard == [{"a": 1}]


def _over_socket(event: dict[str, Any]) -> BoltRequest:
    body = {"type": "event_callback", "event_id": f"Ev{event['channel']}", "event": event}
    return BoltRequest(body=body, mode="socket_mode")


def test_a_wrong_message_in_the_history_is_left_out_and_the_others_are_taken(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    ahead = Ahead()
    outside = Outside(now_us=ahead.now_us, monotonic=ahead.monotonic)
    with office(tmp_path, mode="http", port=free_port()) as place:
        place.open(outside)
        workspace = place.workspace
        changed: list[dict[str, Any]] = [
            {"text": 5},
            {"files": ("x",)},
            {"user": 5},
            {"edited_ts": "x"},
        ]
        for changes in changed:
            bad = workspace.post(ANN, "T-80011 C-81265", channel=CHANNEL, deliver=False)
            workspace.alter(bad, deliver=False, **changes)
        good = place.ticket(SIMPLE, deliver=False)
        ahead.seconds += EVERY_S + 1
        place.wait_for_reply(good, "Draft for", seconds=30)
        place.rest()

        assert place.count("SELECT count(*) FROM inbox") == 1
    left_out = [each for each in caplog.messages if "is not read" in each]
    assert [re.findall(r": (\S+) of a message", each) for each in left_out] == [
        ["edited.ts"],
        ["user"],
        ["files.0"],
        ["text"],
    ]
    assert not [each for each in caplog.records if each.exc_info]

"""The bot at work in a local workspace: real HTTP and a real WebSocket, and a store of its own."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr
from sqlite_utils import Database

from approvals.store import connect, rows
from bot.settings import Settings
from bot.slack.desk import Desk
from bot.slack.outside import Outside
from bot.slack.serve import EVENTS_PATH, served
from bot.slack.settings import Mode, SlackSecrets, SlackSettings
from bot.supplies import load_cases
from bot.workspace import (
    Channel,
    Group,
    HeldClock,
    Identity,
    Message,
    RunningClock,
    TookTooLong,
    User,
    View,
    Workspace,
)
from recordings import Match
from tools import PRACTICE_TODAY, Change, PracticeGateway

CHANNEL = "C0SUPPORT"
BOT = Identity().bot_user
ANN, BEN, LEA, HED, GUS, OUT = "U0ANN", "U0BEN", "U0LEA", "U0HED", "U0GUS", "U0OUT"
"""Two agents (Ann and Ben), a team lead, a head, a guest, and somebody of another company."""
APPROVALS: dict[str, Any] = {
    "currency": "CAD",
    "roles": {
        "agent": {"limit": "100.00", "users": [BEN]},
        "team_lead": {"limit": "500.00", "users": [LEA]},
        "head": {"limit": "none", "groups": ["S0HEADS"]},
    },
}


LOOK_S = 0.05
"""How often a test looks whether all is done."""
_UNDONE = """
SELECT (SELECT count(*) FROM inbox WHERE state = 'new')
    + (SELECT count(*) FROM jobs WHERE state IN ('ready', 'running'))
    + (SELECT count(*) FROM outbox WHERE state IN ('ready', 'sending'))
    + (SELECT count(*) FROM recordings_owed)
    + (SELECT count(*) FROM audit WHERE seq > (
        SELECT coalesce(max(seq), 0) FROM cursor WHERE name = 'cards'))
"""


def make_workspace(clock: HeldClock | None = None) -> Workspace:
    """Return a workspace with one support channel, not started, by the machine's clock if none."""
    everyone = (ANN, BEN, LEA, HED, GUS, OUT)
    members = [User(id=each, name=each[2:].lower()) for each in (ANN, BEN, LEA, HED)]
    return Workspace(
        users=[
            *members,
            User(id=GUS, name="gus", is_restricted=True),
            User(id=OUT, name="out", team_id="T0OTHER", is_stranger=True),
        ],
        groups=[Group(id="S0HEADS", handle="heads", members=(HED,))],
        channels=[
            Channel(id=CHANNEL, name="support", members=(*everyone, BOT)),
            Channel(id="C0OTHER", name="other", members=(*everyone, BOT)),
        ],
        clock=clock or RunningClock(),
    )


def settings_for(
    folder: Path,
    api: str,
    *,
    data: Path | None = None,
    recordings: Path | None = None,
    match: Match = Match.STRICT,
    approvals: Mapping[str, Any] = APPROVALS,
    **slack: Any,
) -> Settings:
    """Return the settings of a bot in the workspace at an address, with its files in a folder."""
    given = {
        "store": folder / "handrail.sqlite3",
        "data": data,
        "recordings": recordings,
        "match": match,
        "slack": SlackSettings(**{"channels": {CHANNEL}, "api": api, **slack}),
        "approvals": dict(approvals),
    }
    return Settings.model_construct().model_copy(update=given)


def secrets_of(me: Identity) -> SlackSecrets:
    """Return what a bot knows itself and Slack by, in either mode."""
    return SlackSecrets(
        bot_token=SecretStr(me.bot_token),
        app_token=SecretStr(me.app_token),
        signing_secret=SecretStr(me.signing_secret),
    )


class Office:
    """A workspace, and one bot process in it."""

    def __init__(self, workspace: Workspace, folder: Path, given: dict[str, Any]) -> None:
        self.workspace = workspace
        self.folder = folder
        self._given = given
        self._stack = ExitStack()
        self.desk: Desk | None = None

    @property
    def settings(self) -> Settings:
        """The settings of the bot."""
        return settings_for(self.folder, self.workspace.base_url, **self._given)

    def open(self, outside: Outside | None = None) -> None:
        """Start the bot and wait until it is connected."""
        secrets = secrets_of(self.workspace.identity)
        settings = self.settings
        self.desk = self._stack.enter_context(served(settings, secrets, outside=outside))
        match settings.slack.mode:
            case Mode.SOCKET:
                self.workspace.wait_for_sockets()
            case Mode.HTTP:
                self.workspace.deliver_over_http(self.events_url)

    @property
    def events_url(self) -> str:
        """Where a bot in HTTP mode takes what Slack posts."""
        place = self.settings.slack
        return f"http://{place.host}:{place.port}{EVENTS_PATH}"

    def close(self) -> None:
        """Stop the bot."""
        self._stack.close()
        self._stack = ExitStack()

    def ticket(self, ticket_id: str, user: str = ANN, **given: Any) -> Message:
        """Post one of the shipped tickets as it stands, with its header line."""
        ticket = load_cases(None)[ticket_id].ticket
        text = f"{ticket.ticket_id} {ticket.customer_id}\n{ticket.text}"
        files = tuple({"id": f"F{n}", "name": name} for n, name in enumerate(ticket.attachments))
        return self.workspace.post(user, text, channel=CHANNEL, files=files, **given)

    def wait_for_reply(self, ticket: Message, words: str, *, seconds: float = 15.0) -> Message:
        """Wait until a reply in a thread holds these words, and return it."""

        def found() -> Message | None:
            replies = self.workspace.replies(ticket)
            return next((each for each in replies if words in shown(each)), None)

        what = (
            f"a reply with {words!r}; there is {[shown(r) for r in self.workspace.replies(ticket)]}"
        )
        reply = self.workspace.wait_for(found, seconds=seconds, what=what)
        assert reply is not None
        return reply

    def form(self, user: str, words: str) -> View:
        """Wait until the form in front of somebody says something, and return it."""

        def found() -> View | None:
            view = self.workspace.modal(user)
            return view if view is not None and words in str(view.body) else None

        view = self.workspace.wait_for(found, seconds=15, what=f"a form with {words!r}")
        assert view is not None
        return view

    def drafts(self, ticket: Message) -> int:
        """Count the drafts in a thread."""
        return sum("Draft for" in shown(each) for each in self.workspace.replies(ticket))

    def rest(self, *, seconds: float = 20.0) -> None:
        """Wait until nothing is left to take in, to do or to post."""
        self.workspace.settle()
        self.until(self.is_at_rest, seconds=seconds, what="not all was done")

    def until(
        self, condition: Callable[[], bool], *, seconds: float = 15.0, what: str = "it was not so"
    ) -> None:
        """Wait for something that rings no bell of the workspace, such as a commit."""
        for _ in range(int(seconds / LOOK_S)):
            with suppress(TookTooLong):
                self.workspace.wait_for(condition, seconds=LOOK_S)
                return
        raise TookTooLong(f"{what} within {seconds} s")

    def is_at_rest(self) -> bool:
        """Return whether nothing is left to take in, to do or to post."""
        return is_at_rest(self.settings.store)

    def shop_changes(self) -> tuple[Change, ...]:
        """Return what was written at the shop."""
        with PracticeGateway(self.settings.practice_file, today=lambda: PRACTICE_TODAY) as gateway:
            return gateway.changes()

    @contextmanager
    def store(self) -> Iterator[Database]:
        """Open the store to look into it."""
        with closing(connect(self.settings.store)) as db:
            yield db

    def count(self, sql: str) -> int:
        """Return the one number that a query gives."""
        with self.store() as db:
            return int(next(iter(rows(db, sql)[0].values())))


def is_at_rest(store: Path) -> bool:
    """Return whether nothing in a store is left to take in, to do or to post."""
    with closing(connect(store)) as db:
        return int(next(iter(rows(db, _UNDONE)[0].values()))) == 0


def times_logged(caplog: pytest.LogCaptureFixture, words: str) -> int:
    """Count the lines of the log that hold these words."""
    return sum(words in each for each in caplog.messages)


def shown(message: Message) -> str:
    """Return everything that a message shows, as one text."""
    return f"{message.text}\n{json.dumps(message.blocks, ensure_ascii=False)}"


@contextmanager
def office(folder: Path, *, clock: HeldClock | None = None, **given: Any) -> Iterator[Office]:
    """Open a workspace with a bot that is not started.

    For the clock see ``make_workspace``, for what else is given ``settings_for``.
    """
    with make_workspace(clock) as workspace:
        place = Office(workspace, folder, given)
        try:
            yield place
        finally:
            place.close()

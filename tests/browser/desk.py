"""The real bot in a local workspace with its page, and windows of a real Chromium before it."""

from __future__ import annotations

import os
import re
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, expect, sync_playwright
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

import bot.workspace as local
from bot.models import replayed
from bot.plan import Plan
from bot.slack.manifest import manifest
from bot.slack.outside import Outside
from bot.supplies import load_cases
from loop import Clock, Model, Reply, Request
from tests.scenarios.office import ANN, BEN, CHANNEL, HED, LEA, OUT, Office, make_workspace

__all__ = ["Brake", "Desk", "Window", "chromium", "launched", "opened_desk"]

PEOPLE: Final = {
    ANN: "posts tickets",
    BEN: "agent",
    LEA: "team lead",
    HED: "head",
    OUT: "outsider",
}
FLAGS: Final = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-lcd-text",
)
PATIENCE_MS: Final = 30_000
"""How long a window waits for what is to appear."""


def chromium() -> str | None:
    """Return the program of the Chromium that is installed; None if there is none."""
    names = ("chromium", "chromium-browser", "google-chrome")
    return next((found for name in names if (found := shutil.which(name))), None)


def required() -> bool:
    """Whether a machine without Chromium is a failure (``REQUIRE_BROWSER=1``)."""
    return os.environ.get("REQUIRE_BROWSER") == "1"


@contextmanager
def launched() -> Iterator[Browser]:
    """Start a Chromium with an empty profile."""
    program = chromium()
    assert program is not None
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=list(FLAGS))
        try:
            yield browser
        finally:
            browser.close()


class Brake:
    """Recorded models that stand still while the brake is on."""

    def __init__(self) -> None:
        self._free = threading.Event()
        self._free.set()
        self.asked = threading.Event()

    def play(self, plan: Plan) -> tuple[Model, Clock]:
        """Make a model that can be held."""
        model, clock = replayed(plan)
        return _Held(model, self), clock

    @contextmanager
    def on(self) -> Iterator[None]:
        """Hold every model that is asked."""
        self.asked.clear()
        self._free.clear()
        try:
            yield
        finally:
            self._free.set()

    def wait(self) -> None:
        """Wait in the model's place."""
        self.asked.set()
        assert self._free.wait(timeout=60)


class _Held:
    def __init__(self, model: Model, brake: Brake) -> None:
        self._model = model
        self._brake = brake

    def ask(self, request: Request, *, time_left_s: float | None) -> Reply:
        self._brake.wait()
        return self._model.ask(request, time_left_s=time_left_s)


class Desk:
    """The bot's office, the address of its page, and what opens windows."""

    def __init__(self, office: Office, brake: Brake, browser: Browser) -> None:
        self.office = office
        self.workspace = office.workspace
        self.brake = brake
        self.address = office.workspace.base_url.removesuffix("api/")
        self._browser = browser

    def window(self, person: str, **options: object) -> Window:
        """Open a window of its own, with nothing that another one stored."""
        context = self._browser.new_context(
            **{"viewport": {"width": 1_280, "height": 900}, "locale": "en-GB", **options}  # type: ignore[arg-type]
        )
        context.set_default_timeout(PATIENCE_MS)
        return Window(self, context.new_page(), person)

    def refused_call(self) -> None:
        """Let the app post a block that Slack refuses."""
        blocks = [{"type": "section", "text": {"type": "mrkdwn", "text": "x" * 3_001}}]
        client = WebClient(
            token=self.workspace.identity.bot_token, base_url=self.workspace.base_url
        )
        with pytest.raises(SlackApiError, match="invalid_blocks"):
            client.chat_postMessage(channel=CHANNEL, text="too long", blocks=blocks)

    def changes(self, ticket_id: str) -> int:
        """Count what was really done at the shop for a ticket."""
        return self.office.count(
            "SELECT count(*) FROM operations JOIN proposals USING (proposal_id)"
            f" WHERE proposals.ticket_id = '{ticket_id}' AND operations.state = 'done'"
        )


class Window:
    """One person's window. What the browser complains of is kept in ``complaints``."""

    def __init__(self, desk: Desk, page: Page, person: str) -> None:
        self.page = page
        self.complaints: list[str] = []
        page.on("console", self._note)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self._desk = desk
        page.goto(f"{desk.address}?as={person}")
        expect(page.locator("#acting")).to_have_value(person)
        expect(page.locator("#place")).to_contain_text("support")

    def _note(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            self.complaints.append(message.text)

    def close(self) -> None:
        """Close the window and all that it kept."""
        self.page.context.close()

    def ticket(self, ticket_id: str) -> None:
        """Post one of the shipped tickets through the box, and open its thread."""
        case = load_cases(None)[ticket_id].ticket
        page = self.page
        page.get_by_role("button", name="New ticket").click()
        box = page.get_by_role("dialog", name="New ticket")
        box.get_by_label("Message").fill(f"{ticket_id} {case.customer_id}\n{case.text}")
        box.get_by_role("button", name="Post").click()
        expect(box).to_have_count(0)
        self.open(ticket_id)

    def open(self, ticket_id: str) -> None:
        """Open the thread of a ticket."""
        said = self.page.locator("#messages > li", has_text=re.compile(rf"{ticket_id}\b"))
        said.first.hover()
        said.first.get_by_role("button", name="Reply in thread").click()
        expect(self.page.locator("#thread")).to_be_visible()

    @property
    def thread(self) -> Locator:
        """The open thread."""
        return self.page.locator("#replies")

    @property
    def card(self) -> Locator:
        """The card in the open thread."""
        title = self.page.locator(".header", has_text=re.compile(r"^P-\w{3}-\w{3}: "))
        return self.thread.locator("li", has=title)

    @property
    def private(self) -> Locator:
        """What only this person was told in the open thread."""
        return self.thread.locator("li.only-you")

    def approve(self) -> None:
        """Press Approve on the card, and say yes to the question."""
        self.card.get_by_role("button", name="Approve proposal").click()
        self.page.locator("dialog.confirm").get_by_role("button", name="Approve").click()


_numbers = count(1)


def _new_ticket() -> local.NewTicket:
    return local.NewTicket(channel=CHANNEL, text=f"T-{70_000 + next(_numbers)} C-53556\n")


@contextmanager
def opened_desk(folder: Path, browser: Browser) -> Iterator[Desk]:
    """Open a workspace with its page, and a bot at work in it."""
    workspace = make_workspace()
    page = local.Page(
        workspace,
        title="Support",
        manifest=manifest(),
        people=PEOPLE,
        new_ticket=_new_ticket,
    )
    workspace.mount(page.routes)
    brake = Brake()
    with workspace:
        office = Office(workspace, folder, {})
        office.open(Outside(play=brake.play))
        try:
            yield Desk(office, brake, browser)
        finally:
            office.close()

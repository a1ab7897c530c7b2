"""``make screenshots``: the pages in a real Chromium, their main states as pictures.

The demo's workspace, the page that tries limits and the report of an evaluation, over what ships.

What differs from run to run (proposal codes, times, seconds) is written over before a picture is
taken, so that a picture changes only where the page or the bot does.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import httpx
from playwright.sync_api import Browser, Page, expect

import bot.workspace as local
from bot.cli import handrail
from bot.demo.cast import AGENT, CHANNEL, HEAD, LEAD, OUTSIDER, PEOPLE, make_workspace
from bot.demo.stage import Stage
from bot.slack.manifest import manifest
from tests.browser.desk import launched

FOLDER: Final = Path(__file__).resolve().parents[1] / "docs" / "images"
SPEED: Final = 50.0
TICKETS: Final = ("T-80008", "T-80005", "T-64872", "T-65273", "T-80004", "T-90904", "T-90403")
STEADY: Final = """
() => {
  const codes = new Map();
  const code = (found) => {
    if (!codes.has(found)) codes.set(found, `P-7KM-${"234679"[codes.size]}XQ`);
    return codes.get(found);
  };
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const node = walk.currentNode;
    node.data = node.data
      .replace(/P-[0-9A-Z]{3}-[0-9A-Z]{3}/g, code)
      .replace(/\\b20\\d\\d-\\d\\d-\\d\\dT[0-9:.+Z]+/g, "9 Oct 2026")
      .replace(/\\b\\d\\d:\\d\\d:\\d\\d\\b/g, "09:30:00")
      .replace(/\\b\\d\\d:\\d\\d\\b(?!:)/g, "09:30")
      .replace(/\\b\\d{1,2} \\w{3} 20\\d\\d\\b/g, "9 Oct 2026")
      .replace(/\\bRF-[0-9A-F]{8}\\b/g, "RF-00000001")
      .replace(/\\b\\d+ ms\\b/g, "9 ms")
      .replace(/\\b\\d{10}\\.\\d{6}\\b/g, "1790000000.000100");
  }
}
"""


class Studio:
    """The demo's stage, its page, and a browser to take pictures with."""

    def __init__(self, stage: Stage, browser: Browser) -> None:
        self.stage = stage
        self.address = stage.workspace.base_url.removesuffix("api/")
        self._browser = browser

    @contextmanager
    def window(
        self, person: str, *, dark: bool = False, width: int = 1_280, height: int = 800
    ) -> Iterator[Page]:
        """Open a window."""
        context = self._browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce",
            locale="en-GB",
            timezone_id="UTC",
        )
        page = context.new_page()
        page.goto(f"{self.address}?as={person}")
        expect(page.locator("#acting")).to_have_value(person)
        yield page
        context.close()


def thread(page: Page, ticket_id: str) -> None:
    """Open the thread of a ticket and wait until the bot is done with it."""
    said = page.locator("#messages > li", has_text=re.compile(rf"{ticket_id}\b")).first
    said.hover()
    said.get_by_role("button", name="Reply in thread").click()
    page.mouse.move(0, 0)
    expect(page.locator("#replies")).to_contain_text(re.compile("drafted; |No draft for"))


def card(page: Page) -> None:
    """Show the card of the open thread from its top."""
    title = page.locator("#replies .header", has_text=re.compile(r"^P-\w{3}-\w{3}: "))
    expect(title).to_be_visible()
    title.evaluate("each => each.closest('li').scrollIntoView()")


def press(page: Page, name: str) -> None:
    """Press a button of the open thread."""
    page.locator("#replies").get_by_role("button", name=name).first.click()


def take(page: Page, name: str) -> None:
    """Take one picture."""
    page.evaluate(STEADY)
    page.evaluate("document.activeElement.blur()")
    file = FOLDER / f"{name}.png"
    page.screenshot(path=file, animations="disabled", caret="hide")
    print(f"{file.relative_to(FOLDER.parents[1])}  {file.stat().st_size // 1_000} kB")


def take_workspace(studio: Studio) -> None:
    """A channel with tickets, and a card that waits."""
    with studio.window(AGENT) as page:
        thread(page, "T-64872")
        card(page)
        take(page, "workspace")


def take_refused(studio: Studio) -> None:
    """Somebody who may not is told why, and nobody else is."""
    with studio.window(OUTSIDER) as page:
        thread(page, "T-65273")
        press(page, "Approve proposal")
        page.locator("dialog.confirm").get_by_role("button", name="Approve").click()
        expect(page.locator("#replies .only-you")).to_be_visible()
        take(page, "refused")


def take_form(studio: Studio) -> None:
    """The form that asks for a reason."""
    with studio.window(LEAD) as page:
        thread(page, "T-65273")
        press(page, "Reject")
        page.get_by_role("dialog", name="Reject").get_by_label("Why?").fill("The parcel came.")
        take(page, "form")
        page.get_by_role("dialog", name="Reject").get_by_role("button", name="Close").last.click()
        expect(page.get_by_role("dialog")).to_have_count(0)


def take_done(studio: Studio) -> None:
    """A card that was decided and done, in the dark."""
    with studio.window(LEAD, dark=True) as page:
        thread(page, "T-65273")
        press(page, "Approve proposal")
        page.locator("dialog.confirm").get_by_role("button", name="Approve").click()
        expect(page.locator("#replies")).to_contain_text("Done")
        card(page)
        take(page, "done")


def take_stopped(studio: Studio) -> None:
    """A run that a rule ended, and a person takes."""
    with studio.window(AGENT, dark=True) as page:
        thread(page, "T-90403")
        take(page, "stopped")


def take_home(studio: Studio) -> None:
    """App Home of the head."""
    with studio.window(HEAD) as page:
        page.locator("#apps").get_by_role("button").click()
        expect(page.locator("#home")).to_contain_text("Recent runs")
        take(page, "home")


def take_inspector(studio: Studio) -> None:
    """The inspector, with a message that Slack would refuse."""
    workspace = studio.stage.workspace
    blocks = [{"type": "section", "text": {"type": "mrkdwn", "text": "x" * 3_001}}]
    httpx.post(
        f"{workspace.base_url}chat.postMessage",
        headers={"Authorization": f"Bearer {workspace.identity.bot_token}"},
        json={"channel": CHANNEL, "text": "too long", "blocks": blocks},
        trust_env=False,
    ).raise_for_status()
    with studio.window(AGENT) as page:
        page.get_by_role("button", name="Inspector").click()
        expect(page.locator(".problem").last).to_be_visible()
        take(page, "inspector")


def take_narrow(studio: Studio) -> None:
    """A thread on a telephone."""
    with studio.window(HEAD, width=390, height=760) as page:
        thread(page, "T-90904")
        card(page)
        take(page, "narrow")


@contextmanager
def page_of(browser: Browser, *command: str, height: int) -> Iterator[Page]:
    """Open the page that a command writes."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "page.html"
        if handrail.status([*command, "--html", str(file)]) != 0:
            raise RuntimeError(f"handrail {' '.join(command)} made no page")
        page = browser.new_page(viewport={"width": 1_280, "height": height}, locale="en-GB")
        page.goto(file.as_uri())
        yield page
        page.close()


def take_pages(browser: Browser) -> None:
    """Limits on the recordings that ship, and the evaluation of a profile with a miss."""
    with page_of(browser, "explore", "--success", "valid", height=1_090) as page:
        page.locator("#limit-max_steps").fill("3")
        page.get_by_role("button", name="Draw").click()
        take(page, "explore")
    with page_of(browser, "eval", "--profile", "desk", "--approve", "all", height=800) as page:
        page.locator("details").first.evaluate("each => { each.open = true; }")
        take(page, "evaluation")


def finished(stage: Stage, ticket_id: str) -> None:
    """Post a ticket and wait until its thread has filled."""
    ticket = stage.post(ticket_id)
    stage.workspace.wait_for(
        lambda: len(stage.workspace.replies(ticket)) > 1,
        seconds=30,
        what=f"the thread of {ticket_id}",
    )


PICTURES: Final[tuple[Callable[[Studio], None], ...]] = (
    take_workspace,
    take_refused,
    take_form,
    take_done,
    take_stopped,
    take_home,
    take_inspector,
    take_narrow,
)


def main() -> None:
    """Take every picture."""
    FOLDER.mkdir(exist_ok=True)
    with launched() as browser:
        take_pages(browser)
    workspace = make_workspace()
    page = local.Page(
        workspace,
        title="Larkfield support",
        manifest=manifest(),
        people=PEOPLE,
        new_ticket=lambda: local.NewTicket(channel=CHANNEL, text="T-70001 C-53556\n"),
        on_reset=workspace.settle,
    )
    workspace.mount(page.routes)
    with workspace, Stage(workspace, SPEED) as stage, launched() as browser:
        for ticket_id in TICKETS:
            finished(stage, ticket_id)
        studio = Studio(stage, browser)
        for picture in PICTURES:
            picture(studio)


if __name__ == "__main__":
    main()

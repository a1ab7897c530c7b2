"""The page by keyboard, by screen reader, magnified, in the dark: axe's rules and our own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.desk import Desk, Window
from tests.scenarios.office import ANN, BEN, CHANNEL, HED, LEA

Open = Callable[..., Window]
REFUND, LABEL = "T-90603", "T-90604"


COLOURS = {"runOnly": ["color-contrast"]}
"""The one rule of axe that sees whether it is dark."""


def faults(page: Page, *, within: str | None = None, dark: bool = False) -> list[str]:
    """Return what axe finds, each with the elements that it found it at."""
    options = COLOURS if dark else None
    result = Axe().run(page, context=within, options=options).response
    found: list[dict[str, Any]] = result["violations"]
    assert result["passes"] != []
    return [
        f"{each['impact']} {each['id']}: {[node['target'] for node in each['nodes']]}"
        for each in found
    ]


@pytest.fixture(scope="module", autouse=True)
def tickets(desk: Desk) -> None:
    """Tickets whose cards wait, and a call that Slack refused."""
    for ticket_id in (REFUND, LABEL):
        desk.office.wait_for_reply(desk.office.ticket(ticket_id), "handrail:approve")
    desk.refused_call()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_nothing_in_any_main_state(window: Open, *, dark: bool) -> None:
    scheme = "dark" if dark else "light"
    seen = window(BEN, color_scheme=scheme, viewport={"width": 1_600, "height": 900})
    page = seen.page
    found: dict[str, list[str]] = {}

    seen.open(REFUND)
    page.get_by_role("button", name="Inspector").click()
    seen.card.get_by_role("button", name="More actions").click()
    found["channel, thread, menu and inspector"] = faults(page, dark=dark)
    page.keyboard.press("Escape")
    seen.card.get_by_role("button", name="Approve proposal").click()
    found["question"] = faults(page, within="dialog", dark=dark)
    page.keyboard.press("Escape")
    seen.card.get_by_role("button", name="Reject").click()
    form = page.get_by_role("dialog", name="Reject")
    form.get_by_label("Why?").fill("")
    form.get_by_role("button", name="Reject").click()
    found["form"] = faults(page, within="dialog", dark=dark)
    page.keyboard.press("Escape")
    expect(form).to_have_count(0)
    page.get_by_role("button", name="New ticket").click()
    found["ticket"] = faults(page, within="dialog", dark=dark)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Inspector").click()
    page.locator("#apps").get_by_role("button").click()
    expect(page.locator("#home")).to_contain_text("Recent runs")
    found["home"] = faults(page, within="main", dark=dark)

    assert {state: list_ for state, list_ in found.items() if list_} == {}


def test_a_narrow_window_scrolls_in_one_direction_only_and_has_no_faults(window: Open) -> None:
    seen = window(BEN, viewport={"width": 320, "height": 640})
    page = seen.page
    wide = "() => document.documentElement.scrollWidth - innerWidth"

    assert page.evaluate(wide) == 0
    seen.open(REFUND)
    assert page.evaluate(wide) == 0
    assert faults(page) == []
    page.get_by_role("button", name="Close the thread").click()
    page.get_by_role("button", name="Inspector").click()
    expect(page.locator("#lines > li").first).to_be_visible()
    assert page.evaluate(wide) == 0


def test_a_page_magnified_twice_shows_and_reaches_everything(window: Open) -> None:
    seen = window(LEA, viewport={"width": 640, "height": 400}, device_scale_factor=2)
    seen.open(REFUND)

    button = seen.card.get_by_role("button", name="Approve proposal")
    button.scroll_into_view_if_needed()
    expect(button).to_be_in_viewport()
    reply = seen.page.get_by_role("textbox", name="Reply")
    reply.scroll_into_view_if_needed()
    expect(reply).to_be_in_viewport()
    assert seen.page.evaluate("() => document.documentElement.scrollWidth - innerWidth") == 0


def test_a_card_is_reached_and_a_form_is_left_by_keyboard_alone(window: Open) -> None:
    seen = window(HED, viewport={"width": 1_280, "height": 900})
    page, keys = seen.page, seen.page.keyboard

    keys.press("Tab")
    expect(page.get_by_role("link", name="Skip to the messages")).to_be_focused()
    keys.press("Enter")
    keys.press("Tab")
    expect(page.locator("#messages")).to_be_focused()
    keys.press("ArrowUp")
    keys.press("Home")
    first = page.locator("#messages > li").first
    expect(first).to_be_focused()
    keys.press("ArrowDown")
    expect(first).not_to_be_focused()
    keys.press("ArrowUp")
    keys.press("Enter")
    expect(page.get_by_role("textbox", name="Reply")).to_be_focused()

    reject = seen.card.get_by_role("button", name="Reject")
    reject.focus()
    keys.press("Enter")
    expect(page.get_by_role("dialog", name="Reject").get_by_label("Why?")).to_be_focused()
    keys.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(reject).to_be_focused()
    keys.press("Escape")
    expect(page.locator("#thread")).to_be_hidden()
    expect(first).to_be_focused()


def test_a_menu_is_walked_by_arrow_keys_and_gives_the_focus_back(window: Open) -> None:
    seen = window(BEN)
    seen.open(REFUND)
    more = seen.card.get_by_role("button", name="More actions")
    keys = seen.page.keyboard

    more.focus()
    keys.press("Enter")
    items = seen.page.get_by_role("menuitem")
    expect(items.first).to_be_focused()
    expect(more).to_have_attribute("aria-expanded", "true")
    keys.press("ArrowDown")
    expect(items.nth(1)).to_be_focused()
    keys.press("ArrowUp")
    keys.press("ArrowUp")
    expect(items.last).to_be_focused()
    keys.press("Escape")
    expect(items).to_have_count(0)
    expect(more).to_be_focused()


def test_the_focus_is_visible_wherever_tab_leads(window: Open) -> None:
    page = window(BEN, reduced_motion="reduce").page
    outline = "() => getComputedStyle(document.activeElement).outlineStyle"

    for _ in range(14):
        page.keyboard.press("Tab")
        assert page.evaluate(outline) == "solid"


def test_nothing_moves_for_who_asked_for_less_motion(window: Open) -> None:
    page = window(BEN, reduced_motion="reduce").page
    moving = """() => [...document.querySelectorAll("*")].filter((each) => {
        const style = getComputedStyle(each);
        return style.transitionDuration !== "0s" || style.animationName !== "none";
    }).length"""

    assert page.evaluate(moving) == 0


def test_what_comes_is_told_to_a_screen_reader_and_moves_nothing_away(
    desk: Desk, window: Open
) -> None:
    seen = window(ANN, viewport={"width": 1_280, "height": 900})
    seen.page.evaluate(
        """() => {
            window.shift = 0;
            new PerformanceObserver((list) => {
                for (const each of list.getEntries()) window.shift += each.value;
            }).observe({ type: "layout-shift", buffered: true });
        }"""
    )

    desk.workspace.post(BEN, "Good morning", channel=CHANNEL)

    expect(seen.page.locator("#spoken")).to_have_text("Good morning")
    assert seen.page.evaluate("() => window.shift") < 0.1


def test_the_theme_is_chosen_by_a_button_and_kept(window: Open) -> None:
    seen = window(BEN, color_scheme="light")
    page = seen.page
    paper = "() => getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(paper) == "rgb(255, 255, 255)"

    page.get_by_role("button", name="Theme: auto").click()
    page.get_by_role("button", name="Theme: light").click()
    assert page.evaluate(paper) == "rgb(26, 29, 33)"
    page.reload()

    expect(page.get_by_role("button", name="Theme: dark")).to_be_visible()
    assert page.evaluate(paper) == "rgb(26, 29, 33)"

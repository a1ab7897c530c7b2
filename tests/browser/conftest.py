"""One Chromium and one desk for each module; windows that must not complain."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser

from tests.browser.desk import Desk, Window, chromium, launched, opened_desk, required


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A real Chromium. A machine without one says so, or fails where one is required."""
    if chromium() is None:
        if required():
            pytest.fail("no Chromium is installed, and REQUIRE_BROWSER=1 asks for one")
        pytest.skip("no Chromium is installed (Debian: apt-get install chromium)")
    with launched() as opened:
        yield opened


@pytest.fixture(scope="module")
def desk(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """The bot at work, and its page."""
    with opened_desk(tmp_path_factory.mktemp("desk"), browser) as opened:
        yield opened


@pytest.fixture(scope="module")
def kept() -> Iterator[dict[str, Window]]:
    """The window that each person keeps open from test to test."""
    windows: dict[str, Window] = {}
    yield windows
    for each in windows.values():
        each.close()


@pytest.fixture
def window(desk: Desk, kept: dict[str, Window]) -> Iterator[Callable[..., Window]]:
    """Give a person's window, or with options one of its own; none of them may complain."""
    own: list[Window] = []

    def open_one(person: str, **options: object) -> Window:
        if options:
            own.append(desk.window(person, **options))
            return own[-1]
        if person not in kept:
            kept[person] = desk.window(person)
        return kept[person]

    yield open_one
    complaints = [words for each in (*own, *kept.values()) for words in each.complaints]
    for each in own:
        each.close()
    for each in kept.values():
        each.complaints.clear()
    assert complaints == []

"""The page that tries limits, in a real Chromium: it answers as the core, its texts are text."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from loop import PRICES, Limits, Repeat, get_profile
from recordings import SHIPPED_RECORDINGS, read_recordings
from recordings.explore import (
    Fate,
    Preset,
    RunProfile,
    Success,
    cuts,
    explore_page,
    facts_of,
    profiled,
)
from tests.recordings.explore.generated import generated_runs, generated_settings

BASE = get_profile("resolver").limits
PRESETS = [Preset(name="resolver", limits=BASE)]
HOSTILE = "</ScRiPt><img src=x onerror=alert(1)> {script} \u202e<b>bold</b>"


def unlimited() -> list[RunProfile]:
    """The five unlimited runs of the reference systems, as our recordings rebuild them."""
    read = read_recordings(SHIPPED_RECORDINGS / "reference_stops.jsonl", PRICES)
    named = [each for each in read.recordings if each.name.startswith("B59-")]
    return [profiled(facts_of(each, Success.UNKNOWN)) for each in named]


def reference_settings() -> list[Limits]:
    """The 216 settings of the reference explorer."""
    repeats = ((Repeat.ANY, None), (Repeat.AFTER_SUCCESS, 0), (Repeat.ANY, 0))
    return [
        BASE.changed(
            max_steps=steps,
            repeat=repeat,
            allowed_repeats=allowed,
            max_errors=errors,
            max_seconds=seconds,
            max_cost_usd=None,
        )
        for steps, (repeat, allowed), errors, seconds in product(
            range(1, 13), repeats, (None, 3), (None, 120, 30)
        )
    ]


@pytest.fixture(scope="module")
def opened(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Open pages of profiles; none of them may complain or ask for anything."""
    folder = tmp_path_factory.mktemp("pages")
    pages: list[Page] = []
    complaints: list[str] = []

    def open_one(profiles: Sequence[RunProfile], **options: Any) -> Page:
        file: Path = folder / f"{len(pages)}.html"
        text = explore_page(profiles, title="Limits & runs", presets=PRESETS, **options)
        file.write_text(text, encoding="utf-8")
        page = browser.new_page()
        pages.append(page)
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: complaints.append(dialog.message))
        page.on(
            "request",
            lambda asked: complaints.append(asked.url) if asked.url != file.as_uri() else None,
        )
        page.goto(file.as_uri())
        page.wait_for_selector("html[data-ready]")
        return page

    yield open_one
    for page in pages:
        page.close()
    assert complaints == []


def violations(page: Page, *only: str) -> list[str]:
    """What axe finds, of all rules or some, each with the elements that it found it at."""
    options = {"runOnly": list(only)} if only else None
    found = Axe().run(page, options=options).response["violations"]
    return [f"{each['id']}: {[node['target'] for node in each['nodes']]}" for each in found]


def page_answers(page: Page, settings: Sequence[Limits]) -> list[list[list[Any]]]:
    """What the page says of each run under each setting: fate, reason, step, also, cut."""
    told = page.evaluate(
        """(settings) => {
            const data = rules.unpacked(JSON.parse(document.getElementById("data").textContent));
            return JSON.stringify(settings.map((limits) => {
                const tried = rules.prepared(data, limits);
                return data.runs.map((run) => {
                    const answer = rules.whatIf(data, run, tried);
                    const { fate, reason, step, cut } = answer;
                    const also = reason && rules.alsoReached(data, run, tried, answer);
                    return [fate, reason, reason && step, also, cut];
                });
            }));
        }""",
        json.loads(json.dumps([each.as_dict() for each in settings])),
    )
    found: list[list[list[Any]]] = json.loads(told)
    return found


def core_answer(profile: RunProfile, limits: Limits) -> list[Any]:
    answer = profile.what_if(limits)
    stop = answer.stop
    reason, also = (None, None) if stop is None else (stop.reason.value, list(stop.also))
    # Of runs that no limit stops the page shows all steps; the core's count is of those made.
    step = answer.step if stop is not None else None
    return [answer.fate.value, reason, step, also, cuts(profile.facts, answer)]


def differences(
    page: Page, profiles: Sequence[RunProfile], settings: Sequence[Limits]
) -> list[tuple[Any, ...]]:
    return [
        (profile.facts.run_id, limits, said, core_answer(profile, limits))
        for limits, row in zip(settings, page_answers(page, settings), strict=True)
        for profile, said in zip(profiles, row, strict=True)
        if said != core_answer(profile, limits)
    ]


def test_the_1080_checks_of_the_reference_explorer_are_the_cores(opened: Any) -> None:
    profiles, settings = unlimited(), reference_settings()

    assert len(profiles) * len(settings) == 1080
    assert differences(opened(profiles), profiles, settings) == []


def test_every_setting_of_generated_runs_is_answered_as_by_the_core(opened: Any) -> None:
    profiles = [profiled(facts) for facts in generated_runs(20)]

    assert differences(opened(profiles), profiles, generated_settings()) == []


def test_the_totals_are_those_of_the_core_and_open_their_runs(opened: Any) -> None:
    profiles = [profiled(facts) for facts in generated_runs(300)]
    page: Page = opened(profiles)
    page.locator("#limit-max_steps").fill("4")
    limits = BASE.changed(max_steps=4)
    lost = [
        each
        for each in profiles
        if each.facts.success is Success.SUCCEEDED and cuts(each.facts, each.what_if(limits))
    ]
    number = page.get_by_role("button", name="runs, succeeded, cut")

    assert (number.text_content() or "").split(" ")[0] == str(len(lost))
    number.click()
    assert f": {len(lost)} runs" in (page.locator("#runs-title").text_content() or "")
    assert page.locator("#runs .run").count() == min(100, len(lost))


def test_a_limit_is_switched_off_and_on_from_the_keyboard(opened: Any) -> None:
    page: Page = opened(unlimited())
    page.locator("#limit-max_errors-on").focus()
    page.keyboard.press("Space")

    assert page.locator("#limit-max_errors-value").text_content() == "no limit"
    assert 'max_errors = "none"' in (page.locator("#lines").text_content() or "")
    page.keyboard.press("Space")
    assert page.locator("#limit-max_errors-value").text_content() == "3"


def test_a_run_is_stepped_through_to_its_stop(opened: Any) -> None:
    page: Page = opened(unlimited())
    run = page.get_by_role("button", name="B59-T-80001")
    run.focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")

    assert "repeated call at step 3" in (dialog.locator("h2").text_content() or "")
    page.keyboard.press("End")
    stop = dialog.locator("li.stop")
    assert stop.text_content() == "stop stop: repeated call by allowed_repeats"
    assert dialog.locator("li.late").count() > 0
    page.keyboard.press("Home")
    assert dialog.locator("#events > li").count() == 1
    page.keyboard.press("ArrowRight")
    assert dialog.locator("#events > li").count() == 2
    page.keyboard.press("Escape")
    assert not dialog.is_visible()


def test_texts_are_shown_as_text_whatever_they_hold(opened: Any) -> None:
    """The complaints hold every dialog, request and error: there are none."""
    (profile, *_) = unlimited()
    facts = profile.facts
    call = facts.steps[0].calls[0]
    step = replace(
        facts.steps[0],
        text=HOSTILE,
        calls=(replace(call, arguments=HOSTILE, text=HOSTILE, name=HOSTILE),),
    )
    hostile = replace(facts, run_id=HOSTILE, source=HOSTILE, steps=(step, *facts.steps[1:]))
    page: Page = opened([profiled(hostile)])
    page.locator("#runs .run").click()
    page.keyboard.press("End")

    assert page.locator("img, b").count() == 0
    assert "<img src=x onerror=alert(1)>" in (page.locator("#events").text_content() or "")
    assert "\u202e" not in page.content()


def test_amounts_are_compared_to_the_last_digit(opened: Any) -> None:
    """Floating-point numbers would hold all but the last of these pairs to be equal."""
    pairs = (
        ("0.1", "0.10"),
        ("9007199254740993", "9007199254740992"),
        ("0.10000000000000000000000001", "0.1"),
        ("0.1", "0.10000000000000000000000001"),
        ("2", "10"),
    )
    page: Page = opened(unlimited()[:1])
    compared = "(pairs) => pairs.map(([one, two]) => Math.sign(rules.compared(one, two)))"

    assert page.evaluate(compared, pairs) == [0, 1, 1, -1, -1]


def test_decimal_seconds_stop_at_the_exact_microsecond(opened: Any) -> None:
    """1,500,001 microseconds were used before the second call; more than the limit stops."""
    (facts, *_) = generated_runs(1)
    two = [
        replace(facts.steps[0], step=number, latency_us=1_500_001, calls=()) for number in (1, 2)
    ]
    profile = profiled(replace(facts, steps=tuple(two)))
    limits = [BASE.changed(max_seconds=Decimal(each)) for each in ("1.4999999", "1.5", "1.500001")]

    assert [profile.what_if(each).fate for each in limits] == [Fate.STOPS, Fate.STOPS, Fate.SAME]
    assert differences(opened([profile]), [profile], limits) == []


def test_the_page_has_no_serious_fault_of_access(opened: Any) -> None:
    """All rules in the light, and those of colours, which alone depend on it, in the dark too."""
    page: Page = opened(unlimited()[:2])
    page.get_by_role("button", name="Draw").click()

    assert violations(page) == []
    page.emulate_media(color_scheme="dark")
    assert violations(page, "color-contrast") == []
    page.locator("#runs .run").first.click()
    page.keyboard.press("End")
    page.emulate_media(color_scheme="light")
    assert violations(page) == []


def test_texts_that_are_too_many_are_left_out_and_the_page_says_so() -> None:
    (profile, *_) = unlimited()
    (step, *_) = profile.facts.steps
    call = replace(step.calls[0], arguments="x" * 4000, text="x" * 4000)
    facts = replace(profile.facts, steps=(replace(step, calls=(call,) * 50),))
    text = explore_page([profiled(facts)] * 51, title="Many", presets=PRESETS)

    assert "Texts are left out" in text
    assert "xxxx" not in text


def test_fates_are_all_among_those_that_the_page_knows() -> None:
    """A new fate would have no row in the table of totals."""
    script = (
        Path(__file__).resolve().parents[2] / "recordings/explore/static/explore.js"
    ).read_text(encoding="utf-8")

    assert [fate for fate in Fate if fate is not Fate.STOPS and f"{fate}:" not in script] == []

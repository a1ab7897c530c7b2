"""What the page of limits costs: ``python -m tests.bench.explore_page`` prints the figures.

Generated runs of 1 to 12 steps, in a real Chromium. A page is opened several times, and the least
counts: a busy machine makes every one longer. Ready is when every number is shown and every control
works, by the clock, and as processor time of the page's main thread, which waits for nobody. A
change is done when the page could be painted.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Final

from playwright.sync_api import Browser, Page

from loop import get_profile
from recordings.explore import Preset, explore_page, profiled
from tests.browser.desk import launched
from tests.recordings.explore.generated import generated_runs

RUNS: Final = 5_000
ROUNDS: Final = 5
_READY_MS: Final = "performance.getEntriesByType('navigation')[0].domContentLoadedEventStart"
_CHANGE_MS: Final = """(value) => {
    const slider = document.getElementById("limit-max_steps");
    const began = performance.now();
    slider.value = value;
    slider.dispatchEvent(new Event("input"));
    document.body.getBoundingClientRect();
    return performance.now() - began;
}"""
_DRAW_MS: Final = """() => {
    const began = performance.now();
    document.getElementById("draw").click();
    document.body.getBoundingClientRect();
    return performance.now() - began;
}"""


def main() -> None:
    """Print the figures."""
    profiles = [profiled(facts) for facts in generated_runs(RUNS)]
    began = time.process_time()
    presets = [Preset(name="resolver", limits=get_profile("resolver").limits)]
    text = explore_page(profiles, title="Limits on generated runs", presets=presets)
    print(f"{f'page of {RUNS:,} runs, made':<44}{time.process_time() - began:>10.2f} s")
    print(f"{'its size':<44}{len(text) / 1e6:>10.1f} MB")
    with tempfile.TemporaryDirectory() as folder, launched() as browser:
        file = Path(folder) / "page.html"
        file.write_text(text, encoding="utf-8")
        ready, busy, change, draw = zip(
            *(_opened(browser, file) for _ in range(ROUNDS)), strict=True
        )
    print(f"{'opened, until it is ready':<44}{min(ready) / 1000:>10.2f} s")
    print(f"{'of that processor time':<44}{min(busy):>10.2f} s")
    print(f"{'one limit changed':<44}{min(change) / 1000:>10.3f} s")
    print(f"{'the curve of one limit drawn':<44}{min(draw) / 1000:>10.3f} s")


def _opened(browser: Browser, file: Path) -> tuple[float, float, float, float]:
    """Return a page's ms until it was ready, its processor seconds, ms of a change, of a curve."""
    page = browser.new_page()
    metrics = page.context.new_cdp_session(page)
    metrics.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.goto(file.as_uri(), wait_until="load")
    page.wait_for_selector("html[data-ready]")
    told = {
        each["name"]: each["value"] for each in metrics.send("Performance.getMetrics")["metrics"]
    }
    ready = float(page.evaluate(_READY_MS))
    found = ready, float(told["ThreadTime"]), _change(page), float(page.evaluate(_DRAW_MS))
    page.close()
    return found


def _change(page: Page) -> float:
    return min(float(page.evaluate(_CHANGE_MS, str(value))) for value in (2, 5, 4, 7, 3))


if __name__ == "__main__":
    main()

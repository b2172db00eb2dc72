"""What a screen costs on a slow connection: bytes, and time to the first paint.

    python -m lab bench budgets [--runs 5]

A Gemel of its own with the sample project; each main screen is opened in Chromium with
an empty cache and again with a full one, over a line of 1.6 Mbit/s with a round trip of
150 ms (what Lighthouse calls slow 4G). Prints kilobytes as they go over the line, and
the median first contentful paint in milliseconds, next to the goals.
"""

import argparse
import shutil
import statistics
import sys
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from tools.screens import BASE, running, sign_in

GOAL_KB, GOAL_MS = 200, 1000
LINE = {
    "offline": False,
    "latency": 150,
    "downloadThroughput": 1.6e6 / 8,
    "uploadThroughput": 750e3 / 8,
}
PAINT = """() => new Promise((done) => {
  const seen = () => performance.getEntriesByName("first-contentful-paint")[0];
  if (seen()) done(seen().startTime);
  else new PerformanceObserver((_, all) => {
    if (seen()) { all.disconnect(); done(seen().startTime); }
  }).observe({ type: "paint", buffered: true });
})"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=5)
    runs = parser.parse_args().runs
    with running() as (link, places), sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        state = sign_in(browser.new_page(), link)
        head = f"{'screen':12} {'kB':>6} {'again':>6} {'paint ms':>9} {'again':>6}\n"
        sys.stdout.write(head)
        for name, path in places.items():
            rows = [_opened(browser, state, path) for _ in range(runs)]
            kb, kb_again, ms, ms_again = map(statistics.median, zip(*rows, strict=True))
            fault = "  over" if kb > GOAL_KB or ms > GOAL_MS else ""
            row = f"{name:12} {kb:6.0f} {kb_again:6.0f} {ms:9.0f} {ms_again:6.0f}"
            sys.stdout.write(f"{row}{fault}\n")
        browser.close()
    sys.stdout.write(f"goals: {GOAL_KB} kB, first paint {GOAL_MS} ms\n")


def _opened(browser: Browser, state: Any, path: str) -> tuple[float, ...]:
    """Return kilobytes and milliseconds, each with an empty and a full cache."""
    context = browser.new_context(
        viewport={"width": 1280, "height": 800}, storage_state=state
    )
    page = context.new_page()
    line = context.new_cdp_session(page)
    line.send("Network.enable")
    line.send("Network.emulateNetworkConditions", LINE)
    counted: list[float] = []
    line.on("Network.loadingFinished", lambda e: counted.append(e["encodedDataLength"]))
    first = _one(page, path, counted)
    again = _one(page, path, counted)
    context.close()
    return first[0], again[0], first[1], again[1]


def _one(page: Page, path: str, counted: list[float]) -> tuple[float, float]:
    counted.clear()
    page.goto(BASE + path, wait_until="networkidle")
    return sum(counted) / 1000, float(page.evaluate(PAINT))


if __name__ == "__main__":
    main()

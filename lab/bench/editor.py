"""How long a correction in the editor takes, from the key to the paint of the redraw.

    python -m lab bench editor                 30 corrections, one a second
    python -m lab bench editor --busy 0.5      while another process takes half a core

Makes a fresh Gemel (SQLite) with a pair of 25 tokens a side, parsed and aligned by what
is shipped, starts the production server, opens the pair in headless Chromium, and
corrects by keyboard: accept, reject, link, null, in turn. All on this machine. Prints
one JSON object of milliseconds, median and 95th percentile:

    first_paint   the key to the frame that shows one's own decision
    redrawn       the key to the frame that shows the aligner's answer to it
    next_frame    the same, to the start of the frame after (two animation frames)
    browser       of ``redrawn``: all but the request: before it, and drawing after it
    request       of ``redrawn``: from asking to the last byte; ``network``: of this,
                  all but the server's own time; ``server``: that time, ``server_…``:
                  its phases
    saving        the request that stores the step, sent when the answer is there

Ends with 1 if a correction is missing in the ledger.
"""

import argparse
import json
import multiprocessing
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
GOAL = 100  # ms, a correction redrawn
KINDS = ("accept", "reject", "link", "null")
PAIRS = [
    (
        "The old gardener watered the roses behind the little house in the evening "
        "because the long summer had been very dry for six weeks .",
        "In the evening the roses behind the small house were watered by the old "
        "gardener , since it had hardly rained for six weeks .",
    ),
    (
        "After the meeting the mayor told the reporters that the city would mend "
        "the broken bridge before winter and open another market in spring .",
        "The mayor said to journalists after the meeting that the damaged bridge "
        "would be mended before the winter and one more market opened in spring .",
    ),
]
SCRIPT = """() => {
  const root = document.documentElement;
  const frame = (then) => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => then(performance.now());
    port2.postMessage(0);
  });
  let seen = null;
  addEventListener("keydown", (event) => {
    if (!seen) return;
    seen.key = event.timeStamp;
    frame((now) => { seen.first_paint = now; });
  }, true);
  window.bench = {
    arm() {
      performance.clearResourceTimings();
      const before = root.dataset.proposals;
      seen = {};
      this.told = new Promise((done) => {
        const watch = new MutationObserver(() => {
          if (root.dataset.proposals === before) return;
          watch.disconnect();
          const told = () => seen.redrawn && seen.next_frame && done(seen);
          frame((now) => { seen.redrawn = now; told(); });
          requestAnimationFrame(() => requestAnimationFrame(() => {
            seen.next_frame = performance.now();
            told();
          }));
        });
        watch.observe(root, { attributes: true });
      });
    },
    async found() {
      const told = await this.told;
      seen = null;
      const rows = performance.getEntriesByType("resource").map((row) => ({
        name: row.name, start: row.startTime, end: row.responseEnd,
        phases: Object.fromEntries(row.serverTiming.map((one) => [one.name, one.duration])),
      }));
      return { ...told, rows };
    },
  };
}"""  # noqa: E501
CHOICES = """async () => {
  const { editor: { model } } = await import("/static/js/editor/editor.js");
  const open = (side) => model.undecided().filter((key) => key[0] === side);
  const offers = model.offered.map(({ s, t }) => [s, t]);
  return { offers, s: open("s"), t: open("t") };
}"""
GO = """async (key) => {
  const { editor } = await import("/static/js/editor/editor.js");
  editor.go(key);
}"""


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--corrections", type=int, default=30)
    options.add_argument("--pace", type=float, default=1.0, help="seconds between")
    options.add_argument("--busy", type=float, default=0.0, help="share of a core")
    options.add_argument("--pair", type=int, default=0, choices=range(len(PAIRS)))
    options.add_argument("--port", type=int, default=8291)
    options.add_argument("--seed", type=int, default=7)
    asked = options.parse_args()
    with tempfile.TemporaryDirectory() as home:
        os.environ.update(
            GEMEL_HOME=home,
            DJANGO_SETTINGS_MODULE="annotator.settings",
            DJANGO_ALLOW_ASYNC_UNSAFE="true",  # Playwright's loop runs in this thread
        )
        os.environ.pop("DATABASE_URL", None)
        report = measure(asked)
    sys.stdout.write(json.dumps(report, indent=1) + "\n")
    return 0 if report["in_ledger"] == asked.corrections else 1


def measure(asked: argparse.Namespace) -> dict[str, Any]:
    import django

    django.setup()
    from lab.bench.web import start_server, wait_for

    base = f"http://127.0.0.1:{asked.port}"
    url, cookie, tokens = build(PAIRS[asked.pair], base)
    server = start_server(asked.port)
    try:
        wait_for(base)
        with at_work(asked.busy):
            rows, warm_up = correct(base + url, cookie, asked)
    finally:
        server.terminate()
        server.wait()
    return {
        "tokens": tokens,
        "corrections": len(rows),
        "seconds_between": asked.pace,
        "busy": asked.busy,
        "first_suggestions_ms": round(warm_up),
        "in_ledger": in_ledger(),
        **figures(rows),
        "redrawn_by_kind": {
            kind: figure([row["redrawn"] for row in rows if row["kind"] == kind])
            for kind in KINDS
        },
        "slowest": slowest(rows),
        "under_goal": f"{sum(r['redrawn'] < GOAL for r in rows)} of {len(rows)}",
    }


def build(pair: tuple[str, str], base: str) -> tuple[str, dict[str, str], list[int]]:
    """Build a project with one pair; return its path, a session cookie, its tokens."""
    from django.contrib.auth.models import User
    from django.core.management import call_command

    from annotator.services import jobs
    from annotator.services.alignments import phrases
    from annotator.services.parses import parsers
    from annotator.services.projects import members
    from core.parsing import registry
    from tests import cast
    from tests.browser.conftest import _session_cookie

    call_command("migrate", verbosity=0)
    ada = User.objects.create_user("ada")
    project = members.create("Bench", by=ada)
    corpus = cast.corpus(project)
    sides = [cast.sentence(corpus, words) for words in pair]
    made = corpus.pairs.create(
        source=sides[0],
        target=sides[1],
        text="\n".join(pair),
        n_source=sides[0].n_tokens,
        n_target=sides[1].n_tokens,
        key=pair[0][:32],
    )
    for job in (
        parsers.start(corpus, registry.DEFAULT, n=5, by=ada, enqueue=False),
        phrases.start(corpus, registry.DEFAULT, by=ada, enqueue=False),
    ):
        jobs.run(job.pk)
    cookie = _session_cookie(ada, base)
    path = f"/p/{project.slug}/pair/{made.code}/"
    return path, cookie, [made.n_source, made.n_target]


def in_ledger() -> int:
    from annotator.models import LinkEvent

    return LinkEvent.objects.count()


@contextmanager
def at_work(share: float) -> Iterator[None]:
    """Keep this share of one core busy in another process."""
    if not share:
        yield
        return
    other = multiprocessing.get_context("spawn").Process(
        target=spin, args=(share,), daemon=True
    )
    other.start()
    try:
        yield
    finally:
        other.kill()
        other.join()


def spin(share: float) -> None:
    while True:
        until = time.perf_counter() + 0.02 * share
        while time.perf_counter() < until:
            pass
        time.sleep(0.02 * (1 - share))


def correct(
    url: str, cookie: dict[str, str], asked: argparse.Namespace
) -> tuple[list[dict[str, Any]], float]:
    """Measure corrections; return them and the wait for the first suggestions (ms)."""
    from playwright.sync_api import sync_playwright

    from tests.browser.conftest import CHROMIUM

    chance = random.Random(asked.seed)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        context = browser.new_context(viewport={"width": 1280, "height": 800})
        context.add_cookies([cookie])  # type: ignore[list-item]
        page = context.new_page()
        began = time.perf_counter()
        page.goto(url)
        page.wait_for_selector("html[data-proposals]", timeout=60_000)
        warm_up = 1000 * (time.perf_counter() - began)
        page.evaluate(SCRIPT)
        rows = []
        for n in range(asked.corrections):
            time.sleep(asked.pace)
            kind = KINDS[n % len(KINDS)]
            rows.append(read(kind, one(page, kind, chance)))
        browser.close()
    return rows, warm_up


def one(page: Any, kind: str, chance: random.Random) -> dict[str, Any]:
    """Time one correction by keyboard, without the keys that lead there."""
    shown = page.evaluate(CHOICES)
    offers = dict(shown["offers"])
    if kind == "link":
        s, t = chance.choice(shown["s"]), chance.choice(shown["t"])
        page.evaluate(GO, s)
        page.keyboard.press("Space")
        page.evaluate(GO, t)
        key = "Space"
    else:
        page.evaluate(GO, chance.choice(shown["s"] if kind == "null" else list(offers)))
        key = {"accept": "a", "reject": "r", "null": "0"}[kind]
    page.evaluate("bench.arm()")
    page.keyboard.press(key)
    page.evaluate("bench.told")
    page.locator("#saved", has_text="All saved").wait_for()
    seen: dict[str, Any] = page.evaluate("bench.found()")
    return seen


def read(kind: str, seen: dict[str, Any]) -> dict[str, Any]:
    """Return the parts of one correction, in ms."""
    key = seen["key"]
    row = {name: seen[name] - key for name in ("first_paint", "redrawn", "next_frame")}
    requests = {request["name"].rsplit("/", 2)[1]: request for request in seen["rows"]}
    asking = requests["proposals"]
    row["request"] = asking["end"] - asking["start"]
    row["browser"] = row["redrawn"] - row["request"]
    row["browser_before"] = asking["start"] - key
    phases = dict(asking["phases"])
    if phases:
        row["server"] = phases.pop("all")
        row["network"] = row["request"] - row["server"]
        row |= {f"server_{name}": ms for name, ms in phases.items()}
    if "ops" in requests:
        saving = requests["ops"]
        row["saving"] = saving["end"] - saving["start"]
        row |= {f"saving_{name}": ms for name, ms in saving["phases"].items()}
    return {"kind": kind, **row}


def figures(rows: list[dict[str, Any]]) -> dict[str, Any]:
    names = list(dict.fromkeys(name for row in rows for name in row))
    names.remove("kind")
    return {name: figure([row[name] for row in rows if name in row]) for name in names}


def slowest(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the parts of the slowest correction."""
    worst = max(rows, key=lambda row: row["redrawn"])
    return {k: round(v, 1) if isinstance(v, float) else v for k, v in worst.items()}


def figure(times: list[float]) -> dict[str, float]:
    ordered = sorted(times)
    p95 = ordered[min(int(0.95 * len(ordered)), len(ordered) - 1)]
    return {"median": round(statistics.median(times), 1), "p95": round(p95, 1)}


if __name__ == "__main__":
    sys.exit(main())

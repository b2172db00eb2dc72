"""Pictures of the main screens, of the sample project: ``python -m tools.screens``.

A Gemel of its own is started on an empty folder. Each screen is opened in Chromium as
its owner sees it, wide and light, and written to docs/img/screens, from where the docs
show it. ``--all --out FOLDER`` adds narrow and dark ones, to review a design.
"""

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import sleep
from typing import Any, Literal

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "img" / "screens"
PORT = 8765
BASE = f"http://127.0.0.1:{PORT}"
WIDE, NARROW = (1280, 800), (390, 844)  # px
Kind = tuple[str, tuple[int, int], Literal["light", "dark"]]
KINDS: tuple[Kind, ...] = (
    ("wide", WIDE, "light"),
    ("wide-dark", WIDE, "dark"),
    ("narrow", NARROW, "dark"),
    ("narrow-light", NARROW, "light"),
)
PLACES = """
import json
from annotator.models import Campaign, Corpus, Pair, Project
from django.urls import reverse
project = Project.objects.get()
pairs = Corpus.objects.filter(n_pairs__gt=0).order_by("pk")[0]
pair = Pair.objects.filter(corpus=pairs).order_by("pk")[0]
closed = Campaign.objects.order_by("pk").filter(state="closed").first()
opened = Campaign.objects.order_by("pk").filter(state="open").first()
at = lambda name, *more: reverse(name, args=[project.slug, *more])
print(json.dumps({
    "home": reverse("projects"),
    "project": at("project"),
    "corpora": at("corpora"),
    "corpus": at("corpus", pairs.code),
    "links": at("pair", pair.code),
    "tree": at("tree_edit", pair.source.code),
    "search": at("project_query") + "?q=NP+~+NP",
    "paraphrases": at("paraphrases"),
    "judging": at("judge", opened.code),
    "campaign": at("campaign", (opened or closed).code),
    "report": at("report", "campaign", (closed or opened).code),
    "people": at("people"),
}))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=FOLDER)
    parser.add_argument("--all", action="store_true", help="narrow and dark, too")
    options = parser.parse_args()
    out, kinds = options.out, KINDS if options.all else KINDS[:1]
    out.mkdir(parents=True, exist_ok=True)
    with running() as (link, places), sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        _pictures(browser, link, places, out, kinds)
        browser.close()


def _pictures(
    browser: Browser,
    link: str,
    places: dict[str, str],
    out: Path,
    kinds: Sequence[Kind],
) -> None:
    state: Any = None
    for kind, (width, height), scheme in kinds:
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme=scheme,
            storage_state=state,
        )
        page = context.new_page()
        if state is None:  # the link lets someone in once
            state = sign_in(page, link)
        for name, path in places.items():
            page.goto(BASE + path, wait_until="networkidle")
            page.screenshot(path=out / f"{name}-{kind}.png")
            sys.stdout.write(f"{name}-{kind}.png\n")
        context.close()


def sign_in(page: Page, link: str) -> Any:
    """Follow the link of the first start; return what the browser stores."""
    page.goto(link)
    page.get_by_role("button").filter(has_text=re.compile("[Ss]ign")).first.click()
    page.wait_for_load_state("networkidle")
    return page.context.storage_state()


@contextmanager
def running() -> Iterator[tuple[str, dict[str, str]]]:
    """A Gemel on an empty folder with the sample project: the link that signs its owner
    in, and the paths of the main screens by name."""
    with tempfile.TemporaryDirectory() as folder, _server(Path(folder)) as link:
        yield (
            link,
            json.loads(_manage(Path(folder), "shell", "--no-imports", "-c", PLACES)),
        )


@contextmanager
def _server(home: Path) -> Iterator[str]:
    words = [sys.executable, "manage.py", "up", f"--port={PORT}"]
    log = home / "up.log"
    with log.open("w") as file:
        server = subprocess.Popen(
            words, cwd=ROOT, env=_environment(home), stdout=file, stderr=file
        )
    try:
        yield _link(server, log)
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(30)


def _link(server: "subprocess.Popen[bytes]", log: Path) -> str:
    while server.poll() is None:
        told = re.search(r"http://\S+/join/\S+", log.read_text())
        if told:
            urllib.request.urlopen(f"{BASE}/health").close()
            return told.group()
        sleep(0.5)
    raise SystemExit(log.read_text())


def _environment(home: Path) -> dict[str, str]:
    plain = {
        k: v for k, v in os.environ.items() if not k.startswith(("GEMEL", "DATABASE"))
    }
    return plain | {"GEMEL_HOME": str(home), "PYTHONUNBUFFERED": "1"}


def _manage(home: Path, *words: str) -> str:
    return subprocess.run(
        [sys.executable, "manage.py", *words],
        cwd=ROOT,
        env=_environment(home),
        check=True,
        capture_output=True,
        text=True,
    ).stdout


if __name__ == "__main__":
    main()

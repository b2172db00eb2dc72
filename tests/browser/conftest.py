"""A live server and a real Chromium; every page is watched for policy violations."""

import os
import random
import shutil
import time

import pytest
from django.core.signals import request_finished, request_started

# The shell draws the same pages with a quarter less work.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
CHROMIUM = os.environ.get("CHROMIUM") or next(
    filter(None, map(shutil.which, NAMES)), None
)
# Seconds: each answer waits up to so long, which shows a test that looks too early.
LATENCY = float(os.environ.get("GEMEL_TEST_LATENCY") or 0)
# Playwright's sync API runs an event loop in this thread; Django would refuse the ORM.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A browser is slow: of these tests ``make test`` runs the smoke paths alone."""
    for item in items:
        if item.get_closest_marker("browser") and not item.get_closest_marker("smoke"):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def chromium():
    if CHROMIUM is None:
        reason = (
            "no Chromium: install it (Debian: apt install chromium) or set CHROMIUM"
        )
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=180_000)  # a busy machine is slow, not wrong
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield browser
        browser.close()


@pytest.fixture
def live(transactional_db, live_server):
    """The server's address; rows are committed, so that it sees them.

    At the end what a page sent last is answered before the tables are emptied: a row
    written in between would belong to nobody.
    """
    at_work = _AtWork()
    yield live_server.url
    at_work.wait()


class _AtWork:
    """Counts the requests that the server, a thread of this process, is answering."""

    def __init__(self) -> None:
        self.began, self.ended = [], []  # lists: threads append without losing any
        request_started.connect(self._begin)
        request_finished.connect(self._end)

    def _begin(self, environ=None, **_) -> None:
        self.began.append(1)
        if LATENCY and not (environ or {}).get("PATH_INFO", "").startswith("/static/"):
            time.sleep(random.uniform(0, LATENCY))

    def _end(self, **_) -> None:
        self.ended.append(1)

    def wait(self, *, most: float = 60.0) -> None:
        until = time.monotonic() + most
        time.sleep(0.02)  # for one that is only being read
        while len(self.began) > len(self.ended) and time.monotonic() < until:
            time.sleep(0.01)
        request_started.disconnect(self._begin)
        request_finished.disconnect(self._end)


@pytest.fixture
def open_page(chromium, live):
    """Makes a page, signed in as somebody: ``open_page(user, width=1280)``.

    At the end no page may have reported a policy violation or a script error.
    """
    contexts, reports = [], []

    def opened(user=None, *, width: int = 1280, height: int = 800, **options):
        context = chromium.new_context(
            viewport={"width": width, "height": height}, base_url=live, **options
        )
        context.set_default_timeout(180_000)
        contexts.append(context)
        if user is not None:
            context.add_cookies([_session_cookie(user, live)])
        page = context.new_page()
        page.on("console", lambda m: reports.append(m.text) if _is_bad(m) else None)
        page.on("pageerror", lambda error: reports.append(str(error)))
        return page

    yield opened
    for context in contexts:
        context.close()
    assert not reports, reports


CONTRAST = "() => axe.run({resultTypes: ['violations'], runOnly: ['color-contrast']})"
FORCED = "() => matchMedia('(forced-colors: active)').matches"
IS_DARK = "() => matchMedia('(prefers-color-scheme: dark)').matches"


@pytest.fixture
def check_axe():
    """Fails on any serious or critical finding of axe, and on any contrast that is too
    weak in the other theme: nothing else that axe looks at differs there. Where the
    system sets the colours, axe reads the page's own, which nobody sees."""
    from axe_playwright_python.sync_playwright import Axe
    from playwright.sync_api import Error

    def violations(page) -> list[dict]:
        found = Axe().run(page).response["violations"]
        if page.evaluate(FORCED):
            return [one for one in found if one["id"] != "color-contrast"]
        is_dark = page.evaluate(IS_DARK)
        page.emulate_media(color_scheme="light" if is_dark else "dark")
        found += page.evaluate(CONTRAST)["violations"]
        page.emulate_media(color_scheme="dark" if is_dark else "light")
        return found

    def check(page) -> None:
        try:
            findings = violations(page)
        except Error:  # this page was just being left: ask the next one
            page.wait_for_load_state()
            findings = violations(page)
        grave = [v for v in findings if v["impact"] in ("serious", "critical")]
        assert not grave, [
            (v["id"], [n["html"] for n in v["nodes"]][:3]) for v in grave
        ]

    return check


NOT_FETCHED = (
    "Failed to load resource",
    "error occurred when fetching the script",
    "more-private address space",  # the browser's own error page asks for the icon
)


def _is_bad(message) -> bool:
    """Policy violations and script errors; a refused request is part of many tests, and
    so is a network that is gone before the service worker is there."""
    return message.type == "error" and not any(t in message.text for t in NOT_FETCHED)


def _session_cookie(user, url: str) -> dict[str, str]:
    from django.conf import settings
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
    from django.contrib.sessions.backends.db import SessionStore

    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = "annotator.http.sessions.Accounts"
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    return {
        "name": settings.SESSION_COOKIE_NAME,
        "value": session.session_key,
        "url": url,
    }

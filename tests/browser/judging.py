"""What the browser tests of the judging screen share."""

import re
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, expect

from annotator.models import Judgment
from tests.annotator.campaigns_cast import campaign
from tests.cast import Cast


def start(open_page: Any, people: Cast, made: Any, **options: Any) -> Page:
    page = open_page(people.bob, **options)
    page.goto(f"/p/{people.project.slug}/judge/{made.code}/")
    expect(page.locator("#card")).to_be_visible()
    return page


def wait_saved(page: Page) -> None:
    expect(page.locator("#chip")).to_have_text(re.compile("^Saved"))


def done() -> int:
    return Judgment.objects.filter(state="done").count()


def wait_done(page: Page, n: int) -> None:
    """Until the server has stored that many answers."""
    wait_until(page, lambda: done() >= n)
    assert done() == n


def wait_until(page: Page, holds: Callable[[], Any]) -> None:
    """Ask for up to three minutes: a busy machine is slow."""
    for _ in range(1800):
        if holds():
            return
        page.wait_for_timeout(100)
    raise AssertionError("it never was so")


def start_with_auto_advance(open_page: Any, people: Cast, n: int) -> Page:
    """Saving by itself is on, and time stands still unless the test moves it."""
    page = open_page(people.bob)
    page.clock.install()
    made = campaign(people, n=n)
    page.goto(f"/p/{people.project.slug}/judge/{made.code}/")
    expect(page.locator("#card")).to_be_visible()
    page.get_by_role("button", name="Settings").click()
    page.get_by_label("Save automatically").check()
    page.locator("#settings button", has_text="Save").click()
    expect(page.locator("#settings-dialog")).to_be_hidden()
    page.clock.pause_at(page.evaluate("Date.now() / 1000 + 1"))
    return page

"""The ledger by keyboard alone, offline, and in two tabs; pages watched by axe."""

import re
from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import Locator, Page, expect

from annotator.models import JointRun, TreeChange, VerdictEvent
from tests.annotator import joint_cast
from tests.cast import Cast

pytestmark = pytest.mark.browser


@pytest.fixture
def people(live) -> Cast:
    return Cast()


@pytest.fixture
def run(people: Cast) -> JointRun:
    return joint_cast.ledger(people, 2, domain="letters", operations="lex")


def where(run: JointRun, query: str = "") -> str:
    return reverse("ledger", args=["windows", run.code]) + query


def open_ledger(open_page: Any, people: Cast, run: JointRun, query: str = "") -> Page:
    page = open_page(people.bob)
    page.goto(where(run, query))
    expect(page.locator('body[data-ready="ledger"]')).to_be_attached()
    return page


def verdicts(run: JointRun) -> list[str]:
    return [change.verdict for change in joint_cast.changes(run)]


def wait_saved(page: Page) -> None:
    expect(page.locator("#saved")).to_have_text("Saved")


def row(page: Page, at: int) -> Locator:
    return page.locator(".change").nth(at)


def test_a_ledger_worked_through_by_keys_alone(
    open_page, people, run, check_axe
) -> None:
    page = open_ledger(open_page, people, run)
    check_axe(page)
    page.keyboard.press("n")
    expect(row(page, 0)).to_be_focused()
    for at, key in enumerate("123412"):
        expect(row(page, at)).to_be_focused()
        page.keyboard.press(key)
    wait_saved(page)
    assert verdicts(run) == ["fix", "error", "both", "bad", "fix", "error"]
    assert {c.judged_by for c in joint_cast.changes(run)} == {people.bob}
    cells = page.locator("#totals tfoot tr").first.locator("td")
    expect(cells).to_have_text(["2", "2", "1", "1", "0", "6"])
    check_axe(page)


def test_undo_take_back_and_moving_by_keys(open_page, people, run) -> None:
    page = open_ledger(open_page, people, run)
    page.keyboard.press("j")
    page.keyboard.press("1")
    expect(row(page, 1)).to_be_focused()
    page.keyboard.press("2")
    expect(row(page, 2)).to_be_focused()
    page.keyboard.press("u")
    expect(row(page, 1)).to_be_focused()
    expect(row(page, 1)).to_have_attribute("data-verdict", "")
    page.keyboard.press("ArrowUp")
    expect(row(page, 0)).to_be_focused()
    page.keyboard.press("0")
    expect(row(page, 0)).to_have_attribute("data-verdict", "")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("4")
    wait_saved(page)
    page.reload()
    expect(page.locator('body[data-ready="ledger"]')).to_be_attached()
    expect(row(page, 1)).to_have_attribute("data-verdict", "bad")
    page.keyboard.press("u")  # what was done before the reload
    wait_saved(page)
    assert verdicts(run) == [""] * 6
    assert VerdictEvent.objects.count() == 6


def test_enter_opens_the_pair(open_page, people, run) -> None:
    page = open_ledger(open_page, people, run)
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text(re.compile("^Joint parse of"))


def test_verdicts_given_without_a_network_are_sent_later(
    open_page, people, run
) -> None:
    page = open_ledger(open_page, people, run)
    page.route("**/verdicts/", lambda route: route.abort())
    page.keyboard.press("j")
    page.keyboard.press("3")
    page.keyboard.press("1")
    expect(page.locator("#saved")).to_have_text("Queued: 2 not sent yet")
    context = page.context
    page.close()
    assert verdicts(run) == [""] * 6
    again = context.new_page()
    again.goto(where(run))
    expect(row(again, 0)).to_have_attribute("data-verdict", "both")
    wait_saved(again)
    assert verdicts(run)[:2] == ["both", "fix"]


def test_a_second_tab_learns_what_the_first_one_said(open_page, people, run) -> None:
    first = open_ledger(open_page, people, run)
    second = open_page(people.ada)
    second.goto(where(run))
    expect(second.locator('body[data-ready="ledger"]')).to_be_attached()
    first.keyboard.press("j")
    first.keyboard.press("1")
    wait_saved(first)
    second.keyboard.press("j")
    second.keyboard.press("2")
    expect(row(second, 0)).to_contain_text(
        "Someone judged this in the meantime: Real fix"
    )
    expect(row(second, 0)).to_have_attribute("data-verdict", "fix")
    assert verdicts(run)[0] == "fix"
    second.keyboard.press("k")
    second.keyboard.press("2")  # seen now, and meant
    expect(second.locator("#saved")).to_have_text("Saved")
    assert verdicts(run)[0] == "error"


def test_a_click_is_a_verdict_and_keys_can_be_switched_off(
    open_page, people, run
) -> None:
    page = open_ledger(open_page, people, run)
    page.locator(".keys summary").click()
    page.locator("#single-keys").uncheck()
    row(page, 0).focus()
    page.keyboard.press("1")
    expect(row(page, 0)).to_have_attribute("data-verdict", "")
    row(page, 0).get_by_role("button", name="Both right").click()
    wait_saved(page)
    pressed = row(page, 0).get_by_role("button", name="Both right")
    expect(pressed).to_have_attribute("aria-pressed", "true")
    assert TreeChange.objects.exclude(verdict="").get().verdict == "both"


def test_the_ledger_works_without_scripts(open_page, people, run) -> None:
    page = open_page(people.bob, java_script_enabled=False)
    page.goto(where(run, "?side=s"))
    row(page, 0).get_by_role("button", name="Real error").click()
    pressed = row(page, 0).get_by_role("button", name="Real error")
    expect(pressed).to_have_attribute("aria-pressed", "true")
    assert verdicts(run)[0] == "error"
    assert "side=s" in page.url


@pytest.mark.parametrize("width", [1280, 390])
def test_joint_pages_are_sound_at_both_widths(
    open_page, people, run, check_axe, width: int
) -> None:
    page = open_page(people.ada, width=width)
    pair = run.results.first().pair
    for url in (
        where(run),
        reverse("joint", args=["windows", people.corpus.code]),
        reverse("pair_joint", args=["windows", pair.code]),
    ):
        page.goto(url)
        check_axe(page)
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, url

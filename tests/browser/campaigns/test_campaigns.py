"""A campaign from its name to its last judgment, by keyboard alone."""

import re

import pytest
from playwright.sync_api import Page, expect

from annotator.models import Campaign, Judgment, JudgmentEvent
from annotator.services.campaigns import setup
from tests.annotator.campaigns_cast import HEADER, campaign, draw, judge, rows
from tests.browser.pictures import keep_picture
from tests.cast import Cast

pytestmark = pytest.mark.browser


@pytest.fixture
def people(live) -> Cast:
    return Cast()


def tab_to(page: Page, selector: str) -> None:
    """Press Tab until the element of this page has the focus; fails after eighty."""
    expect(page.locator(selector).first).to_be_attached()  # the page is there
    page.wait_for_load_state("load")
    for _ in range(80):
        if page.evaluate("s => document.activeElement?.matches(s) ?? false", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab never reaches {selector}")


def press(page: Page, selector: str, key: str = "Enter") -> None:
    tab_to(page, selector)
    page.keyboard.press(key)


def test_from_upload_to_the_last_judgment_by_keyboard(
    open_page, people, check_axe
) -> None:
    page = open_page(people.ada)
    page.goto(f"/p/{people.project.slug}/campaigns/")
    press(page, "a[href$='/campaigns/new/']")
    expect(page.locator("h1")).to_have_text("New campaign")
    check_axe(page)
    tab_to(page, "#name")
    page.keyboard.type("Onions")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Items")
    check_axe(page)
    tab_to(page, "#text")
    table = HEADER + rows(3) + "bad row\n"
    page.keyboard.insert_text(table)
    press(page, "form.card button")
    expect(page.locator("h1")).to_contain_text("Contents of the pasted table")
    expect(page.locator("main")).to_contain_text("cells where the header has")
    check_axe(page)
    press(page, "form.row button")
    expect(page.locator("h1")).to_have_text("Annotators")
    check_axe(page)
    tab_to(page, "input[name=person]")
    page.keyboard.press("Space")
    press(page, "form.card button")
    expect(page.locator("h1")).to_contain_text("Onions")
    check_axe(page)
    keep_picture(page, "campaign-ready")
    press(page, "button[value=open]")
    expect(page.locator(".messages")).to_contain_text("Open: people can judge now.")
    check_axe(page)
    press(page, "a[href*='/judge/']")
    expect(page.locator("#card")).to_be_visible()
    for _ in range(3):
        page.keyboard.type("44")
        page.keyboard.press("Enter")
    expect(page.locator("#notice h2")).to_have_text("All done")
    assert Judgment.objects.counted().count() == 3
    assert JudgmentEvent.objects.count() == 3


def test_settings_scales_guideline_and_plan(open_page, people, check_axe) -> None:
    made = campaign(people, n=40, people=3, is_open=False)
    page = open_page(people.ada)
    base = f"/p/{people.project.slug}/campaign/{made.code}"
    page.goto(f"{base}/rules/")
    check_axe(page)
    page.fill("#overlap_share", "50")
    page.get_by_text("Time and money").click()
    page.fill("#cost_per_hour", "12")
    page.get_by_role("button", name="Save and show the plan").click()
    expect(page.locator("h1")).to_have_text("Plan")
    expect(page.locator("table").first).to_contain_text("60")
    check_axe(page)
    page.goto(f"{base}/scales/")
    check_axe(page)
    page.fill("#title-0", "Sense")
    page.get_by_role("button", name="Save scales").click()
    expect(page.locator(".checklist")).to_contain_text("Sense 1–5, Grammar 1–5")
    page.goto(f"{base}/guideline/")
    check_axe(page)
    page.fill("#text", "Read the whole sentence.")
    page.get_by_role("button", name="Save as version 1").click()
    expect(page.locator(".checklist")).to_contain_text("Version 1.")
    assert Campaign.objects.get(pk=made.pk).overlap_share == 0.5


@pytest.mark.parametrize("width", [1280, 390])
def test_the_plan_says_what_a_difference_needs_by_keyboard(
    open_page, people, check_axe, width: int
) -> None:
    made = campaign(people, n=40, people=3, overlap_share=0.5, is_open=False)
    page = open_page(people.ada, width=width)
    page.goto(f"/p/{people.project.slug}/campaign/{made.code}/design/")
    needed = page.locator("#needed")
    expect(needed.locator(".lead")).to_contain_text("of 9 percentage points")
    tab_to(page, "#difference")
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("0.5")
    page.select_option("#unit", "points")
    press(page, "#needed form button")
    expect(needed.locator(".lead")).to_contain_text("of 0.5 points")
    expect(needed.locator("svg.chart title").first).to_have_text(
        "Power by items of each condition"
    )
    expect(page.locator("#difference")).to_have_value("0.5")
    keep_picture(page, f"plan-needed-{width}")
    check_axe(page)
    wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
    assert page.evaluate(wide) is False
    page.fill("#difference", "a lot")
    press(page, "#needed form button")
    expect(needed.get_by_role("alert")).to_contain_text("a number from 0.01 to 100")
    expect(page.locator("#difference")).to_have_value("a lot")
    check_axe(page)


def test_the_manager_pauses_people_and_batches(open_page, people, check_axe) -> None:
    made = campaign(people, n=4)
    page = open_page(people.ada, width=390)
    page.goto(f"/p/{people.project.slug}/campaign/{made.code}/")
    page.get_by_text("Change bob").click()
    page.select_option("#state-1", "paused")
    page.get_by_role("button", name="Set").click()
    expect(page.locator(".messages")).to_contain_text(re.compile("bob: paused"))
    page.get_by_role("button", name="Pause Main").click()
    expect(page.locator(".messages")).to_contain_text("Main was paused")
    check_axe(page)
    overflow = (
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    assert page.evaluate(overflow) <= 0


def test_a_draft_is_a_list_of_what_is_missing(open_page, people, check_axe) -> None:
    made = setup.create(people.project, "Round three", by=people.ada)
    for width in (1280, 390):
        page = open_page(people.ada, width=width)
        page.goto(f"/p/{people.project.slug}/campaign/{made.code}/")
        expect(page.locator("#lacking")).to_contain_text("add items and people.")
        keep_picture(page, f"campaign-draft-{width}")
        check_axe(page)
    page.locator(".checklist a.button").click()
    expect(page.locator("h1")).to_have_text("Items")


def test_no_page_scrolls_sideways_on_a_small_screen(open_page, people) -> None:
    made = campaign(people, n=6, people=2)
    page = open_page(people.ada, width=320)
    pages = ("", "design", "rules", "scales", "people", "items", "guideline", "flags")
    wide = []
    for name in pages:
        end = f"{name}/" if name else ""
        page.goto(f"/p/{people.project.slug}/campaign/{made.code}/{end}")
        root = "document.documentElement"
        if page.evaluate(f"{root}.scrollWidth > {root}.clientWidth"):
            wide.append(name)
    assert wide == []


def test_progress_moves_while_the_manager_looks(open_page, people) -> None:
    made = campaign(people, n=4)
    page = open_page(people.ada)
    page.clock.install()
    page.goto(f"/p/{people.project.slug}/campaign/{made.code}/")
    expect(page.locator("#so-far")).to_contain_text("0 of 4 judgments")
    (held,) = draw(made, people.bob, 1)
    judge(held)
    page.clock.fast_forward("01:01")
    expect(page.locator("#so-far")).to_contain_text("1 of 4 judgments")

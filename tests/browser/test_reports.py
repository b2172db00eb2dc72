"""Reports and curation by keyboard alone, at two widths, watched by axe."""

import re

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotator.models import Adjudication, Campaign, Judgment, Report
from tests.annotator.campaigns_cast import HEADER, rows
from tests.annotator.judged import Judged, judged, save_again
from tests.browser.campaigns.test_campaigns import press, tab_to
from tests.browser.pictures import keep_picture
from tests.cast import Cast

pytestmark = pytest.mark.browser


@pytest.fixture
def set_up(transactional_db) -> Judged:
    return judged(Cast(), copies=2, people=3)


def where(of: Judged, name: str = "report", *more: str) -> str:
    names = ["windows", "campaign", of.campaign.code, *more]
    if name.startswith("curat"):
        names = ["windows", of.campaign.code, *more]
    return reverse(name, args=names)


def test_a_report_is_read_and_frozen_by_keyboard(open_page, set_up: Judged) -> None:
    page = open_page(set_up.cast.ada)
    page.goto(where(set_up))
    for key, section in enumerate(("headline", "pairs", "confusion", "judges"), 1):
        page.keyboard.press(str(key))
        assert page.evaluate("document.activeElement.id") == section
    page.keyboard.press("2")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    first = page.evaluate("document.activeElement.textContent")
    page.keyboard.press("ArrowRight")
    second = page.evaluate("document.activeElement.closest('td').cellIndex")
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("document.activeElement.textContent") == first
    assert page.evaluate("document.activeElement.closest('td').cellIndex") < second
    page.keyboard.press("Enter")
    page.wait_for_url("**/cases/**")
    assert "items" in page.locator("h1").inner_text()
    page.go_back()
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "show"
    page.keyboard.press("Escape")
    page.locator("#title").focus()
    page.keyboard.type("By keyboard")
    page.keyboard.press("Enter")
    page.wait_for_url("**/frozen/**")
    assert Report.objects.get().title == "By keyboard"
    assert "frozen" in page.locator(".chip").first.inner_text()


def test_single_keys_can_be_switched_off(open_page, set_up: Judged) -> None:
    page = open_page(set_up.cast.ada)
    page.goto(where(set_up))
    page.keyboard.press("?")
    page.locator("#single-keys").uncheck()
    page.locator("h1").click()
    page.keyboard.press("3")
    assert page.evaluate("document.activeElement.id") != "confusion"


def test_tables_sort_by_their_headers(open_page, set_up: Judged) -> None:
    page = open_page(set_up.cast.ada)
    page.goto(where(set_up) + "#conditions")
    header = page.locator("#conditions thead th", has_text="both").first
    header.locator("button").focus()
    page.keyboard.press("Enter")
    assert header.get_attribute("aria-sort") == "ascending"
    first = page.locator("#conditions tbody tr").first.locator("th").inner_text()
    assert first == "baseline"
    page.keyboard.press("Enter")
    assert header.get_attribute("aria-sort") == "descending"
    first = page.locator("#conditions tbody tr").first.locator("th").inner_text()
    assert first == "syntax"


def test_an_open_report_learns_of_new_judgments(open_page, set_up: Judged) -> None:
    page = open_page(set_up.cast.ada)
    page.clock.install()
    page.goto(where(set_up))
    assert page.locator("#stale").is_hidden()
    save_again(Judgment.objects.first(), meaning=1)
    page.clock.run_for(31_000)
    page.locator("#stale", has_text="1 judgment newer").wait_for()


@pytest.mark.parametrize("width", [1280, 390])
def test_pages_are_accessible_and_fit(
    open_page, check_axe, set_up: Judged, width: int
) -> None:
    page = open_page(set_up.cast.ada, width=width)
    for path in (
        reverse("agreement", args=["windows"]),
        where(set_up),
        where(set_up, "report_cases") + "?scale=meaning&shared=1",
        where(set_up, "curation"),
        where(set_up, "curate_item", set_up.items[0].code),
        reverse("agreement_upload", args=["windows"]),
    ):
        page.goto(path)
        check_axe(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_curator_decides_by_keyboard(open_page, set_up: Judged) -> None:
    page = open_page(set_up.cast.ada)
    page.goto(where(set_up, "curation"))
    page.locator("tbody a").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/curate/*/")
    before = page.url
    page.keyboard.press("1")
    assert page.evaluate("document.activeElement.id") == "reason"
    for _ in range(6):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("Control+Enter")
    page.wait_for_url(lambda url: url != before)
    made = Adjudication.objects.get()
    assert (made.reason, made.confidence) == ("context", 1)
    assert made.accepts
    assert made.values


def test_a_campaign_from_its_items_to_a_frozen_report_by_keyboard(
    open_page, set_up: Judged
) -> None:
    people = set_up.cast
    page = open_page(people.ada)
    page.goto(f"/p/{people.project.slug}/")  # the only address; all else is by keys
    press(page, "a[href$='/campaigns/']")
    press(page, "a[href$='/campaigns/new/']")
    tab_to(page, "#name")
    page.keyboard.type("Whole way")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Items")
    tab_to(page, "#text")
    page.keyboard.insert_text(HEADER + rows(4))
    press(page, "form.card button")
    expect(page.locator("h1")).to_contain_text("Contents of the pasted table")
    press(page, "form.row button")
    expect(page.locator("h1")).to_have_text("Annotators")
    tab_to(page, "input[name=person]")
    page.keyboard.press("Space")
    press(page, "form.card button")
    expect(page.locator("h1")).to_contain_text("Whole way")
    press(page, "button[value=open]")
    expect(page.locator(".messages")).to_contain_text("Open")
    press(page, "a[href*='/judge/']")
    expect(page.locator("#card")).to_be_visible()
    for answer in ("54", "32", "44", "15"):
        page.keyboard.type(answer)
        page.keyboard.press("Enter")
    expect(page.locator("#notice h2")).to_have_text("All done")
    made = Campaign.objects.get(name="Whole way")
    press(page, ".crumbs a")
    press(page, "a[href$='/campaigns/']")
    press(page, f"a[href$='/campaign/{made.code}/']")
    press(page, f"a[href*='/agreement/campaign/{made.code}/']")
    expect(page.locator("#headline")).to_contain_text("4 judgments of 4 items")
    expect(page.locator("#headline")).to_contain_text("0 of 4 items have two judges")
    page.wait_for_load_state("load")  # keys work once the page's module has run
    page.keyboard.press("5")
    expect(page.locator("#conditions")).to_be_focused()
    tab_to(page, "#title")
    page.keyboard.type("Whole way, frozen")
    page.keyboard.press("Enter")
    page.wait_for_url("**/frozen/**")
    kept = Report.objects.get()
    assert kept.campaign == made
    assert kept.body["facts"]["judgments"] == 4
    expect(page.locator("h1")).to_have_text("Whole way, frozen")


@pytest.mark.parametrize("width", [1280, 390])
def test_a_report_says_first_what_it_comes_to(
    open_page, check_axe, set_up: Judged, width: int
) -> None:
    page = open_page(set_up.cast.ada, width=width)
    page.goto(where(set_up))
    lead = page.locator("#headline .lead")
    expect(lead).to_contain_text("Agreement on meaning is")
    check_axe(page)
    keep_picture(page, f"report-{width}")
    lead.get_by_role("link").first.focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("#headline$"))
    assert page.locator(".grids figure svg").count() == 3


def test_the_printed_report_holds_figures_and_no_controls(
    open_page, set_up: Judged
) -> None:
    page = open_page(set_up.cast.ada, color_scheme="dark")
    page.goto(where(set_up))
    assert page.pdf(format="A4").startswith(b"%PDF")
    page.emulate_media(media="print")
    for gone in (".filters", ".sections", ".files", "#freeze", "#keys", ".side"):
        expect(page.locator(gone).first).to_be_hidden()
    for there in (".lead", ".opening .chart", "#judges th button", "#methods-text"):
        expect(page.locator(there).first).to_be_visible()
    ink = page.evaluate("getComputedStyle(document.body).color")
    assert ink == "rgb(27, 35, 38)"  # dark on paper, whatever the theme
    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0

"""Help beside the work: reached by keyboard, readable at two widths and themes."""

import re

import pytest
from playwright.sync_api import expect

from tests.annotator import campaigns_cast
from tests.browser.campaigns.test_campaigns import press
from tests.browser.pictures import keep_picture
from tests.browser.test_uploads import fits
from tests.cast import Cast

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("width", [1280, 390])
def test_pages_of_help_fit(open_page, check_axe, width: int) -> None:
    page = open_page(Cast().ada, width=width)
    for name in ("", "agreement/", "queries/", "glossary/", "projects/", "methods/"):
        answer = page.goto(f"/help/{name}", wait_until="networkidle")
        assert answer.ok
        assert fits(page)
        check_axe(page)
        title = name.strip("/") or "index"
        keep_picture(page, f"help-{title}-{width}")


@pytest.mark.parametrize("width", [1280, 390])
def test_the_question_mark_leads_to_the_help_of_the_page(open_page, width: int) -> None:
    page = open_page(Cast().ada, width=width)
    page.goto("/p/windows/people/")
    press(page, "header a.help")
    expect(page).to_have_url(re.compile("/help/projects/#people-and-roles$"))
    expect(page.get_by_role("heading", name="People and roles")).to_be_in_viewport()
    page.go_back()
    expect(page.locator("h1")).to_have_text("People")


def test_the_contents_lead_to_their_sections(open_page) -> None:
    page = open_page(width=1280)
    page.goto("/help/campaigns/")
    press(page, "nav[aria-label='On this page'] a[href='#the-plan']")
    expect(page.get_by_role("heading", name="The plan")).to_be_in_viewport()


def test_pictures_are_served(open_page) -> None:
    page = open_page(width=1280)
    page.goto("/help/projects/")
    picture = page.locator(".document img").first
    picture.scroll_into_view_if_needed()
    page.wait_for_load_state("networkidle")
    assert picture.evaluate("image => image.complete && image.naturalWidth") > 100


@pytest.mark.parametrize("width", [1280, 390])
def test_words_of_rules_and_reports_lead_to_the_glossary(
    open_page, check_axe, width: int
) -> None:
    cast = Cast()
    made = campaigns_cast.campaign(cast, n=6, people=2, k=2)
    for one in made.participants.all():
        for n, held in enumerate(campaigns_cast.draw(made, one.user, 6)):
            campaigns_cast.judge(held, {"meaning": 1 + n % 4, "grammar": 5 - n % 3})
    page = open_page(cast.ada, width=width)
    places = {
        "rules": (f"campaign/{made.code}/rules/", "lease"),
        "report": (f"agreement/campaign/{made.code}/", "cohens-kappa"),
    }
    for title, (place, anchor) in places.items():
        page.goto(f"/p/windows/{place}", wait_until="networkidle")
        assert fits(page)
        check_axe(page)
        keep_picture(page, f"terms-{title}-{width}")
        word = page.locator(f"a.term[href$='#{anchor}']").first
        # rules that nobody changed are folded
        page.locator("details").evaluate_all(
            "all => all.forEach((one) => { one.open = true; })"
        )
        assert len(word.get_attribute("title") or "") > 20
        word.focus()
        page.keyboard.press("Enter")
        expect(page.locator(f"tr#{anchor}")).to_be_in_viewport()

"""The navigation of a project at two widths, in both themes, by keyboard alone."""

import pytest
from playwright.sync_api import expect

from tests.annotator.campaigns_cast import campaign
from tests.annotator.judged import judged
from tests.browser.campaigns.test_campaigns import press
from tests.browser.pictures import keep_picture
from tests.browser.test_uploads import fits
from tests.cast import Cast

pytestmark = pytest.mark.browser
CURRENT = "nav[aria-label=Project] [aria-current]"


@pytest.mark.parametrize("width", [1280, 390])
def test_the_navigation_fits_and_shows_where_one_is(
    open_page, check_axe, width: int
) -> None:
    cast = Cast()
    campaign(cast, n=3)
    page = open_page(cast.ada, width=width)
    places = {
        "": "Overview",
        "corpora/": "Corpora",
        "people/": "People",
        "jobs/": "Jobs",
    }
    for place, title in places.items():
        page.goto(f"/p/windows/{place}")
        expect(page.locator(CURRENT)).to_contain_text(title)
        expect(page.locator(CURRENT)).to_be_in_viewport()
        assert fits(page)
        check_axe(page)
        keep_picture(page, f"nav-{title.lower()}-{width}")


@pytest.mark.parametrize("width", [1280, 390])
def test_the_sections_are_reached_by_keyboard(open_page, width: int) -> None:
    cast = Cast()
    page = open_page(cast.ada, width=width)
    page.goto("/p/windows/")
    press(page, "nav[aria-label=Project] a[href$='/jobs/']")
    expect(page.locator("h1")).to_have_text("Jobs")
    expect(page.locator(CURRENT)).to_contain_text("Jobs")


def test_a_long_page_opens_at_its_top_beside_the_sections(open_page) -> None:
    """A report has a style sheet of its own, which must leave the sections alone."""
    cast = Cast()
    code = judged(cast).campaign.code
    page = open_page(cast.ada, width=1280)
    page.goto(f"/p/windows/agreement/campaign/{code}/", wait_until="networkidle")
    assert page.evaluate("scrollY") == 0
    sections = page.locator("nav[aria-label=Project] ul")
    expect(sections).to_be_in_viewport(ratio=1)
    page.evaluate("scrollTo(0, 600)")
    assert page.evaluate("scrollY") > 300
    expect(sections).to_be_in_viewport(ratio=1)
    assert sections.bounding_box()["y"] < 40

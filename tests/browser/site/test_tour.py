"""The guided tour walked to its end by keyboard, and left in the middle."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect

from annotator.pages.site.tour import TEXTS
from annotator.services.corpora import sample
from tests.browser.campaigns.test_campaigns import press
from tests.browser.pictures import keep_picture
from tests.browser.test_uploads import fits

pytestmark = pytest.mark.browser
NEXT = "aside.tour a.button:not(.quiet)"
LEAVE = "aside.tour form button"


@pytest.fixture
def owner(live) -> User:
    person = User.objects.create_superuser("owner")
    sample.load(person)
    return person


@pytest.mark.parametrize("width", [1280, 390])
def test_the_whole_tour_by_keyboard(
    open_page, check_axe, owner: User, width: int
) -> None:
    page = open_page(owner, width=width)
    page.goto("/")
    press(page, "button[value=begin]")
    for number, (key, (title, _)) in enumerate(TEXTS.items(), 1):
        heading = f"Step {number} of {len(TEXTS)}: {title}"
        expect(page.locator("#tour-head")).to_have_text(heading)
        expect(page.locator("main h1")).to_be_attached()
        page.wait_for_load_state("networkidle")
        if key == "judge":  # its guidelines come first
            press(page, "#guideline-close")
        assert fits(page)
        check_axe(page)
        keep_picture(page, f"tour-{number}-{key}-{width}")
        if number < len(TEXTS):
            press(page, NEXT)
    expect(page.locator(NEXT)).to_have_count(0)
    press(page, LEAVE)
    expect(page.locator("aside.tour")).to_have_count(0)
    expect(page.locator("main h1")).to_contain_text("Search the trees")


def test_the_tour_is_left_in_the_middle_and_begun_again(open_page, owner: User) -> None:
    page = open_page(owner, width=1280)
    page.goto("/p/sample/")
    press(page, "button[value=begin]")
    press(page, NEXT)
    expect(page.locator("#tour-head")).to_contain_text("Step 2 of 8")
    page.get_by_role("link", name="Parses", exact=True).first.click()
    expect(page.locator("#tour-head")).to_have_text("You are on the tour")
    page.get_by_role("link", name="Two trees and the links").click()
    expect(page.locator("#tour-head")).to_contain_text("Step 3 of 8")
    press(page, LEAVE)
    expect(page.locator("aside.tour")).to_have_count(0)
    expect(page.get_by_role("toolbar", name="Editor")).to_be_visible()
    page.goto("/p/sample/")
    expect(page.locator("aside.tour")).to_have_count(0)
    press(page, "button[value=begin]")
    expect(page.locator("#tour-head")).to_contain_text("Step 1 of 8")

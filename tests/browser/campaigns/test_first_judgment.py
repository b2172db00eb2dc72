"""From signing in to the first judgment of the sample: guidelines, then keys."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect

from annotator.models import Judgment
from annotator.services.corpora import sample
from tests.browser.pictures import keep_picture

pytestmark = pytest.mark.browser


@pytest.mark.smoke
@pytest.mark.parametrize("width", [1280, pytest.param(390, marks=pytest.mark.slow)])
def test_one_click_leads_to_the_first_judgment(
    live, open_page, check_axe, width: int
) -> None:
    owner = User.objects.create_superuser("owner")
    sample.load(owner)
    page = open_page(owner, width=width)
    page.goto("/")
    check_axe(page)
    keep_picture(page, f"home-{width}")
    page.get_by_role("link", name="Try judging").click()
    page.locator("#guideline-close").click()  # they come before the first item
    expect(page.locator("#card")).to_be_visible()
    keep_picture(page, f"first-judgment-{width}")
    page.keyboard.type("44")
    page.keyboard.press("Enter")
    expect(page.locator("#feedback-rows")).to_be_visible()  # it was a training item
    mine = Judgment.objects.filter(participant__user=owner)
    assert mine.filter(state="done").count() == 1

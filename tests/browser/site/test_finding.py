"""The search over everything: from any page by a key, at two widths and themes."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.pictures import keep_picture
from tests.browser.test_uploads import fits
from tests.cast import Cast

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("width", [1280, 390])
def test_it_fits(open_page, check_axe, live, width: int) -> None:
    page = open_page(Cast().ada, width=width)
    for text in ("", "nurse", "zebra", "trees"):
        page.goto(f"/find/?q={text}")
        assert fits(page)
        check_axe(page)
        keep_picture(page, f"find-{text}-{width}")


@pytest.mark.parametrize("key", ["Control+k", "/"])
def test_a_key_leads_there_and_enter_finds(open_page, live, key: str) -> None:
    page = open_page(Cast().ada)
    page.goto("/p/windows/corpora/")
    page.keyboard.press(key)
    expect(page.locator("#everything")).to_be_focused()
    page.keyboard.type("a/nurse")
    expect(page.locator("#everything")).to_have_value("a/nurse")
    page.keyboard.press("Control+a")
    page.keyboard.type("nurse")
    page.keyboard.press("Enter")
    page.get_by_role("link", name="The nurse opened").click()
    expect(page).to_have_url(re.compile("/pair/"))

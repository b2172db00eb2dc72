"""Trees of two people side by side, and the better one made gold."""

import pytest
from playwright.sync_api import expect

from annotator.services.parses import gold
from tests.annotator.treebanks.test_comparing import FLAT, RELABELLED, made
from tests.browser.pictures import keep_picture

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize("width", [1280, 390])
def test_a_curator_compares_and_chooses_by_keys(
    cast, open_page, check_axe, width: int
) -> None:
    source = cast.pair.source
    made(source, cast.bob, RELABELLED)
    made(source, cast.ada, FLAT)
    page = open_page(cast.ada, width=width)
    page.set_default_timeout(120_000)
    page.goto(f"/p/windows/sentence/{source.code}/")
    page.get_by_role("link", name="Compare people’s trees").press("Enter")
    expect(page.locator("main")).to_contain_text("not in the other tree")
    check_axe(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    keep_picture(page, f"compare-{width}")
    page.get_by_role("link", name="Show Gold and bob").press("Enter")
    page.get_by_role("button", name="Make this the gold tree").press("Enter")
    expect(page.locator(".messages")).to_contain_text("This is the gold tree now")
    assert gold.gold_of(source).text == RELABELLED

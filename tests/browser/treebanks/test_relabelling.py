"""Relabelling by query in a browser: looked at, done and taken back by keys alone."""

import pytest
from playwright.sync_api import expect

from annotator.services.parses import gold
from tests import cast as people
from tests.browser.pictures import keep_picture

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize("width", [1280, 390])
def test_nodes_are_relabelled_and_undone_by_keys_alone(
    cast, open_page, check_axe, width: int
) -> None:
    page = open_page(cast.ada, width=width)
    page.goto(f"/p/windows/corpus/{cast.corpus.code}/search/?q=NP+%3E+VP")
    page.get_by_role("link", name="Relabel matches").press("Enter")
    page.get_by_label("New label").fill("OBJ")
    page.get_by_label("New label").press("Enter")
    expect(page.locator("main")).to_contain_text("1 node in 1 sentence")
    expect(page.locator(".parse .found")).to_have_count(2)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    check_axe(page)
    keep_picture(page, f"relabel-{width}")
    page.get_by_role("button", name="Relabel 1 node").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("OBJ")
    assert "(OBJ (DT the)" in gold.gold_of(cast.pair.source).text
    check_axe(page)
    keep_picture(page, f"relabelled-{width}")
    page.get_by_role("button", name="Undo all").press("Enter")
    expect(page.locator("main")).to_contain_text("as they were before: 1")
    assert gold.gold_of(cast.pair.source).text == people.SOURCE
    page.goto(f"/p/windows/corpus/{cast.corpus.code}/relabel/?q=NP&label=%28X")
    expect(page.get_by_role("alert")).to_contain_text("is not a label")
    check_axe(page)

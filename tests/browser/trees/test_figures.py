"""The page of a figure: chosen by keys, shown, and on a phone, too."""

import pytest
from playwright.sync_api import expect

from tests.annotator.svg.test_figures import LINKS
from tests.browser.pictures import keep_picture

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize("width", [1280, 390])
def test_a_figure_is_chosen_by_keys_alone(cast, open_page, check_axe, width) -> None:
    cast.layer.links = LINKS.to_json()
    cast.layer.save()
    page = open_page(cast.bob, width=width)
    page.goto(f"/p/windows/pair/{cast.pair.code}/")
    page.locator("summary", has_text="Figure").press("Enter")
    page.get_by_role("link", name="Choose what it shows").press("Enter")
    page.get_by_label("Ink", exact=True).press("g")
    page.get_by_label("Font", exact=True).select_option("serif")
    page.get_by_label("Marks of the editor").select_option("no")
    page.get_by_label("Only the links of these nodes").fill("s1-2")
    page.get_by_label("Only the links of these nodes").press("Enter")
    picture = page.get_by_role("img", name=cast.pair.source.text)
    expect(picture).to_be_visible()
    assert page.evaluate("document.querySelector('img.figure').naturalWidth") > 100
    expect(page.get_by_label("Ink", exact=True)).to_have_value("grey")
    link = page.get_by_role("link", name="pdf")
    assert "colour=grey" in link.get_attribute("href")
    assert f"layer={cast.layer.code}" in link.get_attribute("href")
    check_axe(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    keep_picture(page, f"figure-{width}")
    page.get_by_label("Only the links of these nodes").fill("s2-3")
    page.get_by_role("button", name="Show").press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("No node covers")
    expect(page.get_by_label("Only the links of these nodes")).to_have_value("s2-3")
    check_axe(page)


def test_a_sentence_leads_to_its_figure(cast, open_page, check_axe) -> None:
    page = open_page(cast.bob)
    page.goto(f"/p/windows/sentence/{cast.pair.source.code}/")
    page.get_by_role("link", name="Figure", exact=True).press("Enter")
    expect(page.get_by_role("img", name=cast.pair.source.text)).to_be_visible()
    expect(page.get_by_role("link", name="forest.tex")).to_be_visible()
    check_axe(page)
    keep_picture(page, "figure-sentence")

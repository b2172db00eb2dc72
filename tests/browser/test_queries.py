"""Searching trees: an example clicked, a tree opened, a mistake shown at its place."""

import pytest
from playwright.sync_api import expect

from annotator.models import AlignmentLayer
from core.data.alignment import Alignment, Link
from tests import cast as people
from tests.browser.pictures import keep_picture
from tests.cast import Cast

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.smoke
@pytest.mark.parametrize("width", [1280, pytest.param(390, marks=pytest.mark.slow)])
def test_trees_are_searched_by_keys_alone(
    cast: Cast, open_page, check_axe, width: int
) -> None:
    links = Alignment((Link("n1", "n8"), Link("w1", "w6"))).to_json()
    AlignmentLayer.objects.filter(pk=cast.layer.pk).update(links=links)
    page = open_page(cast.ada, width=width)
    page.goto(f"/p/{cast.project.slug}/corpus/{cast.corpus.code}/")
    page.locator("main").get_by_role("link", name="Search trees").press("Enter")
    expect(page.get_by_role("link", name="NP ~ PP", exact=True)).to_be_visible()
    check_axe(page)
    page.get_by_role("link", name="NP ~ PP", exact=True).press("Enter")
    expect(page.locator("main")).to_contain_text("1 match in 1 sentence and 1 pair")
    expect(page.locator("mark").first).to_have_text("The nurse")
    page.get_by_role("link", name="Tree 1 of match 1").press("Enter")
    expect(page.locator(".parse .found")).to_have_count(1)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    check_axe(page)
    keep_picture(page, f"queries-{width}")
    page.get_by_label("Query", exact=True).fill("NP < (DT")
    page.get_by_label("Query", exact=True).press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("Column 9")
    check_axe(page)
    keep_picture(page, f"queries-wrong-{width}")


@pytest.mark.parametrize("width", [1280, 390])
def test_matches_are_grouped_and_a_match_is_opened_by_its_link(
    cast: Cast, open_page, check_axe, width: int
) -> None:
    doors = people.corpus(cast.project, "Doors")
    people.pair(doors, "(S (NP (NN door)) (VP (VBD shut)))", "(S (NP (NN gate)))")
    page = open_page(cast.ada, width=width)
    page.goto(f"/p/{cast.project.slug}/corpus/{cast.corpus.code}/search/?q=NP")
    page.get_by_label("Group by").select_option("word")
    page.get_by_role("button", name="Group").press("Enter")
    expect(page.locator("main")).to_contain_text("4 matches in 4 groups")
    expect(page.locator("svg.chart")).to_have_count(1)
    expect(page.get_by_label("Group by")).to_have_value("word")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    check_axe(page)
    keep_picture(page, f"groups-{width}")
    page.get_by_label("Compare with").select_option("Doors")
    page.get_by_role("button", name="Group").press("Enter")
    expect(page.locator("main")).to_contain_text("Difference: G²")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    check_axe(page)
    keep_picture(page, f"compared-{width}")
    page.get_by_role("link", name="Link to match 2").press("Enter")
    expect(page.locator(".parse .found")).to_have_count(1)
    expect(page.locator("main")).to_contain_text("A match of NP")
    check_axe(page)

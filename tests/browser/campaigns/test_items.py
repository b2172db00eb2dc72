"""Items: a table with other columns is taken in; one item is corrected."""

import pytest
from playwright.sync_api import expect

from annotator.services.campaigns import setup
from tests.annotator.campaigns_cast import campaign
from tests.browser.pictures import keep_picture
from tests.cast import Cast

pytestmark = pytest.mark.browser

CSV = (
    "Nr;Kontext;Alt;Neu;Quelle\n"
    "1;The old bridge was closed for repairs, the council said.;closed;shut;A\n"
    "2;The old bridge was closed for repairs, the council said.;repairs;mending;B\n"
    "3;Nobody took part in the vote.;took part in;joined;A\n"
)


@pytest.fixture
def people(live) -> Cast:
    return Cast()


@pytest.mark.parametrize("width", [1280, 390])
def test_a_table_with_other_columns_becomes_items(
    open_page, people, check_axe, width: int
) -> None:
    made = setup.create(people.project, "Bridges", by=people.ada)
    page = open_page(people.ada, width=width)
    page.goto(f"/p/{people.project.slug}/campaign/{made.code}/items/")
    check_axe(page)
    keep_picture(page, f"items-none-{width}")
    page.set_input_files(
        "#file",
        {"name": "bridge.csv", "mimeType": "text/csv", "buffer": CSV.encode("utf-16")},
    )
    expect(page.get_by_role("alert")).to_contain_text("Choose columns for")
    check_axe(page)
    keep_picture(page, f"items-columns-{width}")
    page.get_by_label("Sentence needed").select_option("Kontext")
    page.get_by_label("Original phrase").select_option("Alt")
    page.get_by_label("Paraphrase needed").select_option("Neu")
    page.get_by_label("Condition (system)").select_option("Quelle")
    page.get_by_role("button", name="Read file again").click()
    expect(page.get_by_role("button", name="Import 3 rows")).to_be_visible()
    check_axe(page)
    keep_picture(page, f"items-check-{width}")
    page.get_by_role("button", name="Import 3 rows").click()
    expect(page.locator("h1")).to_have_text("Annotators")
    assert made.items.count() == 3


@pytest.mark.parametrize("width", [1280, 390])
def test_an_item_is_found_corrected_and_withdrawn(
    open_page, people, check_axe, width: int
) -> None:
    made = campaign(people, n=4, is_open=False)
    page = open_page(people.ada, width=width)
    page.goto(f"/p/{people.project.slug}/campaign/{made.code}/items/")
    page.get_by_label("Text").fill("onions 2")
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_role("status")).to_contain_text("1 of 4")
    page.get_by_text("Correct", exact=True).click()
    page.get_by_label("Paraphrase", exact=True).first.fill("took the skin off")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("The paraphrase is corrected.")).to_be_visible()
    page.get_by_role("link", name="Clear").click()
    expect(page.get_by_label("Text")).to_have_value("")
    check_axe(page)
    page.get_by_role("button", name="Withdraw").first.click()
    expect(page.get_by_role("button", name="Restore")).to_be_visible()
    keep_picture(page, f"items-list-{width}")
    assert made.items.filter(is_withdrawn=True).count() == 1

"""Exports of other tools, looked through before they are taken."""

import io

import pytest
from playwright.sync_api import Page, expect

from annotator.models import Project
from annotator.services.campaigns import item_files, setup
from annotator.services.reports import rating_tables
from tests.annotator.peers.brought import FILES, content_of
from tests.browser.pictures import keep_picture
from tests.browser.test_uploads import fits
from tests.cast import Cast

pytestmark = pytest.mark.browser
RATED = ["label-studio.json", "doccano", "appraise.csv", "brat"]


def kept(cast: Cast, name: str) -> str:
    content = io.BytesIO(content_of(name))
    return rating_tables.keep(cast.project, name, content, by=cast.ada).code


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("name", RATED)
def test_the_counts_fit_on_the_check_of_ratings(
    open_page, check_axe, live, name: str, width: int
) -> None:
    cast = Cast()
    page = open_page(cast.ada, width=width)
    page.goto(f"/p/windows/agreement/upload/{kept(cast, name)}/?name=Moved")
    expect(page.get_by_role("group", name="Counts")).to_contain_text("Annotations")
    assert fits(page)
    check_axe(page)
    keep_picture(page, f"peer-ratings-{name}-{width}")


@pytest.mark.parametrize("width", [1280, 390])
def test_the_counts_fit_on_the_check_of_items(
    open_page, check_axe, live, width: int
) -> None:
    cast = Cast()
    campaign = setup.create(cast.project, "Moved", by=cast.ada)
    content = io.BytesIO(content_of("label-studio.json"))
    upload = item_files.keep(campaign, "ls.json", content, by=cast.ada)
    page = open_page(cast.ada, width=width)
    page.goto(f"/p/windows/campaign/{campaign.code}/items/{upload.code}/")
    expect(page.get_by_role("group", name="Counts")).to_contain_text("5 tasks")
    assert fits(page)
    check_axe(page)
    keep_picture(page, f"peer-items-{width}")


def open_reading(page: Page) -> None:
    page.goto("/p/windows/agreement/upload/")
    page.get_by_label("Name", exact=True).fill("Moved")
    page.get_by_label("File", exact=True).set_input_files(FILES / "label-studio.json")
    page.get_by_role("button", name="Upload").press("Enter")


def test_from_the_file_to_the_report_by_the_keyboard(
    open_page, check_axe, live
) -> None:
    cast = Cast()
    page = open_page(cast.ada)
    open_reading(page)
    low = page.get_by_label("Least value of meaning")
    expect(low).to_have_value("1")
    expect(page.get_by_label("Greatest value of meaning")).to_have_value("5")
    expect(page.get_by_label("Item", exact=True)).to_have_value("item")
    expect(page.get_by_label("Condition (system)")).to_have_value("system")
    page.get_by_role("button", name="Import 14 ratings").press("Enter")
    expect(page.locator("h1")).to_contain_text("Moved")
    page.locator("summary", has_text="File contents").press("Enter")
    counts = page.get_by_role("group", name="Counts")
    expect(counts).to_contain_text("2: cancelled: the annotator skipped the task")
    check_axe(page)
    keep_picture(page, "peer-report")


def test_nothing_is_taken_before_the_person_agrees(open_page, live) -> None:
    cast = Cast()
    page = open_page(cast.ada)
    open_reading(page)
    expect(page.get_by_role("group", name="Counts")).to_be_visible()
    page.goto("/p/windows/agreement/")
    expect(page.get_by_text("None yet.").first).to_be_visible()
    assert not Project.objects.get(pk=cast.project.pk).rating_sets.exists()


def test_the_file_can_be_read_as_a_plain_table(open_page, live) -> None:
    cast = Cast()
    page = open_page(cast.ada)
    page.goto(f"/p/windows/agreement/upload/{kept(cast, 'label-studio.csv')}/")
    page.get_by_label("The file is").select_option("table")
    page.get_by_role("button", name="Read file again").click()
    expect(page.get_by_role("group", name="First rows")).to_contain_text("lead_time")
    expect(page.get_by_role("group", name="Counts")).to_have_count(0)

"""From parallel text to paraphrases, by keyboard, at both widths."""

import os
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from annotator.models import Bitext, Campaign, Job, ParaphraseTable
from annotator.sample import texts
from annotator.services import jobs
from annotator.services.paraphrases import test_sets
from tests.annotator.paraphrases.test_tables import (  # noqa: F401 a fixture
    bitexts,
    made,
)
from tests.annotator.paraphrases.test_weights import judge
from tests.browser.test_uploads import finish
from tests.cast import Cast

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
LINES = 24  # of the sample: enough for paraphrases, few enough to parse in a test
ACTIONS = 19  # clicks, choices and fields filled in; docs/paraphrases.md says so


def shown(page, name: str, width: int) -> None:
    """No wider than the window; a picture where GEMEL_SCREENSHOTS asks for one."""
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    if folder := os.environ.get("GEMEL_SCREENSHOTS"):
        page.screenshot(path=Path(folder) / f"{name}-{width}.png", full_page=True)


@pytest.mark.parametrize("width", [1280, 390])
def test_a_table_is_made_searched_and_put_into_a_sentence(
    cast: Cast,
    open_page,
    check_axe,
    width: int,
    bitexts: list[Bitext],  # noqa: F811
) -> None:
    page = open_page(cast.ada, width=width)
    page.goto(f"/p/{cast.project.slug}/paraphrases/")
    check_axe(page)
    page.get_by_label("Name").fill("Sea")
    for one in bitexts:
        page.get_by_label(one.name).check()
    shown(page, "tables", width)
    page.get_by_role("button", name="Create table").press("Enter")
    page.wait_for_url("**/jobs/*/")
    (job,) = Job.objects.active()
    jobs.run(job.pk)
    table = ParaphraseTable.objects.get()
    page.goto(f"/p/{cast.project.slug}/paraphrases/{table.code}/")
    page.get_by_label("Phrase", exact=True).fill("old")
    page.keyboard.press("Enter")
    expect(page.locator("table.paraphrases")).to_contain_text("ancient")
    check_axe(page)
    page.get_by_role("link", name="Why ancient").first.press("Enter")
    expect(page.locator("#why")).to_contain_text("alte")
    check_axe(page)
    shown(page, "search", width)
    page.get_by_role("link", name="Substitute").press("Enter")
    page.get_by_label("Sentence", exact=True).fill("The old boat came.")
    page.get_by_label("Phrase in it").fill("old")
    page.keyboard.press("Enter")
    expect(page.locator(".conditions")).to_contain_text("ancient")
    check_axe(page)
    shown(page, "substitute", width)
    page.get_by_role("link", name="Create campaign").press("Enter")
    expect(page.locator("h1")).to_contain_text("Create a campaign of")
    check_axe(page)
    shown(page, "campaign", width)


@pytest.mark.parametrize("width", [1280, 390])
def test_weights_are_fitted_and_rank_by_keyboard(
    cast: Cast,
    open_page,
    check_axe,
    width: int,
    bitexts: list[Bitext],  # noqa: F811
) -> None:
    table = made(cast, bitexts)
    campaign, job = test_sets.start(
        table, bitexts[0], "Sea", n_phrases=100, by=cast.ada, enqueue=False
    )
    jobs.run(job.pk)
    judge(campaign, cast.bob)
    page = open_page(cast.ada, width=width)
    page.goto(f"/p/{cast.project.slug}/paraphrases/{table.code}/weights/")
    expect(page.get_by_role("status")).to_contain_text("No weights have been fitted")
    check_axe(page)
    page.get_by_role("button", name="Fit weights").press("Enter")
    page.wait_for_url("**/jobs/*/")
    finish()
    page.get_by_role("link", name="View weights").press("Enter")
    expect(page.locator("main")).to_contain_text("Version 1, Sea")
    check_axe(page)
    shown(page, "weights", width)
    page.get_by_role("link", name="Search").last.press("Enter")
    page.get_by_label("Phrase", exact=True).fill("old")
    page.get_by_label("Ranked").select_option("weighted")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Search").last.press("Enter")
    expect(page.locator("table.paraphrases")).to_contain_text("ancient")
    check_axe(page)
    shown(page, "search-weighted", width)
    page.get_by_role("link", name="Substitute").press("Enter")
    page.get_by_label("Sentence", exact=True).fill("The old boat came.")
    page.get_by_label("Phrase in it").fill("old")
    page.keyboard.press("Enter")
    expect(page.locator(".conditions")).to_contain_text("Weighted by judgments")
    check_axe(page)
    shown(page, "substitute-weighted", width)


class Walk:
    """A person at a page, whose every act is counted."""

    def __init__(self, page: Page, check_axe, width: int) -> None:
        self.page, self.check_axe, self.width, self.acts = page, check_axe, width, 0

    def click(self, role: str, name: str) -> None:
        self.acts += 1
        place = self.page.locator("nav.side, main").get_by_role(role, name=name)
        place.last.click()

    def press(self, selector: str) -> None:
        self.acts += 1
        self.page.locator(selector).first.click()

    def fill(self, selector: str, text: str) -> None:
        self.acts += 1
        self.page.fill(selector, text)

    def give(self, selector: str, file: Path) -> None:
        self.acts += 1
        self.page.set_input_files(selector, file)

    def sees(self, text: str, name: str) -> None:
        expect(self.page.locator("main")).to_contain_text(text)
        self.check_axe(self.page)
        shown(self.page, name, self.width)


def some_lines(folder: Path, name: str) -> Path:
    lines = texts.path_of(name).read_text().splitlines(keepends=True)
    path = folder / f"{name}.txt"
    path.write_text("".join(lines[:LINES]))
    return path


@pytest.mark.parametrize("width", [1280, 390])
def test_from_two_text_files_to_people_judging(
    open_page, check_axe, settings, tmp_path: Path, width: int
) -> None:
    settings.GEMEL_HOME = settings.MEDIA_ROOT = tmp_path
    english, german = (some_lines(tmp_path, name) for name in ("english", "german"))
    cast = Cast()
    page = open_page(cast.ada, width=width)
    walk = Walk(page, check_axe, width)
    page.goto(f"/p/{cast.project.slug}/")
    walk.click("link", "Corpora")
    walk.click("link", "Upload parallel text")
    walk.sees("No text to try?", "walk-1-upload")
    walk.give("#source_text", english)
    walk.give("#target_text", german)
    walk.fill("#id_name", "Town, German")
    walk.fill("#id_target_language", "de")
    walk.click("button", "Check the files")
    page.wait_for_url("**/upload/*/")
    finish()
    walk.sees("All lines can be read.", "walk-2-checked")
    walk.click("button", "Import")
    page.wait_for_selector("text=Waiting")
    finish()
    walk.sees("Imported", "walk-3-imported")
    walk.click("link", "Create paraphrase table")
    walk.sees("Town, German", "walk-4-table")
    walk.click("button", "Create table")
    page.wait_for_url("**/jobs/*/")
    finish()
    walk.sees("Search the paraphrases", "walk-5-made")
    walk.click("link", "Search the paraphrases")
    walk.fill("#id_phrase", "film")
    page.keyboard.press("Enter")
    walk.sees("movie", "walk-6-found")
    walk.click("link", "Create campaign")
    walk.click("button", "Create campaign")
    page.wait_for_url("**/jobs/*/")
    finish()
    walk.sees("Plan who judges what", "walk-7-filled")
    walk.click("link", "Plan who judges what")
    walk.sees("Plan", "walk-8-plan")
    assert Campaign.objects.get().items.exists()
    walk.click("link", "People")
    walk.press("input[name=person]")
    walk.click("button", "Add them")
    walk.click("button", "Start campaign")
    walk.sees("Open: people can judge now.", "walk-9-open")
    assert walk.acts == ACTIONS

"""A corpus brought in and taken out by keyboard alone, at two widths."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from annotator.models import Corpus, Job
from annotator.services import jobs
from tests import hostile
from tests.browser.pictures import keep_picture
from tests.cast import Cast

pytestmark = pytest.mark.browser
ROWS = (
    "id\tsource\ttarget\tlabel\n"
    "1\tThe nurse opened it.\tIt was opened.\tsame\n"
    f"2\t{hostile.PAYLOAD}\t{hostile.PAYLOAD}\tsame\n"
    "3\tonly one side\n"
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "rows.tsv"
    path.write_text(ROWS)
    return path


def finish() -> None:
    for job in Job.objects.active():
        jobs.run(job.pk)


def press(page, name: str) -> None:
    """Go on with Tab until the button of this name has the focus, then press it."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent.trim()") == name:
            page.keyboard.press("Enter")
            return
    raise AssertionError(f"no way to {name!r} by Tab")


def fits(page) -> bool:
    return page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


@pytest.mark.parametrize("width", [1280, 390])
def test_upload_report_import_export(
    open_page, transactional_db, check_axe, file: Path, width: int
) -> None:
    page = open_page(Cast().ada, width=width)
    page.goto("/p/windows/upload/")
    check_axe(page)
    assert fits(page)
    page.locator("#id_format").focus()
    page.keyboard.type("Pairs, tab")
    page.locator("#files").set_input_files(file)
    page.locator("#id_corpus").focus()
    page.keyboard.type("News")
    press(page, "Check the files")
    page.wait_for_url("**/upload/*/")
    finish()
    page.wait_for_selector("text=Checked; nothing is imported yet.")
    assert "rows.tsv, line 4, column 16" in page.locator("table").last.inner_text()
    check_axe(page)
    assert fits(page)
    page.locator("h1").click()
    press(page, "Import the rest")
    page.wait_for_selector("text=Waiting")
    finish()
    page.wait_for_selector("text=Imported into")
    check_axe(page)
    page.goto(f"/p/windows/corpus/{Corpus.objects.get(name='News').code}/export/")
    check_axe(page)
    assert fits(page)
    with page.expect_download() as download:
        page.locator("a:has-text('jsonl')").press("Enter")
    assert "<script>" in Path(download.value.path()).read_text()


@pytest.mark.parametrize("width", [1280, 390])
def test_a_text_in_another_language_is_asked_about(
    open_page, transactional_db, check_axe, tmp_path: Path, width: int
) -> None:
    rows = tmp_path / "rows.tsv"
    german = "Die Frau hat das Fenster geöffnet, und der Mann schlief noch eine Weile."
    rows.write_text(
        f"The woman opened the window and he slept on for a while.\t{german}\n"
    )
    page = open_page(Cast().ada, width=width)
    page.goto("/p/windows/upload/")
    page.locator("#files").set_input_files(rows)
    page.get_by_label("Name of the corpus").fill("Two")
    page.get_by_role("button", name="Check the files").click()
    page.wait_for_url("**/upload/*/")
    finish()
    expect(page.locator("main")).to_contain_text(
        "The target sentences look like German (de); English (en) was chosen."
    )
    expect(page.get_by_label("Language of the target")).to_have_value("de")
    expect(page.locator("main")).to_contain_text(german)
    expect(page.get_by_role("button", name="parse and align")).to_have_count(0)
    check_axe(page)
    assert fits(page)
    keep_picture(page, f"upload-question-{width}")
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.locator("main")).to_contain_text("Waiting")
    finish()
    expect(page.locator("main")).to_contain_text("Imported into")
    made = Corpus.objects.get(name="Two")
    assert (made.source_language, made.target_language) == ("en", "de")


@pytest.mark.parametrize("width", [1280, 390])
def test_an_example_of_each_format_is_shown(open_page, check_axe, width: int) -> None:
    page = open_page(Cast().ada, width=width)
    page.goto("/p/windows/upload/")
    page.get_by_text("Show an example of treealigner").click()
    expect(page.locator("main")).to_contain_text("<treealign>")
    check_axe(page)
    assert fits(page)
    keep_picture(page, f"upload-example-{width}")


@pytest.mark.parametrize("width", [1280, 390])
def test_columns_are_chosen_where_the_check_found_none(
    open_page, transactional_db, check_axe, tmp_path: Path, width: int
) -> None:
    rows = tmp_path / "scores.tsv"
    rows.write_text("score\tsentence1\tsentence2\n4.5\tRain fell.\tIt rained.\n")
    page = open_page(Cast().ada, width=width)
    page.goto("/p/windows/upload/")
    page.locator("#id_format").select_option("pairs")
    page.locator("#files").set_input_files(rows)
    page.get_by_label("Name of the corpus").fill("Scores")
    page.get_by_role("button", name="Check the files").click()
    page.wait_for_url("**/upload/*/")
    finish()
    expect(page.locator("main")).to_contain_text("without source and target")
    page.get_by_label("Source").select_option(label="2: sentence1")
    page.get_by_label("Target").select_option(label="3: sentence2")
    check_axe(page)
    assert fits(page)
    keep_picture(page, f"upload-columns-{width}")
    page.get_by_role("button", name="Check the files").click()
    page.wait_for_selector("text=Waiting")
    finish()
    expect(page.locator("#rows ~ .scroll")).to_contain_text("It rained.")
    expect(page.locator("#rows ~ .scroll")).not_to_contain_text("sentence1")
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.locator("main")).to_contain_text("Waiting")
    finish()
    expect(page.locator("main")).to_contain_text("Imported into")
    assert Corpus.objects.get(name="Scores").n_pairs == 1

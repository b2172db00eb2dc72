"""A corpus brought in and taken out by keyboard alone, at two widths."""

from pathlib import Path

import pytest

from annotator.models import Corpus, Job
from annotator.services import jobs
from tests import hostile
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
    assert "rows.tsv, line 4, column 16" in page.locator("table").nth(1).inner_text()
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

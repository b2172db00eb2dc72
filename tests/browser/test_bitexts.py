"""From two text files to linked words, by keyboard alone, at two widths."""

from pathlib import Path

import pytest

from annotator.models import Bitext
from tests.browser.test_uploads import finish, fits, press
from tests.cast import Cast

pytestmark = pytest.mark.browser
ENGLISH = "The nurse opened the old window .\nShe slept .\nThe window was old .\n"
GERMAN = "Die Pflegerin öffnete das alte Fenster .\n\nDas Fenster war alt .\n"


@pytest.mark.parametrize("width", [1280, 390])
def test_from_two_files_to_links(
    open_page, transactional_db, check_axe, settings, tmp_path: Path, width: int
) -> None:
    settings.MEDIA_ROOT = tmp_path
    files = [tmp_path / "mine.en", tmp_path / "mine.de"]
    for path, text in zip(files, (ENGLISH, GERMAN), strict=True):
        path.write_text(text)
    page = open_page(Cast().ada, width=width)
    page.goto("/p/windows/bitexts/")
    check_axe(page)
    press(page, "Upload parallel text")
    page.wait_for_url("**/bitexts/upload/")
    check_axe(page)
    assert fits(page)
    page.locator("#source_text").set_input_files(files[0])
    page.locator("#target_text").set_input_files(files[1])
    page.locator("#id_name").focus()
    page.keyboard.type("Windows, German")
    page.locator("#id_target_language").focus()
    page.keyboard.type("de")
    press(page, "Check the files")
    page.wait_for_url("**/upload/*/")
    finish()
    page.wait_for_selector("text=All lines can be read.")
    check_axe(page)
    page.locator("h1").click()
    press(page, "Import")
    page.wait_for_selector("text=Waiting")
    finish()
    page.wait_for_selector("text=Imported")
    bitext = Bitext.objects.get()
    page.goto(f"/p/windows/bitext/{bitext.code}/")
    press(page, "Link the words")
    page.wait_for_url("**/jobs/*/")
    finish()
    page.goto(f"/p/windows/bitext/{bitext.code}/")
    page.wait_for_selector("text=by hmm")
    assert page.locator("svg.trees").count() == 2
    check_axe(page)
    assert fits(page)

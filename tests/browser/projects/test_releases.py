"""A release by keyboard alone: its warnings, its job, its file; at two widths."""

import pytest

from annotator.models import Corpus, Job
from annotator.services import jobs
from tests.browser.pictures import keep_picture
from tests.browser.test_uploads import fits, press
from tests.cast import Cast

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("width", [1280, 390])
def test_a_release_is_made_and_fetched(
    live, open_page, check_axe, settings, tmp_path, width: int
) -> None:
    settings.GEMEL_HOME = tmp_path
    cast = Cast()
    Corpus.objects.update(licence="CC BY-ND 4.0")
    page = open_page(cast.ada, width=width)
    page.goto("/p/windows/")
    page.get_by_role("link", name="Releases").press("Enter")
    page.get_by_text("lets nobody publish trees").wait_for()
    press(page, "Create release")
    page.get_by_role("alert").wait_for()
    page.get_by_label("may publish these texts").press("Space")
    check_axe(page)
    press(page, "Create release")
    page.get_by_text("No worker is running").wait_for()
    jobs.run(Job.objects.get(kind="release").pk)
    page.get_by_role("link", name="Open the releases").press("Enter")
    page.get_by_role("columnheader", name="Seal").or_(
        page.locator(".seal")
    ).first.wait_for()
    assert fits(page)
    check_axe(page)
    keep_picture(page, f"releases-{width}")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    assert download.value.suggested_filename.startswith("windows-")
    page.get_by_role("button", name="Delete the file").press("Enter")
    page.get_by_text("removed").wait_for()


@pytest.mark.parametrize("width", [1280, 390])
def test_everything_is_exported_from_the_settings_before_deleting(
    live, open_page, check_axe, settings, tmp_path, width: int
) -> None:
    settings.GEMEL_HOME = tmp_path
    cast = Cast()
    page = open_page(cast.ada, width=width)
    page.goto("/p/windows/settings/")
    page.get_by_role("heading", name="Export everything").wait_for()
    assert fits(page)
    check_axe(page)
    keep_picture(page, f"settings-everything-{width}")
    press(page, "Export everything")
    page.get_by_text("No worker is running").wait_for()
    page.get_by_role("button", name="Cancel").wait_for()
    jobs.run(Job.objects.get(kind="release").pk)
    page.get_by_role("link", name="Open the releases").press("Enter")
    page.get_by_text("everything, with names").wait_for()
    assert fits(page)
    check_axe(page)
    keep_picture(page, f"releases-everything-{width}")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    assert download.value.suggested_filename.startswith("windows-")

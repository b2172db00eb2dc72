"""The page of backups by keyboard alone, at two widths."""

import os
from datetime import UTC, datetime, timedelta

import pytest

from annotator import backups
from tests.browser.test_uploads import fits, press
from tests.cast import Cast

pytestmark = pytest.mark.browser


@pytest.fixture
def kept(settings, tmp_path) -> None:
    settings.GEMEL_HOME = tmp_path
    (tmp_path / "worker.alive").touch()
    now = datetime.now(UTC)
    for n, fault in ((1, ""), (2, "The upload 2026/01/a.upload is not what was sent.")):
        made = backups.Backup(
            f"gemel-{n:06}", now - timedelta(days=9 - n), rows=812, fault=fault,
            verified_at=now - timedelta(days=9 - n),
        )  # fmt: skip
        backups.path_of(made.name).write_bytes(b"x" * 98304)
        backups.note(made)


@pytest.mark.parametrize("width", [1280, 390])
def test_one_is_asked_for_and_another_tried_again(
    open_page, check_axe, kept, width: int
) -> None:
    owner = Cast().ada
    owner.is_superuser = True
    owner.save()
    page = open_page(owner, width=width)
    page.goto("/")
    page.get_by_role("link", name="See what is wrong").press("Enter")
    page.get_by_role("heading", name="Backups").wait_for()
    assert fits(page)
    check_axe(page)
    press(page, "Create one now")
    page.get_by_text("Waiting for the worker").wait_for()
    press(page, "Verify again gemel-000002")
    page.get_by_text("Waiting for the worker").wait_for()
    assert backups.requests() == ["gemel-000002", "make"]
    if folder := os.environ.get("GEMEL_PICTURES"):
        page.screenshot(path=f"{folder}/backups-{width}.png", full_page=True)

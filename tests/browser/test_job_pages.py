"""The page of a job that is at work: it follows, and the focus stays where it is."""

import pytest
from playwright.sync_api import expect

from annotator.models import Job
from tests.cast import Cast

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PARAMS = {"format": "pairs", "dry_run": True, "corpus": "x", "uploads": []}


@pytest.mark.parametrize("page_of", ["jobs/{}/", "upload/{}/"])
def test_the_cancel_button_keeps_the_focus_while_the_page_follows(
    cast: Cast, open_page, page_of: str
) -> None:
    job = Job.objects.create(
        project=cast.project, kind="import", title="Import x", by=cast.ada,
        state=Job.State.RUNNING, total=10, done=1, note="Checking x", params=PARAMS,
    )  # fmt: skip
    page = open_page(cast.ada)
    page.goto(f"/p/windows/{page_of.format(job.code)}")
    button = page.get_by_role("button", name="Cancel")
    button.focus()
    Job.objects.filter(pk=job.pk).update(done=2, note="Writing x")
    expect(page.locator("main")).to_contain_text("Writing x")
    expect(button).to_be_focused()


def test_a_link_in_the_list_of_jobs_keeps_the_focus(cast: Cast, open_page) -> None:
    job = Job.objects.create(
        project=cast.project, kind="import", title="Import x", by=cast.ada,
        state=Job.State.RUNNING, total=10, done=1, params=PARAMS,
    )  # fmt: skip
    page = open_page(cast.ada)
    page.goto("/p/windows/jobs/")
    page.get_by_role("link", name="Import x").focus()
    Job.objects.filter(pk=job.pk).update(done=7)
    expect(page.locator("#jobs")).to_contain_text("7 of 10")
    expect(page.get_by_role("link", name="Import x")).to_be_focused()

"""The page of a job that is at work: it follows, and the focus stays where it is."""

import pytest
from playwright.sync_api import expect

from annotator.models import Job
from annotator.services.queries import index
from tests.browser.campaigns.test_campaigns import press
from tests.browser.pictures import keep_picture
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


@pytest.mark.parametrize("width", [1280, 390])
def test_one_whose_index_was_cancelled_is_done_and_offers_to_make_it(
    cast: Cast, open_page, check_axe, width: int
) -> None:
    index.rebuild()
    job = Job.objects.create(
        project=cast.project, kind="parse", title="Parse News", by=cast.ada, done=2,
        state=Job.State.DONE, cancel_asked=True, params={"corpus": cast.corpus.code},
    )  # fmt: skip
    page = open_page(cast.ada, width=width)
    page.goto(f"/p/windows/jobs/{job.code}/")
    expect(page.locator("#status .chip").first).to_have_text("Done")
    expect(page.locator("#status")).to_contain_text("indexing was cancelled")
    check_axe(page)
    keep_picture(page, f"job-unindexed-{width}")
    press(page, "[value=index]")
    expect(page.locator("h1")).to_have_text("Index trees for searches")

"""What a newcomer needs, counted in clicks: from a file of one's own to judgments."""

import pytest
from playwright.sync_api import Locator, Page, expect

from annotator.models import AlignmentLayer, Campaign, Job
from annotator.services import jobs
from tests import cast as people
from tests.annotator.campaigns_cast import HEADER, rows
from tests.browser import judging

pytestmark = pytest.mark.browser
STRONG = "seven green horses"


class Hand:
    """Clicks, counted; choosing a file is one."""

    def __init__(self, page: Page) -> None:
        self.page, self.clicks = page, 0

    def click(self, target: Locator) -> None:
        target.click()
        self.clicks += 1

    def press(self, name: str) -> None:
        self.click(self.page.get_by_role("button", name=name, exact=True))

    def follow(self, name: str) -> None:
        self.click(self.page.get_by_role("link", name=name, exact=True).first)

    def choose(self, path) -> None:
        self.page.locator("input[type=file]").first.set_input_files(path)
        self.clicks += 1


def finish() -> None:
    for job in Job.objects.active():
        jobs.run(job.pk)


@pytest.mark.smoke
def test_from_an_own_file_to_an_annotators_first_judgment(
    open_page, live, tmp_path
) -> None:
    table = tmp_path / "mine.tsv"
    table.write_text(HEADER + rows(6))
    page = open_page(people.person("ada"))
    page.context.grant_permissions(["clipboard-write"])
    manager = Hand(page)
    page.goto("/")
    manager.follow("New project")
    page.get_by_label("Name").fill("Kitchen")
    manager.press("Create project")
    manager.follow("New campaign")
    page.get_by_label("Name").fill("Onions")
    manager.press("Create campaign")
    manager.choose(table)
    manager.press("Import 6 rows")
    page.get_by_label("Number of people").fill("20")
    manager.press("Create link")
    link = page.locator("#link").inner_text()
    manager.press("Copy")
    manager.press("Start campaign")
    expect(page.locator("main")).to_contain_text("Progress")
    assert Campaign.objects.get().state == "open"
    assert manager.clicks <= 9

    annotator = Hand(open_page())
    annotator.page.goto(link)
    annotator.page.get_by_label("Name").fill("dan")
    annotator.page.get_by_label("Password").fill(STRONG)
    annotator.press("Create account and join")
    expect(annotator.page.locator("#card")).to_be_visible()
    assert annotator.clicks == 1
    annotator.page.keyboard.type("44")
    annotator.page.keyboard.press("Enter")
    expect(annotator.page.locator("#count")).to_contain_text("2 of")
    judging.wait_done(annotator.page, 1)


@pytest.mark.slow
@pytest.mark.smoke
def test_from_own_pairs_to_the_first_accepted_link(open_page, live, tmp_path) -> None:
    table = tmp_path / "mine.tsv"
    table.write_text(
        "id\tsource\ttarget\n"
        "1\tThe man opened the window .\tThe window was opened by the man .\n"
        "2\tThe cat sleeps .\tA cat is asleep .\n"
    )
    page = open_page(people.person("ada"))
    manager = Hand(page)
    page.goto("/")
    manager.follow("New project")
    page.get_by_label("Name").fill("Kitchen")
    manager.press("Create project")
    manager.follow("Upload a corpus")
    manager.choose(table)
    page.get_by_label("Name of the corpus").fill("Windows")
    manager.press("Check the files")
    page.wait_for_url("**/upload/*/")
    finish()
    checked = page.url
    manager.press("Import, then parse and align")
    page.wait_for_url(lambda url: url != checked)
    finish()
    finish()  # the import has begun the alignment
    manager.follow("Review the first pair")
    expect(page.locator("#canvas")).to_be_visible()
    assert manager.clicks <= 7
    expect(page.locator("main")).to_contain_text("9 suggested")
    page.locator("#panel .offers li").first.get_by_role("button", name="Accept").focus()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_contain_text("8 suggested")
    expect(page.locator("#saved")).to_have_text("All saved")
    (mine,) = AlignmentLayer.objects.filter(author__username="ada")
    assert len(mine.to_core().links) == 1

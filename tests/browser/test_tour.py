"""The README's five minutes on the sample project; its pictures are made here:
``GEMEL_SCREENSHOTS=docs/img pytest tests/browser/test_tour.py``."""

import os
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from annotator.models import Campaign, Judgment, Pair, Project
from annotator.sample import items
from annotator.services.campaigns import items as campaign_items
from annotator.services.campaigns import setup
from annotator.services.corpora import sample
from tests.browser.judging import wait_done, wait_saved

pytestmark = pytest.mark.browser


@pytest.fixture
def owner(live) -> User:
    return User.objects.create_user("owner", password="a long password")


def keep(page: Page, name: str) -> None:
    """What the window shows, without what lies below."""
    if folder := os.environ.get("GEMEL_SCREENSHOTS"):
        page.screenshot(path=Path(folder) / f"tour-{name}.png")


def own_campaign(project: Project, owner: User) -> Campaign:
    """The sample's items once more, for the owner to judge."""
    made = setup.create(project, "Substitution test", by=owner)
    content = items.ITEMS.read_bytes()
    upload = campaign_items.keep(made, items.ITEMS.name, content, by=owner)
    list(campaign_items.load(made, upload, by=owner))
    setup.change(made, {"k": 1, "check_every": 0}, by=owner)
    setup.add_members(made, ["owner"], [], by=owner)
    return setup.open_campaign(made, by=owner)


def test_five_minutes_on_the_sample_project(open_page, owner: User) -> None:
    project = sample.load(owner)
    page = open_page(owner, width=1280, height=800)
    at = f"/p/{project.slug}"

    page.goto(f"{at}/judge/{own_campaign(project, owner).code}/")
    expect(page.locator("#card")).to_be_visible()
    done = Judgment.objects.filter(state="done").count()
    page.keyboard.type("44")
    keep(page, "judge")
    page.keyboard.press("Enter")
    wait_saved(page)
    wait_done(page, done + 1)

    pair = Pair.objects.filter(corpus__name="Sample pairs").order_by("pk").first()
    page.goto(f"{at}/pair/{pair.code}/")
    expect(page.locator("svg .link").first).to_be_visible()
    keep(page, "link")

    page.goto(f"{at}/sentence/{pair.source.code}/")
    expect(page.locator("svg").first).to_be_visible()
    keep(page, "parse")

    simulated = Campaign.objects.get(project=project, is_simulated=True)
    page.goto(f"{at}/agreement/campaign/{simulated.code}/")
    expect(page.locator("#pairs")).to_be_visible()
    keep(page, "report")

"""Axe finds nothing of any weight on a campaign's pages, a manager's or a judge's."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.urls import reverse
from playwright.sync_api import expect

from annotator.models import Campaign, Judgment
from annotator.services.campaigns import setup
from tests.annotator.campaigns_cast import HEADER, campaign, rows
from tests.annotator.judged import judged
from tests.browser.pictures import keep_picture
from tests.cast import Cast

pytestmark = pytest.mark.browser

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
OPTIONS = {"runOnly": {"type": "tag", "values": TAGS}}


@pytest.fixture
def people(live) -> Cast:
    return Cast()


def check(page, url: str, name: str) -> None:
    page.goto(url)
    page.evaluate(
        "document.querySelectorAll('main details').forEach(one => { one.open = true })"
    )
    check_shown(page, name)


def check_shown(page, name: str) -> None:
    keep_picture(page, name)
    found = Axe().run(page, options=OPTIONS).response["violations"]
    told = [(v["id"], [n["html"][:160] for n in v["nodes"]][:4]) for v in found]
    assert not told, (name, told)


@pytest.mark.parametrize("width", [1280, 390])
def test_a_draft_and_its_rules(open_page, people, width: int) -> None:
    text = HEADER + rows(40) + rows(3, kind="gold", gold="4")
    made = campaign(people, text=text, people=2, is_open=False, overlap_share=0.2)
    page = open_page(people.ada, width=width, height=844)
    here = [people.project.slug, made.code]
    for name in ("campaign", "campaign_rules", "campaign_design", "campaign_people"):
        check(page, reverse(name, args=here), f"{name}-draft-{width}")


@pytest.mark.parametrize("width", [1280, 390])
def test_a_campaign_that_was_judged(open_page, people, width: int) -> None:
    made = judged(people, copies=2, k=2)
    Campaign.objects.update(state="open")
    Judgment.objects.filter(participant__label="A2").update(active_ms=300)
    page = open_page(people.ada, width=width, height=844)
    here = [people.project.slug, made.campaign.code]
    pages = ("campaign", "campaign_people", "campaign_items", "campaign_flags")
    for name in (*pages, "curation", "campaign_rules"):
        check(page, reverse(name, args=here), f"{name}-{width}")
    who = made.participants[1].code
    check(page, reverse("campaign_annotator", args=[*here, who]), f"annotator-{width}")
    report = reverse("report", args=[here[0], "campaign", here[1]])
    check(page, report, f"report-{width}")


@pytest.mark.parametrize("width", [1280, 390])
def test_all_that_a_judge_sees(open_page, people, width: int) -> None:
    training = rows(1, kind="training", gold="5", why="Nothing is lost.")
    made = campaign(people, text=HEADER + rows(2) + training)
    other = campaign(people, text=HEADER + rows(3), mode="grid")
    setup.write_guideline(made, "## Meaning first", by=people.ada)
    page = open_page(people.bob, width=width, height=844)
    here = people.project.slug
    check(page, reverse("judging", args=[here]), f"judge-choose-{width}")
    check(page, reverse("judge_messages", args=[here, made.code]), f"told-{width}")
    page.goto(reverse("judge", args=[here, made.code]))
    expect(page.locator("#guideline-dialog")).to_be_visible()
    check_shown(page, f"judge-guidelines-{width}")
    page.keyboard.press("Escape")
    expect(page.locator("#guideline-dialog")).to_be_hidden()
    for key, dialog in (("s", "skip"), ("f", "flag"), ("?", "help")):
        page.keyboard.press(key)
        expect(page.locator(f"#{dialog}-dialog")).to_be_visible()
        check_shown(page, f"judge-{dialog}-{width}")
        page.keyboard.press("Escape")
    page.get_by_role("button", name="Settings").click()
    check_shown(page, f"judge-settings-{width}")
    page.keyboard.press("Escape")
    for _ in range(3):
        page.keyboard.type("44")
        check_shown(page, f"judge-item-{width}")
        page.keyboard.press("Enter")
        there = page.locator("#card:visible, #feedback:visible, #notice:visible")
        expect(there).to_have_count(1)
        check_shown(page, f"judge-after-{width}")
        page.keyboard.press("Enter")
    expect(page.locator("#notice h2")).to_have_text("All done")
    page.goto(reverse("judge", args=[here, other.code]))
    expect(page.locator("#card")).to_be_visible()
    check_shown(page, f"judge-grid-{width}")

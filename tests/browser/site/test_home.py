"""The home page and the overview: straight into the work, at two widths and themes."""

import re

import pytest
from playwright.sync_api import expect

from annotator.models import Corpus, Job, Judgment, Pair
from annotator.services.projects import invitations
from tests import cast as people
from tests.annotator import campaigns_cast
from tests.browser.campaigns.test_campaigns import press
from tests.browser.pictures import keep_picture
from tests.browser.test_uploads import fits
from tests.cast import Cast

pytestmark = pytest.mark.browser


@pytest.fixture
def busy(live) -> Cast:
    """A project in which something of everything goes on."""
    cast = Cast()
    made = campaigns_cast.campaign(cast, n=12, people=3, k=2)
    for one in made.participants.all():
        for i, held in enumerate(campaigns_cast.draw(made, one.user, 6)):
            campaigns_cast.judge(held, {"meaning": 1 + i % 4, "grammar": 2 + i % 3})
    other = made.participants.exclude(user=cast.bob).first()
    type(other).objects.filter(pk=other.pk).update(
        state="blocked", n_checks=5, n_checks_failed=3
    )
    Judgment.objects.filter(participant=other, pk__gt=0).update(flag="A word lacks")
    started = campaigns_cast.campaign(cast, n=4, is_open=False)
    started.participants.all().delete()
    for name, state in (("Letters", "proposed"), ("Recipes", "none")):
        corpus = people.corpus(cast.project, name)
        people.pair(corpus, people.SOURCE, people.TARGET)
        Pair.objects.filter(corpus=corpus).update(
            state=state, has_parse=state != "none"
        )
    Corpus.objects.create(project=cast.project, name="Treebank", n_sentences=412)
    job = {"project": cast.project, "kind": "parse"}
    Job.objects.create(**job, title="Parse Recipes", state="running", total=40, done=25)
    Job.objects.create(**job, title="Parse Letters", state="failed")
    invitations.invite(cast.project, role="annotator", by=cast.ada)
    return cast


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("name", ["ada", "bob"])
def test_home_and_overview_fit(
    open_page, check_axe, busy: Cast, name: str, width: int
) -> None:
    page = open_page(getattr(busy, name), width=width)
    for place, title in (("/", "home"), ("/p/windows/", "overview")):
        page.goto(place)
        if name == "ada" and title == "overview":
            expect(page.locator("main")).to_contain_text("α")
        assert fits(page)
        check_axe(page)
        keep_picture(page, f"{title}-{name}-{width}")


def test_continue_leads_straight_into_judging_and_into_editing(
    open_page, busy: Cast
) -> None:
    page = open_page(busy.bob)
    page.goto("/")
    press(page, "a.button[href*='/judge/']")
    expect(page.locator("#original")).to_be_visible()
    page.goto("/")
    press(page, "a.button[href*='/pair/']")
    expect(page.get_by_role("toolbar", name="Editor")).to_be_visible()


def test_the_loop_is_walked_by_keyboard(open_page, busy: Cast) -> None:
    page = open_page(busy.ada)
    page.goto("/p/windows/")
    page.get_by_role("link", name="How it works").focus()
    page.keyboard.press("Tab")
    expect(page.locator(".next .button")).to_be_focused()
    for title in ("Make paraphrases", "Judge", "Parse together", "Align phrases"):
        page.keyboard.press("Tab")
        expect(page.locator(".station:focus")).to_contain_text(title)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Corpora")


def test_the_next_step_of_the_loop_is_one_click(open_page, busy: Cast) -> None:
    page = open_page(busy.ada)
    page.goto("/p/windows/")
    step = page.locator(".next .button")
    address = step.get_attribute("href")
    step.click()
    expect(page).to_have_url(re.compile(f"{re.escape(address)}$"))

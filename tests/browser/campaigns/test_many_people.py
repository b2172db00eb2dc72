"""Hundreds of people, by keyboard: found by name, ticked, their ticks kept."""

import pytest
from django.contrib.auth import get_user_model
from playwright.sync_api import expect

from annotator.models import Batch, Membership, Participant
from tests.annotator.campaigns_cast import campaign
from tests.browser.campaigns.test_campaigns import press, tab_to
from tests.browser.pictures import keep_picture
from tests.cast import Cast

pytestmark = pytest.mark.browser
SIDEWAYS = "document.documentElement.scrollWidth > document.documentElement.clientWidth"


@pytest.fixture
def people(live) -> Cast:
    cast = Cast()
    users = get_user_model().objects
    made = users.bulk_create([users.model(username=f"judge{n:03}") for n in range(240)])
    Membership.objects.bulk_create(
        [Membership(project=cast.project, user=one, role="annotator") for one in made]
    )
    return cast


def test_one_is_found_by_name_and_added(open_page, people, check_axe) -> None:
    made = campaign(people, n=2)
    url = f"/p/{people.project.slug}/campaign/{made.code}/people/"
    page = open_page(people.ada)
    page.goto(url)
    tab_to(page, "#q")
    page.keyboard.type("judge23")
    page.keyboard.press("Enter")
    expect(page.locator("[name=person]")).to_have_count(10)
    check_axe(page)
    press(page, "[value=judge237]", "Space")
    press(page, "form.card:has([name=person]) button")
    expect(page.locator(".messages")).to_contain_text("1 annotator added.")
    assert made.participants.filter(user__username="judge237").exists()


def test_ticks_of_a_page_are_there_when_one_comes_back(open_page, people) -> None:
    made = campaign(people, n=2)
    page = open_page(people.ada)
    page.goto(f"/p/{people.project.slug}/campaign/{made.code}/people/")
    page.check("[value=judge004]")
    page.get_by_role("link", name="Next page").click()
    expect(page.locator("[value=judge104]")).to_be_visible()
    page.check("[value=judge104]")
    page.get_by_role("link", name="Previous page").click()
    expect(page.locator("[value=judge004]")).to_be_checked()
    page.get_by_role("link", name="Next page").click()
    expect(page.locator("[value=judge104]")).to_be_checked()
    expect(page.locator("[name=person]:checked")).to_have_count(1)


@pytest.mark.parametrize("width", [1280, 390])
def test_pages_of_many_people_fit_the_screen(
    open_page, people, check_axe, width: int
) -> None:
    made = campaign(people, n=2)
    Batch.objects.create(campaign=made, name="Second", position=1)
    judges = get_user_model().objects.filter(username__lt="judge120")
    for user in judges.filter(username__startswith="judge"):
        Participant.objects.create(campaign=made, user=user, label=user.username)
    page = open_page(people.ada, width=width)
    for name, end in (
        ("chosen", f"campaign/{made.code}/people/?q=judge1"),
        ("chosen-all", f"campaign/{made.code}/people/?members=2&judges=2"),
        ("members", "people/?people=2"),
        ("nobody", "people/?q=nobody"),
    ):
        page.goto(f"/p/{people.project.slug}/{end}")
        check_axe(page)
        assert not page.evaluate(SIDEWAYS), name
        keep_picture(page, f"people-{name}-{width}")

"""Settings, the log and links of a project: they fit, by keyboard, without a fault."""

import pytest
from playwright.sync_api import Page, expect

from annotator.models import Campaign, Removal
from annotator.services.projects import invitations, removals
from tests.annotator import campaigns_cast
from tests.browser.pictures import keep_picture
from tests.browser.test_uploads import fits
from tests.cast import Cast

pytestmark = pytest.mark.browser


@pytest.fixture
def made(live) -> tuple[Cast, Campaign]:
    cast = Cast()
    made = campaigns_cast.campaign(cast)
    (held, *_) = campaigns_cast.draw(made, cast.bob, 2)
    campaigns_cast.judge(held, {"meaning": 4, "grammar": 5})
    for uses, note in ((1, "for Dan"), (30, "the Tuesday class")):
        invitations.invite(
            cast.project,
            role="annotator",
            by=cast.ada,
            campaign=made,
            max_uses=uses,
            note=note,
        )
    rehearsal = campaigns_cast.campaign(cast)
    removals.remove(rehearsal, by=cast.ada)
    return cast, made


@pytest.mark.parametrize("width", [1280, 390])
def test_they_fit(open_page, check_axe, made, width: int) -> None:
    cast, campaign = made
    page = open_page(cast.ada, width=width)
    here = f"campaign/{campaign.code}/"
    places = ("settings/", f"settings/{here}", f"{here}people/", "people/", "log/")
    for place in places:
        page.goto(f"/p/windows/{place}")
        assert fits(page), place
        check_axe(page)
        keep_picture(page, f"{place.split('/')[0]}-{len(place)}-{width}")


def test_deleted_by_its_name_and_restored_by_keyboard(open_page, made) -> None:
    cast, campaign = made
    page: Page = open_page(cast.ada)
    page.goto(f"/p/windows/settings/campaign/{campaign.code}/")
    expect(page.locator("main")).to_contain_text("1 judgment")
    page.get_by_label("to delete it").focus()
    page.keyboard.type(campaign.name)
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").first).to_contain_text("was deleted")
    assert Removal.objects.count() == 2
    page.get_by_role("button", name=f"Restore {campaign.name}").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").first).to_contain_text("was restored")
    assert Campaign.objects.visible_to(cast.ada).get() == campaign

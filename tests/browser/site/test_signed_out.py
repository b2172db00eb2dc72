"""A session that ends in the middle of work is renewed over whatever page it is."""

import pytest
from django.contrib.sessions.models import Session
from playwright.sync_api import Page, expect

from annotator.models import AlignmentLayer, Project, TreeDraft
from tests.annotator import joint_cast
from tests.browser.editing import NURSE_S, NURSE_T, editor, press, saved
from tests.browser.pictures import keep_picture
from tests.cast import PASSWORD

__all__ = ["editor"]
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def sign_in_over(page: Page) -> None:
    dialog = page.locator("#sign-in-dialog")
    expect(dialog).to_be_visible()
    expect(page.locator("#sign-in-password")).to_be_focused()
    page.keyboard.type(PASSWORD)
    press(page, "Enter")
    expect(dialog).to_be_hidden()


@pytest.mark.parametrize("ended", ["sessionid", None])
def test_a_form_is_sent_once_its_person_is_in_again(
    cast, open_page, check_axe, ended
) -> None:
    """The session alone has ended, or all cookies are gone."""
    page = open_page(cast.ada)
    page.goto("/p/windows/settings/")
    page.get_by_label("Description").fill("Windows, and who opened them.")
    page.context.clear_cookies(**({"name": ended} if ended else {}))
    page.get_by_role("button", name="Save").press("Enter")
    expect(page.locator("#sign-in-dialog")).to_be_visible()
    check_axe(page)
    keep_picture(page, "sign-in-over-a-form")
    sign_in_over(page)
    expect(page.locator(".messages")).to_be_visible()
    assert Project.objects.get(slug="windows").description.startswith("Windows, and")


def test_a_form_waits_for_whoever_signs_in_later(cast, open_page) -> None:
    page = open_page(cast.ada)
    page.goto("/p/windows/settings/")
    page.get_by_label("Description").fill("Windows.")
    Session.objects.all().delete()
    page.get_by_role("button", name="Save").click()
    page.get_by_role("button", name="Later").click()
    expect(page.get_by_label("Description")).to_have_value("Windows.")
    page.get_by_role("button", name="Save").click()
    sign_in_over(page)
    expect(page.locator(".messages")).to_be_visible()
    assert Project.objects.get(slug="windows").description == "Windows."


def test_a_step_on_a_tree_goes_on(cast, open_page) -> None:
    page = open_page(cast.bob)
    page.set_default_timeout(120_000)  # the first page loads the parsers
    page.goto(f"/p/windows/sentence/{cast.pair.source.code}/tree/")
    page.wait_for_selector("html[data-editor=ready]")
    Session.objects.all().delete()
    page.focus('.tn[data-v="1"]')
    press(page, "r")
    page.keyboard.type("NX")
    press(page, "Enter")
    sign_in_over(page)
    expect(page.locator("input[name=base_rev]")).to_have_value("1")
    assert TreeDraft.objects.get().revision == 1


def test_a_link_is_saved_once_its_person_is_in_again(editor, cast) -> None:
    page = editor()
    Session.objects.all().delete()
    page.click(NURSE_S)
    page.click(NURSE_T)
    sign_in_over(page)
    saved(page)
    layer = AlignmentLayer.objects.get(author=cast.bob)
    assert layer.links["links"] == [["n1", "n10", "sure"]]


def test_a_verdict_is_sent_once_its_person_is_in_again(cast, open_page) -> None:
    run = joint_cast.ledger(cast, 2, domain="letters", operations="lex")
    page = open_page(cast.bob)
    page.goto(f"/p/windows/ledger/{run.code}/")
    expect(page.locator('body[data-ready="ledger"]')).to_be_attached()
    Session.objects.all().delete()
    press(page, "j", "3")
    sign_in_over(page)
    expect(page.locator("#saved")).to_have_text("Saved")
    assert joint_cast.changes(run)[0].verdict == "both"

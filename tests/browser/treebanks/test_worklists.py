"""Work handed out by a manager and done by an annotator, by keys alone."""

import pytest
from playwright.sync_api import expect

from annotator.models import WorkShare
from tests.browser.pictures import keep_picture

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize("width", [1280, 390])
def test_work_is_handed_out_and_done(cast, open_page, check_axe, width: int) -> None:
    page = open_page(cast.ada, width=width)
    page.goto(f"/p/windows/corpus/{cast.corpus.code}/search/?q=NP")
    page.get_by_role("link", name="Assign as work").press("Enter")
    expect(page.get_by_label("Query (empty")).to_have_value("NP")
    page.get_by_label("Name").fill("Objects")
    page.get_by_label("In this order").select_option("shortest")
    page.get_by_label("People for each").fill("2")
    page.get_by_label("bob").press("Space")
    page.get_by_role("button", name="Assign").press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("2 people per item")
    expect(page.get_by_label("Name")).to_have_value("Objects")
    expect(page.get_by_label("bob")).to_be_checked()
    check_axe(page)
    keep_picture(page, f"worklists-{width}")
    page.get_by_label("People for each").fill("1")
    page.get_by_role("button", name="Assign").press("Enter")
    expect(page.locator("main")).to_contain_text("0 of 2 done")
    his = open_page(cast.bob, width=width)
    his.goto("/p/windows/")
    check_axe(his)
    his.get_by_role("button", name="Continue with Objects").press("Enter")
    his.wait_for_selector("html[data-editor=ready]")
    his.focus(".tn[data-v='1']")
    his.keyboard.press("r")
    his.keyboard.type("NX")
    his.keyboard.press("Enter")
    expect(his.locator("input[name=base_rev]")).to_have_value("1")
    assert his.evaluate("document.documentElement.scrollWidth") <= width
    check_axe(his)
    keep_picture(his, f"work-{width}")
    his.get_by_role("button", name="Done, next").press("Enter")
    expect(his.get_by_label("Worklist")).to_contain_text("1 done by you")
    his.get_by_label("Note").fill("no gold")
    his.get_by_role("button", name="Skip").press("Enter")
    expect(his.locator("main")).to_contain_text("You have finished this list")
    check_axe(his)
    done = WorkShare.objects.get(state="done")
    assert "(NX" in done.parse.text
    page.reload()
    expect(page.locator("main")).to_contain_text("1 of 2 done")
    expect(page.locator("main")).to_contain_text("no gold")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    check_axe(page)
    keep_picture(page, f"worklist-{width}")
    page.get_by_role("button", name="Remove bob").press("Enter")
    expect(page.locator("main")).to_contain_text("Removed")


def test_a_pair_is_done_from_its_page(cast, open_page, check_axe) -> None:
    page = open_page(cast.ada)
    page.goto(f"/p/windows/corpus/{cast.corpus.code}/worklists/")
    page.get_by_label("Name").fill("Pairs")
    page.get_by_label("Work on").select_option("pair")
    page.get_by_label("ada").check()
    page.get_by_role("button", name="Assign").click()
    page.get_by_role("button", name="Continue").click()
    page.wait_for_selector("html[data-editor=ready]")
    check_axe(page)
    keep_picture(page, "work-pair-1280")
    page.get_by_role("button", name="Done, next").click()
    expect(page.locator("main")).to_contain_text("You have finished this list")

"""Rules declared, problems listed, and the tree mended where they are."""

import pytest
from playwright.sync_api import expect

from annotator.services.treebanks import rules
from tests.browser.pictures import keep_picture

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize("width", [1280, 390])
def test_rules_are_declared_and_their_breaches_listed(
    cast, open_page, check_axe, width: int
) -> None:
    page = open_page(cast.ada, width=width)
    page.goto(f"/p/windows/corpus/{cast.corpus.code}/")
    page.get_by_role("link", name="Problems in trees").press("Enter")
    page.get_by_label("One rule per line").fill("forbid VP: NP\nnever: NP <")
    page.get_by_role("button", name="Save rules").press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("line 2, column 12")
    expect(page.get_by_label("One rule per line")).to_have_value(
        "forbid VP: NP\nnever: NP <"
    )
    check_axe(page)
    page.get_by_label("One rule per line").fill(
        "forbid VP: NP # objects\nlabels: S NP VP"
    )
    page.get_by_role("button", name="Save rules").press("Enter")
    expect(page.locator("main")).to_contain_text("2 sentences with problems")
    expect(page.locator("main")).to_contain_text(
        "NP may not be a child of VP (objects)"
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    check_axe(page)
    keep_picture(page, f"problems-{width}")


@pytest.mark.parametrize("width", [1280, 390])
def test_the_editor_says_what_is_wrong_while_it_is_typed(
    cast, open_page, check_axe, width: int
) -> None:
    rules.keep(cast.corpus, "labels: S NP VP\nneed VP: NP", seen=0, by=cast.ada)
    page = open_page(cast.bob, width=width)
    page.goto(f"/p/windows/sentence/{cast.pair.target.code}/tree/")
    page.wait_for_selector("html[data-editor=ready]")
    expect(page.locator("#problems li")).to_have_count(3)
    expect(page.locator(".tn.wrong")).to_have_count(3)
    page.get_by_role("button", name="Show").nth(2).press("Enter")
    expect(page.locator('.tn[data-v="8"]')).to_be_focused()
    page.keyboard.press("r")
    page.keyboard.type("PPP")
    expect(page.locator("#typed-problems")).to_contain_text("PPP is not a label")
    page.locator("#label").fill("NP")
    expect(page.locator("#typed-problems")).to_contain_text("1 problem")
    check_axe(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    keep_picture(page, f"editor-problems-{width}")
    page.keyboard.press("Enter")
    expect(page.locator("#problems li")).to_have_count(1)
    page.locator("#text").fill("(S (NX")
    expect(page.locator("#typed-problems")).to_contain_text("line 1")

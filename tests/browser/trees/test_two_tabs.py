"""One tree in two tabs: who comes second chooses, by keys alone, and loses nothing."""

import pytest
from playwright.sync_api import Page, expect

from annotator.models import TreeDraft
from annotator.services.parses import drafts, gold
from tests import cast as people
from tests.annotator.parses.test_arc_drafts import parsed
from tests.annotator.parses.test_tree_drafts import play
from tests.browser.editing import press
from tests.browser.pictures import keep_picture
from tests.browser.trees.test_tree_editor import at, node, revision

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
# S NP DT NN VP VBD NP DT NN . : the numbers of the nodes
FLAT = people.SOURCE.replace("(NP (DT the) (NN window))", "(DT the) (NN window)")


@pytest.fixture
def tabs(cast, open_page):
    """Two pages of one person at one sentence."""

    def opened(part: str = "tree", *, width: int = 1280):
        pages = [open_page(cast.bob, width=width) for _ in range(2)]
        for page in pages:
            page.set_default_timeout(120_000)
            page.goto(f"/p/windows/sentence/{cast.pair.source.code}/{part}/")
            page.wait_for_selector("html[data-editor=ready]")
        return pages

    return opened


def relabelled(page, label: str = "NX") -> None:
    page.focus(node(1))
    press(page, "r")
    page.keyboard.type(label)
    press(page, "Enter")


@pytest.mark.parametrize("width", [1280, 390])
def test_mine_goes_on_top_by_keys_alone(tabs, check_axe, width: int) -> None:
    first, second = tabs(width=width)
    relabelled(first)
    revision(first, 1)
    second.focus(node(6))
    press(second, "Delete")
    expect(second.locator("#choice button").first).to_be_focused()
    expect(second.locator("#choice")).to_contain_text("gets the label NX")
    expect(second.locator("#choice")).to_contain_text("NP “the window” is removed")
    check_axe(second)
    keep_picture(second, f"two-tabs-{width}")
    assert second.evaluate("document.documentElement.scrollWidth") <= width
    press(second, "Tab", "Enter")
    revision(second, 2)
    expect(second.locator("#choice")).to_have_count(0)
    both = FLAT.replace("(NP (DT The)", "(NX (DT The)")
    assert TreeDraft.objects.get().text == both
    press(second, "u")
    revision(second, 3)


def relabel(page: Page, v: int, label: str) -> None:
    page.focus(node(v))
    press(page, "r")
    page.keyboard.type(label)
    press(page, "Enter")


def test_theirs_is_kept_by_keys_alone_and_typed_brackets_stay(tabs) -> None:
    first, second = tabs()
    relabelled(first)
    revision(first, 1)
    typed = people.SOURCE.replace("VP", "VX")
    second.fill("#text", typed)
    second.get_by_role("button", name="Use these brackets").press("Enter")
    expect(second.locator("#choice button").first).to_be_focused()
    press(second, "Enter")
    expect(second.locator(".messages")).to_contain_text("Theirs is kept")
    revision(second, 1)
    expect(second.locator("#text")).to_have_value(typed)
    assert "NX" in TreeDraft.objects.get().text


def test_what_does_not_apply_any_more_is_said(tabs, check_axe) -> None:
    first, second = tabs()
    first.focus(node(6))
    press(first, "Delete")
    revision(first, 1)
    relabel(second, 6, "NX")
    expect(second.locator("#choice-not")).to_contain_text("is not there any more")
    expect(second.locator("#choice button")).to_have_count(1)
    check_axe(second)
    press(second, "Enter")
    revision(second, 1)
    assert TreeDraft.objects.get().text == FLAT


def test_arcs_in_two_tabs(cast, tabs, check_axe) -> None:
    parsed(cast.pair.source)
    first, second = tabs("arcs")
    first.focus(node(3))
    press(first, "m", "ArrowLeft", "m")
    revision(first, 1)
    relabel(second, 1, "nsubj")
    expect(second.locator("#choice")).to_contain_text("“the” attaches to “opened”")
    check_axe(second)
    keep_picture(second, "two-tabs-arcs-1280")
    press(second, "Tab", "Enter")
    revision(second, 2)
    at(second, 1)
    deps = TreeDraft.objects.get().to_arcs().deps
    assert (deps.heads[3], deps.labels[1]) == (2, "nsubj")


def test_two_curators_choose_the_gold_tree(cast, open_page, check_axe) -> None:
    cast.project.memberships.filter(user=cast.bob).update(role="manager")
    page = open_page(cast.ada)
    page.set_default_timeout(120_000)
    page.goto(f"/p/windows/sentence/{cast.pair.source.code}/tree/")
    page.wait_for_selector("html[data-editor=ready]")
    page.focus(node(6))
    press(page, "r")
    page.keyboard.type("NZ")
    press(page, "Enter")
    revision(page, 1)
    his = drafts.start(cast.pair.source, by=cast.bob)
    play(his, "relabel", node=1, label="NX")
    seen = gold.gold_of(cast.pair.source).code
    gold.save_as_gold(his, by=cast.bob, seen=seen)
    page.get_by_role("button", name="Save as gold").press("Enter")
    expect(page.locator("#choice")).to_contain_text("Only in theirs (bob)")
    expect(page.locator("#choice")).to_contain_text("NX “The nurse”")
    check_axe(page)
    keep_picture(page, "two-curators-1280")
    press(page, "Tab", "Enter")
    expect(page.locator(".messages")).to_contain_text("You have 1 unsaved step on top")
    revision(page, 3)
    page.get_by_role("button", name="Save as gold").press("Enter")
    expect(page.locator(".messages")).to_contain_text("This is the gold tree now")
    both = people.SOURCE.replace("(NP (DT The)", "(NX (DT The)")
    both = both.replace("(NP (DT the)", "(NZ (DT the)")
    assert gold.gold_of(cast.pair.source).text == both

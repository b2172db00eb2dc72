"""One tree in two tabs, or by two curators: who comes second overwrites nothing."""

import pytest
from playwright.sync_api import expect

from annotator.models import TreeDraft
from annotator.services.parses import drafts, gold
from tests import cast as people
from tests.annotator.parses.test_tree_drafts import play
from tests.browser.editing import press
from tests.browser.pictures import keep_picture
from tests.browser.trees.test_tree_editor import node, revision

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
def test_who_comes_second_sees_the_tree_as_it_is(tabs, check_axe, width: int) -> None:
    first, second = tabs(width=width)
    relabelled(first)
    revision(first, 1)
    second.focus(node(6))
    press(second, "Delete")
    expect(second.locator("#refused")).to_contain_text("changed in the meantime")
    revision(second, 1)
    check_axe(second)
    keep_picture(second, f"two-tabs-{width}")
    assert second.evaluate("document.documentElement.scrollWidth") <= width
    second.focus(node(6))
    press(second, "Delete")
    revision(second, 2)
    both = FLAT.replace("(NP (DT The)", "(NX (DT The)")
    assert TreeDraft.objects.get().text == both


def test_typed_brackets_stay(tabs) -> None:
    first, second = tabs()
    relabelled(first)
    revision(first, 1)
    typed = people.SOURCE.replace("VP", "VX")
    second.fill("#text", typed)
    second.get_by_role("button", name="Use these brackets").press("Enter")
    expect(second.locator("#refused")).to_contain_text("changed in the meantime")
    expect(second.locator("#text")).to_have_value(typed)
    second.get_by_role("button", name="Use these brackets").press("Enter")
    revision(second, 2)
    assert TreeDraft.objects.get().text == typed


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
    expect(page.locator(".messages")).to_contain_text("This is the gold tree now")
    mine = people.SOURCE.replace("(NP (DT the)", "(NZ (DT the)")
    assert gold.gold_of(cast.pair.source).text == mine

"""Phrases split and joined in a browser: by keys alone, by mouse and in the table."""

import pytest
from playwright.sync_api import expect

from annotator.models import TreeDraft
from tests import cast as people
from tests.browser.editing import press, said
from tests.browser.pictures import keep_picture
from tests.browser.trees.test_tree_editor import at, node, revision, trees

__all__ = ["trees"]

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
# S NP DT NN VP VBD NP DT NN . : the numbers of the nodes
PARTED = people.SOURCE.replace(
    "(NP (DT The) (NN nurse))", "(NP (DT The)) (NP (NN nurse))"
)


@pytest.mark.parametrize("width", [1280, 390])
def test_by_keys_alone_and_undone_after_a_reload(trees, check_axe, width: int) -> None:
    page = trees(width=width)
    page.focus(node(3))
    press(page, "Shift+S")
    revision(page, 1)
    at(page, 1)
    assert TreeDraft.objects.get().text == PARTED
    expect(page.locator(node(3))).to_have_attribute("data-label", "NP")
    check_axe(page)
    keep_picture(page, f"split-phrase-{width}")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.reload()
    page.wait_for_selector("html[data-editor=ready]")
    page.focus(node(1))
    press(page, "Shift+J")
    revision(page, 2)
    at(page, 1)
    assert TreeDraft.objects.get().text == people.SOURCE
    for n in (3, 4):
        press(page, "u")
        revision(page, n)
    assert TreeDraft.objects.get().text == people.SOURCE
    press(page, "U")
    revision(page, 5)
    assert TreeDraft.objects.get().text == PARTED


def test_sisters_of_several_labels_ask_for_one(trees) -> None:
    page = trees()
    page.focus(node(1))
    press(page, "Space", "ArrowRight", "Shift+J")
    said(page, "type the label for all")
    expect(page.locator("#label")).to_be_focused()
    expect(page.locator("#label")).to_have_value("NP")
    page.keyboard.type("SX")
    press(page, "Enter")
    revision(page, 1)
    at(page, 1)
    text = "(S (SX (DT The) (NN nurse) (VBD opened) (NP (DT the) (NN window))) (. .))"
    assert TreeDraft.objects.get().text == text
    press(page, "u")
    revision(page, 2)
    assert TreeDraft.objects.get().text == people.SOURCE
    page.focus(node(9))
    press(page, "Shift+J")
    said(page, "there is no other")


def test_by_mouse_and_in_the_table(trees) -> None:
    page = trees()
    page.locator(node(3)).click()
    page.get_by_role("button", name="Split phrase here").click()
    revision(page, 1)
    page.locator("#table-part summary").click()
    page.locator("input[name=node][value='1']").check()
    page.locator("input[name=other][value='3']").check()
    page.get_by_role("button", name="Join phrases").click()
    revision(page, 2)
    assert TreeDraft.objects.get().text == people.SOURCE
    page.locator("input[name=node][value='0']").check()
    page.get_by_role("button", name="Split phrase here").click()
    expect(page.locator("#refused")).to_contain_text("Choose the child")

"""Secondary edges in a browser: drawn and removed by keys alone and by mouse alone."""

import pytest
from playwright.sync_api import expect

from annotator.models import TreeDraft
from tests.browser.editing import press, said
from tests.browser.pictures import keep_picture
from tests.browser.trees.test_tree_editor import at, node, revision, trees

__all__ = ["trees"]

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
# S NP DT NN VP VBD NP DT NN . : the numbers of the nodes


def edges() -> list[list]:
    return TreeDraft.objects.get().meta.get("secondary", [])


def no_wider(page, width: int) -> None:
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("width", [1280, 390])
def test_by_keys_alone_and_undone(trees, check_axe, width: int) -> None:
    page = trees(width=width)
    page.focus(node(1))
    press(page, "e")
    said(page, "click the other node, or go to it and press e")
    press(page, "ArrowRight", "ArrowDown", "ArrowRight", "e")
    expect(page.locator("#second")).to_be_focused()
    page.keyboard.type("SB")
    press(page, "Enter")
    revision(page, 1)
    at(page, 1)
    assert edges() == [[1, 6, "SB"]]
    said(page, "secondary edge SB to NP “the window”")
    expect(page.locator(".secedges text")).to_have_text("SB")
    check_axe(page)
    keep_picture(page, f"secondary-edge-{width}")
    no_wider(page, width)
    press(page, "e", "ArrowRight", "e", "Enter")  # another one, without a label
    revision(page, 2)
    assert edges() == [[1, 4, ""], [1, 6, "SB"]]
    press(page, "Shift+E")
    expect(page.locator("#secedge")).to_be_focused()
    press(page, "Enter")
    revision(page, 3)
    press(page, "Shift+E")
    revision(page, 4)
    expect(page.locator(".secedges")).to_have_count(0)
    press(page, "Shift+E")
    said(page, "No secondary edge begins at this node")
    press(page, "u")
    revision(page, 5)
    assert edges() == [[1, 6, "SB"]]


@pytest.mark.parametrize("width", [1280, 390])
def test_by_mouse_alone(trees, width: int) -> None:
    page = trees(width=width)
    page.locator(node(8)).click()
    page.get_by_role("button", name="Add edge").click()
    expect(page.locator("#second-hint")).to_contain_text("NN, window")
    page.locator(node(1)).click()
    expect(page.locator("#second-hint")).to_contain_text("To NP")
    page.get_by_role("button", name="Add edge").click()
    revision(page, 1)
    assert edges() == [[8, 1, ""]]
    no_wider(page, width)
    page.get_by_role("button", name="Remove edge").click()
    revision(page, 2)
    assert edges() == []


def test_escape_leaves_it_and_the_table_does_without_the_drawing(trees) -> None:
    page = trees()
    page.focus(node(1))
    press(page, "e", "ArrowRight", "Escape")
    expect(page.locator("#second-hint")).to_be_hidden()
    page.locator("#table-part summary").click()
    page.locator("input[name=node][value='1']").check()
    page.locator("input[name=other][value='5']").check()
    page.fill("#second", "OA")
    page.get_by_role("button", name="Add edge").click()
    revision(page, 1)
    assert edges() == [[1, 5, "OA"]]
    row = page.locator("#table-part tr", has=page.locator("[name=node][value='1']"))
    expect(row).to_contain_text("secondary edge OA to VBD “opened”")
    offered = page.locator("#functions option")
    assert [one.get_attribute("value") for one in offered.all()] == ["OA"]


def test_an_edge_that_goes_with_its_node_is_named(trees) -> None:
    page = trees()
    page.focus(node(6))
    press(page, "e", "ArrowUp", "e", "Enter")
    revision(page, 1)
    press(page, "Delete")
    revision(page, 2)
    said(page, "1 secondary edge was removed with its node")
    expect(page.locator(".messages")).to_contain_text("Undo brings it back")
    press(page, "u")
    revision(page, 3)
    assert edges() == [[6, 4, ""]]

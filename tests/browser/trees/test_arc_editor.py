"""Editing arcs in a browser: by keys alone, by mouse, in the table, in CoNLL-U."""

import pytest
from playwright.sync_api import expect

from annotator.models import TreeDraft
from tests.annotator.parses.test_arc_drafts import LINES, MENDED, parsed
from tests.browser.editing import press, said
from tests.browser.pictures import keep_picture
from tests.browser.trees.test_tree_editor import at, node, revision

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def arcs(cast, open_page):
    parsed(cast.pair.source)

    def opened(user=None, **how):
        page = open_page(user or cast.bob, **how)
        page.set_default_timeout(120_000)
        page.goto(f"/p/windows/sentence/{cast.pair.source.code}/arcs/")
        page.wait_for_selector("html[data-editor=ready]")
        return page

    return opened


def test_arcs_are_edited_by_keys_alone_and_undone_after_a_reload(
    arcs, check_axe
) -> None:
    page = arcs()
    page.focus(node(0))
    press(page, "ArrowUp")
    at(page, 1)
    press(page, "r")
    expect(page.locator("#label")).to_have_value("obj")
    page.keyboard.type("nsubj")
    press(page, "Enter")
    revision(page, 1)
    at(page, 1)
    assert TreeDraft.objects.get().text == MENDED
    press(page, "ArrowRight", "ArrowRight", "m")
    said(page, "Picked the")
    press(page, "ArrowLeft", "m")
    revision(page, 2)
    at(page, 3)
    expect(page.locator(node(3))).to_have_attribute("data-up", "2")
    check_axe(page)
    keep_picture(page, "arcs-1280")
    press(page, "ArrowRight", "o")
    revision(page, 3)
    expect(page.locator(node(4))).to_have_attribute("data-label", "root")
    page.reload()
    page.wait_for_selector("html[data-editor=ready]")
    for n in (4, 5, 6):
        page.focus(node(0))
        press(page, "u")
        revision(page, n)
    assert TreeDraft.objects.get().text == LINES


def test_by_mouse_two_clicks_and_the_head(arcs) -> None:
    page = arcs()
    page.locator(node(5)).click()
    page.locator(node(5)).click()
    said(page, "Picked .")
    page.locator(node(4)).click()
    revision(page, 1)
    expect(page.locator(node(5))).to_have_attribute("data-up", "4")


def test_a_cell_of_the_table_is_edited(arcs) -> None:
    page = arcs()
    page.locator("[data-cell='1'][data-column=feats]").click()
    expect(page.locator("#value")).to_be_focused()
    page.keyboard.type("Number=Sing|Case=Nom")
    press(page, "Enter")
    revision(page, 1)
    assert "\tNN\tCase=Nom|Number=Sing\t3\tobj" in TreeDraft.objects.get().text
    cell = page.locator("[data-cell='1'][data-column=deps]")
    cell.click()
    page.keyboard.type("9:nsubj")
    press(page, "Enter")
    expect(page.locator("#refused")).to_contain_text("with the numbers of words")


def test_in_the_table_and_in_lines_on_a_phone(arcs, check_axe) -> None:
    page = arcs(width=390)
    page.locator("input[name=node][value='1']").check()
    page.fill("#label", "nsubj")
    page.get_by_role("button", name="Set relation").click()
    revision(page, 1)
    page.fill("#text", MENDED.replace("6\t.\t.", "6\t!\t!"))
    page.get_by_role("button", name="Use these lines").click()
    expect(page.locator("#refused")).to_contain_text("word 6 is '!'")
    expect(page.locator("#text")).to_be_focused()
    check_axe(page)
    keep_picture(page, "arcs-390")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.fill("#text", MENDED.replace("3\tobj", "3\tobl"))
    page.get_by_role("button", name="Use these lines").click()
    revision(page, 2)
    assert "obl" in TreeDraft.objects.get().text


def test_between_brackets_and_arcs_the_focus_stays_on_the_word(arcs) -> None:
    page = arcs()
    page.focus(node(3))
    press(page, "v")
    page.wait_for_url("**/tree/#word-3")
    page.wait_for_selector("html[data-editor=ready]")
    focused = page.locator(".tn:focus")
    expect(focused).to_have_attribute("data-word", "3")
    expect(focused).to_have_attribute("data-label", "DT")
    press(page, "ArrowRight")
    page.click("#other-editor")
    page.wait_for_url("**/arcs/#word-4")
    page.wait_for_selector("html[data-editor=ready]")
    at(page, 4)

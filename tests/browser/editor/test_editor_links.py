"""Deciding in the editor: by keyboard, by mouse, in the table, without scripts."""

import pytest
from playwright.sync_api import expect

from annotator.models import AlignmentLayer, Origin
from core.data.alignment import Alignment, Link
from tests.browser.editing import (
    NURSE_S,
    NURSE_T,
    OPENED_S,
    OPENED_T,
    WINDOW_S,
    WINDOW_T,
    at,
    editor,
    layer_of,
    press,
    said,
    saved,
    shot,
    state,
)

__all__ = ["editor"]
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def suggest(cast) -> AlignmentLayer:
    """What an engine proposes on the same trees."""
    links = (
        Link("n1", "n10", attrs={"prob": "0.9"}),
        Link("w0", "w5", attrs={"prob": "0.8"}),
        Link("w1", "w6", attrs={"prob": "0.2"}),
    )
    return AlignmentLayer.objects.create(
        pair=cast.pair,
        origin=Origin.ENGINE,
        engine="forest",
        version="1",
        slot=AlignmentLayer.slot_of(Origin.ENGINE, engine="forest", version="1"),
        source_parse=cast.layer.source_parse,
        target_parse=cast.layer.target_parse,
        links=Alignment(links).to_json(),
        n_links=3,
    )


@pytest.mark.smoke
def test_a_link_is_made_nulled_undone_and_redone_by_keyboard(editor, cast) -> None:
    page = editor()
    page.focus(NURSE_S)
    press(page, "Space")
    said(page, "Picked NP The nurse")
    page.focus(NURSE_T)
    press(page, "Space")
    said(page, "Linked NP The nurse to NP the nurse")
    state(page, NURSE_S, "linked")
    saved(page)
    shot(page, "linked")
    assert [k.cell for k in layer_of(cast).links] == [("n1", "n10")]
    press(page, "Enter")
    at(page, NURSE_S)
    press(page, "0")
    state(page, NURSE_S, "null")
    state(page, NURSE_T, "undecided")
    press(page, "Control+z")
    state(page, NURSE_T, "linked")
    press(page, "Control+Shift+z")
    state(page, NURSE_S, "null")
    saved(page)
    assert layer_of(cast).null_source == {"n1"}
    press(page, "Control+z")
    saved(page)
    page.reload()
    page.wait_for_selector("html[data-editor=ready]")
    state(page, NURSE_S, "linked")
    page.focus(NURSE_S)
    press(page, "Control+z")  # the ledger is the server's: undo outlives the page
    state(page, NURSE_S, "undecided")
    press(page, "Control+y")
    state(page, NURSE_S, "linked")
    saved(page)
    assert page.url.endswith(f"/pair/{cast.pair.code}/")


def test_a_new_link_replaces_the_old_one_and_says_so(editor, cast) -> None:
    page = editor()
    for target in (WINDOW_T, NURSE_T):
        page.focus(NURSE_S)
        press(page, "Space")
        page.focus(target)
        press(page, "Space")
    said(page, "instead of NP The window")
    saved(page)
    assert [k.cell for k in layer_of(cast).links] == [("n1", "n10")]


def test_two_links_on_a_phrase_are_allowed_and_flagged(editor, cast) -> None:
    page = editor()
    for target, key in ((WINDOW_T, "Space"), (NURSE_T, "Shift+Space")):
        page.focus(NURSE_S)
        press(page, "Space")
        page.focus(target)
        press(page, key)
    saved(page)
    assert len(layer_of(cast).links) == 2
    page.click("#tab-problems")
    expect(page.locator("#panel")).to_contain_text("has 2 links")
    page.get_by_role("button", name="Keep the first").click()
    saved(page)
    assert len(layer_of(cast).links) == 1


def test_kinds_clear_and_crossing(editor, cast) -> None:
    page = editor()
    page.focus(OPENED_S)
    press(page, "Space")
    page.focus(OPENED_T)
    press(page, "Space", "2")
    expect(page.locator("#links path.possible")).to_have_count(1)
    press(page, "c")
    expect(page.locator("#links path.crossing")).to_have_count(1)
    press(page, "c", "1")
    expect(page.locator("#links path.sure:not(.crossing)")).to_have_count(1)
    press(page, "Delete")
    state(page, OPENED_S, "undecided")
    saved(page)
    assert layer_of(cast).links == ()


def test_the_undecided_rest_of_a_subtree_is_nulled_in_one_step(editor, cast) -> None:
    page = editor()
    page.focus("#s-n4")
    press(page, "Shift+Digit0")
    expect(page.locator("#ask-head")).to_have_text("Null for 5 undecided?")
    shot(page, "ask")
    press(page, "Enter")
    state(page, WINDOW_S, "null")
    saved(page)
    assert layer_of(cast).null_source == {"n4", "w2", "n6", "w3", "w4"}
    at(page, "#s-n4")
    press(page, "Control+z")
    saved(page)
    assert layer_of(cast).null_source == frozenset()


def test_n_and_p_go_from_one_undecided_node_to_the_next(editor) -> None:
    page = editor()
    page.focus("#s-n0")
    press(page, "n")
    at(page, NURSE_S)
    press(page, "0", "n")
    at(page, "#s-w0")
    press(page, "p")
    at(page, "#s-n0")
    saved(page)


def test_suggestions_are_accepted_one_by_one_and_below(editor, cast) -> None:
    suggest(cast)
    page = editor()
    state(page, NURSE_S, "suggested")
    shot(page, "suggested")
    page.focus(NURSE_S)
    press(page, "a")
    state(page, NURSE_S, "linked")
    press(page, "ArrowUp", "Shift+A")
    expect(page.locator("#ask-head")).to_have_text("Accept one suggestion?")
    press(page, "Enter")
    state(page, "#s-w0", "linked")
    state(page, "#s-w1", "suggested")  # 0.2 is below the threshold
    saved(page)
    assert len(layer_of(cast).links) == 2


def test_e_goes_through_the_problems_and_they_can_be_ignored(editor, cast) -> None:
    page = editor()
    page.focus(NURSE_S)
    press(page, "Space")
    page.focus(NURSE_T)
    press(page, "Space")
    saved(page)
    press(page, "e")
    expect(page.locator("#news")).to_contain_text("whole sentences are not linked")
    at(page, "#s-n0")
    page.get_by_role("button", name="Ignore").first.click()
    page.fill("#ask-note", "only a fragment")
    page.click("#ask-yes")
    expect(page.locator("#panel")).to_contain_text("only a fragment")
    shot(page, "problems")
    page.get_by_role("button", name="Count again").click()
    page.get_by_role("button", name="Link", exact=True).first.click()
    state(page, "#s-n0", "linked")
    saved(page)


def test_click_and_click_links_and_the_menu_shows_its_keys(editor, cast) -> None:
    page = editor()
    page.click(NURSE_S)
    state(page, NURSE_S, "picked")
    page.click(NURSE_T)
    state(page, NURSE_T, "linked")
    page.click(WINDOW_S, button="right")
    menu = page.locator("#menu")
    expect(menu).to_contain_text("No counterpart")
    shot(page, "menu")
    menu.get_by_role("menuitem", name="No counterpart").click()
    state(page, WINDOW_S, "null")
    page.click("#s-w0")
    page.click("#s-null")
    state(page, "#s-w0", "null")
    saved(page)


def test_dragging_links_too(editor) -> None:
    page = editor()
    page.drag_and_drop(OPENED_S, OPENED_T)
    state(page, OPENED_S, "linked")
    saved(page)


def test_every_box_can_be_hit(editor) -> None:
    page = editor()
    for box in page.locator(".n rect").all():
        size = box.bounding_box()
        assert size["width"] >= 24, size
        assert size["height"] >= 23.9, size


def test_the_table_has_the_same_commands(editor, cast, check_axe) -> None:
    page = editor()
    page.focus(NURSE_S)
    press(page, "t")
    expect(page.locator("#table input[value=n1]").first).to_be_focused()
    page.check("#table input[name=s][value=n1]")
    page.check("#table input[name=t][value=n10]")
    page.click("#table button[value=link]")
    row = page.locator("#table table[data-side=s] tr[data-r=n1]")
    expect(row.locator("[data-c=partner]")).to_have_text("NP the nurse")
    saved(page)
    page.click("#table button[value=possible]")
    expect(row.locator("[data-c=kind]")).to_have_text("possible")
    page.click("#table button[value=undo]")
    page.click("#table button[value=null]")
    expect(row.locator("[data-c=state]")).to_have_text("null")
    saved(page)
    check_axe(page)
    assert layer_of(cast).null_source == {"n1"}


def test_without_scripts_the_table_posts_plain_forms(editor, cast, open_page) -> None:
    page = open_page(cast.bob, java_script_enabled=False)
    page.goto(f"/p/{cast.project.slug}/pair/{cast.pair.code}/")
    page.get_by_role("link", name="The table has the same commands").click()
    page.check("input[name=s][value=n1]")
    page.check("input[name=t][value=n10]")
    page.click("button[value=link]")
    expect(page.locator("tr[data-r=n1]").first).to_contain_text("NP the nurse")
    page.click("button[value=undo]")
    expect(page.locator("tr[data-r=n1]").first).not_to_contain_text("NP the nurse")
    assert layer_of(cast).links == ()
    page.click("button[value=link]")
    expect(page.locator("main")).to_contain_text("Choose a row")
    shot(page, "plain")

"""The aligned-trees editor by keyboard, by mouse, in two tabs, and without a server."""

import os
import re

import pytest
from playwright.sync_api import Page, expect

from annotator.models import AlignmentLayer, Membership, Origin, Parse
from core.data.alignment import Alignment, Link
from tests import cast as people

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
SHOTS = os.environ.get("GEMEL_SHOTS", "")
OTHER = "(S (NP (DT The) (NN nurse)) (VP (VBD opened) (DT the) (NN window)) (. .))"
# S NP DT NN VP VBD NP DT NN .  /  S NP DT NN VP VBD VP VBN PP IN NP DT NN .
NURSE_S, WINDOW_S, OPENED_S = "#s-n1", "#s-n6", "#s-w2"
WINDOW_T, NURSE_T, OPENED_T = "#t-n1", "#t-n10", "#t-w3"


@pytest.fixture
def editor(cast, open_page):
    """The editor of the cast's pair: ``editor()`` opens it as Bob."""

    def opened(user=None, *, width: int = 1280, query: str = "", page=None, **more):
        page = page or open_page(user or cast.bob, width=width, **more)
        page.set_default_timeout(30_000)
        page.goto(f"/p/{cast.project.slug}/pair/{cast.pair.code}/{query}")
        page.wait_for_selector("html[data-editor=ready]")
        return page

    return opened


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def at(page: Page, node: str) -> None:
    expect(page.locator(node)).to_be_focused()


def saved(page: Page) -> None:
    expect(page.locator("#saved")).to_have_text("All saved")


def said(page: Page, text: str) -> None:
    expect(page.locator("#live")).to_contain_text(text)


def state(page: Page, node: str, name: str) -> None:
    expect(page.locator(node)).to_have_class(re.compile(rf"\b{name}\b"))


def shot(page: Page, name: str) -> None:
    if SHOTS:
        page.screenshot(path=f"{SHOTS}/{name}.png", full_page=True)


def layer_of(cast) -> Alignment:
    return AlignmentLayer.objects.get(pk=cast.layer.pk).to_core()


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


def test_arrows_walk_the_tree_and_x_crosses_over(editor) -> None:
    page = editor()
    page.focus("#s-n0")
    press(page, "ArrowDown")
    at(page, NURSE_S)
    press(page, "ArrowRight")
    at(page, "#s-n4")
    press(page, "ArrowDown", "ArrowRight")
    at(page, WINDOW_S)
    press(page, "ArrowLeft")
    at(page, OPENED_S)
    press(page, "ArrowUp", "ArrowUp")
    at(page, "#s-n0")
    press(page, "x")
    at(page, "#t-n0")
    press(page, "ArrowUp")
    said(page, "Nothing there")
    press(page, "x")
    at(page, "#s-n0")


def test_each_tree_is_one_tab_stop_and_names_its_nodes(editor, check_axe) -> None:
    page = editor()
    for side in ("s", "t"):
        tree = page.locator(f"#side-{side}[role=tree]")
        expect(tree.locator("[role=treeitem][tabindex='0']")).to_have_count(1)
    expect(page.locator(WINDOW_S)).to_have_attribute("aria-level", "3")
    name = "NP, the window, words 4 to 5, undecided"
    expect(page.locator(WINDOW_S)).to_have_attribute("aria-label", name)
    check_axe(page)


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


def test_another_tree_parks_links_and_brings_them_back(editor, cast) -> None:
    people.parse(cast.pair.source, OTHER, engine="toy")
    page = editor()
    for source, target in ((WINDOW_S, WINDOW_T), (NURSE_S, NURSE_T)):
        page.focus(source)
        press(page, "Space")
        page.focus(target)
        press(page, "Space")
    page.focus(NURSE_S)
    press(page, ".")
    expect(page.locator("#line")).to_contain_text("1 of 2 links exist in tree 2; 1 par")
    state(page, NURSE_S, "linked")
    state(page, WINDOW_T, "parked")
    expect(page.locator(f"{WINDOW_T} .lock")).to_have_count(1)
    shot(page, "parked")
    press(page, ",")
    expect(page.locator("#line")).to_contain_text("2 of 2 links exist in tree 1; 0 par")
    state(page, WINDOW_S, "linked")
    page.click("#tab-trees")
    expect(page.locator("#panel")).to_contain_text("NP 4–5")
    shot(page, "trees")


def test_one_tree_only_is_said(editor) -> None:
    page = editor()
    page.focus(NURSE_S)
    press(page, ".")
    said(page, "no n-best supplied")


def test_e_goes_through_the_problems_and_they_can_be_ignored(editor, cast) -> None:
    page = editor()
    page.focus(NURSE_S)
    press(page, "Space")
    page.focus(NURSE_T)
    press(page, "Space")
    saved(page)
    press(page, "e")
    expect(page.locator("#line")).to_contain_text("whole sentences are not linked")
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


def test_views_zoom_help_and_pick_are_no_steps(editor, cast) -> None:
    people_deps(cast)
    page = editor()
    page.focus(OPENED_S)
    press(page, "v")
    expect(page.locator(".arcs path")).to_have_count(6)
    at(page, OPENED_S)
    press(page, "ArrowDown")
    at(page, "#s-w1")
    press(page, "ArrowUp")
    at(page, OPENED_S)
    press(page, "v")
    expect(page.locator("#s-n4")).to_be_visible()
    shot(page, "both")
    press(page, "v")
    expect(page.locator(".arcs")).to_have_count(0)
    width = page.locator("#canvas svg").get_attribute("width")
    press(page, "+")
    assert page.locator("#canvas svg").get_attribute("width") != width
    press(page, "-", "=")
    press(page, "Space", "Escape")
    said(page, "Pick dropped")
    press(page, "?")
    expect(page.locator("#help")).to_be_visible()
    shot(page, "help")
    press(page, "Escape")
    at(page, OPENED_S)
    assert cast.layer.events.count() == 0


def people_deps(cast) -> None:
    heads = (2, 3, 0, 5, 3, 3)
    rows = [
        f"{i}\t{word}\t_\t_\t_\t_\t{head}\tdep\t_\t_"
        for i, (word, head) in enumerate(
            zip(cast.pair.source.forms, heads, strict=True), 1
        )
    ]
    Parse.objects.create(
        sentence=cast.pair.source,
        kind=Parse.Kind.DEPENDENCY,
        origin=Origin.GOLD,
        text="\n".join(rows),
        digest="d",
    )


def test_a_phrase_folds_and_its_links_hang_from_it(editor) -> None:
    page = editor()
    page.focus("#s-w3")
    press(page, "Space")
    page.focus("#t-w0")
    press(page, "Space")
    page.locator("#s-n4 rect").dblclick()
    expect(page.locator("#s-n4")).to_have_attribute("aria-expanded", "false")
    expect(page.locator("#s-w3")).to_have_count(0)
    expect(page.locator("#links path")).to_have_count(1)
    at(page, "#s-n4")
    shot(page, "folded")
    press(page, "ArrowDown")
    expect(page.locator("#s-w3")).to_be_visible()
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
    assert layer_of(cast).links == ()
    page.click("button[value=link]")
    expect(page.locator("main")).to_contain_text("Choose a row")
    shot(page, "plain")


def test_compare_shows_letters_copies_and_rejects(editor, cast) -> None:
    others = []
    for name in ("dan", "eve", "fay"):
        user = people.person(name)
        Membership.objects.create(project=cast.project, user=user, role="annotator")
        others.append(people.layer(cast.pair, author=user))
    for i, layer in enumerate(others):
        links = [Link("w1", "w6"), *([Link("w2", "w3")] if i else [])]
        links += [Link("n1", "n1")] if i == 2 else []
        layer.links = Alignment(tuple(links)).to_json()
        layer.save()
    AlignmentLayer.objects.filter(pk=cast.layer.pk).update(author=cast.ada)
    page = editor(cast.ada)
    page.focus("#s-n0")
    press(page, "o")
    letters = page.locator(".badge text")
    expect(letters).to_have_text(["ABC", "BC", "C"])
    shot(page, "compare")
    page.get_by_role("button", name="2 of 3").click()
    expect(letters).to_have_text(["BC"])
    page.get_by_role("button", name="Unanimous").click()
    page.locator(".badge").click()
    state(page, "#s-w1", "linked")
    page.get_by_role("button", name="Single").click()
    page.locator(".badge").click(modifiers=["Shift"])
    page.fill("#ask-note", "the window is not the nurse")
    page.click("#ask-yes")
    expect(letters).to_have_count(0)
    saved(page)
    kept = AlignmentLayer.objects.get(pk=cast.layer.pk).meta["editor"]["rejected"]
    assert list(kept.values()) == ["the window is not the nurse"]


def test_done_closes_the_layer_until_it_is_opened_again(editor, cast) -> None:
    page = editor()
    page.click("#done")
    expect(page.locator("#read-only")).to_contain_text("This layer is done")
    page.focus(NURSE_S)
    press(page, "0")
    said(page, "cannot be changed")
    page.locator("#read-only button").click()
    expect(page.locator("#read-only")).to_be_hidden()
    at(page, NURSE_S)
    press(page, "0")
    saved(page)


def test_ones_own_second_tab_reads_until_it_takes_over(editor) -> None:
    first = editor()
    second = editor(page=first.context.new_page())
    expect(second.locator("#read-only")).to_contain_text("another tab")
    second.get_by_role("button", name="Take over").click()
    expect(second.locator("#read-only")).to_be_hidden()
    expect(first.locator("#read-only")).to_contain_text("another tab")
    second.focus(NURSE_S)
    press(second, "0")
    saved(second)


def gold(cast) -> str:
    Membership.objects.filter(user=cast.bob).update(role="curator")
    return f"?layer={people.layer(cast.pair).code}"


def test_edits_beside_each_other_both_count(editor, cast) -> None:
    query = gold(cast)
    bob, ada = editor(query=query), editor(cast.ada, query=query)
    bob.focus(NURSE_S)
    press(bob, "0")
    saved(bob)
    ada.focus(WINDOW_S)
    press(ada, "0")
    saved(ada)
    expect(ada.locator("#line")).to_contain_text("bob changed this layer too")
    state(ada, NURSE_S, "null")
    state(ada, WINDOW_S, "null")


@pytest.mark.parametrize(
    ("choice", "cells"),
    [
        ("mine", [("w1", "w1")]),
        ("theirs", [("w1", "w6")]),
        ("both", [("w1", "w1"), ("w1", "w6")]),
    ],
)
def test_a_clash_is_asked_link_by_link(editor, cast, choice: str, cells) -> None:
    query = gold(cast)
    bob, ada = editor(query=query), editor(cast.ada, query=query)
    for page, target in ((bob, "#t-w6"), (ada, "#t-w1")):
        page.focus("#s-w1")
        press(page, "Space")
        page.focus(target)
        press(page, "Space")
        if page is bob:
            saved(bob)
    expect(ada.locator("#merge")).to_contain_text("bob changed the same nodes")
    shot(ada, "merge")
    ada.locator(f"#merge input[value={choice}]").check()
    ada.get_by_role("button", name="Go on").click()
    expect(ada.locator("#merge")).to_be_hidden()
    saved(ada)
    found = AlignmentLayer.objects.get(code=query.removeprefix("?layer="))
    assert [link.cell for link in found.to_core().links] == cells


def test_without_a_server_steps_are_shown_kept_and_sent_later(editor, cast) -> None:
    page = editor()
    page.context.route("**/ops/", lambda route: route.abort())
    page.focus(NURSE_S)
    press(page, "0")
    state(page, NURSE_S, "null")
    expect(page.locator("#saved")).to_contain_text("Not saved yet: 1 kept here")
    shot(page, "offline")
    page.context.unroute("**/ops/")
    page.reload()
    page.wait_for_selector("html[data-editor=ready]")
    state(page, NURSE_S, "null")
    saved(page)
    assert layer_of(cast).null_source == {"n1"}
    assert cast.layer.events.count() == 1


def test_a_step_is_shown_before_the_server_answers(editor) -> None:
    page = editor()
    page.context.route("**/ops/", lambda route: None)  # never answered
    page.focus(NURSE_S)
    press(page, "0")
    state(page, NURSE_S, "null")
    press(page, "Control+z")
    state(page, NURSE_S, "undecided")
    expect(page.locator("#saved")).to_have_text("Saving…")


def test_a_first_step_starts_ones_own_layer(editor, cast) -> None:
    page = editor(cast.ada)
    page.focus(NURSE_S)
    press(page, "0", "n", "0")
    saved(page)
    made = AlignmentLayer.objects.get(author=cast.ada)
    assert made.to_core().null_source == {"n1", "w0"}


def test_a_viewer_reads_and_cannot_change(editor, cast) -> None:
    Membership.objects.filter(user=cast.bob).update(role="viewer")
    page = editor()
    expect(page.locator("#read-only")).to_contain_text("changing it is not yours")
    page.click(NURSE_S)
    press(page, "0")
    said(page, "cannot be changed")


def test_a_long_pair_opens_folded_with_the_table_first(editor, cast, open_page) -> None:
    side = " ".join(
        f"(NP (DT the) (NN house{i}) (PP (IN of) (NN x)))" for i in range(16)
    )
    pair = people.pair(cast.corpus, f"(S {side})", f"(S {side} (. .))")
    page = open_page(cast.bob)
    page.goto(f"/p/{cast.project.slug}/pair/{pair.code}/")
    page.wait_for_selector("html[data-editor=ready]")
    expect(page.locator("#table table")).to_have_count(2)
    expect(page.locator("#side-s .n.f")).to_have_count(16)
    shot(page, "long")


@pytest.mark.parametrize("width", [1280, 390])
def test_it_fits_the_window_and_axe_is_content(editor, check_axe, width: int) -> None:
    page = editor(width=width)
    wide = page.evaluate("() => document.documentElement.scrollWidth")
    assert wide <= width
    check_axe(page)
    shot(page, f"width-{width}")


def test_history_tells_each_step(editor) -> None:
    page = editor()
    page.focus(NURSE_S)
    press(page, "0", "Control+z")
    saved(page)
    page.click("#tab-history")
    expect(page.locator("#panel")).to_contain_text("∅ NP The nurse")
    expect(page.locator("#panel")).to_contain_text("undo of step 1")

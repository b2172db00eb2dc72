"""Finding one's way in the editor: walking, trees, views, folding, any width."""

import pytest
from playwright.sync_api import expect

from annotator.models import Origin, Parse
from tests import cast as people
from tests.browser.editing import (
    NURSE_S,
    NURSE_T,
    OPENED_S,
    WINDOW_S,
    WINDOW_T,
    at,
    editor,
    press,
    said,
    saved,
    shot,
    state,
)

__all__ = ["editor"]
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
OTHER = "(S (NP (DT The) (NN nurse)) (VP (VBD opened) (DT the) (NN window)) (. .))"


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
    expect(page.locator("#news")).to_contain_text(
        "1 of 2 links exist in tree 2; 1 on hold"
    )
    state(page, NURSE_S, "linked")
    state(page, WINDOW_T, "parked")
    expect(page.locator(f"{WINDOW_T} .lock")).to_have_count(1)
    shot(page, "parked")
    press(page, ",")
    expect(page.locator("#news")).to_contain_text(
        "2 of 2 links exist in tree 1; 0 on hold"
    )
    state(page, WINDOW_S, "linked")
    page.click("#tab-trees")
    expect(page.locator("#panel")).to_contain_text("NP 4–5")
    shot(page, "trees")


def test_one_tree_only_is_said(editor) -> None:
    page = editor()
    page.focus(NURSE_S)
    press(page, ".")
    said(page, "no n-best supplied")


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


@pytest.fixture
def long_pair(cast):
    side = " ".join(
        f"(NP (DT the) (NN house{i}) (PP (IN of) (NN x)))" for i in range(16)
    )
    return people.pair(cast.corpus, f"(S {side})", f"(S {side} (. .))")


def test_a_long_pair_opens_folded_with_the_outline_first(
    cast, open_page, long_pair
) -> None:
    page = open_page(cast.bob)
    page.goto(f"/p/{cast.project.slug}/pair/{long_pair.code}/")
    page.wait_for_selector("html[data-editor=ready]")
    expect(page.locator("#outline [data-side=s] [aria-expanded=false]")).to_have_count(
        16
    )
    page.focus("#outline [data-key='s:n0']")
    press(page, "l")
    expect(page.locator("#side-s .n.f")).to_have_count(16)
    shot(page, "long")


def test_a_drawing_that_is_slow_to_come_is_waited_for(
    cast, open_page, long_pair
) -> None:
    page = open_page(cast.bob)
    held = []
    page.route("**/drawing/**", lambda route: held.append(route), times=1)
    page.goto(f"/p/{cast.project.slug}/pair/{long_pair.code}/")
    page.wait_for_selector("html[data-editor=ready]")
    page.focus("#outline [data-key='s:n0']")
    press(page, "l", "ArrowDown", "Space")
    expect(page.locator("#side-s")).to_have_count(0)
    for route in held:
        route.continue_()
    expect(page.locator("#side-s .n.f")).to_have_count(16)
    at(page, "#s-n0")


@pytest.mark.parametrize("width", [1280, 390])
def test_it_fits_the_window_and_axe_is_content(editor, check_axe, width: int) -> None:
    page = editor(width=width)
    wide = page.evaluate("() => document.documentElement.scrollWidth")
    assert wide <= width
    check_axe(page)
    shot(page, f"width-{width}")


def test_a_phrase_under_the_cursor_leads_to_its_first_word_among_arcs(
    editor, cast
) -> None:
    people_deps(cast)
    page = editor()
    page.focus(WINDOW_S)
    press(page, "v")
    expect(page.locator(".arcs path")).to_have_count(6)
    at(page, "#s-w3")


def test_news_leave_the_line_of_progress_and_done_says_what_is_left(
    editor, cast
) -> None:
    people.parse(cast.pair.source, OTHER, engine="toy")
    page = editor()
    page.focus(NURSE_S)
    press(page, ".")
    expect(page.locator("#news")).to_contain_text("links exist in tree 2")
    expect(page.locator("#line")).to_contain_text("undecided")
    saved(page)
    press(page, "d")
    expect(page.locator("#read-only")).to_contain_text("nodes left undecided")
    expect(page.locator("#line")).to_contain_text("left undecided")


def test_words_from_right_to_left_stay_where_they_belong(
    editor, cast, open_page
) -> None:
    arabic = "(S (VP (VBD فتحت) (NP (NN الممرضة)) (NP (NN النافذة))))"
    made = people.pair(cast.corpus, arabic, people.TARGET)
    page = open_page(cast.bob)
    page.goto(f"/p/windows/pair/{made.code}/")
    page.wait_for_selector("html[data-editor=ready]")
    page.focus("#s-n3")
    press(page, "Space")
    page.focus(NURSE_T)
    press(page, "Space")
    name = page.locator("#panel .go").first.inner_text()
    assert "\u2068الممرضة\u2069 = NP" in name
    text = page.locator(".pair-head bdi").first
    assert text.evaluate("e => getComputedStyle(e).direction") == "rtl"

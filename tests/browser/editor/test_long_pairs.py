"""Long sentences in the editor: the root first, an overview, less on the screen."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests import cast as people
from tests.browser.editing import at, press, said, saved, shot
from tests.long_pairs import long_pair

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def long_editor(cast, open_page):
    """The editor of a pair of so many words: ``long_editor(40)`` opens it as Bob.

    ``linked``: its gold links are in his layer.
    """

    def opened(n_words: int, *, linked: bool = True, **options):
        made = long_pair(n_words)
        pair = people.pair(cast.corpus, made.source, made.target)
        layer = people.layer(pair, author=cast.bob)
        if linked:
            layer.links = made.links.to_json()
            layer.save()
        page = open_page(cast.bob, **options)
        page.goto(f"/p/{cast.project.slug}/pair/{pair.code}/")
        page.wait_for_selector("html[data-editor=ready]")
        return page

    return opened


def in_sight(page: Page, node: str) -> bool:
    box, view = (page.locator(each).bounding_box() for each in (node, "#canvas"))
    across = view["x"] <= box["x"] <= view["x"] + view["width"] - box["width"]
    return across and view["y"] <= box["y"] <= view["y"] + view["height"]


def test_it_opens_at_the_root_and_the_overview_leads_elsewhere(
    long_editor, check_axe
) -> None:
    page = long_editor(40)
    assert in_sight(page, "#s-n0")
    assert not in_sight(page, "#t-n0")
    check_axe(page)
    page.focus("#map")
    press(page, "End")
    assert in_sight(page, "#t-n0")
    press(page, "ArrowUp", "ArrowUp")
    assert not in_sight(page, "#t-n0")
    press(page, "Home")
    assert in_sight(page, "#s-n0")
    box = page.locator("#map").bounding_box()
    page.mouse.click(box["x"] + 2, box["y"] + box["height"] / 2)
    assert in_sight(page, "#s-w0")
    shot(page, "overview")


def test_a_short_pair_needs_no_overview(long_editor) -> None:
    page = long_editor(10, height=1200)
    assert in_sight(page, "#s-n0")
    assert in_sight(page, "#t-n0")
    expect(page.locator("#map")).to_be_hidden()


def test_what_stands_around_goes_by_key_and_stays_away(long_editor) -> None:
    page = long_editor(40)
    page.focus("#s-n0")
    press(page, "h", "g", "m")
    for part in (".pair-head p >> nth=0", ".rail", "#map"):
        expect(page.locator(part)).to_be_hidden()
    page.reload()
    page.wait_for_selector("html[data-editor=ready]")
    expect(page.locator(".rail")).to_be_hidden()
    page.focus("#s-n0")
    press(page, "h", "g", "m")
    for part in (".pair-head p >> nth=0", ".rail", "#map"):
        expect(page.locator(part)).to_be_visible()
    press(page, "z")
    expect(page.locator("#pane-full")).to_have_attribute("aria-pressed", "true")
    assert page.evaluate("document.fullscreenElement.id") == "main"


@pytest.mark.parametrize("width", [1280, 390])
def test_the_outline_levels_what_is_linked(long_editor, check_axe, width: int) -> None:
    page = long_editor(80, width=width)
    expect(page.locator("#outline")).to_be_visible()
    places = [
        page.locator(f"#outline [data-key='{key}']").bounding_box()["y"]
        for key in ("s:n2", "t:n2")
    ]
    assert places[0] == places[1]
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    check_axe(page)
    shot(page, f"outline-{width}")


def row(page: Page, key: str) -> Locator:
    return page.locator(f"#outline [data-key='{key}']")


def test_links_are_made_and_removed_in_the_outline_by_keyboard(long_editor) -> None:
    page = long_editor(60, linked=False)
    if page.locator("#outline").is_hidden():
        page.focus("#s-n0")
        press(page, "l")
    row(page, "s:n0").focus()
    press(page, "ArrowDown", "ArrowDown")
    expect(row(page, "s:n2")).to_be_focused()
    press(page, "Space", "x", "Space")
    said(page, "Linked NP the old nurse")
    expect(row(page, "s:n2")).to_have_class(re.compile("linked"))
    saved(page)
    press(page, "Delete")
    expect(row(page, "s:n2")).to_have_class(re.compile("undecided"))
    press(page, "Control+z")
    expect(row(page, "s:n2")).to_have_class(re.compile("linked"))
    press(page, "ArrowLeft")
    expect(row(page, "t:n2")).to_have_attribute("aria-expanded", "false")
    press(page, "l")
    expect(page.locator("#t-n2")).to_have_class(re.compile(r"\bf\b"))
    at(page, "#t-n2")


def test_links_of_words_stay_away_from_a_long_pair_until_asked_for(long_editor) -> None:
    page = long_editor(40)
    words = page.locator("#links path.word:visible")
    expect(page.locator("#shown-links")).to_have_value("phrases")
    expect(words).to_have_count(0)
    page.focus("#s-w2")
    expect(words).to_have_count(1)
    press(page, "k")
    expect(page.locator("#shown-links")).to_have_value("words")
    expect(words).to_have_count(40)
    expect(page.locator("#links path:not(.word):visible")).to_have_count(0)


def test_one_phrase_alone_leaves_all_else_faint(long_editor) -> None:
    page = long_editor(25)
    page.focus("#s-n2")
    press(page, "i")
    said(page, "all else is faint")
    for node in ("#s-n2", "#s-n0", "#t-n2", "#s-w1"):
        expect(page.locator(node)).not_to_have_class(re.compile("faint"))
    for node in ("#s-w9", "#t-w9"):
        expect(page.locator(node)).to_have_class(re.compile("faint"))
    shot(page, "alone")
    press(page, "ArrowRight")
    expect(page.locator("#s-w9")).not_to_have_class(re.compile("faint"))
    press(page, "i")
    expect(page.locator(".faint")).to_have_count(0)


def test_what_both_sides_agree_about_folds_in_one_step(long_editor) -> None:
    page = long_editor(40)
    page.focus("#s-n0")
    press(page, "Shift+F")
    said(page, "Folded one phrase on both sides")
    expect(page.locator("#s-n1")).to_have_class(re.compile(r"\bf\b"))
    expect(page.locator("#t-n1")).to_have_class(re.compile(r"\bf\b"))
    shot(page, "agreed")
    press(page, "Shift+F")
    expect(page.locator("#s-w0")).to_be_visible()

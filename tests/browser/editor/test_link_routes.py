"""Links in the editor run where a figure has them, and each can be pointed at."""

import re

import pytest
from playwright.sync_api import Page, expect

from core.formats import ptb
from core.layout.links import LinkedSide, link_scene
from core.layout.routes import link_paths
from tests.browser.editing import at, press, shot
from tests.browser.editor.test_long_pairs import long_editor
from tests.long_pairs import long_pair

__all__ = ["long_editor"]
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
LINES = """() => import('/static/js/editor/editor.js').then(({ editor: { canvas } }) =>
    [...canvas.lines.values()].map(({ s, t, route }) => [s, t, route.d]))"""
# The middle of a link's line, on the screen.
PLACE = """(path) => { const at = path.getPointAtLength(path.getTotalLength() * 0.5);
    const to = at.matrixTransform(path.getScreenCTM()); return [to.x, to.y]; }"""


def lines(page: Page) -> list[list[str]]:
    return page.evaluate(LINES)


def drawn(n_words: int, folded: dict[str, int], links: list, **how) -> list[str]:
    """What the server draws of these links of a long pair."""
    made = long_pair(n_words)
    trees = {"s": ptb.parse_one(made.source), "t": ptb.parse_one(made.target)}
    sides = [
        LinkedSide(
            tree.words, tree, folded=frozenset({folded[s]} if s in folded else ())
        )
        for s, tree in trees.items()
    ]
    return link_paths(link_scene(*sides, **how), links)


@pytest.mark.parametrize("n_words", [10, 25, 60])
def test_the_page_has_the_paths_of_a_figure(long_editor, n_words: int) -> None:
    page = long_editor(n_words)
    if page.locator("#outline").is_visible():
        press(page, "l")
    page.select_option("#shown-links", "both")
    for across in (False, True):
        if across:
            page.click("#turn")
            page.wait_for_selector("svg.across")
        rows = lines(page)
        cells = [(s, t) for s, t, _ in rows]
        assert [d for _, _, d in rows] == drawn(n_words, {}, cells, across=across)
        shot(page, f"routes-{n_words}-{across}")


def test_links_that_are_not_shown_are_in_nobodys_way(long_editor) -> None:
    page = long_editor(40)
    rows = [row for row in lines(page) if row[0][2] == "n"]
    cells = [(s, t) for s, t, _ in rows]
    assert [d for _, _, d in rows] == drawn(40, {}, cells)


def test_a_link_that_goes_makes_room_for_the_others(long_editor) -> None:
    page = long_editor(25)
    before = lines(page)
    page.focus("#s-n1")
    press(page, "Delete")
    expect(page.locator("#s-n1")).to_have_class(re.compile("undecided"))
    rows = lines(page)
    assert len(rows) == len(before) - 1
    assert [d for _, _, d in rows] == drawn(25, {}, [(s, t) for s, t, _ in rows])


def test_a_folded_phrase_takes_the_links_of_what_is_in_it(long_editor) -> None:
    page = long_editor(25)
    page.dblclick("#s-n2")
    page.wait_for_selector("#s-n2.f")
    rows = lines(page)
    inside = [d for s, _, d in rows if s in ("s:w0", "s:w1", "s:n2")]
    ends = {d[1:].split("C")[0].split("L")[0] for d in inside}
    assert len(inside) > 2
    assert len(ends) == 1


def test_pointing_at_a_link_lights_it_and_a_click_leads_to_its_end(long_editor) -> None:
    page = long_editor(10, height=1200)
    for _, _, d in lines(page):
        path = page.locator(f"#links path[d='{d}']")
        page.mouse.move(*path.evaluate(PLACE))
        expect(path).to_have_class(re.compile(r"\blit\b"))
        expect(page.locator("#links path.lit")).to_have_count(1)
        expect(page.locator("#links path").last).to_have_class(re.compile(r"\blit\b"))
    expect(page.locator(".n.lit")).to_have_count(2)
    page.mouse.move(2, 2)
    expect(page.locator("#links path.lit")).to_have_count(0)
    line = page.locator("#links path.word").first
    d = line.get_attribute("d")
    (ends,) = ((s, t) for s, t, drawn_as in lines(page) if drawn_as == d)
    page.mouse.click(*line.evaluate(PLACE))
    focused = page.evaluate("document.activeElement.dataset.key")
    assert focused in ends
    at(page, f"#{focused.replace(':', '-')}")
    expect(page.locator(".n.picked")).to_have_count(0)

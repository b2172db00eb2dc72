"""The first discontinuous phrase of a tree in a browser, by keys and in the table."""

import pytest
from playwright.sync_api import expect

from annotator.models import TreeDraft
from tests import cast as people
from tests.annotator.parses.test_tree_drafts import came_as
from tests.browser.editing import press
from tests.browser.pictures import keep_picture
from tests.browser.trees.test_tree_editor import at, node, revision, trees

__all__ = ["trees"]

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
# S NP DT NN VP VBD NP DT NN . : the numbers of the nodes


@pytest.mark.parametrize("width", [1280, 390])
def test_a_move_makes_it_and_undo_closes_it(trees, cast, check_axe, width: int) -> None:
    came_as(cast.corpus, "tigerxml")
    page = trees(width=width)
    page.focus(node(6))  # "the window", to "The nurse"
    press(page, "m", "ArrowUp", "ArrowLeft", "m")
    revision(page, 1)
    at(page, 4)
    tree = TreeDraft.objects.get().to_tree()
    assert tree.yield_of(1) == (0, 1, 3, 4)
    expect(page.locator("#brackets-part")).to_contain_text("discontinuous phrases")
    page.locator("#table-part summary").click()
    expect(page.locator("#table-part")).to_contain_text("The nurse the window")
    check_axe(page)
    keep_picture(page, f"gap-{width}")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.focus(node(4))
    press(page, "u")
    revision(page, 2)
    assert TreeDraft.objects.get().text == people.SOURCE


def test_where_the_format_has_none_it_is_refused_with_the_reason(trees, cast) -> None:
    came_as(cast.corpus, "ptb")
    page = trees()
    page.focus(node(6))
    press(page, "m", "ArrowUp", "ArrowLeft", "m")
    expect(page.locator("#refused")).to_contain_text("Penn Treebank brackets")
    expect(page.locator("#refused")).to_contain_text("NP “The nurse” is not next to")
    at(page, 1)
    revision(page, 0)

"""Fix one attachment and the rest follows: by keys, in the drawing and in the table."""

import pytest
from playwright.sync_api import expect

from annotator.models import TreeDraft
from tests import cast as people
from tests.annotator.parses.test_consequences import HIGH, LOW, MOVED
from tests.browser.editing import press
from tests.browser.pictures import keep_picture
from tests.browser.trees.test_tree_editor import at, node, revision

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def opened(cast, open_page):
    made = people.sentence(cast.corpus, "She saw a man with a hat .")
    people.parse(made, HIGH, engine="toy")
    people.forest(made, (0.0, HIGH), (-1.0, LOW), engine="toy")

    other = people.parse(made, LOW, engine="toy", rank=2)

    def opened(*, low: bool = False, **how):
        page = open_page(cast.bob, **how)
        page.set_default_timeout(120_000)
        base = f"?base={other.code}" if low else ""
        page.goto(f"/p/windows/sentence/{made.code}/tree/{base}")
        page.wait_for_selector("html[data-editor=ready]")
        return page

    return opened


def test_the_rest_follows_and_is_refused_by_one_key(opened, check_axe) -> None:
    page = opened()
    page.focus(node(8))
    press(page, "m", "ArrowLeft", "m")
    revision(page, 2)
    expect(page.locator("#brought")).to_contain_text("Added: NP “a man”")
    expect(page.locator(".tn.came")).to_have_count(1)
    assert TreeDraft.objects.get().text == LOW
    check_axe(page)
    keep_picture(page, "trees-followed-1280")
    press(page, "u")
    revision(page, 3)
    expect(page.locator("#brought")).to_have_count(0)
    assert TreeDraft.objects.get().text == MOVED


def test_who_wants_nothing_to_follow_says_so_once(opened) -> None:
    page = opened()
    page.get_by_label("Adjust the rest automatically").uncheck()
    page.focus(node(8))
    press(page, "m", "ArrowLeft", "m")
    revision(page, 1)
    expect(page.get_by_label("Adjust the rest automatically")).not_to_be_checked()
    page.reload()
    expect(page.get_by_label("Adjust the rest automatically")).not_to_be_checked()


def test_where_the_parser_doubts_is_shaded_and_one_key_away(opened, check_axe) -> None:
    page = opened(width=390, low=True)
    expect(page.locator("#doubts")).to_contain_text("1 phrase of which")
    page.locator("#table-part summary").click()
    expect(page.locator("#table-part")).to_contain_text("27 %")
    page.focus(node(0))
    press(page, "n")
    at(page, 5)
    expect(page.locator(node(5))).to_have_attribute(
        "aria-label", "NP, a man with a hat, words 3 to 7, parser 27% sure"
    )
    check_axe(page)
    keep_picture(page, "trees-doubts-390")

"""What a judge sees without scrolling, and what is there again after a reload."""

import pytest
from playwright.sync_api import Page, expect

from annotator.models import Judgment
from tests.annotator.campaigns_cast import HEADER, campaign
from tests.browser.judging import start, wait_done, wait_saved, wait_until
from tests.browser.pictures import keep_picture
from tests.cast import Cast

pytestmark = pytest.mark.browser

SENTENCE = (
    "The committee will {} every proposal that small firms in the region have sent in "
    "before the end of the month, and answer each of them in writing."
)
IN_VIEW = """(selector) => [...document.querySelectorAll(selector)].every((one) => {
  const box = one.getBoundingClientRect();
  return box.height > 0 && box.top >= 0 && box.bottom <= innerHeight;
})"""


@pytest.fixture
def people(live) -> Cast:
    return Cast()


def long_items(n: int) -> str:
    rows = (
        f"{SENTENCE.format(f'take up number {i} and look into')}\tlook into\texamine"
        "\tc\t1\t\t\t\t\n"
        for i in range(n)
    )
    return HEADER + "".join(rows)


def are_in_view(page: Page, *selectors: str) -> dict[str, bool]:
    return {one: page.evaluate(IN_VIEW, one) for one in selectors}


def answer(page: Page, keys: str = "44") -> None:
    shown = page.locator("#original").text_content()
    page.keyboard.type(keys)
    page.keyboard.press("Enter")
    expect(page.locator("#original")).not_to_have_text(shown)


@pytest.mark.parametrize("size", [(1280, 720), (1366, 650)])
def test_all_of_an_item_is_seen_without_scrolling(open_page, people, size) -> None:
    width, height = size
    made = campaign(people, text=long_items(5))
    page = start(open_page, people, made, width=width, height=height)
    for _ in range(2):  # the second item as the first
        seen = are_in_view(
            page, "#count", "#chip", "#original", ".changed", "#rows .point", "#save"
        )
        assert all(seen.values()), seen
        answer(page)
    keep_picture(page, f"judge-{width}")


def test_no_value_stands_out_before_one_is_chosen(open_page, people) -> None:
    rings = """[...document.querySelectorAll("#rows .point")].map(
        (one) => getComputedStyle(one).outlineStyle)"""
    page = start(open_page, people, campaign(people, n=3))
    page.keyboard.press("Tab")  # from now on what is in focus shows its ring
    page.keyboard.press("Shift+Tab")
    expect(page.locator("[data-scale=meaning] input").first).to_be_focused()
    assert set(page.evaluate(rings)) == {"none"}
    page.keyboard.press("ArrowDown")
    assert page.evaluate(rings).count("solid") == 1


@pytest.mark.parametrize("size", [(683, 325), (390, 844), (320, 560)])
def test_sentences_and_state_stay_while_the_scales_scroll(
    open_page, people, size
) -> None:
    """The first is 1366 by 650 at a zoom of 200 %."""
    width, height = size
    made = campaign(people, text=long_items(5))
    page = start(open_page, people, made, width=width, height=height)
    answer(page)
    status = ("#count", "#chip", "#original")
    seen = are_in_view(page, *status)
    assert all(seen.values()), seen
    page.keyboard.type("4")  # on to the second scale, wherever it is
    seen = are_in_view(page, *status, "[data-scale=grammar] :focus")
    assert all(seen.values()), seen
    keep_picture(page, f"judge-{width}")


def test_a_half_answer_is_there_after_a_reload(open_page, people) -> None:
    page = start(open_page, people, campaign(people, n=6))
    answer(page)
    wait_saved(page)
    first = page.locator(".changed").text_content()
    page.keyboard.press("4")
    page.keyboard.press("c")
    page.keyboard.type("not su")
    page.reload()
    expect(page.locator("#draft")).to_be_visible()
    expect(page.locator(".changed")).to_have_text(first)
    expect(page.locator("[data-scale=meaning] input:checked")).to_have_value("4")
    expect(page.locator("#rows textarea")).to_have_value("not su")
    page.keyboard.press("r")
    page.keyboard.press("5")
    page.keyboard.press("Enter")
    wait_done(page, 2)
    assert Judgment.objects.filter(comment="not su", values__grammar=5).count() == 1
    page.reload()
    expect(page.locator("#card")).to_be_visible()
    expect(page.locator("#draft")).to_be_hidden()


def test_a_half_answer_can_be_discarded(open_page, people) -> None:
    page = start(open_page, people, campaign(people, n=3))
    page.keyboard.press("4")
    page.reload()
    page.get_by_role("button", name="Discard").click()
    expect(page.locator("#rows :checked")).to_have_count(0)
    page.reload()
    expect(page.locator("#card")).to_be_visible()
    expect(page.locator("#draft")).to_be_hidden()


def test_a_correction_that_was_begun_is_there_after_a_reload(open_page, people) -> None:
    page = start(open_page, people, campaign(people, n=3))
    answer(page)
    wait_saved(page)
    page.keyboard.press("u")
    page.keyboard.press("1")
    page.reload()
    expect(page.locator("#card")).to_be_visible()
    page.keyboard.press("u")
    expect(page.locator("#draft")).to_be_visible()
    expect(page.locator("[data-scale=meaning] input:checked")).to_have_value("1")
    assert Judgment.objects.get(state="done").values["meaning"] == 4


def test_items_are_kept_ahead_for_a_time_without_network(open_page, people) -> None:
    made = campaign(people, n=240)
    page = start(open_page, people, made)
    wait_until(page, lambda: Judgment.objects.filter(state="leased").count() == 52)
    page.context.set_offline(True)
    for _ in range(9):
        answer(page)
    expect(page.locator("#chip")).to_have_text(
        "9 answers saved on this device, not sent yet"
    )
    page.context.set_offline(False)
    wait_done(page, 9)

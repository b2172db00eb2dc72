"""Five usual repairs, by mouse alone and by keys alone, with the actions each takes.

A click, a drag and a key count as one each; ways to the node are not repairs.
"""

import pytest
from playwright.sync_api import expect

from annotator.models import TreeDraft
from annotator.services.queries import index
from tests import cast as people
from tests.annotator.parses.test_arc_drafts import parsed
from tests.browser.trees.test_tree_editor import node, revision

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

LOW = "(S (NP (PRP She)) (VP (VBD saw) (NP (NP (DT a) (NN man)) (PP (IN with) (NP (DT a) (NN hat))))) (. .))"  # fmt: skip  # noqa: E501
HIGH = "(S (NP (PRP She)) (VP (VBD saw) (NP (DT a) (NN man)) (PP (IN with) (NP (DT a) (NN hat)))) (. .))"  # fmt: skip  # noqa: E501
FLAT = "(S (NP (DT the) (NN tax) (NN law) (NN reform)) (VP (VBD failed)))"
NESTED = "(S (NP (DT the) (NP (NN tax) (NN law)) (NN reform)) (VP (VBD failed)))"
NARROW = "(S (NP (PRP She)) (VP (VBD saw) (NP (NP (DT a) (NN man)) (PP (IN with) (NP (NP (DT a) (NN hat)) (CC and) (NP (DT a) (NN dog)))))))"  # fmt: skip  # noqa: E501
WIDE = "(S (NP (PRP She)) (VP (VBD saw) (NP (NP (NP (DT a) (NN man)) (PP (IN with) (NP (DT a) (NN hat)))) (CC and) (NP (DT a) (NN dog)))))"  # fmt: skip  # noqa: E501
ACTIVE = "(S (NP (DT The) (NN key)) (VP (VBD was) (VP (VBD lost))))"
SEEN = "(VP (VBN seen) (PP (IN by) (NP (DT all))))"
PASSIVE = ACTIVE.replace("VBD lost", "VBN lost")


class CountedHand:
    """A person at the page, whose actions are counted."""

    def __init__(self, page) -> None:
        self.page, self.actions = page, 0

    def click(self, selector: str, **how) -> None:
        self.page.locator(selector).first.click(**how)
        self.actions += 1

    def drag(self, source: str, target: str) -> None:
        self.page.locator(source).drag_to(self.page.locator(target))
        self.actions += 1

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)
            self.actions += 1


@pytest.fixture
def hand(cast, open_page):
    def at(brackets: str) -> CountedHand:
        words = [part.split()[1] for part in leaves_of(brackets)]
        made = people.sentence(cast.corpus, " ".join(words))
        people.parse(made, brackets, engine="toy")
        people.parse(people.sentence(cast.corpus, "seen by all"), SEEN, engine="toy")
        index.catch_up()
        page = open_page(cast.bob)
        page.set_default_timeout(120_000)
        page.goto(f"/p/windows/sentence/{made.code}/tree/")
        page.wait_for_selector("html[data-editor=ready]")
        return CountedHand(page)

    return at


def leaves_of(brackets: str) -> list[str]:
    parts = brackets.replace(")", "").split("(")
    return [part for part in parts if len(part.split()) == 2]


def label(name: str) -> str:
    return f'#label-menu button[data-label="{name}"]'


def key_of(page, entry: str) -> str:
    """The number that stands at an entry of a menu."""
    row = page.locator("li").filter(has=page.locator(f"button{entry}"))
    return row.locator("kbd").inner_text()


def made(hand: CountedHand, text: str, n: int = 1) -> None:
    revision(hand.page, n)
    assert TreeDraft.objects.get().text == text


def test_a_prepositional_phrase_by_two_clicks_or_one_drag(hand) -> None:
    by = hand(LOW)
    by.click(node(9))
    by.click('.goal[data-goal="3"]')
    made(by, HIGH)
    assert by.actions == 2
    by.page.keyboard.press("Control+z")
    made(by, LOW, 2)
    by.actions = 0
    by.drag(node(9), node(3))
    made(by, HIGH, 3)
    assert by.actions == 1


def test_a_prepositional_phrase_by_one_key(hand) -> None:
    by = hand(LOW)
    by.page.focus(node(9))
    by.press(key_of(by.page, '[data-goal="3"]'))
    made(by, HIGH)
    assert by.actions <= 2


def test_a_phrase_over_siblings_by_three_clicks(hand) -> None:
    by = hand(FLAT)
    by.click(node(3))
    by.click(node(4), modifiers=["Shift"])
    by.click(label("NP"))
    made(by, NESTED)
    assert by.actions == 3


def test_a_phrase_over_siblings_by_three_keys(hand) -> None:
    by = hand(FLAT)
    by.page.focus(node(3))
    by.press("Shift+ArrowRight", "i")
    by.press(key_of(by.page, '[data-label="NP"]'))
    made(by, NESTED)
    assert by.actions == 3


def test_a_coordination_by_six_clicks(hand) -> None:
    by = hand(NARROW)
    by.click(node(15))
    by.click(node(16), modifiers=["Shift"])
    by.click('.goal[data-goal="5"]')
    revision(by.page, 1)
    by.click(node(6))
    by.click(node(9), modifiers=["Shift"])
    by.click(label("NP"))
    made(by, WIDE, 2)
    assert by.actions == 6


def test_a_coordination_by_six_keys(hand) -> None:
    by = hand(NARROW)
    by.page.focus(node(15))
    by.press("Shift+ArrowRight")
    by.press(key_of(by.page, '[data-goal="5"]'))
    revision(by.page, 1)
    by.page.focus(node(6))
    by.press("Shift+ArrowRight", "i")
    by.press(key_of(by.page, '[data-label="NP"]'))
    made(by, WIDE, 2)
    assert by.actions <= 6


def test_a_tag_by_two_clicks(hand) -> None:
    by = hand(ACTIVE)
    by.click(node(7))
    by.click(label("VBN"))
    made(by, PASSIVE)
    assert by.actions == 2


def test_a_tag_by_two_keys(hand) -> None:
    by = hand(ACTIVE)
    by.page.focus(node(7))
    by.press("r", key_of(by.page, '[data-label="VBN"]'))
    made(by, PASSIVE)
    assert by.actions == 2


@pytest.mark.parametrize("how", ["mouse", "keys"])
def test_the_root_by_one_action_and_never_two(cast, open_page, how: str) -> None:
    parsed(cast.pair.source)
    page = open_page(cast.bob)
    page.set_default_timeout(120_000)
    page.goto(f"/p/windows/sentence/{cast.pair.source.code}/arcs/")
    page.wait_for_selector("html[data-editor=ready]")
    by = CountedHand(page)
    if how == "mouse":
        by.drag(node(4), "#root-place")
    else:
        page.focus(node(4))
        by.press("o")
    revision(page, 1)
    assert by.actions == 1
    heads = TreeDraft.objects.get().to_arcs().deps.heads
    assert [m for m, head in enumerate(heads) if head < 0] == [4]


def test_shift_and_click_take_the_siblings_between(hand) -> None:
    by = hand(FLAT)
    by.click(node(2))
    by.click(node(5), modifiers=["Shift"])
    expect(by.page.locator(".tn.in-run")).to_have_count(4)
    expect(by.page.locator("#chosen")).to_have_text("4 siblings")
    by.click(node(3))
    expect(by.page.locator(".tn.in-run")).to_have_count(0)
    expect(by.page.locator("#chosen")).to_contain_text("tax")

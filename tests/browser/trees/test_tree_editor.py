"""Editing a tree in a browser: by keys alone, by mouse, in the table, at any width."""

import pytest
from playwright.sync_api import expect

from annotator.models import Parse, TreeDraft
from annotator.services.parses import gold
from annotator.services.treebanks import rules
from tests import cast as people
from tests.browser.editing import press, said, shot

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
# S NP DT NN VP VBD NP DT NN . : the numbers of the nodes


@pytest.fixture
def trees(cast, open_page):
    def opened(user=None, *, width: int = 1280, sentence=None):
        page = open_page(user or cast.bob, width=width)
        page.set_default_timeout(120_000)  # the first page loads the parsers
        code = (sentence or cast.pair.source).code
        page.goto(f"/p/windows/sentence/{code}/tree/")
        page.wait_for_selector("html[data-editor=ready]")
        return page

    return opened


def node(v: int) -> str:
    return f'.tn[data-v="{v}"]'


def at(page, v: int) -> None:
    expect(page.locator(node(v))).to_be_focused()


def revision(page, n: int) -> None:
    expect(page.locator("#tree-form input[name=base_rev]")).to_have_value(str(n))


@pytest.mark.smoke
def test_a_tree_is_edited_by_keys_alone_and_undone_after_a_reload(
    trees, cast, check_axe
) -> None:
    page = trees()
    page.focus(node(0))
    press(page, "ArrowDown")
    at(page, 1)
    press(page, "r")
    expect(page.locator("#label")).to_have_value("NP")
    page.keyboard.type("NX")
    press(page, "Enter")
    revision(page, 1)
    at(page, 1)
    press(page, "ArrowRight", "ArrowDown", "ArrowRight", "m")
    said(page, "Picked NP")
    press(page, "ArrowUp", "ArrowUp", "m")
    revision(page, 2)
    at(page, 6)
    expect(page.locator(node(6))).to_have_attribute("data-up", "0")
    check_axe(page)
    shot(page, "trees-1280")
    page.reload()
    page.wait_for_selector("html[data-editor=ready]")
    page.focus(node(6))
    press(page, "u")
    revision(page, 3)
    page.focus(node(1))
    press(page, "u")
    revision(page, 4)
    assert TreeDraft.objects.get().text == people.SOURCE


def test_a_phrase_goes_over_sisters_and_away_again(trees) -> None:
    page = trees()
    page.focus(node(5))
    press(page, "Space", "ArrowRight", "i")
    page.keyboard.type("VX")
    press(page, "Enter")
    revision(page, 1)
    at(page, 5)
    text = "(VP (VX (VBD opened) (NP (DT the) (NN window))))"
    assert text in TreeDraft.objects.get().text
    press(page, "Delete")
    revision(page, 2)
    assert TreeDraft.objects.get().text == people.SOURCE
    press(page, "ArrowDown")
    page.focus(node(2))
    press(page, "Delete")
    expect(page.locator("#refused")).to_contain_text("Only phrases can be deleted")
    at(page, 2)


def test_by_mouse_in_the_table_and_in_brackets_on_a_phone(trees, check_axe) -> None:
    page = trees(width=390)
    page.locator(node(6)).click()
    page.fill("#label", "NZ")
    page.get_by_role("button", name="Relabel").click()
    revision(page, 1)
    page.locator("#table-part summary").click()
    page.locator("input[name=node][value='1']").check()
    page.get_by_role("button", name="Delete phrase").click()
    revision(page, 2)
    page.fill(
        "#text", "(S (DT The)\n (NN surgeon) (VBD opened) (DT the) (NN window) (. .))"
    )
    page.get_by_role("button", name="Use these brackets").click()
    expect(page.locator("#refused")).to_contain_text(
        "line 2, column 6: word 2 is 'surgeon'"
    )
    expect(page.locator("#text")).to_be_focused()
    expect(page.locator("#text")).to_have_value(
        "(S (DT The)\n (NN surgeon) (VBD opened) (DT the) (NN window) (. .))"
    )
    check_axe(page)
    shot(page, "trees-390")
    wide = "document.documentElement.scrollWidth > innerWidth"
    assert not page.evaluate(wide)


def test_a_curator_saves_as_gold_and_nothing_typed_is_lost_offline(trees, cast) -> None:
    page = trees(cast.ada)
    typed = people.SOURCE.replace("VP", "VX")
    page.fill("#text", typed)
    page.route("**", lambda route: route.abort())
    page.get_by_role("button", name="Use these brackets").click()
    expect(page.locator("#tree-state")).to_contain_text("What you typed is kept")
    expect(page.locator("#text")).to_have_value(typed)
    page.unroute("**")
    page.get_by_role("button", name="Use these brackets").click()
    revision(page, 1)
    page.get_by_role("button", name="Save as gold").click()
    expect(page.locator(".messages")).to_contain_text("This is the gold tree now")
    assert gold.gold_of(cast.pair.source).text == typed


def test_brackets_typed_and_not_used_outlast_a_step_in_the_drawing(trees) -> None:
    page = trees()
    typed = people.SOURCE.replace("VP", "VX")
    page.fill("#text", typed)
    page.focus(node(1))
    press(page, "r")
    page.keyboard.type("NX")
    press(page, "Enter")
    revision(page, 1)
    expect(page.locator("#text")).to_have_value(typed)
    expect(page.locator("#typed-problems")).to_contain_text("are kept")


@pytest.mark.parametrize("width", [1280, 390])
def test_a_word_is_typed_anew_by_keys_and_becomes_the_sentence_s(
    trees, cast, check_axe, width: int
) -> None:
    page = trees(cast.ada, width=width)
    page.focus(node(1))
    press(page, "w")
    said(page, "Only words can be edited")
    page.focus(node(3))
    press(page, "w")
    expect(page.locator("#form")).to_be_focused()
    expect(page.locator("#form")).to_have_value("nurse")
    page.keyboard.type("doctor")
    press(page, "Enter")
    revision(page, 1)
    at(page, 3)
    expect(page.locator(node(3))).to_contain_text("doctor")
    expect(page.locator("#words-differ")).to_contain_text("edited here")
    expect(page.locator(".spoken")).to_contain_text("nurse")
    check_axe(page)
    shot(page, f"retyped-{width}")
    wide = "document.documentElement.scrollWidth > innerWidth"
    assert not page.evaluate(wide)
    press(page, "u")
    revision(page, 2)
    press(page, "U")
    revision(page, 3)
    page.get_by_role("button", name="Save as gold").click()
    expect(page.locator(".messages")).to_contain_text("nurse → doctor")
    expect(page.locator(".spoken")).to_contain_text("The doctor opened")
    expect(page.locator("#words-differ")).to_have_count(0)


def test_a_word_is_typed_anew_by_mouse_and_in_the_table(trees) -> None:
    page = trees()
    page.locator(node(3)).click()
    page.fill("#form", "doctor")
    page.get_by_role("button", name="Edit word").click()
    revision(page, 1)
    page.locator("#table-part summary").click()
    page.locator("input[name=node][value='8']").check()
    page.fill("#form", "door")
    page.get_by_role("button", name="Edit word").click()
    revision(page, 2)
    text = people.SOURCE.replace("nurse", "doctor").replace("window", "door")
    assert TreeDraft.objects.get().text == text
    page.locator("#other-editor").click()
    page.wait_for_selector("html[data-editor=ready]")
    page.focus(node(1))
    press(page, "w")
    expect(page.locator("#form")).to_have_value("nurse")
    page.keyboard.type("medic")
    press(page, "Enter")
    revision(page, 1)
    expect(page.locator(node(1))).to_contain_text("medic")


@pytest.mark.parametrize("width", [1280, 390])
def test_a_word_is_split_and_joined_by_keys_and_becomes_the_sentence_s(
    trees, cast, check_axe, width: int
) -> None:
    page = trees(cast.ada, width=width)
    page.focus(node(1))
    press(page, "s")
    said(page, "Only words can be split")
    page.focus(node(8))
    press(page, "s")
    expect(page.locator("#form")).to_be_focused()
    press(page, "ArrowLeft", "ArrowLeft", "ArrowLeft", "Space", "Enter")
    revision(page, 1)
    at(page, 8)
    expect(page.locator(node(9))).to_contain_text("dow")
    expect(page.locator("#words-differ")).to_contain_text("win dow")
    check_axe(page)
    shot(page, f"split-{width}")
    wide = "document.documentElement.scrollWidth > innerWidth"
    assert not page.evaluate(wide)
    press(page, "j")
    revision(page, 2)
    expect(page.locator("#words-differ")).to_have_count(0)
    page.reload()
    page.wait_for_selector("html[data-editor=ready]")
    page.focus(node(8))
    press(page, "u")
    revision(page, 3)
    page.get_by_role("button", name="Save as gold").click()
    expect(page.locator(".messages")).to_contain_text("window → win dow")
    expect(page.locator("#words-differ")).to_have_count(0)


def test_a_word_is_split_and_joined_by_mouse_and_in_the_table(trees) -> None:
    page = trees()
    page.locator(node(8)).click()
    page.get_by_role("button", name="Split word").click()
    expect(page.locator("#refused")).to_contain_text("one space between")
    page.fill("#form", "win dow")
    page.get_by_role("button", name="Split word").click()
    revision(page, 1)
    page.locator("#table-part summary").click()
    page.locator("input[name=node][value='8']").check()
    page.get_by_role("button", name="Join with next").click()
    revision(page, 2)
    assert TreeDraft.objects.get().text == people.SOURCE
    page.locator("#other-editor").click()
    page.wait_for_selector("html[data-editor=ready]")
    page.focus(node(1))
    press(page, "s", "ArrowLeft", "ArrowLeft", "Space", "Enter")
    revision(page, 1)
    expect(page.locator(node(2))).to_contain_text("se")
    press(page, "j")
    revision(page, 2)


def test_a_root_without_a_label_is_shown_as_such(trees, cast) -> None:
    plain = gold.gold_of(cast.pair.source)
    Parse.objects.filter(pk=plain.pk).update(text=f"( {people.SOURCE})")
    page = trees()
    page.focus(node(0))
    press(page, "r")
    expect(page.locator("#label")).to_have_value("")
    page.keyboard.type("TOP")
    press(page, "Enter")
    revision(page, 1)
    assert TreeDraft.objects.get().text == f"(TOP {people.SOURCE})"


def test_the_guidelines_of_a_label_are_one_key_away(trees, cast, check_axe) -> None:
    text = "note NP: with all that modifies the noun\nnote VP: with its objects"
    rules.keep(cast.corpus, text, seen=0, by=cast.ada)
    page = trees()
    page.focus(node(1))  # an NP
    expect(page.locator("#guidelines")).not_to_have_attribute("open", "")
    press(page, "g")
    expect(page.locator("#guidelines [data-chosen]")).to_have_text("NP")
    said(page, "with all that modifies the noun")
    check_axe(page)
    press(page, "ArrowDown", "g")
    said(page, "The guidelines say nothing of DT.")


@pytest.mark.parametrize("width", [1280, 390])
def test_a_long_tree_opens_on_its_root(trees, cast, width: int) -> None:
    """Of a tree that grows to the right the middle is empty."""
    text = "(S (VBD ran))"
    for _ in range(15):
        text = f"(S (NP (PRP she)) (VP (VBD said) (SBAR (IN that) {text})))"
    sentence = people.sentence(cast.corpus, people.ptb_words(text))
    people.parse(sentence, text)
    page = trees(sentence=sentence, width=width)
    stage, root = (page.locator(one).bounding_box() for one in ("#stage", node(0)))
    assert stage["x"] <= root["x"]
    assert root["x"] + root["width"] <= stage["x"] + stage["width"]


def test_lemma_and_features_of_a_word_are_next_to_its_tree(trees, cast) -> None:
    rows = ("The the DET 2", "nurse nurse NOUN 3", "opened open VERB 0",
            "the the DET 5", "window window NOUN 3", ". . PUNCT 3")  # fmt: skip
    split = [row.split() for row in rows]
    text = "\n".join(
        f"{n}\t{form}\t{lemma}\t{upos}\t_\t_\t{head}\tdep\t_\t_"
        for n, (form, lemma, upos, head) in enumerate(split, 1)
    )
    Parse.objects.create(
        sentence=cast.pair.source, kind="dependency", origin="gold", text=text
    )
    page = trees()
    page.click(node(5))  # opened
    expect(page.locator("#columns")).to_have_text("open · VERB")
    page.click(node(1))
    expect(page.locator("#columns")).to_be_hidden()

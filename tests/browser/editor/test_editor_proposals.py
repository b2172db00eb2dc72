"""Suggestions in the editor: asked again at every decision, never in anybody's way."""

import json
import re
import sys

import pytest
from playwright.sync_api import Page, expect

from annotator.models import AlignmentLayer, Origin, PackedForest, Pair
from annotator.services import jobs
from annotator.services.alignments import phrases
from core.data.alignment import Alignment
from core.data.forest import ForestBuilder
from core.formats import forest_npz
from tests import cast as people
from tests.browser.editing import at, editor, press, said, saved, shot, state

__all__ = ["editor"]
pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("small_parser"),
]
NURSE_S, WINDOW_S, NURSE_T, WINDOW_T = "#s-n1", "#s-n6", "#t-n10", "#t-n1"
WINDOW_WORD = "#s-w4"


@pytest.fixture
def aligned(cast) -> AlignmentLayer:
    """The cast's corpus after the aligner."""
    corpus = cast.corpus
    corpus.project = cast.project
    job = phrases.start(corpus, "small", by=cast.ada, enqueue=False)
    jobs.run(job.pk)
    return cast.pair.layers.get(origin=Origin.ENGINE)


def answered(page: Page, n: int) -> None:
    """The n-th question is answered, or was put aside for a later one."""
    expect(page.locator("html")).to_have_attribute("data-proposals", str(n))


def mine(cast) -> Alignment:
    return AlignmentLayer.objects.get(pk=cast.layer.pk).to_core()


def test_suggestions_say_how_sure_they_are(editor, aligned, check_axe) -> None:
    page = editor()
    answered(page, 1)
    state(page, NURSE_S, "suggested")
    page.focus(NURSE_S)
    expect(page.locator(".share")).to_have_text(re.compile(r"\d+ %"))
    name = page.locator(NURSE_S).get_attribute("aria-label")
    assert re.search(r"suggested: NP the nurse(, crossing)?, \d+ %", name), name
    expect(page.locator("#links path.suggested.p4").first).to_be_attached()
    expect(page.locator("#panel .offers summary")).to_contain_text("Suggested:")
    check_axe(page)
    shot(page, "proposals-1280")


def test_a_decision_moves_the_others_and_undo_brings_them_back(
    editor, aligned, cast
) -> None:
    page = editor()
    answered(page, 1)
    before = offered(page)
    page.focus(WINDOW_WORD)
    press(page, "r")
    said(page, "Rejected")
    answered(page, 2)
    after = offered(page)
    assert ["s:w4", "t:w1"] in before
    assert ["s:w4", "t:w1"] not in after
    press(page, "0")
    state(page, WINDOW_WORD, "null")
    answered(page, 3)
    press(page, "Control+z", "Control+z")
    answered(page, 5)
    assert offered(page) == before
    saved(page)
    assert mine(cast) == Alignment()


def test_a_correction_leaves_what_it_does_not_change(editor, aligned) -> None:
    page = editor()
    answered(page, 1)
    page.click("#panel .offers summary")  # closed by the reader
    kept = "#links path, #panel .offers li"
    page.eval_on_selector_all(kept, "all => all.forEach((each) => each.old = true)")
    page.focus(NURSE_S)
    press(page, "a")
    answered(page, 2)
    expect(page.locator("#panel .offers")).not_to_have_attribute("open", "")
    old = "all => all.filter((each) => each.old).length"
    assert page.eval_on_selector_all("#links path", old) > 1
    assert page.eval_on_selector_all("#panel .offers li", old) > 1
    lines = page.evaluate(
        "() => import('/static/js/editor/editor.js').then(({ editor: { model } }) =>"
        " model.links.length + model.offered.length)"
    )
    expect(page.locator("#links path")).to_have_count(lines)
    expect(page.locator("#panel .offers li")).to_have_count(
        page.evaluate(
            "() => import('/static/js/editor/editor.js').then(({ editor }) =>"
            " editor.model.offered.length)"
        )
    )


def offered(page: Page) -> list[list[str]]:
    script = (
        "async () => { const { editor } = await import('/static/js/editor/editor.js');"
        " return editor.model.offered.map(({ s, t }) => [s, t]).sort(); }"
    )
    return page.evaluate(script)


def test_ones_own_links_are_never_changed(editor, aligned, cast) -> None:
    page = editor()
    answered(page, 1)
    for source, target in ((NURSE_S, WINDOW_T), ("#s-w1", "#t-w1")):
        page.focus(source)
        press(page, "Space")
        page.focus(target)
        press(page, "Space")
    answered(page, 3)
    page.click("#panel button:has-text('Accept'):has-text('Accept ') >> nth=0")
    saved(page)
    cells = {link.cell for link in mine(cast).links}
    assert {("n1", "n1"), ("w1", "w1")} <= cells
    assert ("n1", "n10") not in cells


def test_only_the_last_question_counts(editor, aligned) -> None:
    page = editor()
    answered(page, 1)
    held = []

    def hold(route) -> None:
        held.append(route)
        if len(held) > 1:
            route.continue_()

    page.context.route("**/proposals/", hold)
    with page.expect_event("requestfailed") as dropped:
        page.focus(NURSE_S)
        press(page, "0", "n", "0")
    assert dropped.value.url.endswith("/proposals/")
    answered(page, 3)
    assert len(held) == 2
    assert not {"s:n1", "s:w0"} & {s for s, _ in offered(page)}
    saved(page)


@pytest.mark.parametrize("status", [503, 0])
def test_without_the_aligner_the_work_goes_on(editor, aligned, cast, status) -> None:
    page = editor()
    answered(page, 1)
    error = {"code": "not_ready", "message": "The aligner rests.", "facts": {}}
    body = json.dumps({"error": error})
    page.context.route(
        "**/proposals/",
        lambda route: (
            route.fulfill(status=status, body=body) if status else route.abort()
        ),
    )
    page.focus(NURSE_S)
    press(page, "a")
    state(page, NURSE_S, "linked")
    expect(page.locator("#news")).to_contain_text("Your own work goes on as before")
    saved(page)
    assert [link.cell for link in mine(cast).links] == [("n1", "n10")]
    page.context.unroute("**/proposals/")
    press(page, "Control+z")
    state(page, NURSE_S, "suggested")
    saved(page)


def test_decisions_that_exclude_each_other_are_said(editor, aligned) -> None:
    page = editor()
    answered(page, 1)
    for target, key in (("#t-w1", "Space"), ("#t-w6", "Shift+Space")):
        page.focus("#s-w1")
        press(page, "Space")
        page.focus(target)
        press(page, key)
    expect(page.locator("#news")).to_contain_text(
        "No alignment includes both “nurse” = "
    )
    expect(page.locator("#links path.sure")).to_have_count(2)
    saved(page)


def test_why_shows_what_a_link_rests_on(editor, aligned, check_axe) -> None:
    page = editor()
    answered(page, 1)
    page.focus(NURSE_S)
    press(page, "w")
    said(page, "NP The nurse = NP the nurse rests on 2 links below")
    rows = page.locator("#panel .chain-list li")
    expect(rows).to_have_count(3)
    expect(rows.nth(2)).to_contain_text("the same word")
    expect(page.locator(".n.chain")).to_have_count(6)
    expect(page.locator("#links path.chain")).to_have_count(3)
    check_axe(page)
    shot(page, "why")
    press(page, "Escape")
    expect(page.locator(".n.chain")).to_have_count(0)
    page.focus("#s-w1")
    page.click("#why")
    said(page, "NN nurse = NN nurse: the same word")


def test_why_answers_for_a_layer_that_is_done(editor, aligned) -> None:
    page = editor(query=f"?layer={aligned.code}")
    page.focus(NURSE_S)
    press(page, "w")
    said(page, "rests on 2 links below")


def test_suggestions_are_switched_off_and_on(editor, aligned) -> None:
    page = editor()
    answered(page, 1)
    page.focus(NURSE_S)
    press(page, "s")
    state(page, NURSE_S, "undecided")
    page.reload()
    page.wait_for_selector("html[data-editor=ready]")
    state(page, NURSE_S, "undecided")
    page.focus(NURSE_S)
    press(page, "s")
    state(page, NURSE_S, "suggested")


def test_the_table_says_and_takes_suggestions(editor, aligned, cast) -> None:
    page = editor()
    answered(page, 1)
    page.focus(NURSE_S)
    press(page, "t")
    row = page.locator("#table table[data-side=s] tr[data-r=n1]")
    expect(row.locator("[data-c=state]")).to_have_text("suggested")
    expect(row.locator("[data-c=partner]")).to_have_text("NP the nurse")
    expect(row.locator("[data-c=kind]")).to_have_text(re.compile(r"\d+ %"))
    page.check("#table input[name=s][value=n1]")
    page.click("#table button[value=accept]")
    expect(row.locator("[data-c=state]")).to_have_text("linked")
    saved(page)


SAW = "(S (NP (PRP I)) (VP (VBD saw) (NP (NP (NN men)) (PP (IN with) (NNS eyes)))))"
THEY = "(S (NP (PRP They)) (VP (VBD saw) (NP (NN men)) (PP (IN with) (NNS eyes))))"


def forked(cast) -> Pair:
    """A pair whose source parse is one tree of a forest of two."""
    sentence = people.sentence(cast.corpus, "I saw men with eyes")
    people.parse(sentence, SAW, engine="toy")
    build = ForestBuilder()
    words = [build.node("", i, i + 1) for i in range(5)]
    for word in words:
        build.edge(word)
    spans = {"PP": (3, 5), "NP": (2, 5), "": (1, 3), "VP": (1, 5), "S": (0, 5)}
    at = {name: build.node(name, *span) for name, span in spans.items()}
    build.edge(at["PP"], words[3:])
    build.edge(at["NP"], [words[2], at["PP"]])
    build.edge(at[""], words[1:3])
    build.edge(at["VP"], [words[1], at["NP"]])
    build.edge(at["VP"], [at[""], at["PP"]])
    build.edge(at["S"], [words[0], at["VP"]])
    forest = build.freeze()
    data = forest_npz.dump(forest, [0.0] * forest.n_edges)
    PackedForest.objects.create(sentence=sentence, engine="toy", version="1", data=data)
    return people.pair(cast.corpus, SAW, THEY)


def test_another_tree_is_offered_and_taken(cast, open_page) -> None:
    pair = forked(cast)
    page = open_page(cast.bob)
    page.set_default_timeout(30_000)
    page.goto(f"/p/{cast.project.slug}/pair/{pair.code}/")
    page.wait_for_selector("html[data-editor=ready]")
    page.focus("#s-n5")
    press(page, "s")
    answered(page, 1)
    page.click("#s-n5", button="right")
    page.get_by_role("menuitem", name="No phrase: look for another tree").click()
    offer = page.locator("#better")
    expect(offer).to_contain_text("prefers another tree for the source")
    expect(offer).to_contain_text("without “NP men with eyes”")
    expect(page.locator("#panel")).to_contain_text("“men with eyes” is not a phrase")
    shot(page, "better-tree")
    page.focus("#s-n5")
    press(page, "b")
    expect(page.locator("#news")).to_contain_text("in tree 2")
    expect(page.locator("#s-n5 .b")).to_have_count(1)
    names = page.locator("#side-s .n").evaluate_all(
        "nodes => nodes.map(n => n.getAttribute('aria-label'))"
    )
    assert not any("men with eyes" in str(n) and "saw" not in str(n) for n in names)
    saved(page)
    press(page, "Control+z", "Control+z")
    expect(page.locator("#panel")).not_to_contain_text("is not a phrase")
    saved(page)
    assert pair.layers.get(author=cast.bob).events.count() == 4


def test_from_suggestions_to_done_by_keyboard_alone(
    editor, aligned, cast, capsys
) -> None:
    page = editor()
    answered(page, 1)
    keys = 0

    def typed(*names: str) -> None:
        nonlocal keys
        keys += len(names)
        press(page, *names)

    typed("Shift+A")
    expect(page.locator("#ask")).to_be_visible()
    typed("Enter")
    state(page, "#s-n0", "linked")
    for other in ("", "x"):
        if other:
            typed(other)
        typed("Shift+Digit0")
        told = "#ask:visible, #news:has-text('Nothing undecided here.')"
        expect(page.locator(told)).not_to_have_count(0)
        if page.locator("#ask").is_visible():
            typed("Enter")
            expect(page.locator("#ask")).to_be_hidden()
    expect(page.locator("#line")).to_contain_text("0 undecided")
    saved(page)
    typed("d")
    expect(page.locator("#read-only")).to_contain_text("This layer is done")
    layer = AlignmentLayer.objects.get(pk=cast.layer.pk)
    assert layer.state == "done"
    assert len(layer.to_core().links) >= 8
    with capsys.disabled():
        sys.stdout.write(f"\nfrom suggestions to done: {keys} keys\n")


@pytest.mark.parametrize("width", [1280, 390])
def test_suggestions_fit_the_window(editor, aligned, check_axe, width: int) -> None:
    page = editor(width=width)
    answered(page, 1)
    wide = page.evaluate("() => document.documentElement.scrollWidth")
    assert wide <= width
    page.focus(NURSE_S)
    press(page, "w")
    said(page, "rests on")
    check_axe(page)
    shot(page, f"proposals-why-{width}")


@pytest.mark.parametrize("width", [1280, 390])
def test_the_list_of_doubt_leads_to_the_pairs(
    aligned, cast, open_page, check_axe, width: int
) -> None:
    page = open_page(cast.bob, width=width)
    page.goto(f"/p/{cast.project.slug}/corpus/{cast.corpus.code}/")
    page.get_by_role("link", name="Alignments").click()
    expect(page.locator("main")).to_contain_text("1 of 1 pairs")
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width
    check_axe(page)
    shot(page, f"alignments-{width}")
    page.locator("tbody a").first.click()
    page.wait_for_selector("html[data-editor=ready]")
    at_start = page.url
    page.focus(NURSE_S)
    press(page, "d")
    expect(page.locator("#read-only a")).to_be_visible()
    press(page, "Shift+N")
    expect(page.locator("main")).to_contain_text("All aligned pairs are done")
    assert at_start != page.url


def test_focus_stays_where_it_was(editor, aligned) -> None:
    page = editor()
    answered(page, 1)
    page.focus(NURSE_S)
    press(page, "a")
    answered(page, 2)
    at(page, NURSE_S)
    saved(page)

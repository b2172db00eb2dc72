"""The editor beside others: layers, tabs, colleagues, and a server that is away."""

import pytest
from playwright.sync_api import expect

from annotator.models import AlignmentLayer, Membership
from core.data.alignment import Alignment, Link
from tests import cast as people
from tests.browser.editing import (
    NURSE_S,
    WINDOW_S,
    at,
    editor,
    layer_of,
    press,
    said,
    saved,
    shot,
    state,
)

__all__ = ["editor"]
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


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
    expect(ada.locator("#news")).to_contain_text("bob changed this layer too")
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
    ada.get_by_role("button", name="Continue").click()
    expect(ada.locator("#merge")).to_be_hidden()
    saved(ada)
    layer = AlignmentLayer.objects.get(code=query.removeprefix("?layer="))
    assert [link.cell for link in layer.to_core().links] == cells


def test_without_a_server_steps_are_shown_kept_and_sent_later(editor, cast) -> None:
    page = editor()
    page.context.route("**/ops/", lambda route: route.abort())
    page.focus(NURSE_S)
    press(page, "0")
    state(page, NURSE_S, "null")
    expect(page.locator("#saved")).to_contain_text(
        "Not sent yet: 1 saved on this device"
    )
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
    expect(page.locator("#read-only")).to_contain_text("but not change it")
    page.click(NURSE_S)
    press(page, "0")
    said(page, "cannot be changed")


def test_history_tells_each_step(editor) -> None:
    page = editor()
    page.focus(NURSE_S)
    press(page, "0", "Control+z")
    saved(page)
    page.click("#tab-history")
    expect(page.locator("#panel")).to_contain_text("∅ NP The nurse")
    expect(page.locator("#panel")).to_contain_text("undo of step 1")

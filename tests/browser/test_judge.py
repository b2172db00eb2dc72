"""The judgment screen in a real browser: keys, dialogs, undo, training, the grid."""

import re

import pytest
from playwright.sync_api import expect

from annotator.models import Judgment, JudgmentEvent
from annotator.services.campaigns import items, messages, participants, setup
from tests.annotator.campaigns_cast import (
    HEADER,
    campaign,
    draw,
    person,
    rows,
    upload,
)
from tests.browser.judging import (
    done,
    start,
    start_with_auto_advance,
    wait_done,
    wait_saved,
)
from tests.cast import Cast

pytestmark = pytest.mark.browser


@pytest.fixture
def people(live) -> Cast:
    return Cast()


def test_a_campaign_judged_by_keys_alone(open_page, people, check_axe) -> None:
    made = campaign(people, n=7)
    page = start(open_page, people, made)
    check_axe(page)
    for n in range(7):
        expect(page.locator("#count")).to_have_text(re.compile(f"Item {n + 1} of"))
        page.keyboard.press("4")
        page.keyboard.press("5")
        page.keyboard.press("Enter")
    expect(page.locator("#notice h2")).to_have_text("All done")
    assert done() == 7
    assert {tuple(sorted(j.values.items())) for j in Judgment.objects.all()} == {
        (("grammar", 5), ("meaning", 4))
    }
    assert all(j.active_ms > 0 for j in Judgment.objects.all())
    check_axe(page)


def test_enter_without_a_grammar_score_says_so_and_goes_there(
    open_page, people
) -> None:
    page = start(open_page, people, campaign(people))
    page.keyboard.press("4")
    page.keyboard.press("Enter")
    expect(page.locator("#problem")).to_have_text("Choose a grammar score.")
    field = page.evaluate("document.activeElement.closest('fieldset').dataset.scale")
    assert field == "grammar"
    assert done() == 0


def test_undo_reopens_the_last_saved_item(open_page, people) -> None:
    page = start(open_page, people, campaign(people, n=5))
    first = page.locator(".changed").text_content()
    page.keyboard.type("55")
    page.keyboard.press("Enter")
    wait_saved(page)
    page.keyboard.press("u")
    expect(page.locator(".changed")).to_have_text(first)
    expect(page.locator("[data-scale=meaning] input:checked")).to_have_value("5")
    page.keyboard.type("31")
    page.keyboard.press("Enter")
    wait_saved(page)
    stored = Judgment.objects.get(state="done")
    assert (stored.values, stored.revision) == ({"meaning": 3, "grammar": 1}, 2)


def test_a_storm_of_enters_stores_each_item_once(open_page, people) -> None:
    page = start(open_page, people, campaign(people, n=5))
    page.keyboard.type("44")
    for _ in range(6):
        page.keyboard.press("Enter")
    wait_saved(page)
    page.keyboard.type("33")  # sent after all that the storm may have sent
    page.keyboard.press("Enter")
    wait_done(page, 2)
    assert JudgmentEvent.objects.count() == 2


def test_skip_asks_why_and_offers_the_item_again_at_the_end(open_page, people) -> None:
    page = start(open_page, people, campaign(people, n=2))
    page.keyboard.press("s")
    expect(page.locator("#skip-dialog")).to_be_visible()
    page.keyboard.press("Enter")
    page.keyboard.type("44")
    page.keyboard.press("Enter")
    expect(page.locator("#notice h2")).to_have_text("Only skipped items remain")
    page.get_by_role("button", name="Show them").press("Enter")
    expect(page.locator("#card")).to_be_visible()
    page.keyboard.type("22")
    page.keyboard.press("Enter")
    expect(page.locator("#notice h2")).to_have_text("All done")
    assert done() == 2


def test_keys_typed_while_a_dialog_closes_reach_the_next_item(
    open_page, people
) -> None:
    """All in one go, as fast as the browser takes them: nothing waits for a screen."""
    page = start(open_page, people, campaign(people, n=4))
    for _ in range(2):
        page.keyboard.press("s")
        page.keyboard.press("Enter")
    page.keyboard.type("44")
    page.keyboard.press("Enter")
    page.keyboard.press("s")
    page.keyboard.press("Escape")
    page.keyboard.type("51")
    page.keyboard.press("Enter")
    expect(page.locator("#notice h2")).to_have_text("Only skipped items remain")
    rows = Judgment.objects.order_by("pk").values_list("state", "values__meaning")
    assert list(rows) == [
        ("skipped", None),
        ("skipped", None),
        ("done", 4),
        ("done", 5),
    ]


# The keys after the answer to a dialog come before its "close" event does: between them
# run only the microtasks, as on a machine that is busy.
AT_ONCE = """async () => {
  document.querySelector("#skip-dialog button[value=skip]").click();
  for (const [code, key] of [["Digit2", "2"], ["Digit3", "3"], ["Enter", "Enter"]]) {
    for (let turn = 0; turn < 20; turn += 1) await null;
    const typed = new KeyboardEvent("keydown", { code, key, bubbles: true });
    document.body.dispatchEvent(typed);
  }
}"""


def test_keys_that_outrun_the_end_of_a_dialog_reach_the_next_item(
    open_page, people
) -> None:
    page = start(open_page, people, campaign(people, n=3))
    page.keyboard.press("s")
    expect(page.locator("#skip-dialog")).to_be_visible()
    page.evaluate(AT_ONCE)
    wait_done(page, 1)
    rows = Judgment.objects.order_by("pk").values_list("state", "values__grammar")
    assert list(rows) == [("skipped", None), ("done", 3), ("leased", None)]


def test_a_dialog_opened_within_the_grace_holds_the_saving(open_page, people) -> None:
    page = start_with_auto_advance(open_page, people, 3)
    first = page.locator(".changed").text_content()
    page.keyboard.type("44s")
    expect(page.locator("#skip-dialog")).to_be_visible()
    page.clock.run_for(700)
    page.keyboard.press("Enter")
    expect(page.locator(".changed")).not_to_have_text(first)
    page.keyboard.type("33")
    page.clock.run_for(500)
    wait_saved(page)
    assert (Judgment.objects.filter(state="skipped").count(), done()) == (1, 1)


def test_keys_can_be_remapped_but_not_onto_each_other(open_page, people) -> None:
    page = start(open_page, people, campaign(people, n=5))
    page.get_by_role("button", name="Settings").click()
    page.locator("#key-diff").fill("g")
    page.locator("#settings button", has_text="Save").click()
    expect(page.locator("#settings-problem")).to_contain_text("Key g would mean both")
    page.locator("#key-diff").fill("w")
    page.locator("#settings button", has_text="Save").click()
    expect(page.locator("#settings-dialog")).to_be_hidden()
    page.keyboard.press("w")
    expect(page.locator(".diff")).to_be_visible()
    page.reload()
    expect(page.locator("#card")).to_be_visible()
    page.keyboard.press("d")
    expect(page.locator(".diff")).to_be_hidden()


def test_auto_advance_can_be_stopped_within_its_grace(open_page, people) -> None:
    page = start_with_auto_advance(open_page, people, 5)
    page.keyboard.type("44")
    page.clock.run_for(300)
    page.keyboard.press("u")
    page.clock.run_for(700)
    expect(page.locator("#chip")).to_have_text("Not saved yet")
    assert done() == 0
    page.keyboard.press("r")
    page.keyboard.press("5")
    page.clock.run_for(500)
    wait_saved(page)
    assert Judgment.objects.get(state="done").values == {"meaning": 4, "grammar": 5}


def test_letters_in_a_comment_are_letters(open_page, people) -> None:
    page = start(open_page, people, campaign(people, n=5))
    page.keyboard.type("44")
    page.keyboard.press("c")
    page.keyboard.type("using 5 dogs")
    page.keyboard.press("Control+Enter")
    wait_saved(page)
    assert Judgment.objects.get(state="done").comment == "using 5 dogs"


def test_training_shows_the_expected_answer(open_page, people) -> None:
    text = HEADER + rows(3) + rows(1, kind="training", gold="5", why="Nothing is lost.")
    page = start(open_page, people, campaign(people, text=text))
    expect(page.locator("#count")).to_have_text("Training 1 of 1")
    page.keyboard.type("25")
    page.keyboard.press("Enter")
    expect(page.locator("#feedback td")).to_have_text(
        ["Meaning", "2", "5", "Grammar", "5", "5"]
    )
    expect(page.locator(".changed")).to_be_visible()
    expect(page.locator("#feedback")).to_contain_text("Nothing is lost.")
    page.keyboard.press("Enter")
    expect(page.locator("#count")).to_have_text(re.compile("Item 1 of"))


def test_training_is_counted_one_by_one(open_page, people) -> None:
    text = HEADER + rows(6) + rows(4, kind="training", gold="5", why="So it is.")
    page = start(open_page, people, campaign(people, text=text))
    for n in range(1, 5):
        expect(page.locator("#count")).to_have_text(f"Training {n} of 4")
        page.keyboard.type("55")
        page.keyboard.press("Enter")
        expect(page.locator("#feedback")).to_be_visible()
        page.keyboard.press("Enter")
    expect(page.locator("#count")).to_have_text("Item 1 of 6")


def test_the_bar_is_full_when_all_is_done(open_page, people) -> None:
    made = campaign(people, n=5, people=2)
    page = start(open_page, people, made)
    other = made.participants.exclude(user=people.bob).get().user
    assert len(draw(made, other, 1)) == 1  # one of the five goes to somebody else
    for n in range(1, 5):
        expect(page.locator("#count")).to_contain_text(f"Item {n} of")
        page.keyboard.type("44")
        page.keyboard.press("Enter")
    expect(page.locator("#notice")).to_contain_text("All done")
    line = page.locator("#progress")
    assert line.evaluate("(one) => one.value / one.max") == 1


def test_the_grid_judges_all_paraphrases_of_a_phrase(open_page, people) -> None:
    text = HEADER + "".join(
        f"A boat number {i} left.\tboat\tship {j}\tc{j}\t1\t\t\t\t\n"
        for i in range(2)
        for j in range(3)
    )
    page = start(open_page, people, campaign(people, text=text, mode="grid"))
    expect(page.locator(".item")).to_have_count(3)
    page.keyboard.type("554433")
    page.keyboard.press("Enter")
    wait_done(page, 3)
    assert Judgment.objects.filter(mode="grid").count() == 3


SUBSTITUTES = ("postponed", "put off", "delayed without a date", "dropped", "moved")
TABLE = HEADER + "".join(
    f"After a night of talks the council of town {i} suspended the sale of the mill "
    f"until the spring.\tsuspended\t{word}\tc{j}\t1\t\t\t\t\n"
    for i in range(2)
    for j, word in enumerate(SUBSTITUTES)
)
ROWS = """[...document.querySelectorAll("#rows .item, #save")].map((one) => {
  const { top, bottom } = one.getBoundingClientRect();
  return [bottom - top, top >= 0 && bottom <= innerHeight];
})"""


def test_the_grid_is_one_table_in_view_with_keys_for_each_row(
    open_page, people, check_axe
) -> None:
    made = campaign(people, text=TABLE, mode="grid", prefetch=10)
    page = start(open_page, people, made)
    expect(page.locator("#rows .item")).to_have_count(5)
    heights, are_in_view = zip(*page.evaluate(ROWS), strict=True)
    assert max(heights) < 90
    assert all(are_in_view)
    titles = page.locator("#rows legend").evaluate_all(
        "all => all.map((one) => one.getBoundingClientRect().height > 1)"
    )
    assert titles == [True, True] + [False] * 8  # each scale is named once
    check_axe(page)
    focused = page.locator("#rows .item:focus-within .changed .target")
    second = page.locator(".changed .target").nth(1).text_content()
    page.keyboard.type("55")  # the first row, then on to the second
    expect(focused).to_have_text(second)
    page.keyboard.press("ArrowDown")
    expect(focused).not_to_have_text(second)
    page.keyboard.press("ArrowUp")
    expect(focused).to_have_text(second)
    expect(page.locator("#rows :checked")).to_have_count(2)  # nothing is chosen by it
    page.keyboard.type("44332211")
    page.keyboard.press("Enter")
    wait_done(page, 5)
    answers = Judgment.objects.filter(state="done").values_list("values", flat=True)
    given = sorted((one["meaning"], one["grammar"]) for one in answers)
    assert given == [(n, n) for n in range(1, 6)]


def test_pace_goal_and_break_are_told_quietly(open_page, people, check_axe) -> None:
    made = campaign(people, n=40, prefetch=4)
    page = open_page(people.bob)
    page.clock.install()
    page.goto(f"/p/{people.project.slug}/judge/{made.code}/")
    expect(page.locator("#card")).to_be_visible()
    page.get_by_role("button", name="Settings").click()
    page.get_by_label("Daily goal").fill("12")
    page.locator("#settings button", has_text="Save").click()
    told = page.locator("#pace")
    expect(told).to_have_text("0 of 12 today")
    for n in range(1, 13):
        expect(page.locator("#count")).to_contain_text(f"Item {n} of")
        expect(page.locator("#pause")).to_be_hidden()
        page.clock.run_for(250_000)  # the 12th answer is 46 minutes after the first
        page.keyboard.type("44")
        page.keyboard.press("Enter")
        wait_done(page, n)
    expect(told).to_have_text("about 2 hours left · daily goal reached: 12 items")
    expect(page.locator("#pause")).to_be_visible()
    expect(page.locator("#card :focus")).to_have_count(1)  # it takes no focus
    check_axe(page)
    page.get_by_role("button", name="Dismiss").click()
    for n in range(13, 15):
        page.clock.run_for(250_000)
        page.keyboard.type("44")
        page.keyboard.press("Enter")
        wait_done(page, n)
    expect(page.locator("#pause")).to_be_hidden()  # said once


def test_a_skip_may_be_explained(open_page, people, check_axe) -> None:
    page = start(open_page, people, campaign(people, n=3))
    page.keyboard.press("s")
    dialog = page.locator("#skip-dialog")
    check_axe(page)
    dialog.get_by_label("The text is damaged").check()
    dialog.get_by_label("Comment").fill("The end is cut off.")
    dialog.get_by_role("button", name="Skip", exact=True).click()
    page.keyboard.type("44")
    page.keyboard.press("Enter")
    wait_done(page, 1)
    skipped = Judgment.objects.get(state="skipped")
    assert skipped.skip_reason == "broken"
    assert skipped.comment == "The end is cut off."
    page.keyboard.press("s")
    expect(dialog.get_by_label("Comment")).to_have_value("")


def test_paused_blocked_and_withdrawn_are_told(open_page, people) -> None:
    made = campaign(people, n=3, prefetch=2)
    page = start(open_page, people, made)
    for item in made.items.all():
        items.withdraw(item, by=people.ada)
    setup.pause(made, by=people.ada)
    page.keyboard.type("44")
    page.keyboard.press("Enter")
    expect(page.locator("#note")).to_contain_text("withdrawn")
    assert done() == 1
    page.reload()
    expect(page.locator("#notice h2")).to_have_text("Paused")
    setup.open_campaign(made, by=people.ada)
    participants.set_participant(
        person(made, people.bob), by=people.ada, state="blocked"
    )
    page.get_by_role("button", name="Check for new items").click()
    expect(page.locator("#notice h2")).to_have_text("Please talk to the manager")


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_no_sideways_scrolling(open_page, people, check_axe, width: int) -> None:
    page = start(open_page, people, campaign(people, n=3), width=width)
    overflow = (
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    assert page.evaluate(overflow) <= 0
    heights = page.locator("#rows .point").evaluate_all(
        "all => all.map(one => one.getBoundingClientRect().height)"
    )
    assert min(heights) >= 24
    check_axe(page)


def test_the_chosen_point_shows_in_forced_colours(open_page, people) -> None:
    page = start(open_page, people, campaign(people), forced_colors="active")
    page.keyboard.press("4")
    style = "(point) => getComputedStyle(point).outlineStyle"
    chosen = page.locator("#card .point:has(:checked)")
    others = page.locator("#card .point:not(:has(:checked))")
    expect(chosen).to_have_count(1)
    assert chosen.evaluate(style) == "solid"
    assert others.first.evaluate(style) == "none"


def test_guidelines_come_before_the_first_item_and_again_when_they_change(
    open_page, people
) -> None:
    made = campaign(people, n=30)
    setup.write_guideline(made, "## Rate *meaning* first", by=people.ada)
    page = open_page(people.bob)
    page.goto(f"/p/{people.project.slug}/judge/{made.code}/")
    dialog = page.locator("#guideline-dialog")
    expect(dialog.get_by_role("heading", name="Rate meaning first")).to_be_visible()
    expect(dialog).to_contain_text("Please read this before the first item.")
    dialog.get_by_role("button", name="Start judging").click()
    expect(page.locator("#card")).to_be_visible()
    page.keyboard.press("g")
    expect(dialog).to_be_visible()
    expect(dialog).not_to_contain_text("before the first item")
    page.keyboard.press("Escape")
    page.reload()
    expect(page.locator("#card")).to_be_visible()
    expect(dialog).to_be_hidden()
    setup.write_guideline(made, "## Rate *grammar* first", by=people.ada)
    for n in range(10):
        expect(page.locator("#count")).to_contain_text(f"Item {n + 1} of")
        page.keyboard.type("44")
        page.keyboard.press("Enter")
    expect(dialog.get_by_text("The guidelines have changed.")).to_be_visible()
    page.keyboard.press("Enter")  # typed a moment too late: nothing is closed unread
    expect(dialog.get_by_role("heading", name="Rate grammar first")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#card")).to_be_visible()


def test_failed_training_is_a_quiz_to_try_again(open_page, people) -> None:
    why = "The main point is gone."
    text = HEADER + rows(2) + rows(1, kind="training", gold="5", why=why)
    made = campaign(people, text=text, training_pass_share=1)
    page = open_page(people.bob)
    page.goto(f"/p/{people.project.slug}/judge/{made.code}/")
    told = page.locator("#feedback")
    for values, passed in (("11", False), ("55", True)):
        expect(page.locator("#count")).to_have_text("Training 1 of 1")
        expect(page.locator("#card input:checked")).to_have_count(0)
        page.keyboard.type(values)
        page.keyboard.press("Enter")
        expect(told).to_contain_text("Correct" if passed else "Not quite")
        expect(told).to_contain_text(why)
        again = told.locator("#feedback-again")
        (expect(again).to_be_hidden if passed else expect(again).to_be_visible)()
        page.keyboard.press("Enter")
    expect(page.locator("#count")).to_contain_text("Item 1 of")


def test_the_best_and_the_worst_are_chosen_by_two_digits(open_page, people) -> None:
    made = items.begin(people.project, "Best", "best", by=people.ada)
    rows_of = "".join(
        f"The cook peeled onions {n}.\tpeeled\t{word}\n"
        for n in range(2)
        for word in ("skinned", "pared", "ate")
    )
    text = "sentence\tphrase\tparaphrase\n" + rows_of
    list(items.load(made, upload(made, people.ada, text), by=people.ada))
    setup.change(made, {"k": 1}, by=people.ada)
    participants.add_people(made, [people.bob], by=people.ada)
    setup.open_campaign(made, by=people.ada)
    page = open_page(people.bob)
    page.goto(f"/p/{people.project.slug}/judge/{made.code}/")
    page.get_by_role("button", name="Start judging").click()
    expect(page.locator("#card .item")).to_have_count(3)
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    expect(page.locator("#problem")).to_contain_text("the best and the worst")
    page.keyboard.press("3")
    page.keyboard.press("Enter")
    expect(page.locator("#card .item")).to_have_count(3)
    first = page.locator("#card .item").nth(0)
    first.get_by_label("Best").check()
    first.get_by_label("Worst").check()  # a paraphrase cannot be both
    expect(first.get_by_label("Best")).not_to_be_checked()
    page.locator("#card .item").nth(1).get_by_label("Best").check()
    page.keyboard.press("Enter")
    expect(page.locator("#notice h2")).to_have_text("All done")
    values = [one.values["best"] for one in Judgment.objects.order_by("pk")]
    assert [sorted(values[:3]), sorted(values[3:])] == [[-1, 0, 1]] * 2


def test_messages_are_read_one_by_one_above_the_item(
    open_page, people, check_axe
) -> None:
    made = campaign(people)
    texts = ("A day longer.", "Slower, please.")
    for text in texts:
        messages.send(made, text, by=people.ada, to=person(made, people.bob))
    page = start(open_page, people, made)
    check_axe(page)
    for text in texts:
        expect(page.locator("#messages .thread")).to_contain_text(text)
        page.get_by_role("button", name="Mark as read").press("Enter")
    expect(page.locator("#messages")).to_be_hidden()
    assert not any(one.is_unread for one in messages.of(people.bob))
    assert done() == 0

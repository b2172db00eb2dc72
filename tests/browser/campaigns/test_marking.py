"""Words are marked by mouse, keys and taps, and texts written, on every screen."""

import pytest
from playwright.sync_api import Page, expect

from annotator.models import Campaign, Judgment
from tests.annotator.campaigns_cast import LABEL, SPANS, TEXT, open_campaign
from tests.browser.campaigns.test_campaign_axe import check_shown
from tests.browser.judging import start, wait_done
from tests.cast import Cast

pytestmark = pytest.mark.browser

PHONE = {"width": 390, "height": 844, "has_touch": True, "is_mobile": True}


@pytest.fixture
def people(live) -> Cast:
    return Cast()


def stored() -> list[dict]:
    return list(
        Judgment.objects.filter(state="done")
        .order_by("pk")
        .values_list("values", flat=True)
    )


def marked(page: Page) -> list[str]:
    return page.locator(".word[aria-checked=true]").all_text_contents()


def word(page: Page, side: str, text: str):
    return page.locator(f"[data-side={side}] .word", has_text=text)


def test_words_are_marked_by_clicks_and_drags(open_page, people) -> None:
    page = start(open_page, people, open_campaign(people, SPANS))
    number = word(page, "source", "Cook").evaluate(
        "(w) => w.nextSibling.nextSibling.textContent"
    )
    word(page, "source", "peeled").click()
    word(page, "paraphrase", "Cook").hover()
    page.mouse.down()
    word(page, "paraphrase", "all").hover()
    page.mouse.up()
    assert [one.strip() for one in marked(page)] == [
        *("peeled", "Cook", number, "skinned", "all"),
    ]
    word(page, "paraphrase", "Cook").click()  # again: no longer
    check_shown(page, "marking-1280")
    page.locator("#save").click()
    wait_done(page, 1)
    assert stored() == [{"lost": "source:7-13 paraphrase:5-18"}]


def test_words_are_marked_by_keys(open_page, people) -> None:
    page = start(open_page, people, open_campaign(people, SPANS))
    expect(word(page, "source", "Cook")).to_be_focused()
    for key in ("ArrowRight", "ArrowRight", "Space", "Shift+ArrowRight"):
        page.keyboard.press(key)
    assert marked(page) == ["peeled", "onions."]
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    wait_done(page, 1)
    assert stored() == [{"lost": "source:7-13"}]


@pytest.mark.parametrize("mode", ["single", "grid"])
def test_a_phone_marks_by_taps(open_page, people, mode: str) -> None:
    made = open_campaign(people, LABEL, SPANS, TEXT, mode=mode)
    page = start(open_page, people, made, **PHONE)
    page.locator(".point").first.tap()
    word(page, "paraphrase", "all").tap()
    page.locator(".written").fill("“all” is new")
    check_shown(page, f"marking-390-{mode}")
    page.locator("#save").tap()
    wait_done(page, 1)
    assert stored() == [
        {"same": "y", "lost": "paraphrase:15-18", "why": "“all” is new"}
    ]


def test_a_text_is_asked_for_and_never_saved_alone(open_page, people) -> None:
    page = start(open_page, people, open_campaign(people, TEXT))
    page.locator("#save").click()
    expect(page.locator("#problem")).to_have_text("Write an answer: Why.")
    expect(page.locator(".written")).to_be_focused()
    page.keyboard.type("1 f 2")
    assert page.locator(".written").input_value() == "1 f 2"
    page.keyboard.press("Control+Enter")
    wait_done(page, 1)
    assert stored() == [{"why": "1 f 2"}]


def test_marks_begun_come_back_and_wait_without_network(open_page, people) -> None:
    page = start(open_page, people, open_campaign(people, SPANS, TEXT))
    word(page, "source", "peeled").click()
    page.reload()
    expect(page.locator("#draft")).to_be_visible()
    assert marked(page) == ["peeled"]
    page.locator(".written").fill("gone")
    page.context.set_offline(True)
    page.locator("#save").click()
    expect(page.locator("#chip")).to_contain_text("not sent yet")
    assert stored() == []
    page.context.set_offline(False)
    page.evaluate("dispatchEvent(new Event('online'))")
    wait_done(page, 1)
    assert stored() == [{"lost": "source:7-13", "why": "gone"}]


@pytest.mark.parametrize("width", [1280, 390])
def test_a_manager_sees_texts_and_marks(open_page, people, width: int) -> None:
    made: Campaign = open_campaign(people, SPANS, TEXT)
    for one in made.participants.order_by("pk"):
        for item in made.items.order_by("pk"):
            Judgment.objects.create(
                item=item,
                participant=one,
                state="done",
                fills=True,
                lease_until="2026-01-01T00:00Z",
                saved_at="2026-01-01T00:00Z",
                values={"lost": "source:7-13", "why": f"{one.label} says so"},
            )
    page = open_page(people.ada, width=width, height=844)
    here = f"/p/{people.project.slug}"
    page.goto(f"{here}/agreement/campaign/{made.code}/")
    check_shown(page, f"open-report-{width}")
    item = made.items.first()
    page.goto(f"{here}/campaign/{made.code}/curate/{item.code}/")
    page.locator("[data-accept]").first.click()
    expect(page.locator("[name=value-lost]:checked")).to_have_value("source:7-13")
    expect(page.locator("[name=value-why]")).to_have_value("A1 says so")
    check_shown(page, f"open-curation-{width}")

"""What is typed into a form outlives a reload, and what others save meanwhile."""

import pytest
from playwright.sync_api import expect

from annotator.models import Guideline
from annotator.services.campaigns import setup
from tests.annotator.campaigns_cast import campaign
from tests.cast import Cast

pytestmark = pytest.mark.browser
TEXT = "Read the whole sentence before you judge."


@pytest.fixture
def people(live) -> Cast:
    return Cast()


@pytest.fixture
def guideline(people, open_page):
    """The page of a guideline, and its address."""
    made = campaign(people, n=3, is_open=False)
    page = open_page(people.ada)
    page.goto(f"/p/{people.project.slug}/campaign/{made.code}/guideline/")
    return page, made


def test_typed_text_is_there_after_a_reload_and_gone_once_saved(guideline) -> None:
    page, _ = guideline
    page.fill("#text", TEXT)
    page.reload()
    expect(page.locator("form [role=status]")).to_contain_text("was restored")
    expect(page.locator("#text")).to_have_value(TEXT)
    address = page.url
    page.get_by_role("button", name="Save as version 1").click()
    page.wait_for_url(lambda url: url != address)
    assert Guideline.objects.get().text == TEXT
    page.goto(address)
    expect(page.locator("#text")).to_have_value(TEXT)
    expect(page.locator("form [role=status]")).to_have_count(0)
    assert page.evaluate("Object.keys(localStorage).length") == 0


def test_typed_text_can_be_discarded(guideline) -> None:
    page, _ = guideline
    page.fill("#text", TEXT)
    page.reload()
    page.get_by_role("button", name="Discard").click()
    expect(page.locator("#text")).to_have_value("")
    page.reload()
    expect(page.locator("#text")).to_have_value("")


@pytest.mark.parametrize(
    ("where", "field"),
    [
        ("settings/", "description"),
        ("settings/corpus/{corpus}/", "provenance"),
        ("corpus/{corpus}/problems/", "text"),
        ("corpus/{corpus}/worklists/", "query"),
        ("corpus/{corpus}/substitution/", "licence"),
        ("people/", "note"),
        ("sentence/{sentence}/tree/", "text"),
        ("sentence/{sentence}/arcs/", "text"),
    ],
)
def test_whatever_is_typed_is_there_after_a_reload(
    people, open_page, where: str, field: str
) -> None:
    page = open_page(people.ada)
    page.set_default_timeout(120_000)  # the first page loads the parsers
    there = where.format(corpus=people.corpus.code, sentence=people.pair.source.code)
    page.goto(f"/p/{people.project.slug}/{there}")
    typed = page.locator(f"main form[method=post] [name={field}]:not([type=hidden])")
    before = typed.first.input_value()
    typed.first.fill(TEXT)
    page.reload()
    expect(typed.first).to_have_value(TEXT)
    page.get_by_role("button", name="Discard").click()
    page.reload()
    expect(typed.first).to_have_value(before)


def test_one_is_told_when_somebody_else_saved_meanwhile(guideline, people) -> None:
    page, made = guideline
    page.fill("#text", TEXT)
    setup.write_guideline(made, "Another text.", by=people.ada)
    page.reload()
    note = page.locator("form [role=status]")
    expect(note).to_contain_text("What is stored has changed since.")
    expect(page.locator("#text")).to_have_value(TEXT)
    page.get_by_role("button", name="Discard").click()
    expect(page.locator("#text")).to_have_value("Another text.")


def test_the_correction_of_an_item_is_there_after_a_reload(people, open_page) -> None:
    made = campaign(people, n=3, is_open=False)
    page = open_page(people.ada)
    page.goto(f"/p/{people.project.slug}/campaign/{made.code}/items/")
    field = page.locator("[id^=new-]").nth(1)
    page.get_by_text("Correct", exact=True).nth(1).click()
    field.fill(TEXT)
    page.reload()
    expect(field).to_have_value(TEXT)
    expect(page.locator("[id^=new-]").nth(0)).not_to_have_value(TEXT)

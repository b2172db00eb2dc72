"""A project's own parsers from a corpus's page, by keyboard alone, wide and narrow."""

import os
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotator.models import Corpus, Job
from annotator.services import jobs
from annotator.services.parses import accuracy, training
from tests import cast, small_pcfg
from tests.browser.pictures import keep_picture
from tests.browser.test_uploads import fits
from tests.cast import Cast

pytestmark = pytest.mark.browser


@pytest.fixture
def people(live, settings: Any, tmp_path: Path) -> Cast:
    settings.MODELS_DIR = tmp_path / "models"
    team = Cast()
    cast.gold_pairs(team.corpus)
    return team


@pytest.mark.parametrize("width", [1280, 390])
def test_a_parser_is_trained_by_keyboard_and_offered_for_the_rest(
    open_page, people, check_axe, tmp_path, width
) -> None:
    page = open_page(people.ada, width=width)
    page.goto(reverse("parses", args=["windows", people.corpus.code]))
    check_axe(page)
    button = page.get_by_role("button", name="Train a parser on these trees")
    page.get_by_role("button", name="Parse remaining sentences").focus()
    page.keyboard.press("Tab")
    expect(button).to_be_focused()
    page.screenshot(path=tmp_path / f"before-{width}.png", full_page=True)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Train a parser on Houses")).to_be_visible()
    jobs.run(Job.objects.get(kind="train_parser").pk)
    expect(page.get_by_text("percent, cross-validated")).to_be_visible()
    check_axe(page)
    page.screenshot(path=tmp_path / f"after-{width}.png", full_page=True)
    is_wide = page.evaluate("document.documentElement.scrollWidth > innerWidth")
    assert not is_wide
    page.get_by_role("link", name="Parse remaining sentences with it").click()
    expect(page.get_by_label("Parser", exact=True)).to_have_value("houses-1")
    check_axe(page)


@pytest.mark.parametrize("width", [1280, 390])
def test_a_parser_is_adopted_by_one_click_and_left_by_another(
    open_page, people, check_axe, width
) -> None:
    Corpus.objects.update(source_language="eo", target_language="eo")
    people.corpus.refresh_from_db()
    for _ in range(2):
        job = training.start(people.corpus, by=people.ada, enqueue=False)
        jobs.run(job.pk)
    page = open_page(people.ada, width=width)
    page.goto(reverse("project", args=["windows"]))
    page.get_by_role("link", name="Learn retrain on corrections").click()
    check_axe(page)
    page.get_by_role("button", name="Adopt houses-1").focus()
    page.keyboard.press("Enter")
    undo = page.get_by_role("button", name="Undo adoption")
    expect(undo).to_be_visible()
    check_axe(page)
    keep_picture(page, f"learn-{width}")
    assert fits(page)
    undo.click()
    expect(undo).to_have_count(0)
    expect(page.get_by_role("button", name="Adopt houses-1")).to_be_visible()


TEXT = ("the cat slept", "the wug slept", "the dog saw a wug", "the dog saw a cat")
GOLD = (
    "(S (NP (DT the) (NN wug)) (VP (VBD saw) (NP (NP (DT a) (NN cat))"
    " (PP (IN in) (NP (DT the) (NN garden))))) (. .))"
)
OTHER = "(S (NP (DT the) (NN dog)) (VP (VBD slept)) (. .))"


@pytest.fixture
def linked(live, settings: Any, tmp_path: Path) -> Cast:
    settings.MODELS_DIR = tmp_path / "models"
    small_pcfg.written(settings.MODELS_DIR / "small")
    team = Cast()
    cast.pair(team.corpus, GOLD, OTHER)
    plain = cast.corpus(team.project, "Plain")
    for k in range(12):
        for line in TEXT:
            cast.sentence(plain, f"{line} {'.' * (k + 1)}")
    return team


def _looked_at(page: Page, name: str, width: int) -> None:
    """No wider than the window; a picture where GEMEL_SCREENSHOTS asks for one."""
    assert page.evaluate("document.documentElement.scrollWidth") <= width, name
    if folder := os.environ.get("GEMEL_SCREENSHOTS"):
        page.screenshot(path=f"{folder}/{name}-{width}.png", full_page=True)


def _pressed(page: Page, button: str) -> None:
    page.get_by_role("button", name=button).focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/jobs/*/")


@pytest.mark.parametrize("width", [1280, 390])
def test_text_is_counted_and_a_corpus_parsed_with_it_and_compared(
    open_page, linked, check_axe, width
) -> None:
    page = open_page(linked.ada, width=width)
    page.goto(reverse("parses", args=["windows", linked.corpus.code]))
    page.get_by_role("link", name="With substitution").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("None has been counted yet")).to_be_visible()
    check_axe(page)
    _looked_at(page, "substitution-empty", width)
    page.get_by_label("Name").focus()
    page.keyboard.type("plain")
    page.get_by_label("Plain CC0").focus()
    page.keyboard.press("Space")
    _pressed(page, "Count a linking corpus")
    jobs.run(Job.objects.get(kind="linking").pk)
    page.goto(reverse("substitution", args=["windows", linked.corpus.code]))
    page.get_by_label("Parser").select_option("small")
    page.get_by_label("Method").select_option("replace")
    check_axe(page)
    _looked_at(page, "substitution", width)
    _pressed(page, "Parse with substitution")
    jobs.run(Job.objects.get(kind="substitution").pk)
    page.get_by_role("link", name="Compare the parsers").click()
    helped = next(e for e in accuracy.engines_of(linked.corpus) if e.helps)
    page.get_by_role("link", name=helped.key, exact=True).click()
    expect(page.get_by_role("heading", name="Unknown words")).to_be_visible()
    expect(page.locator("svg.chart")).to_be_visible()
    check_axe(page)
    _looked_at(page, "substitution-compared", width)
    code = linked.corpus.sentences.get(text__contains="wug").code
    link = page.get_by_role("link", name=code)
    link.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".beside svg")).to_have_count(2)
    expect(page.get_by_role("heading", name="Words that the parser")).to_be_visible()
    check_axe(page)
    _looked_at(page, "substitution-sentence", width)

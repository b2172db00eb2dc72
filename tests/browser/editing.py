"""The editor of the cast's pair in a browser: opening it, its keys, what it says."""

import os
import re

import pytest
from playwright.sync_api import Page, expect

from annotator.models import AlignmentLayer
from core.data.alignment import Alignment

SHOTS = os.environ.get("GEMEL_SHOTS", "")
# S NP DT NN VP VBD NP DT NN .  /  S NP DT NN VP VBD VP VBN PP IN NP DT NN .
NURSE_S, WINDOW_S, OPENED_S = "#s-n1", "#s-n6", "#s-w2"
WINDOW_T, NURSE_T, OPENED_T = "#t-n1", "#t-n10", "#t-w3"


@pytest.fixture
def editor(cast, open_page):
    """The editor of the cast's pair: ``editor()`` opens it as Bob."""

    def opened(user=None, *, width: int = 1280, query: str = "", page=None, **more):
        page = page or open_page(user or cast.bob, width=width, **more)
        page.set_default_timeout(30_000)
        page.goto(f"/p/{cast.project.slug}/pair/{cast.pair.code}/{query}")
        page.wait_for_selector("html[data-editor=ready]")
        return page

    return opened


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def at(page: Page, node: str) -> None:
    expect(page.locator(node)).to_be_focused()


def saved(page: Page) -> None:
    expect(page.locator("#saved")).to_have_text("All saved")


def said(page: Page, text: str) -> None:
    expect(page.locator("#live")).to_contain_text(text)


def state(page: Page, node: str, name: str) -> None:
    expect(page.locator(node)).to_have_class(re.compile(rf"\b{name}\b"))


def shot(page: Page, name: str) -> None:
    if SHOTS:
        page.screenshot(path=f"{SHOTS}/{name}.png", full_page=True)


def layer_of(cast) -> Alignment:
    return AlignmentLayer.objects.get(pk=cast.layer.pk).to_core()

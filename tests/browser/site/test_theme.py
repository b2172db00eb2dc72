"""Light and dark by choice, against what the system says."""

import pytest

from tests.browser.pictures import keep_picture
from tests.cast import Cast

pytestmark = pytest.mark.browser
GROUND = "getComputedStyle(document.body).backgroundColor"
LIGHT, DARK = "rgb(244, 246, 245)", "rgb(19, 25, 27)"


@pytest.mark.parametrize("width", [1280, 390])
def test_a_choice_counts_more_than_the_system(open_page, check_axe, width: int) -> None:
    cast = Cast()
    page = open_page(cast.ada, width=width, color_scheme="light")
    page.goto(f"/p/{cast.project.slug}/")
    assert page.evaluate(GROUND) == LIGHT
    dark = page.get_by_role("button", name="Dark")
    dark.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("html[data-theme=dark]")
    assert page.evaluate(GROUND) == DARK
    assert (
        page.get_by_role("button", name="Dark").get_attribute("aria-pressed") == "true"
    )
    check_axe(page)
    keep_picture(page, f"theme-dark-{width}")
    page.emulate_media(color_scheme="dark")
    page.get_by_role("button", name="Light").click()
    page.wait_for_selector("html[data-theme=light]")
    assert page.evaluate(GROUND) == LIGHT
    check_axe(page)
    page.get_by_role("button", name="As the system").click()
    page.wait_for_selector("html:not([data-theme])")
    assert page.evaluate(GROUND) == DARK


def test_pictures_follow_the_choice(open_page) -> None:
    cast = Cast()
    page = open_page(cast.ada, width=1280, color_scheme="light")
    page.goto(f"/p/{cast.project.slug}/pair/{cast.pair.code}/")
    ink = "getComputedStyle(document.querySelector('svg text')).fill"
    before = page.evaluate(ink)
    page.get_by_role("button", name="Dark").click()
    page.wait_for_selector("html[data-theme=dark]")
    assert page.evaluate(ink) != before

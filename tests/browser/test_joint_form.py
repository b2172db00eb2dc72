"""What the form of joint parsing says of parsers that cannot take part."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from tests.browser.pictures import keep_picture
from tests.cast import Cast

pytestmark = pytest.mark.browser


@pytest.mark.usefixtures("small_parser", "live")
@pytest.mark.parametrize("width", [1280, 390])
def test_the_form_says_which_parser_cannot_take_part(
    open_page, check_axe, width
) -> None:
    people = Cast()
    page = open_page(people.ada, width=width)
    page.goto(reverse("joint", args=["windows", people.corpus.code]))
    expect(page.get_by_role("option", name="small, no arcs")).to_be_disabled()
    expect(
        page.get_by_text("produces constituent trees only and cannot take part")
    ).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    check_axe(page)
    keep_picture(page, f"joint-form-{width}")

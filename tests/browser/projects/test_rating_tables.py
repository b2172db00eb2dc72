"""A table of ratings is read as its columns are chosen: two widths, both themes."""

import pytest
from playwright.sync_api import expect

from annotator.models import RatingSet
from tests.annotator.reports import test_rating_tables as tables
from tests.browser.pictures import keep_picture
from tests.browser.test_uploads import fits
from tests.cast import Cast

pytestmark = pytest.mark.browser
TEXTS = {
    "long": tables.LONG,
    "scales": tables.BY_SCALE,
    "people": tables.BY_PERSON,
    "bad": tables.LONG + "zoe,,4,s1\n",
}


@pytest.mark.parametrize("width", [1280, 390])
def test_the_check_fits(open_page, check_axe, live, width: int) -> None:
    cast = Cast()
    page = open_page(cast.ada, width=width)
    for name, text in TEXTS.items():
        upload = tables.kept(cast, text)
        page.goto(f"/p/windows/agreement/upload/{upload.code}/?name=Crowd")
        assert fits(page), name
        check_axe(page)
        keep_picture(page, f"ratings-{name}-{width}")


def test_what_is_typed_counts_at_once(open_page, live) -> None:
    cast = Cast()
    page = open_page(cast.ada)
    upload = tables.kept(cast, tables.LONG)
    page.goto(f"/p/windows/agreement/upload/{upload.code}/?name=Crowd")
    page.get_by_label("Least value of value").fill("1")
    page.get_by_label("Greatest value of value").fill("5")
    page.get_by_role("button", name="Import").click()
    expect(page.locator("h1")).to_contain_text("Crowd")
    assert RatingSet.objects.get().reading["ranges"] == {"value": [1, 5]}

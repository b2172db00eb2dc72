"""The account, its tokens and the word "too many", at two widths."""

import pytest

from annotator.services import accounts
from tests.browser.pictures import keep_picture
from tests.browser.test_uploads import fits
from tests.cast import Cast

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("width", [1280, 390])
def test_the_account_fits_with_its_tokens(open_page, check_axe, width: int) -> None:
    cast = Cast()
    for name, scope in (("nightly export of the corpus", "read"), ("cron", "manage")):
        accounts.make_token(cast.bob, name=name, scope=scope)
    page = open_page(cast.bob, width=width)
    page.goto("/account/")
    page.get_by_role("rowheader", name="nightly export").wait_for()
    assert fits(page)
    check_axe(page)
    keep_picture(page, f"account-{width}")


@pytest.mark.parametrize("width", [1280, 390])
def test_too_many_tries_are_told_on_a_page_that_fits(
    open_page, check_axe, width: int
) -> None:
    cast = Cast()
    page = open_page(None, width=width)
    page.goto("/sign-in/")
    for _ in range(12):
        if not page.locator("input[name=password]").count():
            break
        page.locator("input[name=username]").fill(cast.bob.username)
        page.locator("input[name=password]").fill("a guess")
        page.locator("input[name=password]").press("Enter")
        page.wait_for_load_state()
    page.get_by_role("heading", name="Too many").wait_for()
    assert fits(page)
    check_axe(page)
    keep_picture(page, f"too-many-{width}")

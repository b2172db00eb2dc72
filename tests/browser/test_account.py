"""The account, its tokens and the word "too many", at two widths."""

import pytest
from playwright.sync_api import expect

from annotator.services import accounts
from tests.browser.pictures import keep_picture
from tests.browser.test_uploads import fits
from tests.cast import Cast

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("width", [1280, 390])
def test_the_button_of_a_provider_signs_in_by_keyboard(
    open_page, check_axe, settings, width: int
) -> None:
    pytest.importorskip("authlib", reason="the oidc extra is not installed")
    from tests.annotator.security import oidc_provider

    with oidc_provider.running() as provider:
        settings.OIDC = {
            "issuer": provider.issuer,
            "client_id": oidc_provider.CLIENT,
            "client_secret": oidc_provider.SECRET,
            "name": "University",
        }
        provider.who = {"sub": "7", "preferred_username": "dora"}
        page = open_page(width=width)
        page.goto("/sign-in/")
        button = page.get_by_role("link", name="Sign in with University")
        expect(button).to_be_visible()
        check_axe(page)
        keep_picture(page, f"sign-in-provider-{width}")
        button.focus()
        page.keyboard.press("Enter")
        expect(page.get_by_role("link", name="dora")).to_be_visible()


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

"""The theme is the browser's own, written into the page by the server."""

import pytest
from django.test import Client

pytestmark = pytest.mark.django_db


def test_a_theme_is_kept_and_the_page_comes_back(client: Client) -> None:
    page = client.get("/sign-in/?next=/account/").content.decode()
    assert "data-theme" not in page
    assert 'aria-pressed="true">As the system' in page
    answer = client.post(
        "/theme/", {"theme": "dark", "next": "/sign-in/?next=/account/"}
    )
    assert (answer.status_code, answer["Location"]) == (302, "/sign-in/?next=/account/")
    cookie = answer.cookies["gemel_theme"]
    assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax")
    page = client.get("/sign-in/").content.decode()
    assert '<html lang="en" data-theme="dark"' in page
    assert 'aria-pressed="true">Dark' in page
    client.post("/theme/", {"theme": "system"})
    assert "data-theme" not in client.get("/sign-in/").content.decode()


def test_no_other_theme_and_no_other_site(client: Client) -> None:
    assert client.post("/theme/", {"theme": "pink"}).status_code == 400
    assert client.get("/theme/").status_code == 405
    for elsewhere in ("https://evil.example/", "//evil.example", "javascript:alert(1)"):
        answer = client.post("/theme/", {"theme": "light", "next": elsewhere})
        assert answer["Location"] == "/"


@pytest.mark.parametrize("forged", ["pink", 'dark" onload="x', "", "DARK"])
def test_a_forged_choice_is_none(client: Client, forged: str) -> None:
    client.cookies["gemel_theme"] = forged
    assert "data-theme" not in client.get("/sign-in/").content.decode()

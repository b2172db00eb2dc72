"""Guessing is slowed, its victim keeps a way in, and programs have a limit."""

import pytest
from django.core.cache import cache
from django.test import Client, RequestFactory

from annotator.http import addresses
from tests.cast import PASSWORD, Cast, person

pytestmark = pytest.mark.django_db


def attempt(client: Client, name: str, password: str = "wrong", **more) -> int:
    form = {"username": name, "password": password}
    return client.post("/sign-in/", form, **more).status_code


def test_guessing_at_one_name_is_stopped(cast: Cast) -> None:
    client = Client()
    assert [attempt(client, "ada") for _ in range(7)] == [400] * 7
    answer = client.post("/sign-in/", {"username": "ada", "password": "wrong"})
    assert answer.status_code == 429
    assert int(answer["Retry-After"]) > 0
    assert attempt(client, "ada", PASSWORD) == 429


def test_guessing_at_many_names_from_one_address_is_stopped(cast: Cast) -> None:
    client = Client()
    statuses = [attempt(client, f"name{n}") for n in range(40)]
    assert statuses[:30] == [400] * 30
    assert statuses[-1] == 429
    assert attempt(client, "ada", PASSWORD) == 429


def test_another_address_is_not_held_up(cast: Cast) -> None:
    for _ in range(9):
        attempt(Client(), "ada")
    assert attempt(Client(REMOTE_ADDR="192.0.2.9"), "ada", PASSWORD) == 302


def test_nobody_can_keep_a_person_out_of_the_browser_they_use(cast: Cast) -> None:
    own = Client()
    assert attempt(own, "ada", PASSWORD) == 302
    own.post("/sign-out/")
    stranger = Client()  # behind the same proxy
    for n in range(40):
        attempt(stranger, "ada")
        attempt(stranger, f"name{n}")
    assert attempt(stranger, "ada", PASSWORD) == 429
    assert attempt(own, "ada", PASSWORD) == 302


def test_a_known_browser_has_no_more_guesses_than_others(cast: Cast) -> None:
    own = Client()
    attempt(own, "ada", PASSWORD)
    own.post("/sign-out/")
    assert [attempt(own, "ada") for _ in range(9)][-1] == 429


def test_the_note_of_a_browser_is_for_its_own_name(cast: Cast) -> None:
    own = Client()
    attempt(own, "bob", PASSWORD)
    own.post("/sign-out/")
    for _ in range(9):
        attempt(own, "ada")
    assert attempt(Client(), "ada", PASSWORD) == 429  # they counted for the address


def test_a_forged_note_is_no_note(cast: Cast) -> None:
    client = Client()
    client.cookies[addresses.COOKIE] = "eyJuYW1lIjoiYWRhIn0:forged"
    for _ in range(9):
        attempt(client, "ada")
    assert attempt(Client(), "ada", PASSWORD) == 429


def test_ones_own_sign_in_buys_no_guesses_at_others(cast: Cast) -> None:
    person("mallory")
    client = Client()
    statuses = []
    for n in range(40):
        if n % 5 == 0:
            attempt(client, "mallory", PASSWORD)
        statuses.append(attempt(client, f"name{n}"))
    assert statuses[-1] == 429


@pytest.mark.parametrize(
    ("proxies", "told", "address"),
    [
        (0, "203.0.113.5", "198.51.100.1"),
        (1, "203.0.113.5", "203.0.113.5"),
        (1, "6.6.6.6, 203.0.113.5", "203.0.113.5"),
        (2, "6.6.6.6, 203.0.113.5, 10.0.0.1", "203.0.113.5"),
        (1, "", "198.51.100.1"),
        (3, "203.0.113.5", "198.51.100.1"),
        (1, "no address", "198.51.100.1"),
        (1, "2001:db8::7", "2001:db8::7"),
    ],
)
def test_the_address_is_the_one_our_outermost_proxy_saw(
    settings, proxies: int, told: str, address: str
) -> None:
    settings.PROXIES = proxies
    headers = {"HTTP_X_FORWARDED_FOR": told} if told else {}
    request = RequestFactory().get("/", REMOTE_ADDR="198.51.100.1", **headers)
    assert addresses.of(request) == address


def test_behind_a_proxy_each_client_has_its_own_tries(cast: Cast, settings) -> None:
    settings.PROXIES = 1
    for _ in range(9):
        attempt(Client(), "ada", HTTP_X_FORWARDED_FOR="6.6.6.6, 203.0.113.5")
    theirs = {"HTTP_X_FORWARDED_FOR": "203.0.113.5"}
    assert attempt(Client(), "ada", PASSWORD, **theirs) == 429
    mine = {"HTTP_X_FORWARDED_FOR": "203.0.113.6"}
    assert attempt(Client(), "ada", PASSWORD, **mine) == 302


def test_programs_have_a_limit_and_are_told_when_to_go_on(cast, settings) -> None:
    settings.API_RATE = 3
    cache.clear()
    client, other = Client(), Client()
    client.force_login(cast.ada)
    other.force_login(cast.bob)
    statuses = [client.get("/api/projects/").status_code for _ in range(3)]
    assert statuses == [200, 200, 200]
    answer = client.get("/api/projects/")
    assert answer.status_code == 429
    error = answer.json()["error"]
    assert error["code"] == "throttled"
    assert "3 calls a minute" in error["message"]
    assert 0 < error["facts"]["wait_s"] <= 60
    assert 0 < int(answer["Retry-After"]) <= 61
    assert other.get("/api/projects/").status_code == 200
    cache.clear()

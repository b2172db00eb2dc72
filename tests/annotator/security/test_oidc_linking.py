"""An account that is there already, linked to an OpenID provider and unlinked."""

import time

import pytest
from django.contrib.auth.models import User
from django.test import Client

from annotator.models import Identity
from tests.cast import PASSWORD, Cast

pytest.importorskip("authlib", reason="the oidc extra is not installed")
pytest.importorskip("requests", reason="the oidc extra is not installed")
from tests.annotator.security.oidc_browser import sent_back, sign_in, who_is
from tests.annotator.security.oidc_provider import Provider

pytestmark = pytest.mark.django_db


def asked_to(client: Client, what: str, password: str, **more: str) -> str:
    """What the page of the account says after this."""
    form = {"what": what, "password": password} | more
    return client.post("/account/links/", form, follow=True).content.decode()


@pytest.fixture
def ada(cast: Cast) -> Client:
    client = Client()
    client.force_login(cast.ada)
    return client


def test_an_owner_links_the_account_and_comes_by_the_provider(
    cast: Cast, provider: Provider, ada: Client
) -> None:
    assert "Continue to" in asked_to(ada, "link", PASSWORD)
    assert sign_in(ada)["Location"] == "/account/"
    other = Client()
    sign_in(other)
    assert who_is(other) == "ada"
    assert User.objects.filter(username__startswith="person").count() == 0


@pytest.mark.parametrize("password", ["", "wrong"])
def test_without_the_password_nothing_is_linked(
    cast: Cast, provider: Provider, ada: Client, password: str
) -> None:
    assert "not the password" in asked_to(ada, "link", password)
    sign_in(ada)
    assert not cast.ada.identities.exists()


def test_an_identity_of_another_account_is_not_taken_from_it(
    cast: Cast, provider: Provider, ada: Client
) -> None:
    sign_in(Client())
    asked_to(ada, "link", PASSWORD)
    page = ada.get(sent_back(ada), follow=True).content.decode()
    assert "belongs to another account" in page
    assert not cast.ada.identities.exists()
    assert who_is(ada) == "ada"


def test_a_password_given_once_links_once(
    cast: Cast, provider: Provider, ada: Client
) -> None:
    asked_to(ada, "link", PASSWORD)
    sign_in(ada)
    provider.who = {"sub": "8", "preferred_username": "dora"}
    sign_in(ada)
    assert who_is(ada) == "dora"
    assert cast.ada.identities.get().subject == "7"


def test_a_password_given_long_ago_links_nothing(
    cast: Cast, provider: Provider, ada: Client
) -> None:
    asked_to(ada, "link", PASSWORD)
    session = ada.session
    session["oidc_linking_at"] = time.time() - 3600
    session.save()
    sign_in(ada)
    assert not cast.ada.identities.exists()


def test_who_signs_out_on_the_way_links_nothing(
    cast: Cast, provider: Provider, ada: Client
) -> None:
    asked_to(ada, "link", PASSWORD)
    ada.post("/sign-out/")
    sign_in(ada)
    assert not cast.ada.identities.exists()


def test_guesses_at_linking_count_as_at_sign_in(
    cast: Cast, provider: Provider, ada: Client
) -> None:
    for n in range(9):
        asked_to(ada, "link", f"guess {n}")
    asked_to(ada, "link", PASSWORD)
    sign_in(ada)
    assert not cast.ada.identities.exists()


def test_an_owner_unlinks_with_the_password_alone(
    cast: Cast, provider: Provider, ada: Client
) -> None:
    asked_to(ada, "link", PASSWORD)
    sign_in(ada)
    asked_to(ada, "unlink", "wrong", subject="7")
    assert cast.ada.identities.exists()
    asked_to(ada, "unlink", PASSWORD, subject="7")
    assert not cast.ada.identities.exists()
    other = Client()
    sign_in(other)
    assert who_is(other) != "ada"


def test_nobody_unlinks_another_account(
    cast: Cast, provider: Provider, ada: Client
) -> None:
    sign_in(Client())
    asked_to(ada, "unlink", PASSWORD, subject="7")
    assert Identity.objects.filter(subject="7").exists()


def test_who_has_no_password_cannot_lose_the_only_way_in(provider: Provider) -> None:
    client = Client()
    sign_in(client)
    assert "not the password" in asked_to(client, "unlink", "", subject="7")
    assert Identity.objects.filter(subject="7").exists()

"""Signing in by an OpenID provider, against one that runs here over real HTTP."""

import time
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from annotator.models import Identity, Membership
from annotator.services.projects import invitations
from tests.cast import PASSWORD, Cast

pytest.importorskip("authlib", reason="the oidc extra is not installed")
pytest.importorskip("requests", reason="the oidc extra is not installed")
from joserfc import jwt
from joserfc.jwk import OctKey, RSAKey

from tests.annotator.security import oidc_provider
from tests.annotator.security.oidc_browser import sent_back, sign_in, who_is
from tests.annotator.security.oidc_provider import Provider

pytestmark = pytest.mark.django_db


def test_who_comes_first_gets_an_account_without_rights(
    cast: Cast, provider: Provider
) -> None:
    provider.who = {"sub": "7", "preferred_username": "dora"}
    client = Client()
    answer = sign_in(client)
    assert (answer.status_code, answer["Location"]) == (302, "/")
    dora = User.objects.get(username="dora")
    assert who_is(client) == "dora"
    assert not dora.is_superuser
    assert not dora.is_staff
    assert not dora.has_usable_password()
    assert not Membership.objects.filter(user=dora).exists()
    assert client.get("/p/windows/").status_code == 404


def test_who_comes_again_has_the_same_account_by_whatever_name(
    provider: Provider,
) -> None:
    provider.who = {"sub": "7", "preferred_username": "dora"}
    sign_in(Client())
    provider.who = {"sub": "7", "preferred_username": "dora-married"}
    client = Client()
    sign_in(client)
    assert who_is(client) == "dora"
    assert User.objects.filter(identities__subject="7").count() == 1


@pytest.mark.parametrize("name", ["ada", "ADA", "ａｄａ", "ada@example.org"])
def test_a_name_or_address_opens_nobodys_account(
    cast: Cast, provider: Provider, name: str
) -> None:
    User.objects.filter(username="ada").update(email="ada@example.org")
    before = User.objects.values().get(username="ada")
    provider.who = {
        "sub": "8",
        "preferred_username": name,
        "email": "ada@example.org",
        "email_verified": True,
    }
    client = Client()
    sign_in(client)
    assert who_is(client).endswith("-2")
    assert User.objects.values().get(username="ada") == before
    assert client.get("/p/windows/").status_code == 404


def test_the_same_subject_of_another_provider_is_another_person(
    cast: Cast, provider: Provider
) -> None:
    Identity.objects.create(user=cast.ada, issuer="https://elsewhere.org", subject="7")
    client = Client()
    sign_in(client)
    assert who_is(client) == "person"


def test_a_name_that_only_userinfo_knows_is_taken(provider: Provider) -> None:
    provider.at_userinfo = {"sub": "7", "name": "Dora Maar / Paris"}
    client = Client()
    sign_in(client)
    assert who_is(client) == "Dora-Maar-Paris"


def test_userinfo_of_somebody_else_gives_no_name(provider: Provider) -> None:
    provider.at_userinfo = {"sub": "9", "preferred_username": "emma"}
    client = Client()
    sign_in(client)
    assert who_is(client) == "person"


def test_an_invitation_gives_its_rights_and_no_more(
    cast: Cast, provider: Provider
) -> None:
    token = invitations.invite(cast.project, role="annotator", by=cast.ada)[1]
    provider.who = {"sub": "7", "preferred_username": "dora"}
    client = Client()
    page = client.get(f"/join/{token}/").content.decode()
    assert f"/sign-in/oidc/?next=/join/{token}/" in page
    answer = sign_in(client, f"/join/{token}/")
    assert answer["Location"] == f"/join/{token}/"
    assert client.post(f"/join/{token}/").status_code == 302
    member = Membership.objects.get(user__username="dora")
    assert (member.project, member.role) == (cast.project, "annotator")


OTHER_KEY = RSAKey.generate_key(2048, {"kid": "one"})
HEADER = {"alg": "RS256", "kid": "one"}


def unsigned(claims: dict[str, Any]) -> str:
    text = jwt.encode(HEADER, claims, OTHER_KEY)
    none = "eyJhbGciOiJub25lIn0"  # {"alg":"none"}
    return f"{none}.{text.split('.')[1]}."


def signed_by_the_secret(claims: dict[str, Any]) -> str:
    key = OctKey.import_key(oidc_provider.SECRET)
    return jwt.encode({"alg": "HS256"}, claims, key, algorithms=["HS256"])


FORGED: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "another nonce": lambda one: one | {"nonce": "of another sign-in"},
    "no nonce": lambda one: {k: v for k, v in one.items() if k != "nonce"},
    "another issuer": lambda one: one | {"iss": "https://elsewhere.org"},
    "for another client": lambda one: one | {"aud": "another"},
    "expired": lambda one: one | {"exp": int(time.time()) - 3600},
    "of tomorrow": lambda one: one | {"iat": int(time.time()) + 86_400},
    "of nobody": lambda one: {k: v for k, v in one.items() if k != "sub"},
    "of an empty subject": lambda one: one | {"sub": ""},
}
SIGNED: dict[str, Callable[[dict[str, Any]], str]] = {
    "by another key": lambda claims: jwt.encode(HEADER, claims, OTHER_KEY),
    "not at all": unsigned,
    "by the client's secret": signed_by_the_secret,
    "no token": lambda claims: "rubbish",
}


def refused(client: Client, answer: Any) -> None:
    assert answer.status_code == 400
    assert 'role="alert"' in answer.content.decode()
    assert who_is(client) == ""
    assert not Identity.objects.exists()


@pytest.mark.parametrize("how", FORGED)
def test_a_token_that_is_not_for_this_sign_in_is_refused(
    provider: Provider, how: str
) -> None:
    provider.forge = FORGED[how]
    client = Client()
    refused(client, sign_in(client))


@pytest.mark.parametrize("how", SIGNED)
def test_a_token_that_the_provider_did_not_sign_is_refused(
    provider: Provider, how: str
) -> None:
    provider.sign = SIGNED[how]
    algorithms = ["RS256", "HS256", "none"]  # whatever it says that it signs by
    provider.described = {"id_token_signing_alg_values_supported": algorithms}
    client = Client()
    refused(client, sign_in(client))


def test_an_answer_to_another_browser_is_refused(provider: Provider) -> None:
    back = sent_back(Client())
    client = Client()
    refused(client, client.get(back))
    sent_back(client)  # this one has a state, too, but not that one
    refused(client, client.get(back))


def test_an_answer_is_taken_once(provider: Provider) -> None:
    client = Client()
    back = sent_back(client)
    assert client.get(back).status_code == 302
    client.post("/sign-out/")
    assert client.get(back).status_code == 400
    assert who_is(client) == ""


def test_a_code_that_was_stolen_is_of_no_use(provider: Provider) -> None:
    """Put into one's own answer, it fails at the verifier (PKCE)."""
    stolen = sent_back(Client()).partition("code=")[2].partition("&")[0]
    client = Client()
    back = sent_back(client)
    own = back.partition("code=")[2].partition("&")[0]
    refused(client, client.get(back.replace(own, stolen)))
    first, second = provider.asked
    for name in ("state", "nonce", "code_challenge"):
        assert len(first[name]) >= 20
        assert first[name] != second[name]


def test_who_is_turned_away_by_the_provider_is_told(provider: Provider) -> None:
    client = Client()
    state = sent_back(client).partition("state=")[2]
    answered = {"error": "access_denied", "state": state}
    refused(client, client.get("/sign-in/oidc/back/", answered))


def test_a_description_of_another_issuer_is_refused(provider: Provider) -> None:
    provider.described = {"issuer": "https://elsewhere.org"}
    client = Client()
    refused(client, client.get("/sign-in/oidc/"))


@pytest.mark.parametrize("keys", [[1], {"keys": 3}, "x"])
def test_keys_of_another_shape_are_refused(provider: Provider, keys: Any) -> None:
    provider.described = {"jwks": keys}
    client = Client()
    refused(client, sign_in(client))


def test_a_provider_that_is_away_is_named_and_passwords_go_on(
    cast: Cast, provider: Provider, settings
) -> None:
    settings.OIDC = settings.OIDC | {"issuer": "http://127.0.0.1:9"}
    client = Client()
    answer = client.get("/sign-in/oidc/")
    assert answer.status_code == 503
    assert "University cannot be reached now." in answer.content.decode()
    form = {"username": "ada", "password": PASSWORD}
    assert client.post("/sign-in/", form).status_code == 302


def test_a_wrong_secret_lets_nobody_in(provider: Provider, settings) -> None:
    settings.OIDC = settings.OIDC | {"client_secret": "another"}
    client = Client()
    refused(client, sign_in(client))


def test_a_closed_account_stays_closed(provider: Provider) -> None:
    sign_in(Client())
    User.objects.filter(identities__subject="7").update(is_active=False)
    client = Client()
    answer = sign_in(client)
    assert answer.status_code == 403
    assert who_is(client) == ""


@pytest.mark.parametrize("wanted", ["https://elsewhere.org/", "//elsewhere.org"])
def test_nobody_is_sent_elsewhere_afterwards(provider: Provider, wanted: str) -> None:
    assert sign_in(Client(), wanted)["Location"] == "/"


def test_a_session_from_before_is_not_the_one_after(provider: Provider) -> None:
    client = Client()
    back = sent_back(client)
    before = client.session.session_key
    client.get(back)
    assert client.session.session_key != before


def test_a_name_locked_by_guessing_comes_in_by_the_provider(
    provider: Provider,
) -> None:
    provider.who = {"sub": "7", "preferred_username": "dora"}
    sign_in(Client())
    form = {"username": "dora", "password": "wrong"}
    tries = [Client().post("/sign-in/", form).status_code for _ in range(8)]
    assert tries == [400] * 7 + [429]
    client = Client()
    sign_in(client)
    assert who_is(client) == "dora"
    stranger = Client(REMOTE_ADDR="192.0.2.9")
    tries = [stranger.post("/sign-in/", form).status_code for _ in range(8)]
    assert tries == [400] * 7 + [429]


def test_the_pages_carry_the_headers_of_all_pages(provider: Provider) -> None:
    plain = Client().get("/sign-in/").headers
    away = Client().get("/sign-in/oidc/").headers
    wrong = Client().get("/sign-in/oidc/back/").headers
    for name in ("Content-Security-Policy", "X-Frame-Options", "Referrer-Policy"):
        assert plain[name] == away[name] == wrong[name]
    assert "no-store" in away["Cache-Control"]
    assert "no-store" in wrong["Cache-Control"]


def test_without_a_provider_there_is_no_such_page(db) -> None:
    assert "/sign-in/oidc/" not in Client().get("/sign-in/").content.decode()
    for address in ("/sign-in/oidc/", "/sign-in/oidc/back/?code=x&state=y"):
        assert Client().get(address).status_code == 404


def test_the_button_is_named_in_the_language_of_the_page(provider: Provider) -> None:
    page = Client().get("/sign-in/", {"next": "/p/windows/"}).content.decode()
    assert "Sign in with University" in page
    assert "/sign-in/oidc/?next=/p/windows/" in page
    german = Client(headers={"accept-language": "de"}).get("/sign-in/")
    assert "Mit University anmelden" in german.content.decode()

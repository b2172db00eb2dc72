"""Signing in by a directory, against a small one that runs here over real sockets."""

import shutil
import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.test import Client

from annotator import checks
from annotator.models import Identity, Membership
from tests.cast import PASSWORD, Cast

pytest.importorskip("ldap3", reason="the ldap extra is not installed")
if not shutil.which("openssl"):
    pytest.skip("openssl makes the certificates", allow_module_level=True)

from annotator.http import ldap
from tests.annotator.security import ldap_directory
from tests.annotator.security.ldap_directory import (
    BASE,
    SEARCHER,
    SECRET,
    LdapTree,
)

pytestmark = pytest.mark.django_db
DORA, ADA = UUID(int=7), UUID(int=8)
WORD = "a word of the directory"


@pytest.fixture(scope="module")
def pem(tmp_path_factory) -> tuple[Path, Path]:
    return ldap_directory.certificate(tmp_path_factory.mktemp("ldap"))


def context(pem: tuple[Path, Path]) -> ssl.SSLContext:
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(*pem)
    return made


def chosen(one: LdapTree, ca: Path) -> dict[str, Any]:
    return {
        "url": f"ldap://localhost:{one.port}",
        "is_plain": False,
        "base": BASE,
        "filter": "(uid=%(name)s)",
        "id": "entryUUID",
        "bind_dn": SEARCHER,
        "bind_password": SECRET,
        "ca": str(ca),
    }


@pytest.fixture
def directory(settings, pem: tuple[Path, Path]) -> Iterator[LdapTree]:
    people = [
        ldap_directory.KnownPerson("dora", WORD, str(DORA).encode()),
        ldap_directory.KnownPerson("ada", WORD, str(ADA).encode()),
    ]
    made = LdapTree(people, context(pem))
    with ldap_directory.running(made) as one:
        settings.LDAP = chosen(one, pem[0])
        yield one


def sign_in(name: str, password: str, client: Client | None = None) -> Any:
    form = {"username": name, "password": password}
    return (client or Client()).post("/sign-in/", form)


def who(name: str, password: str) -> str:
    """Who is in after this; "" if nobody."""
    client = Client()
    sign_in(name, password, client)
    key = client.session.get("_auth_user_id")
    return User.objects.get(pk=key).username if key else ""


def test_who_comes_first_gets_an_account_without_rights(
    directory: LdapTree,
) -> None:
    assert who("dora", WORD) == "dora"
    dora = User.objects.get(username="dora")
    assert not dora.is_superuser
    assert not dora.is_staff
    assert not dora.has_usable_password()
    assert not Membership.objects.filter(user=dora).exists()


def test_who_is_called_otherwise_later_comes_to_the_same_account(
    directory: LdapTree,
) -> None:
    assert who("dora", WORD) == "dora"
    directory.people[0].uid = "dora.married"
    assert who("dora.married", WORD) == "dora"
    assert Identity.objects.count() == 1


def test_a_name_that_is_given_to_somebody_else_opens_nothing(
    directory: LdapTree,
) -> None:
    assert who("dora", WORD) == "dora"
    directory.people[0].entry_uuid = str(UUID(int=99)).encode()
    assert who("dora", WORD) == "dora-2"


def test_a_name_that_is_taken_here_is_somebody_else(
    cast: Cast, directory: LdapTree
) -> None:
    assert who("ada", WORD) == "ada-2"
    assert who("ada", PASSWORD) == "ada"
    assert not Membership.objects.filter(user__username="ada-2").exists()


def test_the_password_of_an_account_here_is_not_sent_away(
    cast: Cast, directory: LdapTree
) -> None:
    assert who("ada", PASSWORD) == "ada"
    assert not directory.binds


@pytest.mark.parametrize("password", ["", "no", WORD + "\n", WORD.upper(), "x" * 999])
def test_another_password_opens_nothing(directory: LdapTree, password: str) -> None:
    assert sign_in("dora", password).status_code == 400
    assert who("dora", password) == ""


@pytest.mark.parametrize("nothing", ["", "\u00ad", "\u2060\ufeff"])
def test_an_empty_password_is_never_tried(directory: LdapTree, nothing: str) -> None:
    """Signs that count for nothing (RFC 4013, 2.1) are no password, either."""
    assert ldap.proven("dora", nothing) is None
    assert f"uid=dora,{BASE}" not in [dn for dn, _, _ in directory.binds]
    assert directory.bind("uid=dora", "", is_tls=True) == ldap_directory.OK


@pytest.mark.parametrize(
    "name",
    [
        "*",
        "dor*",
        "dora)(uid=*",
        "*)(objectClass=*",
        "x)(|(uid=dora",
        "dora))(|(uid=*",
        "dora\\2a",
        "uid=dora",
        f"uid=dora,{BASE}",
        "dora\0",
    ],
)
def test_a_name_is_a_name_and_no_filter(directory: LdapTree, name: str) -> None:
    assert ldap.proven(name, WORD) is None
    assert [dn for dn, _, _ in directory.binds] == [SEARCHER]
    assert directory.searches == 1


def test_a_name_that_two_have_is_nobodys(directory: LdapTree) -> None:
    twin = ldap_directory.KnownPerson("dora", "other", str(UUID(int=9)).encode())
    directory.people.append(twin)
    assert who("dora", WORD) == ""
    assert who("dora", "other") == ""


@pytest.mark.parametrize("key", [b"", b"7", b"no uuid at all"])
def test_without_a_key_nobody_is_known(directory: LdapTree, key: bytes) -> None:
    directory.people[0].entry_uuid = key
    assert who("dora", WORD) == ""


def test_sixteen_bytes_are_a_key_as_in_active_directory(
    directory: LdapTree, settings
) -> None:
    settings.LDAP["id"] = "objectGUID"
    directory.people[0].entry_uuid = DORA.bytes_le
    assert who("dora", WORD) == "dora"
    assert Identity.objects.get().subject == str(DORA)


def test_no_password_goes_out_before_tls_stands(directory: LdapTree) -> None:
    assert who("dora", WORD) == "dora"
    assert [dn for dn, _, _ in directory.binds] == [SEARCHER, f"uid=dora,{BASE}"]
    assert all(is_tls for _, _, is_tls in directory.binds)


def test_a_directory_without_tls_hears_no_password(directory: LdapTree) -> None:
    directory.tls = None
    answer = sign_in("dora", WORD)
    assert answer.status_code == 503
    assert "cannot be reached" in answer.content.decode()
    assert not directory.binds


def test_a_certificate_of_another_host_is_not_believed(
    directory: LdapTree, settings, tmp_path: Path
) -> None:
    other = ldap_directory.certificate(tmp_path, "elsewhere.example")
    directory.tls = context(other)
    settings.LDAP["ca"] = str(other[0])
    assert sign_in("dora", WORD).status_code == 503
    assert not directory.binds


def test_a_certificate_that_nobody_vouches_for_is_not_believed(
    directory: LdapTree, settings
) -> None:
    settings.LDAP["ca"] = ""
    assert sign_in("dora", WORD).status_code == 503
    assert not directory.binds


def test_a_referral_is_not_followed(
    directory: LdapTree, pem: tuple[Path, Path]
) -> None:
    other = LdapTree(list(directory.people), context(pem))
    with ldap_directory.running(other):
        directory.refers_to = f"ldap://localhost:{other.port}/{BASE}"
        directory.people.clear()
        assert who("dora", WORD) == ""
    assert not other.binds


def test_guessing_is_slowed_as_for_passwords(directory: LdapTree) -> None:
    client = Client()
    statuses = [sign_in("dora", f"guess {n}", client).status_code for n in range(9)]
    assert statuses == [400] * 7 + [429] * 2
    asked = len(directory.binds)
    assert sign_in("dora", WORD, client).status_code == 429
    assert len(directory.binds) == asked


def test_while_the_directory_is_away_passwords_of_here_go_on(
    cast: Cast, directory: LdapTree, settings
) -> None:
    settings.LDAP["url"] = "ldap://localhost:1"
    assert [sign_in("dora", WORD).status_code for _ in range(9)] == [503] * 9
    assert who("ada", PASSWORD) == "ada"


def test_a_directory_that_does_not_answer_is_not_waited_for(
    directory: LdapTree, monkeypatch
) -> None:
    monkeypatch.setattr(ldap, "ANSWER_S", 1)
    directory.is_silent = True
    assert sign_in("dora", WORD).status_code == 503


def test_an_account_that_is_closed_stays_closed(directory: LdapTree) -> None:
    assert who("dora", WORD) == "dora"
    User.objects.filter(username="dora").update(is_active=False)
    assert who("dora", WORD) == ""


def test_a_namesakes_password_is_not_ones_old_one(
    cast: Cast, directory: LdapTree
) -> None:
    client = Client()
    client.force_login(cast.ada)
    new = "roses behind the little house"
    form = {"what": "password", "new_password1": new, "new_password2": new}
    assert client.post("/account/", form | {"old_password": WORD}).status_code == 400
    cast.ada.refresh_from_db()
    assert cast.ada.check_password(PASSWORD)


def test_without_a_directory_nothing_is_asked(settings, directory: LdapTree) -> None:
    settings.LDAP = {}
    assert sign_in("dora", WORD).status_code == 400
    assert not directory.binds


def test_a_directory_without_its_package_stops_the_start(settings, monkeypatch) -> None:
    settings.LDAP = {"url": "ldaps://ldap.example.org"}
    monkeypatch.setattr(checks, "find_spec", lambda _: None)
    (problem,) = checks.provider_can_be_asked()
    assert "gemel[ldap]" in str(problem.hint)

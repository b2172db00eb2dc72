"""Passwords, sessions and tokens: what ends with what, and what each may do."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotator.errors import BadRequest
from annotator.models import ApiToken
from annotator.services import accounts
from annotator.services.projects import invitations
from tests.annotator import campaigns_cast
from tests.cast import PASSWORD, Cast

pytestmark = pytest.mark.django_db
NEW = "eleven blue kettles"
CHANGE = {"what": "password", "new_password1": NEW, "new_password2": NEW}


def signed_in(user, **more) -> Client:
    client = Client(**more)
    client.force_login(user, "annotator.http.sessions.Accounts")
    return client


def bearing(secret: str) -> dict[str, str]:
    return {"Authorization": f"Token {secret}"}


def token(user, scope: str = "manage", **more) -> str:
    return accounts.make_token(user, name="mine", scope=scope, **more)[1]


@pytest.mark.parametrize("old", ["", "a wrong one", NEW])
def test_a_password_is_not_changed_without_the_old_one(cast: Cast, old: str) -> None:
    client = signed_in(cast.bob)
    answer = client.post("/account/", CHANGE | {"old_password": old})
    assert answer.status_code == 400
    cast.bob.refresh_from_db()
    assert cast.bob.check_password(PASSWORD)


def test_wrong_old_passwords_are_counted_like_wrong_sign_ins(cast: Cast) -> None:
    client = signed_in(cast.bob)
    for n in range(9):
        answer = client.post("/account/", CHANGE | {"old_password": f"guess {n}"})
    assert answer.status_code == 429


def test_a_new_password_ends_all_other_sessions_and_all_tokens(cast: Cast) -> None:
    mine, thief = signed_in(cast.bob), signed_in(cast.bob)
    stolen = token(cast.bob)
    others = token(cast.ada)
    assert thief.get("/account/").status_code == 200
    answer = mine.post("/account/", CHANGE | {"old_password": PASSWORD})
    assert answer.status_code == 302
    assert mine.get("/account/").status_code == 200
    assert thief.get("/account/").status_code == 302
    assert Client().get("/api/projects/", headers=bearing(stolen)).status_code == 401
    assert Client().get("/api/projects/", headers=bearing(others)).status_code == 200


def test_who_came_by_a_link_sets_a_password_without_the_old_one_once(
    cast: Cast,
) -> None:
    thief, stolen = signed_in(cast.bob), token(cast.bob)
    client = Client()
    client.post(f"/join/{invitations.sign_in_link(cast.bob)}/")
    assert "id_old_password" not in client.get("/account/").content.decode()
    assert client.post("/account/", CHANGE).status_code == 302
    cast.bob.refresh_from_db()
    assert cast.bob.check_password(NEW)
    assert thief.get("/account/").status_code == 302
    assert Client().get("/api/projects/", headers=bearing(stolen)).status_code == 401
    assert client.post("/account/", CHANGE).status_code == 400


def test_an_hour_after_the_link_the_old_password_is_asked_again(cast: Cast) -> None:
    client = Client()
    client.post(f"/join/{invitations.sign_in_link(cast.bob)}/")
    session = client.session
    session["by_link_at"] -= 3601
    session.save()
    assert client.post("/account/", CHANGE).status_code == 400


def test_the_secret_is_shown_once_and_only_its_digest_is_kept(cast: Cast) -> None:
    client = signed_in(cast.bob)
    form = {"what": "token", "name": "my script", "scope": "read", "days": "30"}
    page = client.post("/account/", form).content.decode()
    secret = re.search(r'id="token"[^>]*>([^<]+)<', page).group(1)
    assert Client().get("/api/projects/", headers=bearing(secret)).status_code == 200
    page = client.get("/account/").content.decode()
    assert "my script" in page
    assert secret not in page
    row = str(list(ApiToken.objects.values()))
    assert secret not in row
    assert ApiToken.objects.get().expires_at - timezone.now() < timedelta(days=31)


def test_a_token_can_be_revoked_by_its_owner_only(cast: Cast) -> None:
    secret = token(cast.bob)
    code = ApiToken.objects.get().code
    form = {"what": "revoke", "token": code}
    assert signed_in(cast.ada).post("/account/", form).status_code == 404
    assert Client().get("/api/projects/", headers=bearing(secret)).status_code == 200
    assert signed_in(cast.bob).post("/account/", form).status_code == 302
    assert Client().get("/api/projects/", headers=bearing(secret)).status_code == 401


def test_an_expired_token_is_no_token(cast: Cast) -> None:
    secret = token(cast.bob, days=1)
    past = timezone.now() - timedelta(seconds=1)
    ApiToken.objects.update(expires_at=past)
    answer = Client().get("/api/projects/", headers=bearing(secret))
    assert answer.status_code == 401
    assert "expired" in answer.json()["error"]["message"]


def test_the_token_of_somebody_switched_off_is_none(cast: Cast) -> None:
    secret = token(cast.bob)
    cast.bob.is_active = False
    cast.bob.save()
    assert Client().get("/api/projects/", headers=bearing(secret)).status_code == 401


@pytest.mark.parametrize(
    ("name", "scope", "days"),
    [("", "read", 7), ("x", "all", 7), ("x", "read", 0), ("x", "read", 367)],
)
def test_what_is_no_token_is_refused(cast: Cast, name, scope, days) -> None:
    with pytest.raises(BadRequest):
        accounts.make_token(cast.bob, name=name, scope=scope, days=days)


JSON = "application/json"


def tried(cast: Cast, scope: str) -> dict[str, int]:
    """What happens to a reading, an annotating and a managing call."""
    statuses, heads = {}, bearing(token(cast.ada, scope))
    made = campaigns_cast.campaign(cast, n=2)
    client = Client()
    for name, verb, url, body in (
        ("read", "get", "/api/projects/", ""),
        ("layer", "post", f"/api/pairs/{cast.pair.code}/layers/", "{}"),
        ("keys", "put", "/api/judge-preference/", '{"keys": {}}'),
        ("tree", "post", f"/api/sentences/{cast.pair.source.code}/draft/", "{}"),
        ("project", "post", "/api/projects/", '{"name": "X"}'),
        ("pause", "post", f"/api/campaigns/{made.code}/act/", '{"action": "pause"}'),
        (
            "role",
            "patch",
            "/api/projects/windows/members/bob/",
            '{"role": "curator"}',
        ),
    ):
        call = getattr(client, verb)
        more = {"data": body, "content_type": JSON} if body else {}
        statuses[name] = call(url, headers=heads, **more).status_code
    return statuses


def test_a_token_does_what_its_scope_covers(cast: Cast) -> None:
    annotating = {"layer": 200, "keys": 200, "tree": 200}
    managing = {"project": 201, "pause": 200, "role": 200}
    no = dict.fromkeys
    assert tried(cast, "read") == {"read": 200} | no([*annotating, *managing], 403)
    assert tried(cast, "annotate") == {"read": 200} | annotating | no(managing, 403)
    assert tried(cast, "manage") == {"read": 200} | annotating | managing


def test_a_refusal_names_the_scope_that_is_wanted(cast: Cast) -> None:
    heads = bearing(token(cast.ada, "read"))
    url = f"/api/pairs/{cast.pair.code}/layers/"
    answer = Client().post(url, "{}", content_type=JSON, headers=heads)
    error = answer.json()["error"]
    assert error["code"] == "not_allowed"
    assert error["facts"] == {"scope": "read", "wanted": "annotate"}


def test_every_annotating_call_is_a_call_that_there_is() -> None:
    from annotator.api.calls.tokens import ANNOTATING
    from tests.annotator.reports.test_matrix import routes

    there = {text for _, text in routes()}
    assert there >= ANNOTATING


def test_a_session_has_no_scope(cast: Cast) -> None:
    answer = signed_in(cast.ada).post(
        "/api/projects/", '{"name": "Y"}', content_type=JSON
    )
    assert answer.status_code == 201


@pytest.mark.slow
@pytest.mark.once
@pytest.mark.django_db(transaction=True)
def test_tokens_of_before_live_on_as_digests() -> None:
    """Migrated, they work for their people, and nothing readable is left."""
    before = [("annotator", "0006_imported_authors")]
    executor = MigrationExecutor(connection)
    executor.migrate(before)
    try:
        apps = executor.loader.project_state(before).apps
        user = apps.get_model("auth", "User").objects.create(username="old hand")
        Token = executor.loader.project_state(
            [*before, ("authtoken", "0004_alter_tokenproxy_options")]
        ).apps.get_model("authtoken", "Token")
        Token.objects.create(user_id=user.pk, key="0123456789abcdef" * 2)
    finally:
        executor = MigrationExecutor(connection)
        executor.migrate(executor.loader.graph.leaf_nodes())
    heads = bearing("0123456789abcdef" * 2)
    assert Client().get("/api/projects/", headers=heads).status_code == 200
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM authtoken_token")
        assert cursor.fetchone() == (0,)
    assert "0123456789abcdef" not in str(list(ApiToken.objects.values()))


def test_the_page_asks_for_the_old_password(cast: Cast) -> None:
    page = signed_in(cast.bob).get(reverse("account")).content.decode()
    assert 'id="id_old_password"' in page
    cast.bob.set_unusable_password()
    cast.bob.save()
    page = signed_in(cast.bob).get(reverse("account")).content.decode()
    assert 'id="id_old_password"' not in page


def test_a_new_sign_in_link_ends_the_one_before(cast: Cast) -> None:
    first = invitations.sign_in_link(cast.bob)
    second = invitations.sign_in_link(cast.bob)
    assert invitations.find_invitation(first) is None
    assert invitations.find_invitation(second) is not None


def test_a_password_that_is_set_ends_every_sign_in_link(cast: Cast) -> None:
    older = invitations.sign_in_link(cast.bob)
    accounts.set_password(cast.bob, NEW)
    answer = Client().post(f"/join/{older}/")
    assert answer.status_code == 409
    assert "_auth_user_id" not in Client().session
    assert invitations.find_invitation(older) is None


def test_nothing_of_an_account_that_was_switched_off_comes_back(cast: Cast) -> None:
    session, secret = signed_in(cast.bob), token(cast.bob)
    link = invitations.sign_in_link(cast.bob)
    accounts.switch_off(cast.bob)
    assert invitations.find_invitation(link) is None
    assert session.get("/account/").status_code == 302
    accounts.switch_on(cast.bob)
    assert invitations.find_invitation(link) is None
    assert session.get("/account/").status_code == 302
    assert Client().get("/api/projects/", headers=bearing(secret)).status_code == 401
    assert not cast.bob.has_usable_password()


def test_a_link_of_somebody_who_is_switched_off_lets_nobody_in(cast: Cast) -> None:
    link = invitations.sign_in_link(cast.bob)
    User.objects.filter(pk=cast.bob.pk).update(is_active=False)
    assert Client().post(f"/join/{link}/").status_code == 409

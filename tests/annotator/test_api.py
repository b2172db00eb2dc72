"""The API as a whole: one error shape, one schema, tokens, people."""

import json

import pytest
from django.test import Client

from annotator import access
from annotator.models import Project, Role
from annotator.services import accounts


def shape(answer) -> tuple[int, str]:
    """Status and code of an error; fails if the body has another shape."""
    body = answer.json()
    assert set(body) == {"error"}
    assert set(body["error"]) == {"code", "message", "facts"}
    assert body["error"]["message"]
    return answer.status_code, body["error"]["code"]


@pytest.fixture
def ada(cast) -> Client:
    client = Client()
    client.force_login(cast.ada)
    return client


def send(client: Client, verb: str, url: str, data: object = None):
    call = getattr(client, verb)
    return call(url, json.dumps(data or {}), content_type="application/json")


def test_errors_have_one_shape(cast, ada: Client) -> None:
    assert shape(Client().get("/api/projects/"))[0] == 401
    assert shape(ada.get("/api/jobs/0123456789abcdef/")) == (404, "not_found")
    assert shape(ada.get("/api/jobs/?x=1")) == (400, "invalid")
    for nowhere in ("/api/nothing/", "/api/joint-runs/no-code/verdicts/"):
        assert shape(ada.post(nowhere)) == (404, "not_found")
    assert ada.get("/nothing/")["Content-Type"].startswith("text/html")
    assert shape(send(ada, "delete", "/api/projects/"))[0] == 405
    assert shape(send(ada, "post", "/api/projects/", {"name": ""})) == (400, "invalid")
    bad = ada.post("/api/projects/", "{nonsense", content_type="application/json")
    assert shape(bad) == (400, "parse_error")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("[" * 9999, "nested too deeply"),
        ('{"a":' * 9999 + "1" + "}" * 9999, "nested too deeply"),
        (r'{"role": "\ud800"}', "half of a surrogate pair"),
        (r'{"role": {"x": ["\uD800y"]}}', "half of a surrogate pair"),
        (r'{"\udfff": 1}', "half of a surrogate pair"),
        ('{"role": NaN}', "NaN is not a number that can be stored"),
        ('{"role": 1e999}', "1e999 is not a number that can be stored"),
        ('{"role": ' + "7" * 5000 + "}", "line 1, column 10"),
        ('{"role": 1', "not JSON"),
        (b"\xff\xfe{}", "not UTF-8"),
    ],
)
def test_a_body_that_cannot_be_walked_or_stored_is_refused(
    ada: Client, body: str | bytes, words: str
) -> None:
    url = "/api/projects/windows/invitations/"
    answer = ada.post(url, body, content_type="application/json")
    assert shape(answer) == (400, "parse_error")
    assert words in answer.json()["error"]["message"]


@pytest.mark.parametrize("url", ["/api/jobs/?state=%00", "/?next=a%00b"])
def test_a_query_with_a_nul_is_refused(ada: Client, url: str) -> None:
    answer = ada.get(url)
    assert answer.status_code == 400
    assert "NUL" in answer.content.decode()
    if url.startswith("/api/"):
        assert shape(answer) == (400, "invalid")


def test_a_form_with_a_nul_is_refused(ada: Client) -> None:
    for sent in ({"name": "a\0b"}, {"name": ["ok", "\0"]}, {"\0": "x", "name": "ok"}):
        assert ada.post("/p/new/", sent).status_code == 400
    assert Project.objects.count() == 1
    assert ada.post("/p/new/", {"name": "ok"}).status_code == 302


def test_an_escaped_pair_of_surrogates_is_one_sign(ada: Client) -> None:
    body = r'{"name": "Fox \uD83E\uDD8A"}'
    made = ada.post("/api/projects/", body, content_type="application/json")
    assert made.json()["name"] == "Fox \N{FOX FACE}"


def test_a_token_acts_as_its_person(cast) -> None:
    token = accounts.make_token(cast.bob, name="x", scope="read")[1]
    answer = Client().get("/api/projects/", headers={"Authorization": f"Token {token}"})
    assert [row["slug"] for row in answer.json()["results"]] == ["windows"]
    wrong = Client().get("/api/projects/", headers={"Authorization": "Token 123"})
    assert wrong.status_code == 401


def test_a_session_without_csrf_token_cannot_write(cast) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(cast.ada)
    assert send(strict, "post", "/api/projects/", {"name": "X"}).status_code == 403
    assert not Project.objects.filter(name="X").exists()


def test_projects_are_made(cast, ada: Client) -> None:
    made = send(ada, "post", "/api/projects/", {"name": "Doors", "is_sample": True})
    assert made.status_code == 201
    assert (made.json()["slug"], made.json()["is_sample"]) == ("doors", False)


def test_people_are_managed(cast, ada: Client) -> None:
    url = "/api/projects/windows/members/bob/"
    assert send(ada, "patch", url, {"role": "curator"}).json()["role"] == "curator"
    made = send(ada, "post", "/api/projects/windows/invitations/", {"role": "viewer"})
    assert "/join/" in made.json()["link"]
    assert send(ada, "delete", url).status_code == 204
    assert access.role_in(cast.bob, cast.project) is None


def test_an_annotator_manages_nobody(cast) -> None:
    bob = Client()
    bob.force_login(cast.bob)
    url = "/api/projects/windows/members/bob/"
    assert shape(send(bob, "patch", url, {"role": "manager"}))[0] == 403
    assert shape(send(bob, "delete", url))[0] == 403
    assert access.role_in(cast.bob, cast.project) == Role.ANNOTATOR


def test_the_description_page_lists_the_calls(db) -> None:
    page = Client().get("/api/docs/").content.decode()
    assert "/api/projects/{slug}/" in page

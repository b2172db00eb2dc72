"""What a call does not read is refused; every refusal has the one shape and is told."""

import fcntl
import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import URLPattern, get_resolver
from drf_spectacular.generators import SchemaGenerator
from rest_framework.views import APIView

from annotator import env
from annotator.models import Issue, Job, Membership
from annotator.services import jobs
from tests.annotator import campaigns_cast
from tests.annotator.corpora.test_importing import bring_in
from tests.annotator.reports.test_matrix import addresses
from tests.cast import Cast

JSON = "application/json"


@pytest.fixture
def ada(cast: Cast) -> Client:
    client = Client()
    client.force_login(cast.ada)
    return client


@pytest.mark.once
def test_no_call_takes_a_query_that_it_does_not_read(cast: Cast, ada: Client) -> None:
    campaigns_cast.campaign(cast, n=1)
    Job.objects.create(project=cast.project, kind="import", title="x", by=cast.ada)
    ignored = []
    for _, address in addresses():
        if not address.startswith("/api/") or address.startswith("/api/docs"):
            continue
        if ada.get(address).status_code == 200:
            answer = ada.get(address + "?no_such_name=1")
            if answer.status_code != 400 or b"no_such_name" not in answer.content:
                ignored.append(address)
    assert ignored == []


def test_a_refusal_says_what_is_known(cast: Cast, ada: Client) -> None:
    url = f"/api/corpora/{cast.corpus.code}/export/pairs/?autor=bob"
    error = ada.get(url).json()["error"]
    assert error["facts"]["known"] == ["author", "exact", "split"]
    assert "author, exact, split" in error["message"]


def test_cancel_takes_no_body(cast: Cast, ada: Client, monkeypatch) -> None:
    monkeypatch.setattr(jobs, "_wake", lambda kind: None)
    job = jobs.create(cast.project, "parse", title="x", by=cast.ada)
    url = f"/api/jobs/{job.code}/cancel/"
    for body in ('{"state": "done"}', "[1]", '"x"'):
        assert ada.post(url, body, content_type=JSON).status_code == 400
    job.refresh_from_db()
    assert not job.cancel_asked
    assert ada.post(url).status_code == 200


def test_too_much_json_is_told_in_json(cast: Cast, ada: Client) -> None:
    body = json.dumps({"name": "x" * (5 * 2**20)})
    for length in ({}, {"CONTENT_LENGTH": str(len(body))}):
        answer = ada.post("/api/projects/", body, content_type=JSON, **length)
        assert answer.status_code == 413
        assert answer.json()["error"]["code"] == "too_large"


def test_every_call_says_how_it_may_be_refused() -> None:
    schema = SchemaGenerator().get_schema(request=None, public=True)
    for path, calls in schema["paths"].items():
        for verb, call in calls.items():
            for status in ("400", "401", "403", "404", "413", "429"):
                assert status in call["responses"], (verb, path, status)


@pytest.mark.parametrize("key", ["a" * 64, "ab" * 40, "0123456789" * 6])
def test_a_key_of_few_signs_is_refused(monkeypatch, tmp_path, key: str) -> None:
    monkeypatch.setenv("GEMEL_SECRET_KEY", key)
    with pytest.raises(ImproperlyConfigured, match="GEMEL_SECRET_KEY"):
        env.secret_key(tmp_path)


def test_a_key_file_that_others_can_read_is_refused(monkeypatch, tmp_path) -> None:
    monkeypatch.delenv("GEMEL_SECRET_KEY", raising=False)
    env.secret_key(tmp_path)
    (tmp_path / "secret_key").chmod(0o644)
    with pytest.raises(ImproperlyConfigured, match="chmod 600"):
        env.secret_key(tmp_path)


@pytest.mark.parametrize("encoding", ["punycode", "undefined", "idna", "hex", "utf-7"])
def test_odd_encodings_of_xml_do_not_end_a_job(cast: Cast, encoding: str) -> None:
    text = (
        f'<?xml version="1.0" encoding="{encoding}"?><entailment-corpus>'
        '<pair id="1"><t>Café one</t><h>two</h></pair></entailment-corpus>'
    )
    job = bring_in(cast, text.encode(), kind="rte", name="odd.xml")
    assert not job.error
    assert job.state in ("done", "failed")


def test_a_line_of_too_many_words_is_named(cast: Cast, settings) -> None:
    settings.MAX_WORDS = 50
    text = "source\ttarget\n" + "word " * 51 + "\tb\nfine\ttoo\n"
    job = bring_in(cast, text.encode(), partial=True)
    assert job.result["pairs"] == 1
    issue = Issue.objects.get(job=job)
    assert (issue.line, "at most 50" in issue.remedy) == (2, True)


def test_two_servers_do_not_share_a_home(settings, tmp_path) -> None:
    settings.GEMEL_HOME = tmp_path
    with (tmp_path / "up.lock").open("a") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(CommandError, match="Another Gemel"):
            call_command("up")


def test_the_answer_of_somebody_removed_is_refused_in_words(cast: Cast) -> None:
    made = campaigns_cast.campaign(cast, n=2)
    held = campaigns_cast.draw(made, cast.bob)[0]
    client = Client()
    client.force_login(cast.bob)
    Membership.objects.filter(user=cast.bob).delete()
    message = {
        "uuid": "12345678123456781234567812345678",
        "judgment": held.code,
        "seen": 0,
        "values": campaigns_cast.GOOD,
    }
    url = f"/api/judge/{made.code}/answers/"
    answer = client.post(url, json.dumps(message), content_type=JSON)
    assert answer.status_code == 403
    assert "no longer" in answer.json()["error"]["message"]
    held.refresh_from_db()
    assert not held.values


OPEN = {
    *("health", "ready", "metrics", "api/docs/", "help/", "help/<slug:name>/"),
    *("sign-in/", "sign-in/oidc/", "sign-in/oidc/back/", "sign-out/"),
    *("join/<str:token>/", "theme/", "language/", "words/<slug:language>.js"),
    "judging-worker.js",
}


def views(inside: Any, before: str = "") -> Iterator[tuple[str, Any]]:
    """Every address with its view."""
    for one in inside.url_patterns:
        address = before + str(one.pattern)
        if isinstance(one, URLPattern):
            yield address, one.callback
        else:
            yield from views(one, address)


def test_only_these_pages_are_open_to_anyone() -> None:
    """Calls of the API ask for themselves: a token or a session."""
    is_call = {address for address, view in views(get_resolver()) if is_api(view)}
    is_open = {
        address
        for address, view in views(get_resolver())
        if not getattr(view, "login_required", True)
    }
    assert is_open - is_call == OPEN


def is_api(view: Any) -> bool:
    kind = getattr(view, "cls", None) or getattr(view, "view_class", object)
    return issubclass(kind, APIView)

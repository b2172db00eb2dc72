"""Every page and endpoint against everybody: strangers get nothing, anywhere."""

import re
from collections.abc import Iterator
from uuid import uuid4

import pytest
from django.db import models
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

import annotator.models as tables
from annotator.models import Job, Project
from tests.annotator import joint_cast

OPEN = {  # for anybody; ``metrics`` is there only for who holds its token
    "sign_in",
    "sign_out",
    "join",
    "api_docs",
    "api_schema",
    "help_index",
    "help",
    "health",
    "ready",
    "language",
    "words",
}
OWN = {
    "account",
    "account_links",
    "measured_needs",
    "api_formats",
    "projects",
    "project_new",
    "try",
    "find",
    "tour",
    "api_parsers",
    "api_judge_preference",
}  # for whoever is signed in
VERBS = ("get", "post", "put", "patch", "delete")
UUID = str(uuid4())


def routes(resolver=None, prefix: str = "") -> Iterator[tuple[str, str]]:
    """Every route as (name, pattern text)."""
    for entry in (resolver or get_resolver()).url_patterns:
        text = prefix + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from routes(entry, text)
        elif isinstance(entry, URLPattern):
            yield entry.name or text, text


def filled(text: str, values: dict[str, str]) -> str | None:
    """The pattern as an address; None if a parameter has no value."""
    if text.startswith("^") or "(?P" in text:
        text = re.sub(r"\(\?P<(\w+)>(?:[^()]|\([^()]*\))*\)", r"<\1>", text)
        text = (
            text.replace("^", "").replace("$", "").replace("\\Z", "").replace("\\", "")
        )
    for parameter in re.findall(r"<(?:\w+:)?(\w+)>", text):
        if parameter not in values:
            return None
        text = re.sub(rf"<(?:\w+:)?{parameter}>", values[parameter], text)
    return "/" + text


def codes() -> set[str]:
    """The public ids of all rows there are."""
    ids: set[str] = set()
    for name in tables.__all__:
        table = getattr(tables, name)
        is_table = isinstance(table, type) and issubclass(table, models.Model)
        if is_table and any(f.name == "code" for f in table._meta.get_fields()):
            ids.update(table.objects.values_list("code", flat=True))
    return ids


def addresses() -> Iterator[tuple[str, str]]:
    """Each address once: many routes take no code."""
    slug = Project.objects.get(slug="windows").slug
    known, done = sorted(codes()), set()
    for name, text in routes():
        for code in known:
            values = {
                "slug": slug, "code": code, "corpus": code, "pair": code, "layer": code,
                "username": "bob", "uuid": UUID, "format": "svg", "token": "nothing",
                "name": "bob", "scale": "meaning", "kind": "parse", "event": "1",
                "campaign": code, "upload": code, "item": code, "judgment": code,
                "judge": "A1", "report": code,
                "form": "tsv", "what": "tree", "to": "svg",
                "language": "de",
            }  # fmt: skip
            address = filled(text, values)
            if address is not None and address not in done:
                done.add(address)
                yield name, address


@pytest.fixture
def filled_project(cast):
    Job.objects.create(project=cast.project, kind="import", title="x", by=cast.ada)
    joint_cast.bare(cast)
    return cast


def test_every_route_can_be_filled(filled_project) -> None:
    known = {name for name, _ in addresses()}
    unfilled = {name for name, _ in routes()} - known
    assert unfilled == set(), "give test_matrix.addresses a value for their parameters"


@pytest.mark.once
@pytest.mark.parametrize("who", ["cyd", None])
def test_strangers_get_nothing(filled_project, who: str | None) -> None:
    client = Client(raise_request_exception=True)
    if who:
        client.force_login(getattr(filled_project, who))
    leaks = []
    for name, address in addresses():
        if name in OPEN or (who and name in OWN):
            continue
        for verb in VERBS:
            answer = getattr(client, verb)(address, content_type="application/json")
            if not is_refused(answer, signed_in=bool(who)):
                leaks.append((verb, address, answer.status_code))
    assert leaks == []


def is_refused(answer, *, signed_in: bool) -> bool:
    """Refused, sent to sign in, or a list that is empty for this person."""
    if answer.status_code in (400, 401, 403, 404, 405, 415):
        return True
    if answer.status_code == 302:
        return not signed_in and "/sign-in/" in answer.url
    if answer.get("Content-Type", "").startswith("application/json"):
        body = answer.json()
        return signed_in and isinstance(body, dict) and body.get("results") == []
    return False


@pytest.mark.once
def test_nothing_a_stranger_sent_was_written(filled_project) -> None:
    counts = {name: getattr(tables, name).objects.count() for name in countable()}
    client = Client()
    client.force_login(filled_project.cyd)
    for name, address in addresses():
        if name not in OPEN | OWN:
            for verb in VERBS[1:]:
                getattr(client, verb)(address, content_type="application/json")
    after = {name: getattr(tables, name).objects.count() for name in countable()}
    own = Project.objects.visible_to(filled_project.cyd).count()
    after["Project"] -= own  # a project of one's own may be made
    after["Membership"] -= own
    assert after == counts


def countable() -> list[str]:
    return [
        name
        for name in tables.__all__
        if isinstance(getattr(tables, name), type)
        and issubclass(getattr(tables, name), models.Model)
    ]


def test_the_matrix_covers_the_api(filled_project) -> None:
    code = filled_project.corpus.code
    assert f"/api/corpora/{code}/pairs/" in {address for _, address in addresses()}

"""Every page and endpoint against everybody: strangers get nothing, anywhere."""

import re
from collections.abc import Iterator
from itertools import product
from uuid import uuid4

import pytest
from django.apps import apps
from django.db import models
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

import annotator.models as tables
from annotator.models import Job, Project
from tests.annotator import campaigns_cast, joint_cast

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
    "judge_worker",
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


MEANT: dict[str, tuple[type[models.Model], ...]] = {
    # whose codes a parameter names, by its name or by the part of the path before it
    "arc-drafts": (tables.TreeDraft,),
    "bitext": (tables.Bitext,),
    "bitexts": (tables.Bitext,),
    "campaign": (tables.Campaign,),
    "campaigns": (tables.Campaign,),
    "changes": (tables.TreeChange,),
    "corpora": (tables.Corpus,),
    "corpus": (tables.Corpus,),
    "deleted": (tables.Removal,),
    "frozen": (tables.Report,),
    "imports": (Job,),
    "item": (tables.Item,),
    "items": (tables.Item,),
    "jobs": (Job,),
    "joint-runs": (tables.JointRun,),
    "judge": (tables.Campaign,),
    "judgment": (tables.Judgment,),
    "layers": (tables.AlignmentLayer,),
    "machine": (tables.MachineJudge,),
    "ledger": (tables.JointRun,),
    "pair": (tables.Pair,),
    "pairs": (tables.Pair,),
    "person": (tables.Participant,),
    "paraphrases": (tables.ParaphraseTable,),
    "ratings": (tables.RatingSet,),
    "relabelled": (tables.TreeBatch,),
    "removals": (tables.Removal,),
    "report": (tables.Report,),
    "reports": (tables.Report,),
    "restore": (tables.Removal,),
    "sentence": (tables.Sentence,),
    "sentences": (tables.Sentence,),
    "tables": (tables.ParaphraseTable,),
    "tree-batches": (tables.TreeBatch,),
    "tree-drafts": (tables.TreeDraft,),
    "upload": (Job, tables.Upload),
    "work": (tables.WorkShare,),
    "worklist": (tables.Worklist,),
    "worklists": (tables.Worklist,),
}
PARAMETER = re.compile(r"<(?:\w+:)?(\w+)>")
OTHERS = {
    "slug": "windows", "username": "bob", "uuid": UUID, "format": "svg",
    "token": "nothing", "name": "bob", "scale": "meaning", "kind": "parse",
    "event": "1", "judge": "A1", "form": "tsv", "what": "tree", "to": "svg",
    "language": "de",
}  # fmt: skip
CODES = {
    "code", "corpus", "campaign", "upload", "item", "judgment", "machine", "report",
    "person",
}  # fmt: skip


def plain(text: str) -> str:
    """The pattern with its parameters as <name>, however it was written."""
    if "^" in text or "(?P" in text:
        text = re.sub(r"\(\?P<(\w+)>(?:[^()]|\([^()]*\))*\)", r"<\1>", text)
        for sign in ("^", "$", "\\Z", "\\"):
            text = text.replace(sign, "")
    return PARAMETER.sub(r"<\1>", text)


def meant(text: str, name: str) -> tuple[type[models.Model], ...]:
    """The tables whose codes this parameter of a plain pattern names, if known."""
    before = text.partition(f"<{name}>")[0].rstrip("/").split("/")[-1]
    return MEANT.get(name, MEANT.get(before, ()))


def codes(table: type[models.Model]) -> list[str]:
    return list(table.objects.order_by("pk").values_list("code", flat=True))


def with_codes() -> Iterator[type[models.Model]]:
    for table in apps.get_app_config("annotator").get_models():
        if any(f.name == "code" for f in table._meta.get_fields()):
            yield table


def filled(
    text: str, known: dict[type, list[str]], **others: str
) -> Iterator[tuple[str, bool]]:
    """The pattern as addresses, and whether their codes are such as it names: those of
    each row meant, one of another kind, and of all rows where MEANT does not say.

    None where a parameter has no value.
    """
    text = plain(text)
    names = PARAMETER.findall(text)
    if not {*names} <= OTHERS.keys() | CODES:
        return
    for name in set(names) - CODES:
        text = text.replace(f"<{name}>", others.get(name, OTHERS[name]))
    of_rows = [name for name in names if name in CODES]
    kinds = [meant(text, name) for name in of_rows]
    every = {code: table for table, rows in known.items() for code in rows}
    if not all(kinds):
        values = [[code] * len(kinds) for code in every]
        wrong = []
    else:
        rows = [[c for c, table in every.items() if table in kind] for kind in kinds]
        values = list(product(*rows))
        named = {table for kind in kinds for table in kind}
        wrong = [code for code, table in every.items() if table not in named][:1]
    for given, is_meant in [(one, True) for one in values] + [
        ([code] * len(kinds), False) for code in wrong if kinds
    ]:
        address = text
        for name, code in zip(of_rows, given, strict=True):
            address = address.replace(f"<{name}>", code)
        yield f"/{address}", is_meant


def addresses() -> Iterator[tuple[str, str]]:
    """Each address once: many routes take no code."""
    known, done = {table: codes(table) for table in with_codes()}, set()
    for name, text in routes():
        for address, _ in filled(text, known):
            if address not in done:
                done.add(address)
                yield name, address


@pytest.fixture
def filled_project(cast):
    Job.objects.create(project=cast.project, kind="import", title="x", by=cast.ada)
    joint_cast.bare(cast)
    campaign = campaigns_cast.campaign(cast, n=2)
    campaigns_cast.judge(campaigns_cast.draw(campaign, cast.bob)[0])
    campaign.machines.create(label="M1", model="m", seed=0, guideline=0, prompt="")
    return cast


def test_every_route_can_be_filled(filled_project) -> None:
    known = {name for name, _ in addresses()}
    unfilled = {name for name, _ in routes()} - known
    assert unfilled == set(), "give test_matrix.addresses a value for their parameters"


@pytest.mark.slow
@pytest.mark.once
def test_no_route_knows_a_code_that_it_does_not_mean(filled_project) -> None:
    """What the other tests leave out: codes of rows of any other kind."""
    client = Client()
    client.force_login(filled_project.ada)
    met = {address for _, address in addresses()}
    found = []
    for _, text in routes():
        for table in with_codes():
            for code in codes(table)[:1]:
                address = re.sub(r"<(code|corpus|campaign)>", code, plain(text))
                address = f"/{address.replace('<slug>', 'windows')}"
                if "<" in address or address in met:
                    continue
                if not is_refused(client.get(address), signed_in=True):
                    found.append(address)
    assert found == []


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
    counts = counted()
    client = Client()
    client.force_login(filled_project.cyd)
    for name, address in addresses():
        if name not in OPEN | OWN:
            for verb in VERBS[1:]:
                getattr(client, verb)(address, content_type="application/json")
    after = counted()
    own = Project.objects.visible_to(filled_project.cyd).count()
    after["Project"] -= own  # a project of one's own may be made
    after["Membership"] -= own
    assert after == counts


def counted() -> dict[str, int]:
    rows = apps.get_app_config("annotator").get_models()
    return {table.__name__: table.objects.count() for table in rows}


def test_the_matrix_covers_the_api(filled_project) -> None:
    code = filled_project.corpus.code
    assert f"/api/corpora/{code}/pairs/" in {address for _, address in addresses()}

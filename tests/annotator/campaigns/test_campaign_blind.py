"""What a judge's browser receives says nothing it must not; roles and strangers."""

import json
import re
from collections.abc import Iterator
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone

from annotator.models import (
    Campaign,
    Item,
    Job,
    Judgment,
    Membership,
    ParaphraseTable,
)
from annotator.services.campaigns import answers
from tests.annotator.campaigns_cast import (
    GOOD,
    answer,
    campaign,
    draw,
    judges,
    upload,
)
from tests.cast import Cast, person

SECRETS = [
    *("Xsystem-one", "Xsystem-two", "Xref-7", "Xbatch-late", "Xgold-why"),
    *("Xjudge-comment", "judge1", "gold", "attention", "condition", "rank", "fills"),
    *("n_done", "n_taken"),
]
COLUMNS = (
    "id sentence phrase paraphrase condition rank score kind gold_meaning batch why"
)


def table() -> str:
    lines = ["\t".join(COLUMNS.split())]
    for i in range(12):
        sentence = f"The {'old' if i % 2 else 'young'} baker number {i} closed shop."
        for name, text in (("Xsystem-one", "shut down"), ("Xsystem-two", "shut up")):
            kind = "gold" if i == 3 else "attention" if i == 5 else "main"
            cells = ["Xref-7", sentence, "closed shop", text, name, "1", "0.25", kind]
            cells += ["5" if kind != "main" else "", "Xbatch-late", "Xgold-why"]
            lines.append("\t".join(cells))
    return "\n".join(lines) + "\n"


@pytest.fixture
def made(cast: Cast) -> Campaign:
    made = campaign(cast, text=table(), people=2, k=2, check_every=3)
    _, other = judges(cast, 2)
    for judgment in draw(made, other, 4):
        said = answer(GOOD, note="Xjudge-comment")
        answers.take(judgment.code, "save", said, campaign=made.code, by=other)
    return made


def everything(cast: Cast, made: Campaign) -> Iterator[str]:
    """All responses, with their headers, that a whole session of judging gives."""
    client = Client()
    client.force_login(cast.bob)
    slug = cast.project.slug
    for path in (
        f"/p/{slug}/judge/",
        f"/p/{slug}/judge/{made.code}/",
        f"/p/{slug}/campaigns/",
    ):
        yield whole(client.get(path, follow=True))
    response = client.get(f"/api/judge/{made.code}/")
    yield whole(response)
    held = response.json()["next"]
    assert held
    while held:
        one = held.pop()
        sent = {"uuid": str(uuid4()), "judgment": one["code"], "seen": 0, "want": 4}
        sent |= {"values": GOOD, "held": [card["code"] for card in held]}
        response = client.post(
            f"/api/judge/{made.code}/answers/", sent, content_type="application/json"
        )
        assert response.status_code == 200, response.content
        yield whole(response)
        held += response.json()["next"]
    yield whole(client.get(f"/api/judge/{made.code}/"))


def whole(response) -> str:
    headers = "\n".join(f"{name}: {value}" for name, value in response.items())
    return headers + "\n" + response.content.decode()


def test_no_secret_is_in_anything_a_judge_receives(cast: Cast, made: Campaign) -> None:
    seen = "\n".join(everything(cast, made))
    leaks = [
        s for s in SECRETS if re.search(rf"(?<![\w-]){re.escape(s)}(?![\w-])", seen)
    ]
    assert leaks == []
    items = set(made.items.values_list("code", flat=True))
    others = Judgment.objects.exclude(participant__user=cast.bob)
    hidden = items | set(others.values_list("code", flat=True))
    hidden |= set(made.batches.values_list("code", flat=True))
    hidden |= set(made.participants.values_list("code", flat=True))
    assert [code for code in hidden if code in seen] == []
    kinds = set(
        Judgment.objects.filter(participant__user=cast.bob).values_list(
            "item__kind", flat=True
        )
    )
    assert kinds == {"main", "gold", "attention"}


ITS_OWN = {"code", "judgment", "before", "phrase", "after", "paraphrase", "at"}


def test_answers_to_checks_look_like_all_others(cast: Cast, made: Campaign) -> None:
    client = Client()
    client.force_login(cast.bob)
    held = client.get(f"/api/judge/{made.code}/").json()["next"]
    shapes: dict[str, set[str]] = {}
    while held:
        one = held.pop()
        kind = Judgment.objects.get(code=one["code"]).item.kind
        sent = {
            "uuid": str(uuid4()),
            "judgment": one["code"],
            "seen": 0,
            "values": GOOD,
        }
        said = client.post(
            f"/api/judge/{made.code}/answers/", sent, content_type="application/json"
        ).json()
        plain = {name: one[name] for name in one.keys() - ITS_OWN}
        saved = {name: said["saved"][name] for name in said["saved"].keys() - ITS_OWN}
        shape = json.dumps([sorted(one), sorted(said), plain, saved], sort_keys=True)
        shapes.setdefault(kind, set()).add(shape)
        if not held:
            held = client.post(
                f"/api/judge/{made.code}/", {"want": 4}, content_type="application/json"
            ).json()["next"]
    assert set(shapes) == {"main", "gold", "attention"}
    assert shapes["gold"] == shapes["main"] == shapes["attention"]


# --- roles x endpoints x whose campaign ---------------------------------------------

PAGES = {
    "campaigns": "/p/{slug}/campaigns/",
    "new": "/p/{slug}/campaigns/new/",
    "campaign": "/p/{slug}/campaign/{code}/",
    "design": "/p/{slug}/campaign/{code}/design/",
    "flags": "/p/{slug}/campaign/{code}/flags/",
    "table": "/p/{slug}/campaign/{code}/judgments.tsv",
    "items": "/p/{slug}/campaign/{code}/items/",
    "check": "/p/{slug}/campaign/{code}/items/{upload}/",
    "scales": "/p/{slug}/campaign/{code}/scales/",
    "guideline": "/p/{slug}/campaign/{code}/guideline/",
    "rules": "/p/{slug}/campaign/{code}/rules/",
    "people": "/p/{slug}/campaign/{code}/people/",
    "choose": "/p/{slug}/judge/",
    "judge": "/p/{slug}/judge/{code}/",
    "api desk": "/api/judge/{code}/",
    "api campaign": "/api/campaigns/{code}/",
    "api plan": "/api/campaigns/{code}/plan/",
    "api progress": "/api/campaigns/{code}/progress/",
    "api items": "/api/campaigns/{code}/items/",
}
MANAGE = {"new", "items", "check", "scales", "guideline", "rules", "people"}
SEE = {"campaign", "design", "flags", "api campaign", "api progress", "api items"}
SEE |= {"api plan"}
DESK = {"judge", "api desk"}
ALLOWED = {
    "ada": MANAGE | SEE | {"campaigns", "choose", "table"},
    "curator": SEE | {"campaigns", "choose", "table"},
    "viewer": SEE | {"campaigns", "choose"},
    "bob": DESK | {"campaigns", "choose"},
    "idle": {"campaigns", "choose"},  # annotates here, but not in this campaign
    "cyd": set(),
}


@pytest.fixture
def roles(cast: Cast, made: Campaign):
    people = {"ada": cast.ada, "bob": cast.bob, "cyd": cast.cyd}
    for name, role in (
        ("curator", "curator"),
        ("viewer", "viewer"),
        ("idle", "annotator"),
    ):
        people[name] = person(name)
        Membership.objects.create(project=cast.project, user=people[name], role=role)
    return people


@pytest.mark.parametrize("who", sorted(ALLOWED))
def test_roles_reach_their_pages_and_no_others(cast, made, roles, who: str) -> None:
    kept = upload(made, cast.ada, table())
    client = Client()
    client.force_login(roles[who])
    values = {"slug": cast.project.slug, "code": made.code, "upload": kept.code}
    reached = set()
    for name, pattern in PAGES.items():
        status = client.get(pattern.format(**values), follow=True).status_code
        assert status in (200, 403, 404), (name, status)
        if status == 200:
            reached.add(name)
    assert reached == ALLOWED[who]


@pytest.mark.parametrize("who", ["ada", "bob", "cyd", "curator"])
def test_nobody_reaches_a_campaign_through_another_project(
    cast, made, roles, who
) -> None:
    from annotator.services.projects import members

    other = members.create("Elsewhere", by=cast.cyd)
    client = Client()
    client.force_login(roles[who])
    kept = upload(made, cast.ada, table())
    values = {"slug": other.slug, "code": made.code, "upload": kept.code}
    for name, pattern in PAGES.items():
        if "{slug}" in pattern and "{code}" in pattern:
            status = client.get(pattern.format(**values)).status_code
            assert status in (403, 404), (name, status)


@pytest.mark.parametrize("who", ["bob", "viewer", "idle", "cyd", "curator"])
def test_only_managers_change_a_campaign(cast, made, roles, who: str) -> None:
    kept = upload(made, cast.ada, table())
    before = (Item.objects.count(), made.participants.count(), made.state)
    client = Client()
    client.force_login(roles[who])
    base = f"/p/{cast.project.slug}/campaign/{made.code}"
    one = made.participants.first()
    posts = [
        (f"{base}/do/", {"what": "pause"}),
        (f"{base}/do/", {"what": "person", "person": one.code, "state": "paused"}),
        (f"{base}/do/", {"what": "rehearse"}),
        (f"{base}/do/", {"what": "withdraw", "item": made.items.first().code}),
        (f"{base}/items/", {"text": table()}),
        (f"{base}/items/{kept.code}/", {}),
        (f"{base}/scales/", {"scale": "0", "title-0": "X"}),
        (f"{base}/guideline/", {"text": "X"}),
        (f"{base}/rules/", {"lease_s": "60"}),
        (f"{base}/people/", {"person": "idle"}),
        (f"/p/{cast.project.slug}/campaigns/new/", {"name": "X"}),
        (f"/api/campaigns/{made.code}/act/", {"action": "close"}),
        (f"/api/campaigns/{made.code}/act/", {"action": "accept_majority"}),
        (f"/api/campaigns/{made.code}/people/", {"usernames": ["ada"]}),
    ]
    for path, body in posts:
        client.post(path, body)
        client.post(path, body, content_type="application/json")
    made.refresh_from_db()
    one.refresh_from_db()
    after = (Item.objects.count(), made.participants.count(), made.state)
    assert (after, one.state) == (before, "active")
    assert made.guideline_number == 0
    assert not made.items.filter(is_withdrawn=True).exists()
    assert Campaign.objects.count() == 1
    assert [s.title for s in made.scales.all()] == ["Meaning", "Grammar"]


def test_another_judges_item_answers_404_over_http(cast, made, roles) -> None:
    [mine] = draw(made, cast.bob)
    for who in ("ada", "curator", "viewer", "idle", "cyd"):
        client = Client()
        client.force_login(roles[who])
        sent = {"uuid": str(uuid4()), "judgment": mine.code, "seen": 0, "values": GOOD}
        said = client.post(
            f"/api/judge/{made.code}/answers/", sent, content_type="application/json"
        )
        assert said.status_code == 404, who
    mine.refresh_from_db()
    assert mine.state == "leased"


def test_a_person_who_left_the_project_judges_no_more(cast, made) -> None:
    [mine] = draw(made, cast.bob)
    Membership.objects.filter(user=cast.bob).delete()
    client = Client()
    client.force_login(cast.bob)
    assert client.get(f"/api/judge/{made.code}/").status_code == 404
    assert mine.state == "leased"


@pytest.fixture
def drawn_from(cast: Cast, made: Campaign) -> ParaphraseTable:
    """The table that the items were drawn from, and the job that drew them."""
    table = ParaphraseTable.objects.create(
        project=cast.project, name="Xtable-secret", made_at=timezone.now()
    )
    Job.objects.create(
        project=cast.project,
        kind="test_set",
        title="Items of Xtable-secret",
        by=cast.ada,
        state="done",
        params={"table": table.code},
    )
    return table


def test_what_the_items_come_from_is_closed_to_those_who_judge(
    cast: Cast, made: Campaign, drawn_from: ParaphraseTable
) -> None:
    slug, code = cast.project.slug, drawn_from.code
    job = Job.objects.get(title__contains="Xtable")
    query = "?sentence=The+old+baker+closed+shop&phrase=closed+shop"
    paths = [
        *("/", f"/p/{slug}/", f"/p/{slug}/jobs/", f"/p/{slug}/jobs/{job.code}/"),
        *(f"/p/{slug}/paraphrases/", f"/p/{slug}/paraphrases/{code}/"),
        f"/p/{slug}/paraphrases/{code}/substitute/{query}",
        *("/find/?q=secret", "/api/jobs/", f"/api/jobs/{job.code}/"),
        *(f"/api/projects/{slug}/tables/", f"/api/tables/{code}/"),
        *(f"/api/tables/{code}/substitute/{query}", f"/api/tables/{code}/weights/"),
        f"/api/tables/{code}/lookup/?phrase=closed+shop",
        f"/api/tables/{code}/why/?phrase=closed+shop&paraphrase=shut+up",
    ]
    judge, manager = Client(), Client()
    judge.force_login(cast.bob)
    manager.force_login(cast.ada)
    told = {path for path in paths if "Xtable" in text_of(judge.get(path))}
    assert told == set()
    assert "Xtable" in text_of(manager.get(f"/api/projects/{slug}/tables/"))
    assert "Xtable" in text_of(manager.get(f"/p/{slug}/jobs/"))
    Campaign.objects.filter(pk=made.pk).update(state="closed")
    assert "Xtable" in text_of(judge.get(f"/api/projects/{slug}/tables/"))


def text_of(response) -> str:
    return b"".join(response).decode()

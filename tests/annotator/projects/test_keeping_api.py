"""Names, archive, copies, deleting with undo and the log, over the API."""

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from annotator.models import Campaign, Judgment, LogEntry, Membership, Removal
from annotator.services.campaigns import answers, leases
from annotator.services.projects import removals
from tests.annotator.campaigns_cast import answer, campaign, person
from tests.annotator.projects.test_settings import ratings
from tests.cast import person as somebody


@pytest.fixture
def ada(cast) -> Client:
    return signed_in(cast.ada)


def signed_in(user) -> Client:
    client = Client()
    client.force_login(user)
    return client


def send(client: Client, method: str, url: str, body: object = None):
    call = getattr(client, method)
    return call(url, body, content_type="application/json") if body else call(url)


def judged(cast) -> Campaign:
    made = campaign(cast)
    (first, *_) = leases.draw(person(made, cast.bob).pk, want=2)
    answers.save(first, answer())
    return made


def things(cast) -> list[tuple[str, object]]:
    draft = campaign(cast, is_open=False)
    rows = (cast.corpus, draft, ratings(cast))
    kinds = ("corpora", "campaigns", "ratings")
    return [
        (f"/api/{kind}/{row.code}/", row) for kind, row in zip(kinds, rows, strict=True)
    ] + [("/api/projects/windows/", cast.project)]


def test_every_kind_is_renamed_and_archived_in_one_call(cast, ada) -> None:
    for url, row in things(cast):
        body = send(ada, "patch", url, {"name": " New  name ", "archived": True}).json()
        assert body["name"] == "New name"
        assert body["archived_at"]
        row.refresh_from_db()
        assert (row.name, row.archived_at is not None) == ("New name", True)
        body = send(ada, "patch", url, {"archived": False}).json()
        assert (body["name"], body["archived_at"]) == ("New name", None)


def test_what_is_so_already_is_not_logged_again(cast, ada) -> None:
    for _ in range(2):
        send(ada, "patch", f"/api/corpora/{cast.corpus.code}/", {"archived": True})
    assert LogEntry.objects.filter(act="archived").count() == 1


def test_a_change_that_is_refused_leaves_all_as_it_was(cast, ada) -> None:
    made = campaign(cast)  # open: not to be archived
    url = f"/api/campaigns/{made.code}/"
    refused = send(ada, "patch", url, {"name": "Other", "archived": True})
    assert refused.status_code == 409
    assert "Close it first" in refused.json()["error"]["message"]
    assert ada.get(url).json()["name"] == made.name
    assert not LogEntry.objects.filter(act="renamed").exists()


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"nmae": "x"}, "nmae"),
        ({"name": ""}, None),
        ({"description": "x"}, "description"),
    ],
)
def test_a_name_nobody_knows_is_refused(cast, ada, body, field) -> None:
    refused = send(ada, "patch", f"/api/corpora/{cast.corpus.code}/", body)
    assert refused.status_code == 400
    if field:
        assert field in str(refused.json()["error"])


def test_people_s_work_is_deleted_by_its_name_alone_and_comes_back(cast, ada) -> None:
    made = judged(cast)
    url = f"/api/campaigns/{made.code}/"
    refused = ada.delete(url)
    assert refused.status_code == 400
    facts = refused.json()["error"]["facts"]
    assert facts == {"field": "confirm", "holds": [{"n": 1, "what": "judgment"}]}
    assert ada.get(url).status_code == 200
    gone = ada.delete(f"{url}?confirm={made.name}").json()
    assert gone["holds"] == facts["holds"]
    assert (gone["kind"], gone["project"], gone["by"]) == ("campaign", "windows", "ada")
    assert gone["until"] > gone["at"]
    assert ada.get(url).status_code == 404
    (listed,) = ada.get("/api/removals/").json()["results"]
    assert (listed["code"], listed["name"]) == (gone["code"], made.name)
    back = ada.post(f"/api/removals/{gone['code']}/restore/").json()
    assert back == {
        "kind": "campaign",
        "code": made.code,
        "project": "windows",
        "name": made.name,
    }
    assert ada.get(url).status_code == 200
    assert Judgment.objects.filter(state="done").count() == 1
    assert ada.post(f"/api/removals/{gone['code']}/restore/").status_code == 404


def test_every_kind_is_deleted_and_restored(cast, ada) -> None:
    for url, row in things(cast):
        gone = ada.delete(f"{url}?confirm={row.name}")
        assert gone.status_code == 200, gone.json()
        assert ada.get(url).status_code == 404
        code = gone.json()["code"]
        assert ada.get(f"/api/removals/{code}/").json()["name"] == row.name
        assert ada.post(f"/api/removals/{code}/restore/").status_code == 200
        assert ada.get(url).status_code == 200
    assert ada.get("/api/removals/").json()["results"] == []


def test_a_typo_deletes_nothing(cast, ada) -> None:
    made = campaign(cast, is_open=False)
    url = f"/api/campaigns/{made.code}/"
    assert ada.delete(f"{url}?confrim={made.name}").status_code == 400
    assert ada.get(url).status_code == 200


def test_what_is_over_thirty_days_deleted_is_refused(cast, ada) -> None:
    made = campaign(cast, is_open=False)
    code = ada.delete(f"/api/campaigns/{made.code}/").json()["code"]
    then = timezone.now() - timedelta(days=removals.KEEP_DAYS + 1)
    Removal.objects.update(at=then)
    assert ada.post(f"/api/removals/{code}/restore/").status_code == 409


@pytest.mark.parametrize("role", ["curator", "viewer", "annotator"])
def test_only_managers_change_or_delete(cast, ada, role: str) -> None:
    other = somebody("other")
    Membership.objects.create(project=cast.project, user=other, role=role)
    client = signed_in(other)
    for url, row in things(cast):
        known = client.get(url).status_code
        expected = {403} if known == 200 else {404}
        assert {
            send(client, "patch", url, {"name": "Mine"}).status_code,
            client.delete(f"{url}?confirm={row.name}").status_code,
        } == expected
    code = ada.delete(f"/api/ratings/{cast.project.rating_sets.get().code}/?confirm=")
    assert code.status_code == 200
    assert client.get("/api/removals/").json()["results"] == []
    again = client.post(f"/api/removals/{code.json()['code']}/restore/")
    assert again.status_code == 404
    assert client.get("/api/projects/windows/log/").status_code == 403


def test_strangers_learn_of_nothing(cast, ada) -> None:
    client = signed_in(cast.cyd)
    urls = [url for url, _ in things(cast)]
    assert {client.delete(url).status_code for url in urls} == {404}
    assert {send(client, "patch", url, {"name": "x"}).status_code for url in urls} == {
        404
    }
    assert client.get("/api/projects/windows/log/").status_code == 404
    gone = ada.delete("/api/projects/windows/?confirm=Windows").json()
    assert client.get("/api/removals/").json()["results"] == []
    assert client.post(f"/api/removals/{gone['code']}/restore/").status_code == 404
    assert ada.post(f"/api/removals/{gone['code']}/restore/").status_code == 200


def test_a_campaign_is_copied_with_or_without_items(cast, ada) -> None:
    made = judged(cast)
    url = f"/api/campaigns/{made.code}/copy/"
    whole = send(ada, "post", url, {"name": "Round two"})
    assert whole.status_code == 201
    assert whole.json()["n_items"] == made.n_items
    assert (whole.json()["state"], whole.json()["name"]) == ("draft", "Round two")
    bare = send(ada, "post", url, {"name": "Round three", "items": False}).json()
    assert bare["n_items"] == 0
    assert send(ada, "post", url, {"name": "Round two"}).status_code == 409
    assert send(ada, "post", url, {"nmae": "Round four"}).status_code == 400
    bob = signed_in(cast.bob)
    assert send(bob, "post", url, {"name": "Mine"}).status_code == 404


def test_the_log_says_who_did_what_page_after_page(cast, ada) -> None:
    send(ada, "patch", "/api/projects/windows/", {"name": "Doors"})
    send(ada, "patch", f"/api/corpora/{cast.corpus.code}/", {"archived": True})
    first = ada.get("/api/projects/windows/log/?page_size=1").json()
    assert [row["act"] for row in first["results"]] == ["archived"]
    (second,) = ada.get(first["next"]).json()["results"]
    assert second["by"] == "ada"
    assert (second["act"], second["kind"], second["name"]) == (
        "renamed",
        "project",
        "Doors",
    )
    assert second["detail"] == "was Windows"
    url = "/api/projects/windows/log/"
    assert ada.get(url, {"who": "bob"}).json()["results"] == []
    assert ada.get(url, {"whom": "bob"}).status_code == 400


def test_a_rehearsal_is_deleted_without_its_name_and_restored_whole(cast, ada) -> None:
    made = campaign(cast, n=6, is_open=False)
    call_command("simulate", made.code, people=2, stdout=StringIO())
    copy = Campaign.objects.get(is_simulated=True)
    n = Judgment.objects.of(copy).count()
    gone = ada.delete(f"/api/campaigns/{copy.code}/").json()
    assert gone["holds"] == []
    assert ada.get(f"/api/campaigns/{copy.code}/").status_code == 404
    assert ada.post(f"/api/removals/{gone['code']}/restore/").status_code == 200
    assert Judgment.objects.of(copy).count() == n > 0
    assert ada.get(f"/p/windows/agreement/campaign/{copy.code}/").status_code == 200

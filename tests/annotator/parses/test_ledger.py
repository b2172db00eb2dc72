"""The ledger: verdicts that are never lost, filters, order, totals, files, API."""

import csv
import io
import json
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotator.errors import BadRequest, NotAllowed, StaleEdit
from annotator.models import JointRun, Membership, TreeChange, VerdictEvent
from annotator.services.parses import ledger
from annotator.services.parses.ledger import Verdict
from tests.annotator import joint_cast
from tests.cast import Cast

JSON = "application/json"


@pytest.fixture
def run(cast: Cast) -> JointRun:
    return joint_cast.ledger(cast, domain="letters", operations="lex, reorder")


def give(change: TreeChange, value: str, by: object, **more: object) -> TreeChange:
    said = {"uuid": uuid4(), "seen": change.revision} | more
    return ledger.give(change, Verdict(value=value, **said), by=by)


def address(run: JointRun, query: str = "") -> str:
    return reverse("ledger", args=["windows", run.code]) + query


def client_of(user: object) -> Client:
    client = Client()
    client.force_login(user)
    return client


def test_a_verdict_is_stored_with_its_author_and_event(
    cast: Cast, run: JointRun
) -> None:
    change = joint_cast.changes(run)[0]
    change = give(change, "fix", cast.bob)
    assert (change.verdict, change.judged_by, change.revision) == ("fix", cast.bob, 1)
    change = give(change, "", cast.bob)
    assert (change.verdict, change.judged_by, change.judged_at) == ("", None, None)
    events = [(e.before, e.after, e.revision, e.by) for e in change.events.all()]
    assert events == [("", "fix", 1, cast.bob), ("fix", "", 2, cast.bob)]


def test_the_same_message_twice_counts_once(cast: Cast, run: JointRun) -> None:
    change, uuid = joint_cast.changes(run)[0], uuid4()
    give(change, "error", cast.bob, uuid=uuid, seen=0)
    change = give(change, "error", cast.bob, uuid=uuid, seen=0)
    assert (change.verdict, change.revision) == ("error", 1)
    assert VerdictEvent.objects.count() == 1


def test_a_message_of_another_change_is_refused(cast: Cast, run: JointRun) -> None:
    one, two, _ = joint_cast.changes(run)
    uuid = uuid4()
    give(one, "fix", cast.bob, uuid=uuid)
    with pytest.raises(BadRequest, match="another message"):
        give(two, "fix", cast.bob, uuid=uuid)
    two.refresh_from_db()
    assert two.verdict == ""


def test_who_was_slower_learns_what_is_there(cast: Cast, run: JointRun) -> None:
    change = joint_cast.changes(run)[0]
    give(change, "fix", cast.ada)
    with pytest.raises(StaleEdit) as caught:
        give(change, "error", cast.bob, seen=0)
    facts = caught.value.facts
    assert (facts["verdict"], facts["revision"]) == ("fix", 1)
    assert VerdictEvent.objects.count() == 1


def test_only_annotators_give_verdicts_that_there_are(
    cast: Cast, run: JointRun
) -> None:
    change = joint_cast.changes(run)[0]
    with pytest.raises(BadRequest):
        give(change, "great", cast.bob)
    Membership.objects.filter(user=cast.bob).update(role="viewer")
    with pytest.raises(NotAllowed):
        give(change, "fix", cast.bob)
    with pytest.raises(NotAllowed):
        give(change, "fix", cast.cyd)


def test_what_can_be_undone_are_ones_own_verdicts_that_stand(
    cast: Cast, run: JointRun
) -> None:
    one, two, three = joint_cast.changes(run)
    give(one, "fix", cast.bob)
    two = give(two, "bad", cast.bob)
    give(two, "both", cast.ada)
    give(three, "error", cast.bob)
    mine = ledger.last_of(run, cast.bob)
    assert [row["change"] for row in mine] == [one.code, three.code]
    assert mine[0] == {"change": one.code, "before": "", "revision": 1}


def test_totals_cross_gold_with_verdicts(cast: Cast, run: JointRun) -> None:
    arc, bracket, label = joint_cast.changes(run)
    give(arc, "fix", cast.bob)
    give(bracket, "both", cast.bob)
    totals = ledger.totals(ledger.rows_of(run), run)
    assert (totals.n, totals.judged) == (3, 2)
    assert totals.cells["fixed"]["fix"] == totals.cells["fixed"]["both"] == 1
    assert totals.cells[""][""] == 1
    assert totals.share("fix") == 0.5
    assert totals.of_gold("fixed") == 2
    assert (totals.real("fixed"), totals.real("broken")) == (1, 0)
    give(label, "bad", cast.bob)
    assert ledger.totals(ledger.rows_of(run), run).real("") == 0
    assert totals.reduction == 1.0  # of one error before
    assert totals.errors == {"dependency": (1, 0)}
    assert label.gold == ""
    page = client_of(cast.bob).get(address(run)).content.decode()
    told = " ".join(page.split())
    assert "1 fixed and 0 broken remain: 100.0 % fewer errors than before" in told


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("", 3),
        ("?side=s", 2),
        ("?kind=bracket", 1),
        ("?gold=fixed", 2),
        ("?gold=none", 1),
        ("?verdict=open", 2),
        ("?verdict=judged", 1),
        ("?verdict=fix", 1),
        ("?label=nmod", 1),
        ("?label=NP", 1),
        ("?domain=letters", 3),
        ("?domain=law", 0),
        ("?operation=lex", 3),
        ("?operation=le", 0),
        ("?operation=reorder&side=t", 1),
    ],
)
def test_filters(cast: Cast, run: JointRun, query: str, wanted: int) -> None:
    give(joint_cast.changes(run)[0], "fix", cast.bob)
    page = client_of(cast.bob).get(address(run, query))
    assert len(page.context["rows"]) == wanted
    code = f"/api/joint-runs/{run.code}/"
    rows = client_of(cast.bob).get(f"{code}changes/{query}").json()["results"]
    assert len(rows) == wanted
    assert client_of(cast.bob).get(f"{code}{query}").json()["n"] == wanted


@pytest.mark.parametrize(
    "query", ["?side=x", "?sort=best", "?owner=ada", "?after=nope"]
)
def test_what_nobody_reads_is_refused(cast: Cast, run: JointRun, query: str) -> None:
    assert client_of(cast.bob).get(address(run, query)).status_code == 400


@pytest.mark.parametrize("sort", ["", "confidence", "-confidence"])
def test_pages_follow_each_other_in_every_order(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, sort: str
) -> None:
    from annotator.pages import ledger as page

    run = joint_cast.ledger(cast, 5)
    monkeypatch.setattr(page, "PAGE", 4)
    client, seen = client_of(cast.bob), []
    query = f"?sort={sort}"
    while query:
        answer = client.get(address(run, query))
        seen += [row["change"] for row in answer.context["rows"]]
        query = answer.context["next_url"]
    assert len({change.pk for change in seen}) == len(seen) == 15
    keys = [change.confidence for change in seen]
    if sort:
        assert keys == sorted(keys, reverse=sort.startswith("-"))
    else:
        assert [c.pk for c in seen] == sorted(c.pk for c in seen)


def test_a_page_costs_the_same_queries_for_one_change_and_for_fifty(cast: Cast) -> None:
    first = joint_cast.ledger(cast)
    TreeChange.objects.exclude(pk=joint_cast.changes(first)[0].pk).delete()
    made, second = joint_cast.batch(cast, 18), joint_cast.run(cast, "Many")
    joint_cast.joint.store(second, made, joint_cast.INFO)
    for change in joint_cast.changes(second)[::2]:
        give(change, "fix", cast.bob)
    client, counts = client_of(cast.bob), []
    for run, n in ((first, 1), (second, 50)):
        for where in (address(run), f"/api/joint-runs/{run.code}/changes/"):
            client.get(where)
            with CaptureQueriesContext(connection) as queries:
                answer = client.get(where)
            assert answer.status_code == 200
            counts.append(len(queries))
        assert len(client.get(address(run)).context["rows"]) == n
    assert counts[:2] == counts[2:]


def test_a_plain_form_gives_a_verdict(cast: Cast, run: JointRun) -> None:
    change = joint_cast.changes(run)[0]
    sent = {"change": change.code, "uuid": uuid4(), "seen": 0, "verdict": "bad"}
    answer = client_of(cast.bob).post(address(run, "?side=s"), sent)
    assert answer.status_code == 302
    assert answer.url == address(run, f"?side=s#c{change.code}")
    change.refresh_from_db()
    assert change.verdict == "bad"
    again = sent | {"uuid": uuid4(), "verdict": "fix"}
    page = client_of(cast.bob).post(address(run), again, follow=True)
    assert "judged elsewhere, by bob" in page.content.decode()
    assert client_of(cast.bob).post(address(run), {}).status_code == 400
    assert client_of(cast.cyd).post(address(run), sent).status_code == 404


def test_the_api_takes_verdicts_and_says_when_it_is_late(
    cast: Cast, run: JointRun
) -> None:
    client, change = client_of(cast.bob), joint_cast.changes(run)[0]
    url = f"/api/joint-runs/{run.code}/verdicts/"
    said = {"uuid": str(uuid4()), "change": change.code, "seen": 0, "verdict": "fix"}
    for _ in range(2):
        answer = client.post(url, said, JSON)
        saved = {"change": change.code, "revision": 1, "verdict": "fix"}
        assert answer.json() == {"saved": saved}
    late = said | {"uuid": str(uuid4()), "verdict": "error"}
    answer = client.post(url, late, JSON)
    assert answer.status_code == 409
    assert answer.json()["error"]["facts"]["verdict"] == "fix"
    events = client.get(f"/api/changes/{change.code}/history/").json()
    assert [(e["by"], e["after"]) for e in events] == [("bob", "fix")]
    other = joint_cast.run(cast, "Other")
    stray = f"/api/joint-runs/{other.code}/verdicts/"
    assert client.post(stray, late, JSON).status_code == 404


def test_strangers_get_nothing_and_change_nothing(cast: Cast, run: JointRun) -> None:
    change, stranger = joint_cast.changes(run)[0], client_of(cast.cyd)
    said = {"uuid": str(uuid4()), "change": change.code, "seen": 0, "verdict": "fix"}
    base = f"/api/joint-runs/{run.code}"
    assert stranger.post(f"{base}/verdicts/", said, JSON).status_code == 404
    for where in (
        address(run),
        reverse("ledger_export", args=["windows", run.code, "csv"]),
        f"{base}/",
        f"{base}/changes/",
        f"/api/changes/{change.code}/history/",
        f"/api/pairs/{change.result.pair.code}/joint/",
    ):
        assert stranger.get(where).status_code == 404
    assert VerdictEvent.objects.count() == 0


def test_the_ledger_as_csv_and_json(cast: Cast, run: JointRun) -> None:
    arc = give(joint_cast.changes(run)[0], "fix", cast.bob)
    url = reverse("ledger_export", args=["windows", run.code, "csv"])
    assert client_of(cast.bob).get(url).status_code == 403
    answer = client_of(cast.ada).get(url)
    lines = list(csv.DictReader(io.StringIO(answer.getvalue().decode())))
    assert len(lines) == 3
    first = lines[0]
    assert (first["change"], first["verdict"], first["judged_by"]) == (
        arc.code,
        "fix",
        "bob",
    )
    assert (first["words"], first["before"], first["after"]) == (
        "binoculars",
        "nmod of man (4)",
        "obl of saw (2)",
    )
    assert first["because"] == "binoculars ~ binoculars"
    assert first["operations"] == "lex reorder"
    assert first["confidence"].startswith("-0.15")
    whole = client_of(cast.ada).get(url.replace("csv", "json") + "?side=t").getvalue()
    told = json.loads(whole)
    assert [row["side"] for row in told["changes"]] == ["target"]
    assert told["parameters"] == run.parameters
    bad = url.replace("csv", "svg")
    assert client_of(cast.ada).get(bad).status_code == 400


def test_a_filter_without_a_change_says_so(cast: Cast, run: JointRun) -> None:
    page = client_of(cast.bob).get(address(run, "?domain=law")).content.decode()
    assert "No changes match this filter." in page
    empty = joint_cast.run(cast, "Empty")
    assert "changed nothing" in client_of(cast.bob).get(address(empty)).content.decode()

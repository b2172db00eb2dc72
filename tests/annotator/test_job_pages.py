"""The page of a job: what it found, in words, and where that is to be seen."""

import re

import pytest
from django.http import QueryDict
from django.test import Client
from django.urls import reverse

from annotator.jobkinds import KINDS
from annotator.models import Bitext, Job, ParaphraseTable, TreeBatch
from annotator.services import jobs
from annotator.services.campaigns import simulation
from annotator.services.reports import agreement, rating_tables
from annotator.services.reports.agreement import parse
from core.pivoting.bitext import BitextPair, write_pairs
from tests.annotator import joint_cast
from tests.annotator.campaigns_cast import campaign
from tests.annotator.reports import test_rating_sets as ratings
from tests.cast import Cast

pytestmark = pytest.mark.django_db


def page_of(client: Client, cast: Cast, **fields) -> str:
    job = Job.objects.create(
        project=cast.project, title="A trial", state=Job.State.DONE, **fields
    )
    client.force_login(cast.ada)
    return client.get(reverse("job", args=["windows", job.code])).content.decode()


def test_a_result_is_told_in_words(client: Client, cast: Cast) -> None:
    result = {
        "dry_run": False,
        "n_pairs": 3,
        "f1": 0.912345,
        "new": {"pairs": 3, "parses": 0},
        "warnings": ["one <b>", "two"],
    }
    page = page_of(client, cast, kind="parse", result=result)
    for name, value in (
        *(("Dry run", "no"), ("N pairs", "3"), ("F1", "0.9123")),
        *(("New", "3 pairs, 0 parses"), ("Warnings", "one &lt;b&gt;, two")),
    ):
        assert f"<dt>{name}</dt><dd>{value}</dd>" in page


def test_a_result_that_has_a_page_is_linked_and_its_code_not_shown(
    client: Client, cast: Cast
) -> None:
    made = campaign(cast, n=2)
    page = page_of(client, cast, kind="rehearse", result={"campaign": made.code})
    assert f'href="{reverse("campaign", args=["windows", made.code])}"' in page
    assert page.count(made.code) == 1
    page = page_of(client, cast, kind="report", result={"report": "0" * 16})
    assert f'href="{reverse("frozen", args=["windows", "0" * 16])}"' in page


TRACE = 'File "/srv/gemel/secret/place.py", line 3, in run\nKeyError: 5'


@pytest.fixture
def broken(cast: Cast) -> Job:
    job = Job.objects.create(
        project=cast.project, kind="import", title="Import x", by=cast.ada,
        state=Job.State.FAILED, note="line 4 of /srv/x: row <told>", error=TRACE,
        params={"format": "pairs", "dry_run": False, "corpus": "x", "uploads": []},
    )  # fmt: skip
    job.issues.create(file="x.tsv", line=4, reason="no target", excerpt="a private row")
    return job


@pytest.mark.parametrize("role", ["curator", "viewer"])
def test_only_managers_see_what_broke_a_job(
    client: Client, cast: Cast, broken: Job, role: str
) -> None:
    cast.project.memberships.filter(user=cast.bob).update(role=role)
    client.force_login(cast.bob)
    url = reverse("job", args=["windows", broken.code])
    for headers in ({}, {"HX-Request": "true"}):
        page = client.get(url, headers=headers).content.decode()
        assert "It failed. A manager of the project can see why." in page
        for hidden in ("/srv/", "KeyError", "private row", "no target", "&lt;told"):
            assert hidden not in page
    told = client.get(f"/api/jobs/{broken.code}/").content.decode()
    assert "/srv/" not in told
    assert "A manager of the project can see why" in told
    listed = client.get("/api/jobs/").content.decode()
    assert "/srv/" not in listed
    assert client.get(f"/api/jobs/{broken.code}/issues/").status_code == 403


def test_an_annotator_sees_their_own_jobs_alone(
    client: Client, cast: Cast, broken: Job
) -> None:
    client.force_login(cast.bob)
    url = reverse("job", args=["windows", broken.code])
    assert client.get(url).status_code == 404
    assert client.get(f"/api/jobs/{broken.code}/").status_code == 404
    Job.objects.filter(pk=broken.pk).update(by=cast.bob)
    assert client.get(url).status_code == 200


def test_a_manager_sees_the_rows_and_the_traceback(
    client: Client, cast: Cast, broken: Job
) -> None:
    client.force_login(cast.ada)
    page = client.get(reverse("job", args=["windows", broken.code])).content.decode()
    for shown in ("/srv/gemel/secret", "a private row", "no target"):
        assert shown in page
    assert "/srv/x" in client.get(f"/api/jobs/{broken.code}/").json()["note"]
    issues = client.get(f"/api/jobs/{broken.code}/issues/").json()["results"]
    assert issues[0]["excerpt"] == "a private row"


@pytest.fixture
def made(cast: Cast, settings, tmp_path) -> dict[str, str]:
    """The codes of what jobs make, a row of each."""
    settings.MEDIA_ROOT = tmp_path
    mine = {"project": cast.project, "created_by": cast.ada}
    bitext = Bitext.objects.create(**mine, name="Sea", target_language="de")
    bitext.folder.mkdir(parents=True)
    write_pairs(bitext.pairs_path, [BitextPair(0, "Sea", "the sea", "die See", None)])
    table = ParaphraseTable.objects.create(**mine, name="Sea")
    judged = campaign(cast, n=2)
    rating = rating_tables.add_as(
        "long", cast.project, ratings.sent(), name="Old", by=cast.ada
    )
    source = agreement.source(cast.project, "ratings", rating.code)
    report = agreement.freeze(
        source, parse(QueryDict()), query="", title="Old", by=cast.ada
    )
    batch = TreeBatch.objects.create(
        corpus=cast.corpus, query="NP", label="NX", by=cast.ada
    )
    rows = {"corpus": cast.corpus, "bitext": bitext, "table": table}
    rows |= {"campaign": judged, "report": report, "batch": batch}
    rows |= {"run": joint_cast.bare(cast), "source": cast.corpus}
    return {name: row.code for name, row in rows.items()}


BY_KIND = {  # kind: what it is asked, and what it answers, as its service writes them
    "align": (["corpus"], []),
    "align_words": (["corpus"], []),
    "bitext_import": ([], []),
    "bitext_links": (["bitext"], []),
    "bitext_parses": (["bitext"], []),
    "campaign_items": (["campaign"], []),
    "find_paraphrases": (["source", "corpus", "campaign"], ["campaign"]),
    "import": ([], []),
    "index": ([], []),
    "joint": (["corpus"], ["run"]),
    "linking": ([], []),
    "machine": (["campaign"], ["campaign"]),
    "paraphrase_items": (["table", "corpus", "campaign"], ["campaign"]),
    "paraphrase_weights": (["table", "campaign"], ["table"]),
    "paraphrases": (["table"], []),
    "relabel": (["batch", "corpus"], ["batch"]),
    "rehearse": (["campaign"], ["campaign"]),
    "parse": (["corpus"], []),
    "release": ([], []),
    "report": ([], ["report"]),
    "substitution": (["corpus"], []),
    "train_parser": (["corpus"], []),
    "score": (["corpus"], []),
}
IMPORTED = {"format": "pairs", "dry_run": False, "corpus": "News", "uploads": []}
LINK = re.compile(r'<a class="button quiet" href="([^"]+)">')


@pytest.mark.parametrize("who", ["ada", "bob"])
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_job_that_is_done_leads_to_what_it_made_and_who_reads_it_may_go_there(
    client: Client, cast: Cast, made: dict[str, str], kind: str, who: str
) -> None:
    asked, result = ({name: made[name] for name in names} for names in BY_KIND[kind])
    if kind == "import":
        asked = IMPORTED | {"corpus": cast.corpus.name}
    mine = {}
    if kind == "bitext_import":
        asked, mine = IMPORTED | {"name": "Sea"}, {"code": made["bitext"]}
    job = Job.objects.create(
        project=cast.project, title="A trial", kind=kind, by=cast.ada, params=asked,
        result=result, state=Job.State.DONE, **mine,
    )  # fmt: skip
    Job.objects.filter(pk=job.pk).update(by=getattr(cast, who))
    if who == "bob":  # who judges sees no table
        cast.bob.judges_as.all().delete()
    client.force_login(getattr(cast, who))
    page = client.get(reverse("job", args=["windows", job.code])).content.decode()
    links = LINK.findall(page.partition('id="status"')[2])
    assert links or (kind, who) in ONLY_MANAGERS
    for link in links:
        answer = client.get(link, follow=True)
        assert answer.status_code == 200, link


ONLY_MANAGERS = {
    ("relabel", "bob"), ("release", "bob"), ("report", "bob"), ("rehearse", "bob"),
    ("campaign_items", "bob"), ("paraphrase_items", "bob"), ("machine", "bob"),
    ("find_paraphrases", "bob"),
}  # fmt: skip


@pytest.mark.parametrize("state", ["failed", "cancelled", "running"])
@pytest.mark.parametrize("kind", ["parse", "index", "release", "joint"])
def test_a_job_that_made_nothing_leads_nowhere(
    client: Client, cast: Cast, kind: str, state: str
) -> None:
    job = Job.objects.create(
        project=cast.project, title="x", kind=kind, state=state, by=cast.ada,
        params={"corpus": cast.corpus.code},
    )  # fmt: skip
    client.force_login(cast.ada)
    page = client.get(reverse("job", args=["windows", job.code])).content.decode()
    assert LINK.findall(page.partition('id="status"')[2]) == []


def test_an_import_leads_to_its_corpus_once_it_is_made(client, cast: Cast) -> None:
    mine = {"kind": "import", "title": "x", "by": cast.ada, "state": "done"}
    here = IMPORTED | {"corpus": cast.corpus.name}
    check = Job.objects.create(
        project=cast.project, params=here | {"dry_run": True}, **mine
    )
    done = Job.objects.create(project=cast.project, params=here, **mine)
    client.force_login(cast.ada)
    corpus = reverse("corpus", args=["windows", cast.corpus.code])
    for job, is_made in ((check, False), (done, True)):
        page = client.get(reverse("job", args=["windows", job.code])).content.decode()
        links = LINK.findall(page.partition('id="status"')[2])
        assert (corpus in links) is is_made
        assert reverse("upload_report", args=["windows", job.code]) in links


def test_a_rehearsal_leads_to_the_copy_that_it_made(client, cast: Cast) -> None:
    judged = campaign(cast, n=2)
    job = simulation.start(judged, people=2, by=cast.ada)
    jobs.run(job.pk)
    job.refresh_from_db()
    copy = job.result["campaign"]
    assert copy != judged.code
    client.force_login(cast.ada)
    page = client.get(reverse("job", args=["windows", job.code])).content.decode()
    assert reverse("campaign", args=["windows", copy]) in page
    assert reverse("campaign", args=["windows", judged.code]) not in page


def test_counting_files_leads_on_though_no_corpus_was_counted(client, cast) -> None:
    params = {"name": "mine", "corpus": "", "corpora": [], "uploads": []}
    page = page_of(client, cast, kind="linking", params=params)
    assert reverse("corpora", args=["windows"]) in LINK.findall(page)

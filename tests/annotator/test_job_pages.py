"""The page of a job: what it found, in words, and where that is to be seen."""

import pytest
from django.test import Client
from django.urls import reverse

from annotator.models import Job
from tests.annotator.campaigns_cast import campaign
from tests.cast import Cast

pytestmark = pytest.mark.django_db


def page_of(client: Client, cast: Cast, **fields) -> str:
    job = Job.objects.create(
        project=cast.project, title="A trial", state=Job.State.DONE, **fields
    )
    client.force_login(cast.ada)
    return client.get(reverse("job", args=["windows", job.code])).content.decode()


def test_a_result_is_told_in_words(client: Client, cast: Cast) -> None:
    found = {
        "dry_run": False,
        "n_pairs": 3,
        "f1": 0.912345,
        "new": {"pairs": 3, "parses": 0},
        "warnings": ["one <b>", "two"],
    }
    page = page_of(client, cast, kind="parse", result=found)
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


@pytest.mark.parametrize("role", ["curator", "annotator", "viewer"])
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


@pytest.mark.parametrize("kind", ["parse", "align", "align_words", "score"])
def test_a_job_that_is_done_leads_to_what_it_made(client, cast, kind: str) -> None:
    page = page_of(client, cast, kind=kind, params={"corpus": cast.corpus.code},
                   result={"run": "0" * 16})  # fmt: skip
    assert (
        f'<a class="button quiet" href="/p/windows/corpus/{cast.corpus.code}/' in page
    )


def test_every_kind_of_job_leads_somewhere() -> None:
    from annotator.jobkinds import KINDS
    from annotator.pages.jobs import _NEXT

    assert set(_NEXT) == set(KINDS)

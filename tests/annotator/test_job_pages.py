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

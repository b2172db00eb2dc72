"""What each role may do, through the front door; strangers are in test_matrix."""

import json
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.db.models import ProtectedError
from django.test import Client
from django.utils import timezone

from annotator.models import Job, Judgment, Membership, Role
from annotator.services import jobs
from tests.annotator import campaigns_cast
from tests.cast import Cast

pytestmark = pytest.mark.django_db

ROLES = ("manager", "curator", "annotator", "viewer")
NO = 403
VIEWER, ENGLISH = {"role": "viewer"}, {"engine": "english"}
CALLS = [  # verb, address, body, then the status for each of the roles
    ("get", "/p/windows/", None, (200, 200, 200, 200)),
    ("get", "/p/windows/upload/", None, (200, NO, NO, NO)),
    ("get", "/p/windows/campaigns/new/", None, (200, NO, NO, NO)),
    ("get", "/p/windows/agreement/", None, (200, 200, NO, 200)),
    ("get", "/p/windows/corpus/{corpus}/export/", None, (200, 200, NO, NO)),
    ("get", "/api/corpora/{corpus}/export/pairs/", None, (200, 200, NO, NO)),
    ("get", "/api/corpora/{corpus}/agreement/", None, (200, 200, NO, 200)),
    ("get", "/api/layers/{layer}/", None, (200, 200, 404, 200)),
    ("post", "/api/pairs/{pair}/layers/", {}, (200, 200, 200, NO)),
    ("post", "/api/corpora/{corpus}/parses/", ENGLISH, (201, 201, NO, NO)),
    ("post", "/api/projects/windows/invitations/", VIEWER, (201, NO, NO, NO)),
    ("get", "/p/windows/campaign/{campaign}/people/{judge}/", None, (200, NO, NO, NO)),
    ("post", "/api/campaigns/{campaign}/act/", {"action": "pause"}, (200, NO, 404, NO)),
]  # fmt: skip


def member(cast: Cast, role: str) -> Client:
    """Somebody of this role, who made nothing of what is there."""
    user = User.objects.create_user(f"one {role}", password=uuid4().hex)
    Membership.objects.create(project=cast.project, user=user, role=role)
    client = Client()
    client.force_login(user)
    return client


@pytest.mark.parametrize(
    ("verb", "address", "body", "wanted"), CALLS, ids=[f"{c[0]} {c[1]}" for c in CALLS]
)
def test_each_role_may_do_what_it_is_for(
    cast: Cast, monkeypatch, verb: str, address: str, body: object, wanted: tuple
) -> None:
    monkeypatch.setattr(jobs, "_wake", lambda kind: None)
    made = campaigns_cast.campaign(cast, n=2)
    codes = {"corpus": cast.corpus, "layer": cast.layer, "pair": cast.pair}
    address = address.format(
        campaign=made.code,
        judge=made.participants.get().code,
        **{name: row.code for name, row in codes.items()},
    )
    statuses = []
    for role in ROLES:
        Job.objects.all().delete()
        sent = {"data": json.dumps(body), "content_type": "application/json"}
        call = getattr(member(cast, role), verb)
        statuses.append(call(address, **(sent if body is not None else {})).status_code)
    assert dict(zip(ROLES, statuses, strict=True)) == dict(
        zip(ROLES, wanted, strict=True)
    )


def test_every_role_is_in_the_table() -> None:
    assert set(ROLES) == set(Role.values)


@pytest.mark.parametrize(
    "path",
    [
        "/api/projects/",
        "/api/corpora/",
        "/api/campaigns/",
        "/api/jobs/",
        "/api/corpora/{corpus}/pairs/",
        "/api/campaigns/{campaign}/items/",
    ],
)
@pytest.mark.parametrize("name", ["created_by__password__startswith", "by__email"])
def test_no_filter_reaches_into_other_tables(cast: Cast, path: str, name: str) -> None:
    made = campaigns_cast.campaign(cast, n=1)
    client = Client()
    client.force_login(cast.ada)
    path = path.format(corpus=cast.corpus.code, campaign=made.code)
    assert client.get(path).status_code == 200
    assert client.get(f"{path}?{name}=a").status_code == 400


def test_a_person_who_judged_cannot_be_deleted(cast: Cast) -> None:
    made = campaigns_cast.campaign(cast, n=1)
    campaigns_cast.judge(campaigns_cast.draw(made, cast.bob)[0])
    with pytest.raises(ProtectedError):
        cast.bob.delete()
    assert Judgment.objects.counted().count() == 1


def test_a_waiting_job_says_that_no_worker_runs(
    cast: Cast, settings, tmp_path, monkeypatch
) -> None:
    monkeypatch.setattr(jobs, "_wake", lambda kind: None)
    settings.GEMEL_HOME = tmp_path
    job = jobs.create(cast.project, "parse", title="Waits", by=cast.ada)
    client = Client()
    client.force_login(cast.ada)
    pages = [f"/p/windows/jobs/{job.code}/", "/p/windows/jobs/", "/p/windows/upload/"]
    for page in pages:
        assert "No worker is running" in client.get(page).content.decode()
    (tmp_path / "worker.alive").touch()
    assert job.created_at <= timezone.now()
    for page in pages:
        assert "No worker is running" not in client.get(page).content.decode()

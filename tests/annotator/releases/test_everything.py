"""Everything of a project in one zip: nothing that it holds is left out unsaid."""

import json
import zipfile
from io import StringIO
from pathlib import Path

import pytest
from django.apps import apps
from django.core.files.base import ContentFile
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotator.errors import NotAllowed
from annotator.models import (
    Bitext,
    Campaign,
    Corpus,
    Job,
    LogEntry,
    Project,
    RatingSet,
    SavedQuery,
    Upload,
)
from annotator.services import jobs
from annotator.services.parses import drafts
from annotator.services.projects import invitations
from annotator.services.releases import everything, kept
from annotator.services.treebanks import worklists
from core.releases.verifying import verify
from tests.annotator.releases import test_releases
from tests.annotator.releases.test_releases import released, texts

home, project = test_releases.home, test_releases.project


@pytest.fixture
def full(project, cast, settings, tmp_path):
    """With a draft, a worklist, a query, ratings, parallel text and a rehearsal."""
    settings.MEDIA_ROOT = tmp_path / "media"
    drafts.start(cast.pair.source, by=cast.bob)
    wanted = worklists.Wanted("All of it", "tree", "random", ("bob",), n_each=1)
    made = worklists.make(cast.corpus, wanted, by=cast.ada)
    worklists.next_share(made, by=cast.bob)
    SavedQuery.objects.create(project=project, name="Phrases", text="NP", by=cast.ada)
    upload = Upload.objects.create(
        project=project, name="odd name.xlsx", size=3, sha256="0", by=cast.ada
    )
    upload.file.save("odd.xlsx", ContentFile(b"\x00\xff\x01"))
    RatingSet.objects.create(
        project=project, name="Old ratings", format="long", upload=upload
    )
    bitext = Bitext.objects.create(project=project, name="Sea", target_language="de")
    bitext.folder.mkdir(parents=True)
    bitext.pairs_path.write_bytes(b"PAR1")
    campaign = Campaign.objects.get(is_simulated=False)
    call_command("simulate", campaign.code, people=2, stdout=StringIO())
    return project


def whole(project: Project, path: Path) -> Path:
    return released(project, path, is_complete=True)


def rows(path: Path, name: str) -> list[dict]:
    with zipfile.ZipFile(path) as archive:
        text = archive.read(f"project/{name}.jsonl").decode()
    return [json.loads(line) for line in text.splitlines()]


def test_every_kind_of_row_is_in_the_export_or_said_to_be_left_out() -> None:
    told = {model.__name__ for model, _ in everything.ROWS.values()}
    told |= set(everything.LEFT_OUT)
    ours = apps.get_app_config("annotator").get_models()
    known = {model.__name__ for model in ours if _is_of_a_project(model)}
    assert known - told == set()
    assert set(everything.LEFT_OUT) <= known | {"Removal"}
    assert not told - known - {"Project", "Removal"}


def _is_of_a_project(model, seen=frozenset()) -> bool:
    """Whether a foreign key leads from it, or from what it stands on, to a project."""
    for field in model._meta.concrete_fields:
        other = field.related_model if field.is_relation else None
        if other is Project:
            return True
        is_new = other and other not in {model, *seen}
        if is_new and _is_of_a_project(other, seen | {model}):
            return True
    return False


def test_it_bears_itself_out_and_has_all_that_a_release_has_not(
    full, cast, tmp_path
) -> None:
    path = whole(full, tmp_path / "all.zip")
    verified = verify(path)
    assert verified.faults == ()
    assert verified.manifest.about["is_complete"] is True
    names = zipfile.ZipFile(path).namelist()
    assert len([name for name in names if name.endswith("/judgments.jsonl")]) == 2
    assert "DATASHEET.md" not in names
    (query,) = rows(path, "saved-queries")
    assert (query["name"], query["text"], query["by"]) == ("Phrases", "NP", "ada")
    (draft,) = rows(path, "tree-drafts")
    assert (draft["author"], draft["sentence"]) == ("bob", cast.pair.source.key)
    keys = {row["key"] for row in rows(path, "sentences")}
    assert draft["sentence"] in keys
    (share,) = rows(path, "work-shares")
    items = {row["id"] for row in rows(path, "work-items")}
    assert (share["user"], share["item"] in items) == ("bob", True)
    (ratings,) = rows(path, "ratings")
    uploads = {row["code"]: row["name"] for row in rows(path, "uploads")}
    assert ratings["name"] == "Old ratings"
    assert uploads[ratings["upload"]] == "odd name.xlsx"
    members = {row["user"]: row["role"] for row in rows(path, "members")}
    assert (members["ada"], members["bob"]) == ("manager", "annotator")
    assert {row["act"] for row in rows(path, "log")} >= {"opened"}
    assert rows(path, "campaigns")[0]["project"] == full.code


def test_files_come_as_they_are(full, tmp_path) -> None:
    path = whole(full, tmp_path / "all.zip")
    code = Upload.objects.get(name="odd name.xlsx").code
    with zipfile.ZipFile(path) as archive:
        assert archive.read(f"files/uploads/{code}.xlsx") == b"\x00\xff\x01"
        bitext = Bitext.objects.get()
        pairs = archive.read(f"files/bitexts/{bitext.code}/pairs.parquet")
    assert pairs == b"PAR1"


def test_no_secret_goes_along(full, cast, tmp_path) -> None:
    _, token = invitations.invite(full, role="viewer", by=cast.ada)
    path = whole(full, tmp_path / "all.zip")
    with zipfile.ZipFile(path) as archive:
        text = b"".join(archive.read(name) for name in archive.namelist())
    assert token.encode() not in text
    assert cast.ada.password.encode() not in text


def test_people_are_named_in_it_and_their_words_are_there(full, tmp_path) -> None:
    path = whole(full, tmp_path / "all.zip")
    with zipfile.ZipFile(path) as archive:
        ledger = archive.read("ledger.jsonl").decode()
    assert '"by":"bob"' in ledger.replace(" ", "")
    assert "I am Bob and this is odd" in ledger
    assert '"P1"' not in ledger


def test_a_release_is_what_it_was(full, tmp_path) -> None:
    members = texts(released(full, tmp_path / "one.zip"))
    assert not [name for name in members if name.startswith(("project/", "files/"))]
    assert len([name for name in members if name.endswith("/judgments.jsonl")]) == 1


def test_an_empty_project_is_exported_too(cast, home, tmp_path) -> None:
    empty = Project.objects.create(name="Empty", slug="empty")
    assert verify(whole(empty, tmp_path / "one.zip")).faults == ()


def test_the_job_counts_to_its_end_and_licences_do_not_stop_it(full, cast) -> None:
    Corpus.objects.update(licence="CC BY-ND 4.0")
    client = Client()
    client.force_login(cast.ada)
    sent = client.post(reverse("releases", args=["windows"]), {"what": "everything"})
    job = Job.objects.get(kind="release")
    assert sent.url == reverse("job", args=["windows", job.code])
    jobs.run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.done) == ("done", job.total)
    page = client.get(reverse("releases", args=["windows"])).content.decode()
    assert "everything, with names" in page
    get = reverse("release_download", args=["windows", job.code])
    assert b"".join(client.get(get).streaming_content).startswith(b"PK")
    assert LogEntry.objects.filter(act="exported", detail="everything").exists()


def test_it_is_for_managers_alone(full, cast) -> None:
    job = kept.start_everything(full, by=cast.ada)
    jobs.run(job.pk)
    full.memberships.filter(user=cast.bob).update(role="curator")
    with pytest.raises(NotAllowed):
        kept.start_everything(full, by=cast.bob)
    bob = Client()
    bob.force_login(cast.bob)
    url = reverse("releases", args=["windows"])
    page = bob.get(url).content.decode()
    assert "everything, with names" not in page
    assert "Export everything" not in page
    assert bob.post(url, {"what": "everything"}).status_code == 403
    get = reverse("release_download", args=["windows", job.code])
    assert bob.get(get).status_code == 403


def test_cancelling_leaves_nothing(full, cast, home) -> None:
    job = kept.start_everything(full, by=cast.ada)
    steps = kept.run(job)
    for _ in range(6):
        next(steps)
    steps.close()
    assert list((home / "releases").iterdir()) == []


def test_the_command_writes_it(full, tmp_path) -> None:
    Corpus.objects.update(licence="")
    out = StringIO()
    path = tmp_path / "all.zip"
    order = ("release", "make", "windows", "--everything", "--out", str(path))
    call_command(*order, stdout=out)
    assert "seal" in out.getvalue()
    assert rows(path, "project")[0]["name"] == "Windows"


def test_the_settings_offer_it_before_deleting(full, cast) -> None:
    client = Client()
    client.force_login(cast.ada)
    page = client.get("/p/windows/settings/").content.decode()
    assert page.index("Export everything</h2>") < page.index("<h2>Delete</h2>")

"""Parallel text and tables of paraphrases for programs."""

from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotator.models import Bitext, Campaign, Job, ParaphraseTable
from annotator.services import jobs
from tests.annotator.paraphrases.test_tables import bitexts, made  # noqa: F401
from tests.cast import Cast

JSON = "application/json"


@pytest.fixture
def table(cast: Cast, bitexts: list[Bitext]) -> ParaphraseTable:  # noqa: F811
    return made(cast, bitexts)


def signed_in(person) -> Client:
    client = Client()
    client.force_login(person)
    return client


def test_from_files_to_a_bitext_with_links(
    cast: Cast, settings, tmp_path: Path
) -> None:
    settings.MEDIA_ROOT = tmp_path
    ada = signed_in(cast.ada)
    files = [
        SimpleUploadedFile("mine.en", b"Mary saw a cat .\nshe slept .\n"),
        SimpleUploadedFile("mine.de", b"Mary sah eine Katze .\nsie schlief .\n"),
    ]
    sent = {"files": files, "format": "moses", "name": "Mine", "target_language": "de"}
    url = f"/api/projects/{cast.project.slug}/bitexts/"
    answer = ada.post(url, sent | {"dry_run": "false"})
    assert answer.status_code == 201, answer.content
    jobs.run(Job.objects.get(code=answer.json()["code"]).pk)
    (row,) = ada.get(url).json()
    assert (row["n_pairs"], row["aligner"]) == (2, "")
    one = f"/api/bitexts/{row['code']}/"
    wrong = ada.post(f"{one}links/", {"engine": "giza"}, content_type=JSON)
    assert wrong.status_code == 400
    job = ada.post(f"{one}links/", {}, content_type=JSON).json()
    jobs.run(Job.objects.get(code=job["code"]).pk)
    assert ada.get(one).json()["aligner"].startswith("hmm")
    assert signed_in(cast.bob).delete(one).status_code == 403
    assert signed_in(cast.cyd).get(one).status_code == 404
    assert ada.delete(one).status_code == 204
    assert not Bitext.objects.exists()


def test_a_table_is_asked_in_every_way(cast: Cast, table: ParaphraseTable) -> None:
    bob, at = signed_in(cast.bob), f"/api/tables/{table.code}/"
    assert bob.get(at).json()["name"] == "Sea"
    lookup = bob.get(f"{at}lookup/", {"phrase": "old", "k": 1}).json()
    assert [one["text"] for one in lookup["paraphrases"]] == ["ancient"]
    assert "JJ" in lookup["labels"]
    why = bob.get(f"{at}why/", {"phrase": "old", "paraphrase": "ancient"}).json()
    assert "alte" in [one["foreign"] for one in why["pivots"]]
    query = {"sentence": "The old boat came.", "phrase": "old"}
    rows = bob.get(f"{at}substitute/", query).json()["substitutes"]
    assert {row["condition"] for row in rows} >= {"baseline", "averaged+lm"}
    assert signed_in(cast.cyd).get(f"{at}lookup/", {"phrase": "old"}).status_code == 404


@pytest.mark.parametrize(
    "query",
    [
        {},
        {"phrase": "old", "k": 0},
        {"phrase": "old", "labels": "JJ"},
        {"phrase": "old", "condition": "best"},
        {"phrase": "x" * 201},
    ],
)
def test_a_wrong_question_is_refused(
    cast: Cast, table: ParaphraseTable, query: dict
) -> None:
    answer = signed_in(cast.bob).get(f"/api/tables/{table.code}/lookup/", query)
    assert answer.status_code == 400


def test_items_become_a_campaign_for_who_may_manage(
    cast: Cast,
    table: ParaphraseTable,
    bitexts: list[Bitext],  # noqa: F811
) -> None:
    at = f"/api/tables/{table.code}/items/"
    body = {"name": "Old boats", "bitext": bitexts[0].code, "phrases": 10}
    assert signed_in(cast.bob).post(at, body, content_type=JSON).status_code == 403
    ada = signed_in(cast.ada)
    both = body | {"corpus": cast.corpus.code}
    assert ada.post(at, both, content_type=JSON).status_code == 400
    job = ada.post(at, body, content_type=JSON).json()
    jobs.run(Job.objects.get(code=job["code"]).pk)
    assert Campaign.objects.get(name="Old boats").items.exists()

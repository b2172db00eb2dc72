"""The upload page, its report, and the same over the API."""

import io

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from rest_framework.test import APIClient

from annotator.models import Corpus, Issue, Job, Pair, Upload
from annotator.services import jobs
from tests import hostile
from tests.annotator.corpora.test_importing import TSV


def form(content: str = TSV, **fields) -> dict:
    sent = SimpleUploadedFile("pairs.tsv", content.encode())
    return {
        "files": sent,
        "format": "pairs",
        "corpus": "News",
        "source_language": "en",
        "target_language": "sv",
    } | fields


@pytest.fixture
def ada(cast, client):
    client.force_login(cast.ada)
    return client


def finish(code: str) -> Job:
    job = Job.objects.get(code=code)
    jobs.run(job.pk)
    job.refresh_from_db()
    return job


def test_from_the_form_by_the_report_to_the_corpus(ada) -> None:
    answer = ada.post("/p/windows/upload/", form(licence="CC0"))
    assert answer.status_code == 302
    code = answer.url.rstrip("/").rpartition("/")[2]
    finish(code)
    page = ada.get(answer.url).content.decode()
    assert "Checked; nothing is imported yet." in page
    assert "All rows can be read." in page
    assert not Corpus.objects.filter(name="News").exists()
    answer = ada.post(answer.url)
    job = finish(answer.url.rstrip("/").rpartition("/")[2])
    assert job.state == Job.State.DONE
    corpus = Corpus.objects.get(name="News")
    assert (corpus.n_pairs, corpus.licence, corpus.target_language) == (2, "CC0", "sv")
    assert (
        reverse("corpus", args=["windows", corpus.code])
        in ada.get(answer.url).content.decode()
    )


def test_a_corpus_without_a_name_is_called_as_its_first_file(ada) -> None:
    answer = ada.post("/p/windows/upload/", form(corpus=" "))
    finish(answer.url.rstrip("/").rpartition("/")[2])
    finish(ada.post(answer.url).url.rstrip("/").rpartition("/")[2])
    assert Corpus.objects.get(name="pairs").n_pairs == 2


def test_bad_rows_are_listed_page_by_page(ada) -> None:
    rows = TSV + "".join(f"{n}\tonly one side\n" for n in range(100, 170))
    answer = ada.post("/p/windows/upload/", form(rows))
    finish(answer.url.rstrip("/").rpartition("/")[2])
    page = " ".join(ada.get(answer.url).content.decode().split())
    assert "70 rows cannot be read" in page
    assert "70 in total; showing 1 to 50" in page
    assert "pairs.tsv, line 4, column 18" in page
    second = ada.get(answer.url + "?page=2").content.decode()
    assert "Page 2 of 2" in " ".join(second.split())
    answer = ada.post(answer.url, {"partial": "yes"})
    finish(answer.url.rstrip("/").rpartition("/")[2])
    assert Corpus.objects.get(name="News").n_pairs == 2


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"files": []}, "Choose at least one file."),
        ({"format": "docx"}, "Select a valid choice."),
        ({"encoding": "rot13"}, "Select a valid choice."),
        ({"files": SimpleUploadedFile("a.tsv", b"")}, "a.tsv is empty."),
    ],
)
def test_a_form_that_is_not_right_says_so(ada, fields: dict, words: str) -> None:
    answer = ada.post("/p/windows/upload/", form(**fields))
    assert answer.status_code == 400
    assert words in answer.content.decode()
    assert not Job.objects.exists()


def test_pharaoh_takes_its_three_files_from_their_fields(ada) -> None:
    fields = {
        "files": SimpleUploadedFile("a.align", b"0-0\n"),
        "source_text": SimpleUploadedFile("a.en", b"Hello\n"),
        "target_text": SimpleUploadedFile("a.sv", b"Hej\n"),
        "format": "pharaoh",
    }
    answer = ada.post("/p/windows/upload/", form(**fields))
    job = finish(answer.url.rstrip("/").rpartition("/")[2])
    assert (job.result["links"], job.result["issues"]) == (1, 0)


def test_a_payload_shows_as_text_on_every_page_of_an_import(ada) -> None:
    bad = hostile.PAYLOAD
    row = f"id\tsource\ttarget\tlabel\n{bad}\t{bad}\t{bad}\t<b>x</b>\n{bad}\tonly\n"
    sent = SimpleUploadedFile(f"{bad}.tsv".replace("/", ""), row.encode())
    answer = ada.post(
        "/p/windows/upload/", form(files=sent, corpus=bad, licence=bad, provenance=bad)
    )
    finish(answer.url.rstrip("/").rpartition("/")[2])
    report = answer.url
    answer = ada.post(report, {"partial": "yes"})
    finish(answer.url.rstrip("/").rpartition("/")[2])
    corpus = Corpus.objects.get(name=bad)
    pages = [
        report,
        answer.url,
        "/p/windows/",
        "/p/windows/jobs/",
        reverse("corpus", args=["windows", corpus.code]),
        reverse("export", args=["windows", corpus.code]),
    ]
    for address in pages:
        page = ada.get(address).content.decode()
        assert "<script>alert" not in page, address
        assert "<img src=x" not in page, address
        assert "<b>x" not in page, address
        assert "&lt;script&gt;alert" in page, address


def test_the_report_costs_the_same_for_one_bad_row_as_for_fifty(ada, cast) -> None:
    params = {"format": "pairs", "corpus": "News", "dry_run": True, "uploads": []}
    job = Job.objects.create(
        project=cast.project, kind="import", title="x", by=cast.ada, params=params
    )
    sizes = []
    for n in (1, 49):
        Issue.objects.bulk_create(Issue(job=job, reason="r", line=k) for k in range(n))
        with CaptureQueriesContext(connection) as seen:
            ada.get(reverse("upload_report", args=["windows", job.code]))
        sizes.append(len(seen))
    assert sizes[0] == sizes[1]


@pytest.fixture
def api(cast) -> APIClient:
    made = APIClient()
    made.force_authenticate(cast.ada)
    return made


def test_the_api_imports_in_two_steps_or_one(api, cast) -> None:
    address = "/api/projects/windows/imports/"
    answer = api.post(address, form(TSV + "3\tbad\n"), format="multipart")
    assert answer.status_code == 201, answer.content
    job = finish(answer.json()["code"])
    assert job.result["issues"] == 1
    issues = api.get(f"/api/jobs/{job.code}/issues/").json()["results"]
    assert [(one["file"], one["line"]) for one in issues] == [("pairs.tsv", 4)]
    answer = api.post(
        f"/api/imports/{job.code}/go-on/", {"partial": True}, format="json"
    )
    finish(answer.json()["code"])
    assert Corpus.objects.get(name="News").n_pairs == 2
    sent = form(corpus="More", dry_run=False)
    finish(api.post(address, sent, format="multipart").json()["code"])
    assert Corpus.objects.get(name="More").n_pairs == 2


def test_the_same_import_sent_twice_is_one_job(api) -> None:
    made = [
        api.post("/api/projects/windows/imports/", form(), format="multipart").json()
        for _ in range(2)
    ]
    assert made[0]["code"] == made[1]["code"]


def test_the_api_exports_and_tells_what_each_format_loses(api, cast) -> None:
    formats = {one["name"]: one for one in api.get("/api/formats/").json()}
    assert "Parses are left out." in formats["jsonl"]["losses"]
    answer = api.get(f"/api/corpora/{cast.corpus.code}/export/jsonl/")
    assert b"nurse" in b"".join(answer.streaming_content)
    answer = api.get(f"/api/corpora/{cast.corpus.code}/export/docx/")
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "invalid"


def test_annotators_neither_import_nor_export(cast) -> None:
    api = APIClient()
    api.force_authenticate(cast.bob)
    sent = api.post("/api/projects/windows/imports/", form(), format="multipart")
    assert sent.status_code == 403
    assert api.get(f"/api/corpora/{cast.corpus.code}/export/gemel/").status_code == 403
    assert not Upload.objects.exists()


SCORES = (
    "score\tsentence1\tsentence2\n4.5\tRain fell.\tIt rained.\n1\tA cat sat.\tNo.\n"
)


def code_of(answer) -> str:
    assert answer.status_code == 302, answer.content.decode()
    return answer.url.rstrip("/").rpartition("/")[2]


def test_columns_of_any_names_are_chosen_on_screen(ada, cast) -> None:
    check = ada.post("/p/windows/upload/", form(SCORES))
    finish(code_of(check))
    page = ada.get(check.url).content.decode()
    assert '<option value="3">3: sentence2</option>' in page
    again = ada.post(check.url, {"source": 2, "target": 3, "label": 1, "id": ""})
    job = finish(code_of(again))
    assert (job.result["pairs"], job.result["issues"]) == (2, 0)
    page = ada.get(again.url).content.decode()
    assert '<option value="3" selected>3: sentence2</option>' in " ".join(page.split())
    finish(code_of(ada.post(again.url)))
    pair = Pair.objects.get(corpus__name="News", source__text="Rain fell.")
    assert (pair.target.text, pair.label) == ("It rained.", "4.5")


def test_a_first_row_may_be_a_pair_where_columns_are_chosen(ada) -> None:
    check = ada.post("/p/windows/upload/", form("1\tRain fell.\tIt rained.\n"))
    finish(code_of(check))
    sent = {"source": 2, "target": 3, "no_header": "yes"}
    again = ada.post(check.url, sent)
    job = finish(code_of(again))
    assert job.result["rows"][0]["source"] == "Rain fell."
    assert "checked> " in " ".join(ada.get(again.url).content.decode().split())


@pytest.mark.parametrize("columns", [{"source": 2, "target": 2}, {"source": 1}])
def test_columns_that_cannot_be_are_refused(ada, columns: dict[str, int]) -> None:
    check = ada.post("/p/windows/upload/", form(SCORES))
    finish(code_of(check))
    answer = ada.post(check.url, {"target": ""} | columns)
    assert answer.status_code == 400
    assert "different columns" in answer.content.decode()


def test_an_export_of_chosen_columns_has_the_table_as_it_came(ada) -> None:
    check = ada.post("/p/windows/upload/", form(SCORES))
    finish(code_of(check))
    again = ada.post(check.url, {"source": 2, "target": 3})
    finish(code_of(again))
    finish(code_of(ada.post(again.url)))
    corpus = Corpus.objects.get(name="News")
    sent = ada.get(f"/api/corpora/{corpus.code}/export/pairs/")
    assert b"".join(sent.streaming_content).decode() == SCORES


def test_an_upload_over_the_limit_is_413(ada, settings) -> None:
    settings.MAX_UPLOAD_MB = 1
    big = io.BytesIO(b"x" * (2**20 + 1))
    big.name = "big.tsv"
    answer = ada.post("/p/windows/upload/", form(files=big))
    assert answer.status_code == 413
    assert "the limit is 1 MB" in answer.content.decode()


PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR(S (NN a))\n" * 9
BINARY = {"a picture (PNG)": PNG, "an archive (zip)": b"PK\x03\x04(S (NN a))\n",
          "a document (PDF)": b"%PDF-1.7\n(S (NN a))\n",
          "binary data": b"\1\2\3\4\5(S (NN ab))\n" * 9}  # fmt: skip


@pytest.mark.parametrize("what", sorted(BINARY))
def test_what_is_no_text_is_refused_by_its_name(ada, what: str) -> None:
    sent = SimpleUploadedFile("tree.ptb", BINARY[what])
    answer = ada.post("/p/windows/upload/", form(format="ptb", files=sent))
    assert answer.status_code == 400
    assert f"tree.ptb is {what}" in answer.content.decode()
    assert not Upload.objects.exists()


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "latin-1"])
def test_text_of_any_encoding_is_taken(ada, encoding: str) -> None:
    content = "(S (NN Café))\n".encode(encoding)
    sent = SimpleUploadedFile("tree.ptb", content)
    answer = ada.post("/p/windows/upload/", form(format="ptb", files=sent))
    job = finish(answer.url.rstrip("/").rpartition("/")[2])
    assert (job.result["sentences"], job.result["issues"]) == (1, 0)


def test_nothing_is_offered_where_no_row_can_be_read(ada) -> None:
    answer = ada.post("/p/windows/upload/", form("only one side\n"))
    finish(answer.url.rstrip("/").rpartition("/")[2])
    page = ada.get(answer.url).content.decode()
    assert "Import the rest" not in page
    assert "No row can be read" in page


def test_nothing_is_offered_where_the_files_hold_nothing(ada) -> None:
    answer = ada.post("/p/windows/upload/", form("# a remark\n"))
    finish(answer.url.rstrip("/").rpartition("/")[2])
    page = ada.get(answer.url).content.decode()
    assert "<button>Import</button>" not in page
    assert "hold no sentence" in page


def test_nothing_is_offered_where_no_line_of_a_bundle_can_be_read(ada) -> None:
    answer = ada.post("/p/windows/upload/", form("no bundle\n", format="gemel"))
    job = finish(answer.url.rstrip("/").rpartition("/")[2])
    assert job.result["issues"]
    page = ada.get(answer.url).content.decode()
    assert "Import the rest" not in page
    assert "No row can be read" in page


@pytest.mark.parametrize("more", ["", "3\tonly one side\n"])
def test_what_is_imported_is_not_offered_again(ada, more: str) -> None:
    check = ada.post("/p/windows/upload/", form(TSV + more)).url
    finish(check.rstrip("/").rpartition("/")[2])
    made = ada.post(check, {"partial": "yes"}).url
    assert made in ada.get(check).content.decode()
    assert finish(made.rstrip("/").rpartition("/")[2]).state == Job.State.DONE
    page = ada.get(check).content.decode()
    assert made in page
    assert "<button>Import</button>" not in page
    assert "Import the rest" not in page


def test_what_failed_to_be_imported_is_offered_again(ada) -> None:
    check = ada.post("/p/windows/upload/", form(TSV + "3\tonly one side\n")).url
    finish(check.rstrip("/").rpartition("/")[2])
    made = ada.post(check).url  # not partial: refused
    assert finish(made.rstrip("/").rpartition("/")[2]).state == Job.State.FAILED
    assert "Import the rest" in ada.get(check).content.decode()

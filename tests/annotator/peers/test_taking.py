"""Exports taken as ratings and as items: counted before, kept with their counts."""

import io

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotator.errors import BadRequest
from annotator.exchange.peers.registry import PEERS
from annotator.exchange.rating_tables import RatingsReading
from annotator.exchange.ratings import BadRatings
from annotator.models import RatingSet, Upload
from annotator.services.campaigns import item_files, items, setup
from annotator.services.reports import judged_data, rating_tables
from tests.annotator.peers.brought import content_of, zipped
from tests.cast import Cast

DOCCANO = "doccano"


def kept(cast: Cast, name: str, content: bytes | None = None) -> Upload:
    raw = io.BytesIO(content_of(name) if content is None else content)
    return rating_tables.keep(cast.project, name, raw, by=cast.ada)


def taken(cast: Cast, name: str, **more: object) -> RatingSet:
    upload = kept(cast, name)
    reading = rating_tables.try_out(upload, RatingsReading()).reading
    reading = RatingsReading(**{**reading.as_params(), **more})
    return rating_tables.add(cast.project, upload, reading, name=name, by=cast.ada)


def test_the_columns_are_chosen_and_ranges_proposed(cast) -> None:
    told = rating_tables.try_out(kept(cast, "label-studio.json"), RatingsReading())
    assert told.reading.tool == "label-studio"
    assert told.reading.fields == {
        "item": "item",
        "annotator": "annotator",
        "scale": "scale",
        "value": "value",
        "condition": "system",
        "source": "sentence",
        "time": "judged at",
        "seconds": "seconds",
    }
    assert told.proposed == {"meaning": (1, 5), "word": (1, 5), "grammar": (1, 5)}
    assert (told.n_ratings, told.n_annotators, told.n_bad) == (14, 2, 0)
    assert told.report is not None
    assert told.report.taken["values"] == told.n_ratings
    assert not RatingSet.objects.exists()


def test_a_set_keeps_its_counts_and_is_read_the_same_ever_after(cast) -> None:
    made = taken(cast, "label-studio.json", ranges={"meaning": (1, 5)})
    made.refresh_from_db()
    assert made.origin["title"].startswith("Label Studio export (JSON), 5 tasks")
    assert made.origin["held"]["annotations"] == 9
    assert made.reading["tool"] == "label-studio"
    read = judged_data.read_set(made)
    assert sorted(read.names.values()) == ["yan@example.org", "zoe@example.org"]
    assert sorted(read.data.conditions) == ["alpha", "beta"]
    assert read.texts["101"] == "The ferry left at noon."


def test_when_and_how_long_arrive_in_the_report(cast) -> None:
    data = judged_data.read_set(taken(cast, "label-studio.json")).data
    assert sorted(data.at) == sorted(1709629200.0 + 60 * n for n in (1, 2, 3, 6, 7, 7))
    assert set(data.active_ms.tolist()) == {11500, 12500, 13500, 16500, 17500}


def test_a_set_that_was_taken_as_a_table_stays_one(cast) -> None:
    """Sets from before exports were read say no tool."""
    upload = kept(cast, "doccano.csv")
    reading = RatingsReading("annotators", {"item": "id"}, ("label",)).as_params()
    del reading["tool"]
    row = RatingSet.objects.create(
        project=cast.project, name="Old", format="table", reading=reading, upload=upload
    )
    assert judged_data.read_set(row).data.questions[0].scale.labels == ("3#4", "5")


def test_a_bad_task_refuses_the_file_with_its_place(cast) -> None:
    content = zipped({"yan.jsonl": b'{"id": 1, "text": "A.", "label": ["1"]}\n{"id"\n'})
    upload = kept(cast, "export.zip", content)
    told = rating_tables.try_out(upload, RatingsReading())
    assert (told.n_ratings, told.n_bad) == (1, 1)
    with pytest.raises(BadRatings, match=r"export.zip:2:\d+: yan.jsonl: not JSON"):
        rating_tables.add(cast.project, upload, told.reading, name="x", by=cast.ada)
    assert not RatingSet.objects.exists()


HOSTILE = {
    "not like what Label Studio, Potato, doccano, Appraise or brat exports": lambda: (
        zipped({"a.txt": b"nothing of note"})
    ),
    "at most 20,000": lambda: zipped({f"{n}.jsonl": b"" for n in range(20_001)}),
    "unpacks to more than 200 MB": lambda: zipped({"zoe.jsonl": b" " * (201 * 2**20)}),
    "is a broken archive": lambda: zipped({"zoe.jsonl": b"{}" * 50})[:-40],
}


@pytest.mark.parametrize("said", HOSTILE)
def test_a_hostile_archive_is_refused_at_the_door(cast, said: str) -> None:
    with pytest.raises(BadRequest, match=said):
        kept(cast, "export.zip", HOSTILE[said]())
    assert not Upload.objects.filter(name="export.zip").exists()


def test_what_the_archive_says_of_a_file_is_not_believed(cast) -> None:
    """Its data is damaged, or longer than its directory says."""
    whole = zipped({"zoe.jsonl": content_of("doccano/zoe.jsonl") * 9})
    damaged = bytearray(whole)
    damaged[60:70] = b"\xff" * 10
    with pytest.raises(BadRequest, match="broken"):
        kept(cast, "export.zip", bytes(damaged))


def test_a_name_that_is_no_tool_is_refused(cast) -> None:
    upload = kept(cast, "label-studio.json")
    with pytest.raises(BadRequest, match="There is no tool"):
        rating_tables.try_out(upload, RatingsReading(tool="spreadsheet"))


def test_tasks_are_taken_as_items(cast) -> None:
    campaign = setup.create(cast.project, "Moved", by=cast.ada)
    raw = io.BytesIO(content_of("label-studio.json"))
    upload = item_files.keep(campaign, "ls.json", raw, by=cast.ada)
    reading = item_files.TableReading()
    told = item_files.dry_run(campaign, upload, reading)
    assert told.report is not None
    assert told.report.taken["tasks"] == 5
    assert (told.tool, told.n_items, told.n_bad) == ("label-studio", 5, 0)
    assert told.fields["id"] == "task"
    assert campaign.items.count() == 0
    items.take_in(campaign, upload, reading, told.n_rows, by=cast.ada)
    refs = campaign.items.order_by("pk").values_list("ref", "paraphrase")
    assert list(refs)[:2] == [("101", "departed"), ("102", "abandoned")]
    assert set(campaign.conditions.values_list("name", flat=True)) == {"alpha", "beta"}


def test_from_an_export_to_a_report_by_the_pages(cast, client: Client) -> None:
    client.force_login(cast.ada)
    file = SimpleUploadedFile("ls.json", content_of("label-studio.json"))
    form = {"file": file, "format": "table", "name": "Moved"}
    check = client.post("/p/windows/agreement/upload/", form).url
    page = client.get(check).text
    assert "Label Studio export (JSON), 5 tasks, 3 annotators" in page
    assert "2: cancelled: the annotator skipped the task" in page
    assert "1 × predictions of models" in page
    sent = {"name": "Moved", "what": "take", "layout": "long", "tool": "label-studio"}
    fields = {"item": "item", "annotator": "annotator", "scale": "scale"}
    sent |= {f"field-{name}": at for name, at in fields.items()}
    sent |= {"field-value": "value", "scale": "meaning", "low-0": "1", "high-0": "5"}
    report = client.post(check, sent).url
    assert "File contents" in client.get(report).text
    assert RatingSet.objects.get().reading["ranges"] == {"meaning": [1, 5]}
    assert "Label Studio export" in client.get("/p/windows/agreement/").text


def test_the_items_page_shows_the_counts(cast, client: Client) -> None:
    client.force_login(cast.ada)
    campaign = setup.create(cast.project, "Moved", by=cast.ada)
    file = SimpleUploadedFile("ls.json", content_of("label-studio.json"))
    place = f"/p/windows/campaign/{campaign.code}/items/"
    check = client.post(place, {"file": file}).url
    page = client.get(check).text
    assert "Label Studio export (JSON), 5 tasks, 3 annotators" in page
    assert "ratings are not items" in page
    client.post(check, {"tool": "label-studio"})
    assert campaign.items.count() == 5


def test_it_can_be_read_as_a_plain_table_instead(cast, client: Client) -> None:
    client.force_login(cast.ada)
    upload = kept(cast, "label-studio.csv")
    page = client.post(
        f"/p/windows/agreement/upload/{upload.code}/", {"tool": "table", "what": "read"}
    ).text
    assert "Label Studio export (" not in page
    assert "annotation_id" in page


def test_a_tool_that_it_is_not_from_is_refused_and_the_page_stays(
    cast, client: Client
) -> None:
    client.force_login(cast.ada)
    place = f"/p/windows/agreement/upload/{kept(cast, 'label-studio.csv').code}/"
    answer = client.post(place, {"tool": "brat", "what": "read"})
    assert answer.status_code == 400
    assert "does not look like an export of brat" in answer.text
    assert "Label Studio export (CSV)" in answer.text


def test_every_tool_is_offered(cast, client: Client) -> None:
    client.force_login(cast.ada)
    page = client.get("/p/windows/agreement/upload/").text
    assert all(tool.LABEL in page for tool in PEERS.values())

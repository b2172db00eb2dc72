"""Free text and marked words: from the scale editor to judging, curation, exports and
the report."""

import csv
import io
import json
from pathlib import Path
from uuid import uuid4

import duckdb
import openpyxl
import pytest
from django.test import Client
from django.urls import reverse

from annotator.errors import BadRequest, Conflict
from annotator.exchange import rating_tables
from annotator.exchange.rating_tables import RatingsReading
from annotator.models import Campaign, Judgment
from annotator.services.campaigns import (
    answers,
    curation,
    items,
    machines,
)
from annotator.services.reports import exports
from annotator.services.reports.judged_data import read_campaign
from core.formats import ratings
from tests.annotator.campaigns_cast import (
    LABEL,
    SPANS,
    TEXT,
    campaign,
    draw,
    judges,
    open_campaign,
)
from tests.cast import Cast


def judge(made: Campaign, user, values: list[dict]) -> list[Judgment]:
    drawn = draw(made, user, len(values))
    saved = []
    for one, said in zip(
        sorted(drawn, key=lambda row: row.item_id), values, strict=True
    ):
        answer = answers.Answer(uuid=uuid4(), seen=one.revision, values=said)
        saved.append(
            answers.take(one.code, "save", answer, campaign=made.code, by=user)
        )
    return saved


def judged(cast: Cast, *kinds: dict, by: list[list[dict]]) -> Campaign:
    made = open_campaign(cast, *kinds, people=len(by))
    for user, values in zip(list(judges(cast, len(by))), by, strict=True):
        judge(made, user, values)
    made.refresh_from_db()
    return made


def rows_of(kept: Path) -> list[dict]:
    if kept.suffix == ".parquet":
        table = duckdb.sql(f"select * from '{kept}'")
        return [dict(zip(table.columns, row, strict=True)) for row in table.fetchall()]
    if kept.suffix == ".xlsx":
        head, *rows = openpyxl.load_workbook(kept).active.values
        return [dict(zip(head, row, strict=True)) for row in rows]
    text = kept.read_text("utf-8-sig")
    if kept.suffix == ".jsonl":
        return [json.loads(line) for line in text.splitlines()]
    split = "\t" if kept.suffix == ".tsv" else ","
    return list(csv.DictReader(io.StringIO(text), delimiter=split))


BOTH = [
    [{"lost": "source:7-13", "why": "“all” is new"}, {"lost": "", "why": "fine"}],
    [
        {"lost": "paraphrase:15-18 source:7-13", "why": "fine"},
        {"lost": "", "why": "fine"},
    ],
]


def test_an_editor_of_scales_offers_both_kinds(cast: Cast) -> None:
    made = campaign(cast, is_open=False)
    client = Client()
    client.force_login(cast.ada)
    url = reverse("campaign_scales", args=[cast.project.slug, made.code])
    page = client.get(url).content.decode()
    assert 'value="text"' in page
    assert 'value="spans"' in page
    sent = {"scale": "0", "title-0": "Lost", "kind-0": "spans", "threshold-0": "3"}
    client.post(url, sent)
    (scale,) = made.scales.all()
    assert (scale.name, scale.kind, scale.points, scale.threshold) == (
        *("lost", "spans", [], None),
    )


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"lost": "source:7-99", "why": "x"}, "lost"),
        ({"lost": ["source:0-4"], "why": "x"}, "lost"),
        ({"lost": "", "why": "  "}, "why"),
        ({"lost": "", "why": "x" * 2001}, "why"),
        ({"lost": "", "why": 3}, "why"),
        ({"lost": ""}, "why"),
        ({"why": "x"}, "lost"),
    ],
)
def test_answers_that_fit_no_sentence_are_refused(
    cast: Cast, values: dict, field: str
) -> None:
    made = open_campaign(cast, TEXT, SPANS)
    with pytest.raises(BadRequest) as refused:
        judge(made, cast.bob, [values])
    assert refused.value.facts["field"] == field


def test_marks_are_stored_in_one_spelling(cast: Cast) -> None:
    made = judged(cast, TEXT, SPANS, by=BOTH)
    stored = Judgment.objects.of(made).exclude(values__lost="").order_by("pk")
    assert [one.values["lost"] for one in stored] == [
        "source:7-13",
        "source:7-13 paraphrase:15-18",
    ]


@pytest.mark.parametrize("form", ["tsv", "csv", "jsonl", "xlsx", "parquet"])
def test_exports_hold_texts_and_marks(cast: Cast, form: str, tmp_path: Path) -> None:
    said = [[one | {"same": "y"} for one in by] for by in BOTH]
    made = judged(cast, TEXT, SPANS, LABEL, by=said)
    client = Client()
    client.force_login(cast.ada)
    url = reverse("campaign_table", args=[cast.project.slug, made.code, form])
    kept = tmp_path / f"judgments.{form}"
    kept.write_bytes(b"".join(client.get(url).streaming_content))
    rows = rows_of(kept)
    found = {(row["scale"], row["value"] or "") for row in rows}
    assert ("lost", "source:7-13 paraphrase:15-18") in found
    assert ("why", "“all” is new") in found
    kinds = {row["scale"]: row["scale_kind"] for row in rows}
    assert kinds == {"lost": "spans", "why": "text", "same": "nominal"}


def test_ratings_are_read_back_from_an_export_without_open_answers(
    cast: Cast,
) -> None:
    said = [[one | {"same": "y"} for one in by] for by in BOTH]
    made = judged(cast, TEXT, SPANS, LABEL, by=said)
    table = exports.judgments(made, by=cast.ada)
    lines = ["\t".join(table.columns)]
    lines += ["\t".join("" if v is None else str(v) for v in row) for row in table.rows]
    read = list(ratings.read(lines, ratings.LAYOUTS["long"]))
    assert [(one.scale, one.value) for one in read] == [("same", "y")] * 4
    reading = RatingsReading(
        layout="long",
        fields={name: name for name in ("item", "annotator", "scale", "value")},
    )
    rows = [
        dict(zip(table.columns, line.split("\t"), strict=True)) for line in lines[1:]
    ]
    sheet = ReadRows([(n, row, "") for n, row in enumerate(rows, 2)])
    again = list(rating_tables.records(sheet, reading))
    assert [(one.scale, one.value) for one in again] == [("same", "y")] * 4


class ReadRows:
    """Rows of a table that was read."""

    def __init__(self, rows: list) -> None:
        self._rows = rows

    def rows(self):
        return iter(self._rows)


def test_a_report_counts_texts_and_compares_marks(cast: Cast) -> None:
    made = judged(cast, TEXT, SPANS, by=BOTH)
    data = read_campaign(made).data
    assert [one.name for one in data.open] == ["why", "lost"]
    # words: Cook 0 peeled onions . | Cook 0 skinned all onions .
    assert data.open[1].n_words == (11, 11)
    assert sorted(data.written[:, 1].tolist()) == [(), (), (2,), (2, 8)]
    client = Client()
    client.force_login(cast.ada)
    url = reverse("report", args=[cast.project.slug, "campaign", made.code])
    page = client.get(url).content.decode()
    assert "<strong>0.67</strong>" in page  # 2 of one word in common, over 1 + 2
    assert "“all” is new" in page


def test_curators_choose_marks_and_write_texts(cast: Cast) -> None:
    made = judged(cast, TEXT, SPANS, by=BOTH)
    assert len(curation.queue(made)) == 2
    assert curation.proposals(made) == {}  # texts and marks have no majority
    item = made.items.order_by("pk").first()
    assert item is not None
    client = Client()
    client.force_login(cast.ada)
    url = reverse("curate_item", args=[cast.project.slug, made.code, item.code])
    page = client.get(url).content.decode()
    assert "original: “peeled”; paraphrase: “all”" in page
    sent = {"reason": "other", "confidence": "2", "seen": "0", "value-why": "Added."}
    assert "Choose a value on every scale" in client.post(url, sent).content.decode()
    client.post(url, sent | {"value-lost": "source:7-13"})
    last = item.adjudications.get()
    assert last.values == {"why": "Added.", "lost": "source:7-13"}
    assert [row.code for row in curation.queue(made)] != [item.code]
    assert len(curation.queue(made)) == 1


def test_a_majority_decides_only_what_is_on_scales(cast: Cast) -> None:
    said = [[one | {"same": "y"} for one in by] for by in BOTH]
    made = judged(cast, TEXT, LABEL, by=[
        [{"why": one["why"], "same": one["same"]} for one in by] for by in said
    ])  # fmt: skip
    assert [values for values, _ in curation.proposals(made).values()] == [
        {"same": "y"}
    ] * 2


def test_open_answers_take_no_gold_and_no_machine(cast: Cast) -> None:
    made = open_campaign(cast, SPANS)
    with pytest.raises(Conflict, match="mark words"):
        machines._require_judgeable(made)
    with pytest.raises(BadRequest, match="no scale"):
        items.add(
            made,
            {"sentence": "A b.", "phrase": "b", "paraphrase": "c", "gold_lost": "x"},
            by=cast.ada,
        )


def test_other_pages_of_a_campaign_without_scales_open(cast: Cast) -> None:
    made = judged(cast, TEXT, SPANS, by=BOTH)
    client = Client()
    client.force_login(cast.ada)
    one = made.participants.first()
    assert one is not None
    base = [cast.project.slug, made.code]
    for name, more in (
        *(("campaign", []), ("campaign_items", []), ("campaign_design", [])),
        *(("curation", []), ("campaign_annotator", [one.code])),
        ("campaign_rules", []),
    ):
        answer = client.get(reverse(name, args=[*base, *more]))
        assert answer.status_code == 200, name

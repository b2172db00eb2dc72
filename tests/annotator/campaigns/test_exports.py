"""What a campaign exports: every format, and enough to compute its report again."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse
from openpyxl import load_workbook

from annotator.errors import NotAllowed
from annotator.exchange.written import FORMS, Exported
from annotator.models import Credit, Instance, Item, Judgment
from annotator.services.campaigns import curation
from annotator.services.campaigns.curation import Decision
from annotator.services.reports import exports
from annotator.services.reports.agreement import ReportSource, ReportSpec, body_of
from annotator.services.reports.judged_data import read_campaign
from core.agreement.judgments.dataset import Dataset, Question, Selection
from core.agreement.judgments.report import ReportOptions, build
from core.data.ratings import Scale
from tests.annotator.judged import Judged, judged
from tests.cast import Cast

Row = dict[str, Any]


@pytest.fixture
def made(cast: Cast) -> Judged:
    """With second ranks, an own id, a gold and a training item, one nobody judged."""
    set_up = judged(cast, k=2)
    Credit.objects.filter(condition__name="both", item__in=set_up.items[4:9]).update(
        rank=2
    )
    Item.objects.filter(pk=set_up.items[0].pk).update(ref="own-17")
    gold = {"gold": {"meaning": 4, "grammar": 5}}
    Item.objects.filter(pk=set_up.items[1].pk).update(kind="gold", **gold)
    Item.objects.filter(pk=set_up.items[2].pk).update(kind="training", **gold)
    third = Judgment.objects.get(item=set_up.items[5], participant__label="A1")
    Judgment.objects.filter(pk=third.pk).update(round=2)
    instance = Instance.objects.create(
        campaign=set_up.campaign, sentence="Nobody saw it yet.", start=0, end=6,
        phrase="Nobody", key="unseen",
    )  # fmt: skip
    fresh = Item.objects.create(
        campaign=set_up.campaign, instance=instance, paraphrase="No one",
        batch=set_up.items[0].batch, number=len(set_up.items), need=2,
    )  # fmt: skip
    Credit.objects.create(
        item=fresh, condition=set_up.campaign.conditions.last(), rank=1, score=0.5
    )
    decided = Decision({"meaning": 1, "grammar": 2}, "guideline", 3)
    curation.decide(set_up.items[3], decided, by=cast.ada)
    return set_up


def dicts(table: Exported) -> list[Row]:
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]


def report_of(judgments: list[Row], items: list[Row], *, rank: int) -> Any:
    """The report, from the rows of the two tables and nothing else."""
    data = dataset(judgments, items)
    options = ReportOptions(50, 0, data.baseline, adjudicated=True)
    body = build(data.select(Selection(max_rank=rank)), options)
    return {name: body[name] for name in ("scales", "conditions", "disagreements")}


def dataset(judgments: list[Row], items: list[Row]) -> Dataset:
    known = [r for r in items if r["kind"] != "training" and not r["withdrawn"]]
    place = {row["item"]: at for at, row in enumerate(known)}
    questions = questions_of(judgments)
    at = {q.scale.name: n for n, q in enumerate(questions)}
    labels = [q.scale.labels for q in questions]
    people = sorted({row["annotator"] for row in judgments})
    looks: dict[tuple[str, str, int], list[Row]] = {}
    for row in judgments:
        if row["item"] in place:
            key = row["item"], row["annotator"], row["round"]
            looks.setdefault(key, []).append(row)
    values = np.full((len(looks), len(questions)), -1, np.int32)
    gold = np.full((len(known), len(questions)), -1, np.int32)
    decided = gold.copy()
    for n, of in enumerate(looks.values()):
        for row in of:
            q, item = at[row["scale"]], place[row["item"]]
            values[n, q] = labels[q].index(row["value"])
            if row["decided"]:
                decided[item, q] = labels[q].index(row["decided"])
    for n, row in enumerate(known):
        for name, q in at.items():
            if row[f"gold_{name}"]:
                gold[n, q] = labels[q].index(row[f"gold_{name}"])
    first = [of[0] for of in looks.values()]
    conditions, credit = credits_of(known, judgments[0])
    return Dataset.of(
        questions, list(place), people,
        np.array([place[r["item"]] for r in first], np.int32),
        np.array([people.index(r["annotator"]) for r in first], np.int32),
        values,
        round=np.array([r["round"] for r in first], np.int32),
        is_extra=np.array([r["extra"] for r in first], bool),
        active_ms=np.array([r["active_ms"] for r in first], np.int32),
        guideline=np.array([r["guideline"] for r in first], np.int32),
        instance=codes([(r["sentence"], r["start"], r["end"]) for r in known]),
        cluster=codes([r["phrase"].casefold() for r in known]),
        is_check=np.array([r["kind"] != "main" for r in known], bool),
        gold=gold, adjudicated=decided, conditions=conditions, credit=credit,
        baseline=conditions.index(judgments[0]["baseline"]),
    )  # fmt: skip


def questions_of(judgments: list[Row]) -> list[Question]:
    questions = {}
    for row in judgments:
        labels = tuple(row["points"].split(" | "))
        points = tuple(map(float, labels))
        scale = Scale(row["scale"], labels, points)
        questions[row["scale"]] = Question(
            scale, row["scale"].capitalize(), row["threshold"]
        )
    return list(questions.values())


def credits_of(items: list[Row], any_judgment: Row) -> tuple[tuple[str, ...], Any]:
    table, names = [], any_judgment["conditions"].split(" | ")
    for at, row in enumerate(items):
        of = zip(row["condition"].split(" | "), row["rank"].split(" | "), strict=True)
        table += [(names.index(name), at, int(rank)) for name, rank in of]
    return tuple(names), np.array(table, np.int32)


def codes(values: list[Any]) -> Any:
    seen: dict[Any, int] = {}
    return np.array([seen.setdefault(v, len(seen)) for v in values], np.int32)


@pytest.mark.parametrize("rank", [1, 0])
def test_every_table_of_the_report_is_rebuilt_from_the_export(
    made: Judged, rank: int
) -> None:
    source = ReportSource(made.cast.project, "campaign", made.campaign)
    spec = ReportSpec(Selection(max_rank=rank), replicates=50, adjudicated=True)
    shown = body_of(source, read_campaign(made.campaign), spec)
    by = made.cast.ada
    judgments = dicts(exports.judgments(made.campaign, by=by))
    items = dicts(exports.items(made.campaign, by=by))
    rebuilt = report_of(judgments, items, rank=rank)
    assert rebuilt["conditions"]["instances"] == 8 + 1
    for name, part in rebuilt.items():
        assert part == shown[name], name


def test_own_ids_kinds_and_ranks_are_in_the_judgments(made: Judged) -> None:
    rows = dicts(exports.judgments(made.campaign, by=made.cast.ada))
    by_item = {row["item"]: row for row in rows}
    first, gold, training = (by_item[one.code] for one in made.items[:3])
    assert (first["id"], first["kind"]) == ("own-17", "main")
    assert (gold["kind"], gold["expected"]) == ("gold", "5")
    assert training["kind"] == "training"
    ranks = {(row["condition"], row["rank"]) for row in rows}
    assert ("baseline | both", "1 | 2") in ranks


def test_names_are_for_managers_who_ask(made: Judged, client: Client) -> None:
    project = made.cast.project
    url = reverse("campaign_table", args=[project.slug, made.campaign.code, "tsv"])
    client.force_login(made.cast.ada)
    plain, named = (
        b"".join(client.get(url + more).streaming_content).decode()
        for more in ("", "?names=yes")
    )
    assert "bob" not in plain
    assert "\tA1\tbob\t" in named
    project.memberships.filter(user=made.cast.bob).update(role="curator")
    client.force_login(made.cast.bob)
    assert client.get(url).status_code == 200
    assert client.get(url + "?names=yes").status_code == 403
    with pytest.raises(NotAllowed):
        exports.judgments(made.campaign, by=made.cast.bob, names=True)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ["table", "decisions", "items_table"])
def test_every_table_comes_in_every_format(
    made: Judged, client: Client, tmp_path: Path, name: str, form: str
) -> None:
    client.force_login(made.cast.ada)
    args = [made.cast.project.slug, made.campaign.code, form]
    answer = client.get(reverse(f"campaign_{name}", args=args))
    assert answer["Content-Disposition"].endswith(f'.{form}"')
    body = b"".join(answer.streaming_content)
    what = {"table": "judgments", "items_table": "items"}.get(name, name)
    wanted = dicts(exports.TABLES[what](made.campaign, by=made.cast.ada))
    rows = READERS[form](body, tmp_path)
    assert len(rows) == len(wanted) > 0
    assert list(rows[0]) == list(wanted[0])
    for row, expected in zip(rows, wanted, strict=True):
        assert row["item"] == expected["item"]
        assert row["kind"] == expected["kind"]
        assert (row["id"] or "") == expected["id"]


def test_an_unknown_format_is_not_found(made: Judged, client: Client) -> None:
    client.force_login(made.cast.ada)
    args = [made.cast.project.slug, made.campaign.code, "doc"]
    assert client.get(reverse("campaign_table", args=args)).status_code == 404


def test_a_comment_is_no_formula_in_a_workbook(made: Judged, client: Client) -> None:
    Judgment.objects.of(made.campaign).update(comment='=HYPERLINK("http://e.example")')
    client.force_login(made.cast.ada)
    args = [made.cast.project.slug, made.campaign.code, "xlsx"]
    answer = client.get(reverse("campaign_table", args=args))
    rows = xlsx(b"".join(answer.streaming_content), Path())
    assert {row["comment"] for row in rows} == {'\'=HYPERLINK("http://e.example")'}


def tsv(body: bytes, _folder: Path) -> list[Row]:
    head, *lines = body.decode().splitlines()
    names = head.split("\t")
    return [dict(zip(names, line.split("\t"), strict=True)) for line in lines]


def xlsx(body: bytes, _folder: Path) -> list[Row]:
    sheet = load_workbook(io.BytesIO(body), read_only=True).worksheets[0]
    head, *rows = sheet.iter_rows(values_only=True)
    return [dict(zip(map(str, head), row, strict=False)) for row in rows]


def parquet(body: bytes, folder: Path) -> list[Row]:
    import duckdb

    path = folder / "x.parquet"
    path.write_bytes(body)
    with duckdb.connect() as database:
        found = database.sql(f"FROM '{path}'")
        return [dict(zip(found.columns, r, strict=True)) for r in found.fetchall()]


READERS = {
    "tsv": tsv,
    "csv": lambda body, _: list(csv.DictReader(io.StringIO(body.decode()))),
    "xlsx": xlsx,
    "jsonl": lambda body, _: [json.loads(line) for line in body.splitlines()],
    "parquet": parquet,
}

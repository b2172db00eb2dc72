"""Alignment layers: three people on one pair, counted by hand."""

import html
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from annotator.models import AlignmentLayer, Origin, Parse, Report
from annotator.services.reports import layers
from core.data.alignment import Alignment, Link
from tests.cast import SOURCE, Cast, layer, parse, person

ALL = "of=all&at=0"
pytestmark = pytest.mark.django_db
BASE = (Link("w0", "w0"), Link("w1", "w6"), Link("n0", "n0"))


def put(made: AlignmentLayer, *links: Link, null: frozenset[str] = frozenset()) -> None:
    made.links = Alignment(links, null).to_json()
    made.revision += 1
    made.save()


@pytest.fixture
def aligned(cast: Cast) -> Cast:
    put(cast.layer, *BASE, null=frozenset({"w3"}))
    put(layer(cast.pair, author=person("eve")), *BASE, null=frozenset({"w3"}))
    put(layer(cast.pair, author=person("fay")), *BASE, Link("w3", "w5"))
    return cast


def test_recall_precision_and_the_human_row(aligned: Cast) -> None:
    body = layers.report(aligned.corpus).body
    assert body["facts"]["people"] == ["A1", "A2", "A3"]
    rows = {row["name"]: row for row in body["rows"]}
    assert rows["A3"]["recall"]["value"] == 1
    assert rows["A3"]["precision"]["value"] == pytest.approx(3 / 4)
    assert body["human"]["precision"]["value"] == pytest.approx((1 + 1 + 0.75) / 3)
    assert body["all_agree"]["value"] == pytest.approx(3 / 4)


def test_null_is_told_from_undecided_and_from_links(aligned: Cast) -> None:
    body = layers.report(aligned.corpus).body
    pair = next(row for row in body["pairs"] if (row["a"], row["b"]) == ("A2", "A3"))
    counts = [[cell["n"] for cell in cells] for cells in pair["confusion"]]
    assert counts[0][0] == 6  # three links have six ends
    assert counts[1] == [1, 0, 0]  # w3: null for one, linked by the other
    assert counts[2][0] == 1  # its partner was undecided
    assert pair["confusion"][1][0]["cases"] == [aligned.pair.code]


def test_an_untouched_layer_and_an_engine_are_no_people(aligned: Cast) -> None:
    layer(aligned.pair, author=aligned.ada)
    engine = AlignmentLayer.objects.create(
        pair=aligned.pair, origin=Origin.ENGINE, engine="aligner", slot="engine"
    )
    put(engine, Link("w0", "w0"))
    body = layers.report(aligned.corpus).body
    assert body["facts"]["people"] == ["A1", "A2", "A3"]
    assert body["facts"]["engines"] == ["aligner"]
    row = next(row for row in body["rows"] if row["is_engine"])
    assert row["recall"]["value"] == pytest.approx(1 / 3)
    assert row["precision"]["value"] == 1


def where(cast: Cast, name: str = "layer_report") -> str:
    return reverse(name, args=["windows", cast.corpus.code])


def enter(client: Client, user: User) -> Client:
    client.force_login(user)
    return client


def test_the_page_leads_to_the_pairs_behind_its_figures(
    client: Client, aligned: Cast
) -> None:
    page = enter(client, aligned.ada).get(where(aligned)).content.decode()
    assert "Human (leave one out)" in page
    assert "fay" in page
    for query in (
        "of=pair&at=1",
        "of=pair&at=2&x=1&y=0",
        "of=label&at=0",
        "of=all&at=0",
    ):
        answer = client.get(where(aligned, "layer_cases") + "?" + query)
        assert aligned.pair.code in answer.content.decode()
        assert html.escape(aligned.pair.source.text) in answer.content.decode()
        assert html.escape(aligned.pair.target.text) in answer.content.decode()
    for query in (
        "of=pair&at=99",
        "of=all&at=-1",
        "of=all&at=²",
        "of=x&at=0",
        "of=pair&at=0&x=7&y=0",
        "",
    ):
        answer = client.get(where(aligned, "layer_cases") + "?" + query)
        assert answer.status_code == 400


def test_each_picture_has_a_title_and_is_downloaded_with_its_figures(
    client: Client, aligned: Cast
) -> None:
    page = enter(client, aligned.ada).get(where(aligned)).content.decode()
    assert page.count("<figure") == page.count("<figcaption>") > 1
    links = re.findall(r'download\s+href="([^"]+)"', page)
    assert len(links) == 3 * page.count("<figure")
    for link in links:
        answer = client.get(html.unescape(link))
        assert answer.status_code == 200, link
        assert answer.content
    table = client.get(next(one for one in links if "links.csv" in one))
    heads, first = table.content.decode("utf-8-sig").splitlines()[:2]
    assert heads == "Against the others,Measure,Share,Low,High"
    assert first.startswith("Human (leave one out),Recall,")
    missing = reverse("layer_report", args=["windows", aligned.corpus.code])
    assert client.get(missing + "chart/nothing.svg").status_code == 404
    assert client.get(missing + "chart/links.exe").status_code == 404


def test_cases_take_one_query_for_the_sentences_of_all(
    aligned: Cast, django_assert_num_queries: Any
) -> None:
    report = layers.report(aligned.corpus)
    code = aligned.pair.code
    with django_assert_num_queries(1):
        (row,) = layers.case_rows(aligned.corpus, report, [code, "unknown"])
        assert row[2] is not None
        assert (row[0], row[2].source.text) == (code, aligned.pair.source.text)
    aligned.pair.delete()
    assert layers.case_rows(aligned.corpus, report, [code])[0][2] is None


def test_the_page_is_closed_to_annotators_and_strangers(
    client: Client, aligned: Cast
) -> None:
    assert enter(client, aligned.bob).get(where(aligned)).status_code == 403
    assert enter(client, aligned.cyd).get(where(aligned)).status_code == 404


def test_two_people_have_no_human_row(client: Client, aligned: Cast) -> None:
    AlignmentLayer.objects.filter(author__username="fay").delete()
    body = layers.report(aligned.corpus).body
    assert "needs three annotators" in body["human"]["recall"]["undefined"]
    assert enter(client, aligned.ada).get(where(aligned)).status_code == 200


def test_a_corpus_without_two_layers_says_so(client: Client, cast: Cast) -> None:
    page = enter(client, cast.ada).get(where(cast)).content.decode()
    assert "No pair has two alignments" in page


def test_trees_of_two_makers_are_compared(client: Client, aligned: Cast) -> None:
    sentence = aligned.pair.source
    flat = "(S (DT The) (NN nurse) (VBD opened) (DT the) (NN window) (. .))"
    parse(sentence, flat, engine="flat")
    body = layers.report(aligned.corpus).body
    (row,) = body["trees"]
    assert row["n"] == 1
    assert row["f1"]["value"] == pytest.approx(2 * 1 / (4 + 1))
    assert row["exact"]["value"] == 0
    assert row["cases"] == [aligned.pair.code]
    page = enter(client, aligned.ada).get(where(aligned)).content.decode()
    assert "PARSEVAL F1" in page
    answer = client.get(where(aligned, "layer_cases") + "?of=tree&at=0")
    assert aligned.pair.code in answer.content.decode()


def test_who_made_a_tree_is_a_label_too(aligned: Cast) -> None:
    made = parse(aligned.pair.source, SOURCE.replace("NP", "XP"))
    Parse.objects.filter(pk=made.pk).update(origin="annotator", author=aligned.cyd)
    report = layers.report(aligned.corpus)
    assert "cyd" not in str(report.body)
    assert "cyd" in report.names.values()


def test_a_frozen_report_keeps_its_figures_and_its_hash(
    client: Client, aligned: Cast
) -> None:
    page = enter(client, aligned.ada)
    freeze = where(aligned, "layer_freeze")
    told = page.post(freeze + "?seed=3", {"title": " Round one "}, follow=True)
    text = told.content.decode()
    kept = Report.objects.get()
    assert (kept.title, kept.query, kept.corpus) == (
        "Round one",
        "seed=3",
        aligned.corpus,
    )
    assert "their hash is the same" in text
    assert kept.digest[:16] in text
    put(aligned.layer, Link("w0", "w0"))
    path = reverse("frozen", args=["windows", kept.code])
    told = page.get(path, follow=True)
    assert "their hash differs" in told.content.decode()
    assert "75.0 %" in told.content.decode()  # all three agree on 3 of 4 links, as then
    assert layers.thawed(kept).body["all_agree"]["value"] == pytest.approx(0.75)
    put(aligned.layer, *BASE, null=frozenset({"w3"}))
    assert layers.report(aligned.corpus, seed=3).digest == kept.digest
    assert layers.report(aligned.corpus, seed=4).digest != kept.digest


def test_links_of_a_frozen_report_lead_to_its_own_pairs(
    client: Client, aligned: Cast
) -> None:
    kept = layers.freeze(aligned.corpus, title="Then", by=aligned.ada)
    AlignmentLayer.objects.exclude(pk=aligned.layer.pk).delete()
    page = enter(client, aligned.ada)
    path = reverse("layer_frozen", args=["windows", aligned.corpus.code, kept.code])
    text = page.get(path).content.decode()
    links = {
        html.unescape(one) for one in re.findall(r'href="([^"]*/cases/[^"]*)"', text)
    }
    assert links
    assert all(f"frozen={kept.code}" in link for link in links)
    texts = [page.get(link).content.decode() for link in links]
    assert any(aligned.pair.code in text for text in texts)
    told = page.get(path + "?format=json").json()
    assert told["facts"]["people"] == ["A1", "A2", "A3"]


def test_who_may_freeze_and_read(client: Client, aligned: Cast) -> None:
    api = f"/api/corpora/{aligned.corpus.code}/agreement/"
    freeze = where(aligned, "layer_freeze")
    assert enter(client, aligned.bob).post(freeze, {"title": "x"}).status_code == 403
    page = enter(client, aligned.ada)
    assert page.post(freeze, {"title": " "}).status_code == 400
    told = page.post(api, {"title": "By API"}, content_type="application/json")
    assert told.status_code == 201
    code = told.json()["code"]
    assert page.get(f"/api/reports/{code}/").json()["digest"] == told.json()["digest"]
    export = reverse("frozen_export", args=["windows", code, "csv"])
    assert page.get(export).status_code == 404
    path = reverse("layer_frozen", args=["windows", aligned.corpus.code, code])
    assert enter(client, aligned.bob).get(path).status_code == 403
    assert enter(client, aligned.cyd).get(path).status_code == 404

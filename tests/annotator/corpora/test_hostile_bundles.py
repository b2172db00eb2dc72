"""A bundle from elsewhere may hold anything where notes of ours are expected."""

import contextlib
import json
from typing import Any
from uuid import UUID

import pytest
from django.test import Client

from annotator.errors import Refusal
from annotator.exchange import registry
from annotator.exchange.bundle import check_note
from annotator.models import AlignmentLayer, Corpus, Job, Pair, Sentence
from annotator.services.corpora import exports
from core.errors import FormatError, GemelError
from tests.annotator.corpora.test_importing import bring_in
from tests.annotator.reports.test_matrix import filled, routes

pytestmark = pytest.mark.django_db
TREE = "(S (NP (NN gates)) (VP (VBD opened)))"
ARCS = (
    "1\tgates\t_\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\topened\t_\tVERB\t_\t_\t0\troot\t_\t_"
)
SHAPES: dict[str, Any] = {
    "number": 7,
    "text": "x",
    "null": None,
    "list": [1, "x", None, [2], {"a": 3}],
    "object": {"a": [1], "1": "x", "links": 4},
    "lists": [[1, 2, 3], [], ["a", None, {}]],
    "huge": 10**60,
}
NOTES = (
    "_file", "_raw", "_links", "_author", "_imported", "retyped", "cut_from",
    "began_on", "comments", "bank", "advice", "unhelped", "nbest", "editor", "gains",
    "domain", "corpus", "operations", "treebanks",
    "gold", "scores", "conllu", "ids", "items", "upos", "xpos", "lemma", "feats",
)  # fmt: skip


FILE = {"format": "pairs", "name": "a.tsv"}


def bundle(**changed: dict[str, Any]) -> bytes:
    """Two sentences with trees and arcs, a pair and a layer; ``changed`` by type."""
    at = "2026-01-31T12:00:00+00:00"
    rows: list[dict[str, Any]] = [
        {"type": "bundle", "gemel": 1},
        {"type": "corpus", "name": "Hostile"},
    ]
    for n in "12":
        rows += [
            {"type": "sentence", "id": f"s{n}", "tokens": ["gates", "opened"]},
            {"type": "parse", "id": f"t{n}", "sentence": f"s{n}", "text": TREE,
             "kind": "constituency", "origin": "gold", "created_at": at},
            {"type": "parse", "id": f"d{n}", "sentence": f"s{n}", "text": ARCS,
             "kind": "dependency", "origin": "engine", "created_at": at},
        ]  # fmt: skip
    rows.sort(
        key=lambda row: ("bundle", "corpus", "sentence", "parse").index(row["type"])
    )
    rows += [
        {"type": "pair", "id": "p1", "source": "s1", "target": "s2"},
        {"type": "layer", "id": "a1", "pair": "p1", "origin": "annotator",
         "source_parse": "t1", "target_parse": "t2", "created_at": at,
         "author": "somebody", "revision": 1},
        {"type": "event", "layer": "a1", "uuid": str(UUID(int=7)), "revision": 1,
         "op": "link", "at": at},
    ]  # fmt: skip
    for row in rows:
        row |= changed.get(row["type"], {})
    rows.append({"type": "end", "records": len(rows)})
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def faults(client: Client, corpus: Corpus) -> list[str]:
    """Every page, endpoint and export of the corpus that ends in an error of ours."""
    known = {
        Corpus: [corpus.code],
        AlignmentLayer: corpus.pairs.values_list("layers__code", flat=True),
        Sentence: corpus.sentences.values_list("code", flat=True),
        Pair: corpus.pairs.values_list("code", flat=True),
    }
    found = set()
    client.raise_request_exception = False
    for name, text in routes():
        for address, is_meant in filled(text, known, kind="gemel"):
            if not is_meant or "<" not in text:
                continue
            answer = client.get(address)
            if answer.status_code >= 500:
                found.add(f"{name}: {answer.status_code}")
            elif answer.streaming:
                b"".join(answer.streaming_content)
    for kind in registry.FORMATS:
        with contextlib.suppress(GemelError, Refusal):
            for part in exports.parts(corpus, kind, by=corpus.created_by):
                "".join(part.lines)
    return sorted(found)


def kept(kind: str, field: str, shape: Any) -> dict[str, Any]:
    """The notes that may have this shape."""
    may = {}
    for name in NOTES:
        row = {
            "meta": {},
            "columns": {},
            "parked": [],
            "links": {},
            field: {name: shape},
        }
        with contextlib.suppress(FormatError):
            check_note(kind, row, 1)
            may[name] = shape
    return may


@pytest.mark.slow
@pytest.mark.once
@pytest.mark.parametrize("shape", SHAPES)
def test_notes_of_any_shape_end_no_page_in_an_error(cast, client, shape: str) -> None:
    value = SHAPES[shape]
    changed = {
        kind: {"meta": kept(kind, "meta", value)}
        for kind in ("corpus", "parse", "pair", "layer")
    }
    if not isinstance(value, list):  # a list has a value for each token
        changed["sentence"] = {"columns": kept("sentence", "columns", value)}
    changed["layer"]["options"] = dict.fromkeys(NOTES, value)
    changed["event"] = {
        side: dict.fromkeys(("links", "null_source", "parked", "trees", "s"), value)
        for side in ("before", "after")
    }
    job = bring_in(cast, bundle(**changed), kind="gemel", name="b.gemel", corpus="H")
    told = list(job.issues.values_list("reason", flat=True))
    assert (job.state, job.error, told) == (Job.State.DONE, "", [])
    client.force_login(cast.ada)
    assert faults(client, Corpus.objects.get(name="H")) == []


@pytest.mark.parametrize(
    ("kind", "field", "name", "value"),
    [
        ("corpus", "meta", "files", 7),
        ("corpus", "meta", "files", [{"name": "a"}]),
        ("corpus", "meta", "files", [FILE | {"encoding": "idna"}]),
        ("corpus", "meta", "files", [FILE | {"meta": {"treebanks": [3]}}]),
        ("sentence", "columns", "xpos", [1, 2]),
        ("sentence", "columns", "comments", "x"),
        ("parse", "meta", "retyped", [[0, "a"]]),
        ("parse", "meta", "advice", [{}]),
        ("pair", "meta", "_file", "first"),
        ("layer", "meta", "editor", []),
        ("layer", "meta", "editor", {"ignored": {"1": None}}),
    ],
)
def test_a_note_of_ours_in_another_shape_is_refused_with_its_line(
    cast, kind: str, field: str, name: str, value: Any
) -> None:
    content = bundle(**{kind: {field: {name: value}}})
    job = bring_in(cast, content, kind="gemel", name="b.gemel", corpus="H")
    issue = job.issues.first()
    assert issue is not None
    assert issue.line > 1
    assert f"{name!r} is not in Gemel's format" in issue.reason
    assert job.error == ""
    assert not Corpus.objects.filter(name="H").exists()


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("parked", [3], "parked"),
        ("parked", [{"s": None}], "parked"),
        ("links", [7], "of itself"),
        ("links", [{"prob": "likely"}], "of itself"),
        ("links", [{"prob": "nan"}], "of itself"),
        ("links", [{"at": "first"}], "of itself"),
        ("links", [{"raw": 4}], "of itself"),
    ],
)
def test_links_say_only_what_can_be_read(
    cast, field: str, value: list[Any], told: str
) -> None:
    if field == "links":
        value = {"links": [["w0", "w1", "sure", False, *value]]}
    content = bundle(layer={field: value})
    job = bring_in(cast, content, kind="gemel", name="b.gemel", corpus="H")
    assert told in job.issues.first().reason
    assert job.error == ""


def test_a_nul_in_a_note_is_refused_with_its_line(cast) -> None:
    content = bundle(pair={"meta": {"note": "a\0"}})
    job = bring_in(cast, content, kind="gemel", name="b.gemel", corpus="H")
    assert "no character of text" in job.issues.first().reason
    assert job.error == ""


@pytest.mark.parametrize(
    "at", ["9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00+12:00", "2026-13-01", 7]
)
@pytest.mark.parametrize(
    ("kind", "field"),
    [("parse", "created_at"), ("layer", "updated_at"), ("event", "at")],
)
def test_a_time_that_no_calendar_has_in_utc_is_refused(
    cast, kind: str, field: str, at: Any
) -> None:
    content = bundle(**{kind: {field: at}})
    job = bring_in(cast, content, kind="gemel", name="b.gemel", corpus="H")
    assert (job.error, job.issues.exists()) == ("", True)

"""The bundle carries everything, and says what is wrong with one that does not."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.formats import gemel, treetext
from core.formats.records import BadLine
from tests.oracles import documents

GOOD = [
    {"type": "bundle", "gemel": 1},
    {"type": "corpus", "name": "Windows", "licence": "CC0", "meta": {"files": []}},
    {"type": "sentence", "id": "s1", "tokens": ["The", "nurse"], "columns": {}},
    {"type": "sentence", "id": "s2", "tokens": ["A", "nurse"], "text": "A nurse"},
    {"type": "parse", "id": "t1", "sentence": "s1", "kind": "constituency",
     "text": "(NP (DT The) (NN nurse))"},
    {"type": "parse", "id": "t2", "sentence": "s1", "kind": "dependency",
     "text": "1\tThe\t_\t_\t_\t_\t2\tdet\t_\t_\n2\tnurse\t_\t_\t_\t_\t0\troot\t_\t_"},
    {"type": "forest", "sentence": "s1", "engine": "e", "version": "1", "data": "AAAA"},
    {"type": "pair", "id": "p1", "source": "s1", "target": "s2", "label": "same"},
    {"type": "layer", "id": "a1", "pair": "p1", "origin": "annotator", "author": "ada",
     "source_parse": "t1", "revision": 1,
     "links": {"links": [["w0", "w0", "sure"]], "null_source": ["n0"],
               "null_target": []}},
    {"type": "event", "layer": "a1", "uuid": "0" * 32, "revision": 1, "op": "link",
     "by": "ada"},
    {"type": "end", "records": 10},
]  # fmt: skip


def lines(rows: list[dict]) -> list[str]:
    return [json.dumps(row) + "\n" for row in rows]


def changed(number: int, **members) -> list[str]:
    """The bundle with members of one line set, or taken out by None."""
    rows = [dict(row) for row in GOOD]
    for name, value in members.items():
        if value is None:
            rows[number].pop(name)
        else:
            rows[number][name] = value
    return lines(rows)


def bad(text: list[str]) -> list[BadLine]:
    return [one for one in gemel.read(text) if isinstance(one, BadLine)]


def test_every_type_comes_back_identical() -> None:
    items = list(gemel.read(lines(GOOD)))
    assert [item.type for item in items] == [row["type"] for row in GOOD[1:-1]]
    text = list(gemel.write(items))
    assert list(gemel.write(gemel.read(text))) == text
    assert list(gemel.read(text)) == items


@given(documents.trees(gaps=True, edges=True), st.data())
def test_any_tree_and_any_links_come_back(tree, data) -> None:
    text, notes = treetext.dump(tree)
    n = tree.n_tokens
    alignment = data.draw(documents.alignments(n, n))
    phrases = data.draw(documents.alignments(len(tree), len(tree), "n"))
    both = [*alignment.to_json()["links"], *phrases.to_json()["links"]]
    items = [
        gemel.GemelItem("sentence", {"id": "s", "tokens": list(tree.words)}),
        gemel.GemelItem("parse", {"id": "t", "sentence": "s", "kind": "constituency",
                             "text": text, "meta": notes}),
        gemel.GemelItem("pair", {"id": "p", "source": "s", "target": "s"}),
        gemel.GemelItem("layer", {"id": "a", "pair": "p", "source_parse": "t",
                             "target_parse": "t", "links": {"links": both}}),
    ]  # fmt: skip
    back = list(gemel.read(gemel.write(items)))
    assert [one.row["links"] for one in back if one.type == "layer"] == [
        {"links": both}
    ]
    parse = next(one.row for one in back if one.type == "parse")
    assert treetext.load(parse["text"], parse["meta"]) == tree


@pytest.mark.parametrize(
    ("number", "members", "words"),
    [
        (0, {"gemel": 2}, "bundle version 2"),
        (2, {"tokens": []}, "tokens must be words"),
        (2, {"tokens": ["a\tb", "c"]}, "tokens must be words"),
        (2, {"columns": {"lemma": ["x"]}}, "column 'lemma'"),
        (2, {"colour": "red"}, "no key 'colour'"),
        (2, {"key": "short"}, "32 hexadecimal"),
        (3, {"id": "s1"}, "'s1' is used twice"),
        (4, {"text": "(NP (DT The)"}, "lacks 1 closing"),
        (4, {"text": "(NN nurse)"}, "1 words over 2 tokens"),
        (4, {"sentence": "s9"}, "no sentence 's9'"),
        (4, {"rank": 99_999}, "out of range"),
        (4, {"kind": "other"}, "kind 'other'"),
        (7, {"source": None}, "a pair needs 'source'"),
        (8, {"links": {"links": [["w2", "w0", "sure"]]}}, "missing node w2"),
        (8, {"links": {"links": [["w0", "n0", "sure"]]}}, "missing node n0"),
        (8, {"links": {"null_source": [5]}}, "the links"),
        (8, {"source_parse": "t9"}, "no parse 't9'"),
        (8, {"revision": True}, "wrong type"),
        (9, {"layer": "a9"}, "no layer 'a9'"),
        (10, {"records": 12}, "12 records are announced, but there are 10"),
    ],
)
def test_a_bad_line_says_why(number: int, members: dict, words: str) -> None:
    first, *_ = bad(changed(number, **members))
    assert words in first.reason
    assert first.line == number + 1


def test_a_bundle_that_is_cut_off_is_known_by_its_missing_end() -> None:
    (line,) = bad(lines(GOOD[:-1]))
    assert "cut off" in line.reason


def test_a_file_that_is_no_bundle_is_refused_at_its_first_line() -> None:
    assert len(bad(['{"source": "a", "target": "b"}\n'] * 5)) == 1

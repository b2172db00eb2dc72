"""doccano's exports: one file, an archive, a file a person, CSV, and version 1.0."""

import pytest

from tests.annotator.peers.brought import (
    bad,
    content_of,
    counts,
    good,
    is_even,
    read,
    sheet,
    zipped,
)


def test_an_archive_has_a_file_a_person() -> None:
    export = sheet("doccano")
    report = export.report
    assert report.title == "doccano export (JSONL, 3 files), 4 tasks, 2 annotators"
    assert counts(report) == ((4, 6, 2, 5), (3, 5, 2, 5))
    assert is_even(report)
    assert report.left == [
        ("tasks", 1, "nothing of it is taken"),
        ("annotations", 1, "empty: no answer in it"),
    ]
    assert report.losses == [("comments", 1)]
    assert good(export)[0] == {
        "item": "11",
        "annotator": "yan",
        "scale": "label",
        "value": "4",
        "judged at": "",
        "seconds": "",
        "text": "The ferry left at noon.",
        "system": "alpha",
    }
    assert [row["value"] for row in good(export)] == ["4", "2; 3", "5", "2", "4"]


def test_who_worked_together_is_one_annotator_and_that_is_said() -> None:
    export = sheet("doccano-all.jsonl")
    assert {row["annotator"] for row in good(export)} == {"all"}
    assert "no names" in export.report.notes[0]
    assert export.report.losses == [("comments", 1)]


def test_spans_and_relations_are_left_and_told() -> None:
    report = sheet("doccano-spans.jsonl").report
    assert counts(report) == ((2, 2, 1, 2), (1, 1, 1, 1))
    assert ("values", 1, "labels of spans of text") in report.left
    assert ("relations", 1) in report.losses


def test_version_one_tells_users_by_number() -> None:
    export = sheet("doccano-one.jsonl")
    rows = [(row["item"], row["annotator"], row["value"]) for row in good(export)]
    assert rows == [("1", "1", "2"), ("1", "2", "3")]
    assert good(export)[0]["annotation_approver"] == "ada"
    assert is_even(export.report)


def test_csv_joins_labels_by_a_hash() -> None:
    export = sheet("doccano.csv")
    assert [row["value"] for row in good(export)] == ["5", "3; 4"]
    assert export.report.losses == [("comments", 2)]
    assert is_even(export.report)


def test_texts_that_are_no_labels_are_no_ratings() -> None:
    lines = b"".join(
        b'{"id": %d, "text": "Row %d.", "label": ["a sentence of its own, %d"]}\n'
        % (n, n, n)
        for n in range(30)
    )
    report = read(lines, "all.jsonl").report
    assert report.taken["values"] == 0
    assert any("free text" in why for unit, _, why in report.left if unit == "values")


def test_a_bad_line_is_named_with_its_file() -> None:
    content = zipped(
        {
            "zoe.jsonl": content_of("doccano/zoe.jsonl"),
            "yan.jsonl": b'{"id": 1, "text":'
            b' "A.", "label": ["1"]}\n{"id": 2, "text": "B", "label": ["2]}\n',
        }
    )
    (problem,) = bad(read(content, "export.zip"))
    assert (problem.line, problem.column) == (2, 38)
    assert problem.reason.startswith("yan.jsonl: not JSON")


@pytest.mark.parametrize("line", [b"[1, 2]", b'{"id": 3, "label": ["x"]}'])
def test_a_line_that_is_no_document_is_named(line: bytes) -> None:
    content = b'{"id": 1, "text": "A.", "label": ["1"]}\n' + line + b"\n"
    (problem,) = bad(read(content, "all.jsonl"))
    assert problem.line == 2
    assert "no document" in problem.reason

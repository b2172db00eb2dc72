"""Appraise's scores: with and without documents, and the tables of all results."""

import pytest

from tests.annotator.peers.brought import bad, counts, good, is_even, read, sheet


def test_scores_are_recognised_without_a_header() -> None:
    export = sheet("appraise.csv")
    report = export.report
    assert report.title == "Appraise export (CSV of scores), 4 tasks, 2 annotators"
    assert counts(report) == ((4, 6, 2, 6), (2, 4, 2, 4))
    assert is_even(report)
    why = "an item for quality control ({}): Appraise counts it for no system"
    assert ("annotations", 1, why.format("BAD")) in report.left
    assert ("annotations", 1, why.format("REF")) in report.left
    assert export.ranges == {"score": (0, 100)}


def test_a_score_of_several_systems_is_one_rating_of_all_of_them() -> None:
    rows = good(sheet("appraise.csv"))
    assert [row["system"] for row in rows] == [
        "alpha",
        "beta | gamma",
        "alpha",
        "alpha",
    ]
    assert rows[0] == {
        "item": "eng-deu:11:alpha",
        "annotator": "zoe01",
        "scale": "score",
        "value": "78",
        "judged at": "1709629012.0",
        "seconds": "11.5",
        "system": "alpha",
        "segment": "11",
        "languages": "eng-deu",
    }


def test_a_check_is_a_second_look_at_the_same_item() -> None:
    again = [row for row in good(sheet("appraise.csv")) if row["annotator"] == "yan02"]
    assert [(row["item"], row["value"]) for row in again] == [
        ("eng-deu:11:alpha", "69"),
        ("eng-deu:11:alpha", "71"),
    ]


def test_scores_of_documents_and_marked_errors_are_left_and_told() -> None:
    export = sheet("appraise-doc.csv")
    assert [row["item"] for row in good(export)] == [
        "eng-deu:news.7:1:alpha",
        "eng-deu:news.7:2:alpha",
    ]
    assert ("annotations", 1, "a score of a whole document") in export.report.left
    assert export.report.losses == [("errors marked in the text (MQM, ESA)", 1)]


def test_the_table_of_all_results_has_a_header_and_bare_errors() -> None:
    export = sheet("appraise-all.csv")
    rows = good(export)
    assert [(row["annotator"], row["value"]) for row in rows] == [
        ("zoe01", "80"),
        ("yan02", "66"),
    ]
    assert rows[0]["seconds"] == "11.5"
    assert export.report.losses == [("errors marked in the text (MQM, ESA)", 2)]


BAD_ROWS = [
    ("zoe,alpha,1,TGT,eng,deu,high,1.0,2.0", "score 'high' is not a number"),
    ("zoe,alpha,1,XYZ,eng,deu,5,1.0,2.0", "type 'XYZ' is not one of TGT"),
    ("zoe,alpha,1,TGT,eng,deu,5", "7 cells"),
    ("zoe,alpha,1,TGT,eng,deu,5,then,2.0", "time 'then' is not a number"),
]


@pytest.mark.parametrize(("row", "said"), BAD_ROWS)
def test_a_bad_row_is_named(row: str, said: str) -> None:
    first = "zoe,alpha,1,TGT,eng,deu,50,1.0,2.0\n"
    (line,) = bad(read(f"{first}{row}\n".encode(), "scores.csv"))
    assert line.line == 2
    assert said in line.reason

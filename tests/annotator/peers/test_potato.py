"""Potato's output, of both versions: folders, one file, and tables."""

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


def said(export) -> dict[tuple[str, str, str], str]:
    return {(r["annotator"], r["item"], r["scale"]): r["value"] for r in good(export)}


def test_the_folders_of_users_are_read_and_the_file_of_all_is_not_read_twice() -> None:
    export = sheet("potato")
    report = export.report
    assert report.title == "Potato export (JSON, 2 folders), 4 tasks, 2 annotators"
    assert counts(report) == ((4, 6, 2, 18), (2, 4, 2, 15))
    assert is_even(report)
    assert "1 more files say the same again" in report.notes[0]
    assert (
        "annotations",
        1,
        "a page of a survey (consent, instructions), no task",
    ) in (report.left)
    assert ("values", 1, "labels of spans of text") in report.left
    assert dict(report.losses) == {"times and keystrokes": 2}


def test_each_kind_of_question_is_told_by_what_was_given() -> None:
    values = said(sheet("potato"))
    assert values["zoe", "s1", "meaning"] == "4"
    assert values["zoe", "s1", "verdict"] == "same"
    assert values["zoe", "s1", "quality: clear"] == "3"
    assert values["yan", "s1", "quality: natural"] == "5"
    assert values["yan", "s1", "issues"] == "number; tense"
    assert values["yan", "s2", "issues"] == "tense"
    assert not any(scale == "why" for _, _, scale in values)


def test_seconds_and_text_stand_beside_the_rating() -> None:
    row = good(sheet("potato"))[0]
    assert (row["annotator"], row["seconds"]) == ("yan", "12")
    assert row["text"] == "The ferry left at noon."


@pytest.mark.parametrize("name", ["potato/annotated_instances.jsonl", "potato.tsv"])
def test_the_file_of_all_says_the_same(name: str) -> None:
    export = sheet(name)
    assert said(export) == said(sheet("potato"))
    assert counts(export.report) == counts(sheet("potato").report)
    assert is_even(export.report)


def test_tables_of_version_two_name_columns_by_a_point() -> None:
    export = sheet("potato2.csv")
    assert said(export) == {
        ("zoe", "s1", "meaning"): "4",
        ("zoe", "s1", "verdict"): "same",
        ("yan", "s2", "meaning"): "2",
    }
    assert counts(export.report) == ((2, 2, 2, 4), (2, 2, 2, 3))


def test_states_of_users_are_read_in_both_shapes() -> None:
    export = sheet("potato-state")
    assert said(export) == {
        ("zoe", "s1", "meaning"): "4",
        ("zoe", "s2", "verdict"): "same",
        ("yan", "s1", "meaning"): "2",
    }
    assert is_even(export.report)


def test_a_bad_line_is_named_with_its_file() -> None:
    content = zipped(
        {
            "zoe/annotated_instances.jsonl": content_of(
                "potato/zoe/annotated_instances.jsonl"
            ),
            "yan/annotated_instances.jsonl": b'{"id": "s1", "label_annotations": 3}\n{',
        }
    )
    problems = bad(read(content, "out.zip"))
    assert [one.line for one in problems] == [1, 2]
    assert problems[0].reason.startswith("yan/annotated_instances.jsonl: no annotation")
    assert "not JSON" in problems[1].reason

"""Label Studio's exports: what is taken, what is not and why, and that it adds up."""

import json

import pytest

from tests.annotator.peers.brought import (
    bad,
    content_of,
    counts,
    good,
    is_even,
    read,
    sheet,
)


def test_json_is_recognised_and_counted() -> None:
    report = sheet("label-studio.json").report
    assert report.title == "Label Studio export (JSON), 5 tasks, 3 annotators"
    assert counts(report) == ((5, 9, 3, 19), (3, 5, 2, 14))
    assert is_even(report)


def test_what_is_not_taken_is_said_with_its_reason() -> None:
    left = {(unit, why): n for unit, n, why in sheet("label-studio.json").report.left}
    assert left["annotations", "cancelled: the annotator skipped the task"] == 2
    assert left["annotations", "empty: no answer in it"] == 1
    assert left["annotations", "nothing of it is taken"] == 1
    assert left["tasks", "nobody annotated it"] == 1
    assert left["tasks", "nothing of it is taken"] == 1
    assert left["annotators", "nothing by them is taken"] == 1
    assert left["values", "labels of spans of text"] == 2
    assert left["values", "cancelled: the annotator skipped the task"] == 1
    free = [n for (unit, why), n in left.items() if why.startswith("free text")]
    assert free == [2]


def test_what_else_the_format_holds_is_said() -> None:
    assert dict(sheet("label-studio.json").report.losses) == {
        "predictions of models": 1,
        "comments": 1,
        "marks of ground truth": 1,
        "relations": 1,
    }


def test_a_rating_has_its_task_beside_it() -> None:
    row = good(sheet("label-studio.json"))[0]
    assert row == {
        "item": "101",
        "annotator": "zoe@example.org",
        "scale": "meaning",
        "value": "5",
        "judged at": "2024-03-05T09:01:00.000000Z",
        "seconds": "11.5",
        "sentence": "The ferry left at noon.",
        "phrase": "left",
        "paraphrase": "departed",
        "system": "alpha",
    }


def test_several_choices_are_one_value_and_a_part_of_a_task_is_an_item() -> None:
    rows = {
        (row["item"], row["scale"]): row for row in good(sheet("label-studio.json"))
    }
    assert rows["103", "verdict"]["value"] == "narrower; same"
    assert rows["103:4-9", "word"]["value"] == "2"


def test_stars_go_from_one_to_five_unless_more_were_given() -> None:
    assert sheet("label-studio.json").ranges == {"meaning": (1, 5), "word": (1, 5)}
    tasks = json.loads(content_of("label-studio.json"))
    tasks[0]["annotations"][0]["result"][0]["value"]["rating"] = 7
    export = read(json.dumps(tasks).encode(), "x.json")
    assert export.ranges["meaning"] == (1, 7)


@pytest.mark.parametrize(
    ("name", "variant"),
    [
        ("label-studio-min.json", "JSON-MIN"),
        ("label-studio.csv", "CSV"),
        ("label-studio.tsv", "TSV"),
    ],
)
def test_the_small_formats_say_the_same(name: str, variant: str) -> None:
    """But for tasks without annotations and skipped ones, which they leave out."""
    export = sheet(name)
    assert f"({variant}), 4 tasks, 2 annotators" in export.report.title
    assert is_even(export.report)

    def key(row: dict[str, str]) -> tuple[str, ...]:
        return (
            row["item"],
            row["scale"],
            row["value"],
            row["judged at"],
            row["system"],
        )

    whole = {key(row) for row in good(sheet("label-studio.json"))}
    whole = {(item.split(":")[0], *rest) for item, *rest in whole}
    assert {key(row) for row in good(export)} - whole == {
        ("101", "remark", "fine with me", "2024-03-05T09:01:00.000000Z", "alpha"),
        ("103", "remark", "odd, but it works", "2024-03-05T09:06:00.000000Z", "alpha"),
    }
    assert whole <= {key(row) for row in good(export)}
    (note,) = export.report.notes
    assert "grammar, meaning, remark, span, verdict, word" in note
    assert "sentence" in note.partition("shows:")[2]


def test_numbers_of_accounts_name_annotators_too() -> None:
    names = {row["annotator"] for row in good(sheet("label-studio-min.json"))}
    assert names == {"3", "4"}


def test_tasks_become_rows_of_items() -> None:
    export = sheet("label-studio.json", items=True)
    rows = good(export)
    assert [row["task"] for row in rows] == ["101", "102", "103", "104", "105"]
    assert rows[1]["paraphrase"] == "abandoned"
    assert counts(export.report) == ((5, 9, 3, 19), (5, 0, 0, 0))
    assert is_even(export.report)


BROKEN = [
    (b'[{"data": {}, "annotations": [', 1, "not JSON"),
    (b'[{"id": 1, "data": "x", "annotations": []}]', 1, "it has no data"),
    (b'[{"id": 1, "data": {}, "annotations": 3}]', 1, "not a list"),
    (
        b'[{"data": {}, "annotations": []},'
        b' {"data": {}, "annotations": '
        b'[{"result": [{"type": "rating", "value": 3}]}]}]',
        2,
        "not an object",
    ),
]


@pytest.mark.parametrize(("content", "line", "said"), BROKEN)
def test_a_bad_task_is_named_with_its_place(content, line, said) -> None:
    (problem,) = bad(read(content, "x.json"))
    assert problem.line == line
    assert said in problem.reason
    assert problem.remedy


def test_an_older_file_calls_annotations_completions() -> None:
    task = {"id": 1, "data": {"text": "A gull cried."}, "completions": []}
    task["completions"] = [
        {
            "id": 1,
            "result": [{"type": "rating", "from_name": "m", "value": {"rating": 3}}],
        }
    ]
    rows = good(read(json.dumps([task]).encode(), "x.json"))
    assert [(row["annotator"], row["value"]) for row in rows] == [("unknown", "3")]

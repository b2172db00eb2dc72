"""The bench of peers reads their exports, counts what is missing, prints medians."""

import io
import json
import zipfile

import pytest

from lab.bench import peers
from lab.bench.load_people import multipart

TABLE = """\
item,name,scale,value,paraphrase
1,ada,meaning,4,first
1,ada,grammar,5,first
1,bob,meaning,3,first
2,ada,meaning,3,second
2,ada,meaning,2,second
"""


def annotator(name: str, *judged: str) -> peers.Annotator:
    place = {"password": "", "port": 1, "project": "", "pause_s": 0.0}
    return peers.Annotator(name=name, judged=list(judged), **place)


def test_ratings_of_one_judgment_are_one_answer_in_gemel() -> None:
    answers = peers.gemel_answers(TABLE)
    assert answers == {
        ("ada", "first"): 1,
        ("bob", "first"): 1,
        ("ada", "second"): 2,
    }


def test_items_without_a_label_are_no_answers_in_doccano() -> None:
    rows = {
        "ada.jsonl": [
            {"text": "first", "label": ["3"]},
            {"text": "second", "label": []},
        ],
        "bob.jsonl": [{"text": "first", "label": ["3", "4"]}],
    }
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        for name, lines in rows.items():
            made.writestr(name, "\n".join(json.dumps(line) for line in lines))
    answers = peers.doccano_answers(file.getvalue())
    assert answers == {("ada", "first"): 1, ("bob", "first"): 2}


def test_labels_of_an_item_are_counted_in_potato() -> None:
    rows = [
        {"user_id": "ada", "instance_id": "first", "labels": {"meaning": {"3": "3"}}},
        {
            "user_id": "bob",
            "instance_id": "first",
            "labels": {"meaning": {"3": "3", "4": "4"}},
        },
    ]
    text = "\n".join(json.dumps(row) for row in rows)
    answers = peers.potato_answers(text)
    assert answers == {("ada", "first"): 1, ("bob", "first"): 2}


def test_lost_answers_are_acknowledged_and_not_exported() -> None:
    everybody = [annotator("ada", "first", "second"), annotator("bob", "first")]
    counts = peers.compared(peers.gemel_answers(TABLE), everybody)
    assert counts == {"answers": 4, "lost": 0, "doubled": 1}
    counts = peers.compared(
        peers.gemel_answers(TABLE), [*everybody, annotator("eve", "first")]
    )
    assert counts == {"answers": 4, "lost": 1, "doubled": 1}


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        ([3.25, 1.0, 2.0], "2.0 (1.0 to 3.2)"),
        ([0, 0, 0], "0"),
        ([5, 0, 0], "0 (0 to 5)"),
        ([1500.0, 90.4, 1000.0], "1,000 (90 to 1,500)"),
    ],
)
def test_a_cell_is_the_median_with_least_and_most(
    values: list[float], shown: str
) -> None:
    assert peers.cell(values) == shown


def test_the_table_has_a_column_for_each_tool_and_a_row_for_each_measure() -> None:
    row = dict.fromkeys(peers.ROWS, 1.0)
    lines = peers.table({"Gemel": [row], "peer 1.0": [row]}).splitlines()
    assert lines[0] == "| | Gemel | peer 1.0 |"
    assert [line.split(" | ")[1:] for line in lines[2:]] == [["1", "1 |"]] * len(
        peers.ROWS
    )


def test_a_form_with_a_file_ends_with_its_mark() -> None:
    body, head = multipart({"format": "pairs"}, "files", "a.tsv", "x\ty\n")
    mark = head["Content-Type"].partition("boundary=")[2]
    assert body.count(f"--{mark}") == 3
    assert body.endswith(f"\r\n--{mark}--\r\n")
    assert 'name="format"\r\n\r\npairs\r\n' in body
    assert 'name="files"; filename="a.tsv"' in body


def test_peers_without_a_folder_are_left_out_and_named(capsys) -> None:
    assert peers.chosen({"doccano": None, "potato": None}) == {"Gemel": peers.Gemel}
    printed = capsys.readouterr().out
    assert "Left out: doccano (--doccano FOLDER" in printed
    assert "Left out: potato (--potato FOLDER" in printed


class Ended(peers.Tool):
    def command(self) -> list[str]:
        return ["sh", "-c", "echo no room; exit 3"]


def test_a_tool_that_ends_at_once_is_reported_with_its_words(tmp_path) -> None:
    with pytest.raises(RuntimeError, match="no room"):
        Ended(tmp_path, 1)

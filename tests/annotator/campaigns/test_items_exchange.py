"""Item tables: what is read, and what a bad row says."""

import json

import pytest

from annotator.exchange.items import ItemRecord, read
from annotator.exchange.tables import rows_of
from core.formats.records import BadLine

HEAD = "sentence\tphrase\tparaphrase"


def one(row: str, head: str = HEAD) -> ItemRecord | BadLine:
    [record] = read(rows_of([head + "\n", row + "\n"]))
    return record


def test_the_phrase_is_found_where_it_stands_once() -> None:
    record = one("They put off the vote.\tput off\tpostponed")
    assert isinstance(record, ItemRecord)
    assert record.sentence[record.start : record.end] == "put off"
    assert (record.kind, record.rank, record.conditions, record.line) == (
        "main",
        1,
        (),
        2,
    )


def test_whole_words_only() -> None:
    record = one("The artist made art.\tart\twork")
    assert isinstance(record, ItemRecord)
    assert record.start == 16


def test_offsets_count_characters_not_bytes() -> None:
    head = HEAD + "\tstart\tend"
    record = one("Žižek 😀 naps; he naps.\tnaps\tsleeps\t17\t21", head)
    assert isinstance(record, ItemRecord)
    assert record.sentence[17:21] == "naps"


def test_all_columns_are_read_in_any_order() -> None:
    head = "kind\tgold_meaning\tparaphrase\tcondition\trank\tscore\tsentence\tphrase"
    row = "training\t4\tshut\ta | b | a\t3\t-1.5\tHe closed it.\tclosed"
    head, row = head + "\tid\twhy\tbatch\tother", row + "\tr1\tBecause.\tfirst\tx"
    assert one(row, head) == ItemRecord(
        "He closed it.", 3, 9, "closed", "shut", ("a", "b"), 3, -1.5, "r1", "first",
        "training", {"meaning": "4"}, "Because.", 2,
    )  # fmt: skip


def test_a_gold_value_makes_a_gold_item() -> None:
    record = one("He left.\tleft\twent\t5", HEAD + "\tgold_grammar")
    assert isinstance(record, ItemRecord)
    assert (record.kind, record.gold) == ("gold", {"grammar": "5"})


@pytest.mark.parametrize(
    ("row", "head", "reason"),
    [
        ("He left.\tcame\twent", HEAD, "'came' is not in the sentence"),
        ("He is, is he?\tis\twas", HEAD, "'is' occurs 2 times in the sentence"),
        ("He left.\tleft\t", HEAD, "paraphrase is empty"),
        ("He left.\tleft", HEAD, "2 cells where the header has 3"),
        ("He left.\tleft\twent\t0", HEAD + "\tstart", "characters 0 to 4 are 'He l'"),
        ("He left.\tleft\twent\t-1", HEAD + "\trank", "rank '-1' is not a whole"),
        ("He left.\tleft\twent\tnan", HEAD + "\tscore", "score 'nan' is not a number"),
        ("He left.\tleft\twent\tx", HEAD + "\tkind", "kind 'x' is not one of"),
        (
            "He left.\tleft\twent\tgold",
            HEAD + "\tkind",
            "a gold item needs",
        ),
        ("He\x00 left.\tleft\twent", HEAD, "control character U+0000"),
        ("x" * 5000 + "\tx\ty", HEAD, "sentence has 5000 characters"),
    ],
)
def test_a_bad_row_says_why(row: str, head: str, reason: str) -> None:
    line = one(row, head)
    assert isinstance(line, BadLine)
    assert line.reason.startswith(reason)
    assert line.line == 2


def test_a_bad_row_does_not_cost_the_others() -> None:
    rows = [HEAD, "He left.\tleft\twent", "broken", "", "She left.\tleft\twent"]
    records = list(read(rows_of(line + "\n" for line in rows)))
    assert [type(one).__name__ for one in records] == [
        "ItemRecord",
        "BadLine",
        "ItemRecord",
    ]


def test_a_header_without_a_needed_column_ends_the_reading() -> None:
    [line] = read(rows_of(["sentence\tphrase\n", "a\tb\n"]))
    assert isinstance(line, BadLine)
    assert "no column paraphrase" in line.reason


def test_jsonl_reads_the_same_rows() -> None:
    rows = [
        {"sentence": "He left.", "phrase": "left", "paraphrase": "went", "rank": 2,
         "condition": ["a", "b"], "gold": {"meaning": 3}},
        [1],
        {"sentence": {"x": 1}, "phrase": "left", "paraphrase": "went"},
    ]  # fmt: skip
    lines = [json.dumps(row) + "\n" for row in rows] + ["{broken\n"]
    good, *bad = read(rows_of(lines, "jsonl"))
    assert isinstance(good, ItemRecord)
    assert (good.conditions, good.rank, good.gold) == (("a", "b"), 2, {"meaning": "3"})
    assert [one.line for one in bad if isinstance(one, BadLine)] == [2, 3, 4]


def test_an_empty_file_says_so() -> None:
    assert list(read(rows_of([]))) == [
        BadLine(0, 0, "the file is empty", "begin it with a header line")
    ]

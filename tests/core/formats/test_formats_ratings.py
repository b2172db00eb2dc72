"""Rating files of others: what is read, and what is refused with its place."""

import pytest

from core.data.ratings import RatingRecord
from core.errors import FormatError
from core.formats.alignments import msr_rte2
from core.formats.ratings import LAYOUTS, read
from core.formats.records import BadLine


def lines(*rows: str) -> list[str]:
    return [row.replace(" ; ", "\t") + "\n" for row in rows]


def records(name: str, *rows: str) -> list[RatingRecord | BadLine]:
    return list(read(lines(*rows), LAYOUTS[name]))


def test_long_takes_its_columns_in_any_order() -> None:
    ratings = records(
        "long",
        "Scale ; value ; item ; annotator ; condition ; source sentence",
        "meaning ; 4 ; i1 ; ann ; base | syntax ; The kettle sang.",
        "meaning ; 5 ; i2 ; ben ;  ; ",
    )
    assert ratings == [
        RatingRecord(
            "i1", "ann", "meaning", "4", ("base", "syntax"), "The kettle sang.", 2
        ),
        RatingRecord("i2", "ben", "meaning", "5", line=3),
    ]


def test_a_byte_order_mark_and_empty_lines_are_passed_over() -> None:
    ratings = records(
        "long", "\ufeffitem ; annotator ; scale ; value", "", "i ; a ; s ; 1"
    )
    assert ratings == [RatingRecord("i", "a", "s", "1", line=3)]


def test_quotes_are_text() -> None:
    ratings = records("long", "item ; annotator ; scale ; value", '"i ; a ; s ; 1')
    assert isinstance(ratings[0], RatingRecord)
    assert ratings[0].item == '"i'


@pytest.mark.parametrize(
    ("rows", "line", "reason"),
    [
        (["item ; annotator ; value"], 1, "no column scale in the header"),
        (
            ["item ; item ; annotator ; scale ; value"],
            1,
            "column 'item' is there twice",
        ),
        (["item ; annotator ; scale ; value", "i ; a ; s"], 2, "3 cells"),
        (["item ; annotator ; scale ; value", "i ; a ; s ; \0"], 2, "U+0000"),
        (["item ; annotator ; scale ; value", "i ;  ; s ; 1"], 2, "annotator is empty"),
        ([], 0, "the file holds no line"),
    ],
)
def test_a_bad_line_says_where_and_why(rows: list[str], line: int, reason: str) -> None:
    last = records("long", *rows)[-1]
    assert isinstance(last, BadLine)
    assert last.line == line
    assert reason in last.reason


def test_sulem_gives_four_questions_by_every_judge() -> None:
    ratings = records(
        "sulem",
        "sentence ; system ; source ; output ; A1_Qa ; A1_Qc ; A2_Qa ; A2_Qc",
        "7 ; Copy ; It rained. ; It rained. ; 5 ; -1 ;  ; 2",
    )
    assert [(r.item, r.annotator, r.scale, r.value) for r in ratings] == [  # type: ignore[union-attr]
        ("7/Copy", "A1", "Qa", "5"),
        ("7/Copy", "A1", "Qc", "-1"),
        ("7/Copy", "A2", "Qc", "2"),
    ]


def test_a_value_off_the_declared_scale_is_a_bad_line() -> None:
    header = "sentence ; system ; A1_Qa"
    ratings = records("sulem", header, "7 ; Copy ; 6", "8 ; Copy ; 5")
    assert isinstance(ratings[0], BadLine)
    assert "'6' is not on scale Qa" in ratings[0].reason
    assert isinstance(ratings[1], RatingRecord)


def test_parabank_leaves_out_a_score_that_is_not_there() -> None:
    ratings = records(
        "parabank",
        "worker_id_anon ; ref_id ; sys_id ; candidate ; human_score ; gm",
        "w ; 4 ; 1 2 ; She swam. ;  ; 0",
    )
    assert ratings == [RatingRecord("4/She swam.", "w", "gm", "0", ("1", "2"), "4", 2)]


def test_rte1_crowd_keeps_gold_as_an_annotator_of_its_own() -> None:
    ratings = records(
        "rte1-crowd", "worker ; rte1_test_pair_id ; response ; gold", "w1 ; 9 ; 1 ; 0"
    )
    assert [(r.annotator, r.value) for r in ratings] == [("w1", "1"), ("gold", "0")]  # type: ignore[union-attr]


MSR = (
    "\ufeff\ufeff# sentence pair 3\n",
    "\ufeffThe grey cat slept .\n",
    "NULL ({ / / }) \ufeffA ({ p1 / / }) cat ({ 2 3 / / }) slept ({ / / })\n",
)


def test_msr_links_count_from_zero() -> None:
    (pair,) = msr_rte2.read(MSR)
    assert pair.number == 3
    assert pair.hypothesis == ("A", "cat", "slept")
    assert pair.text == ("The", "grey", "cat", "slept", ".")
    assert pair.sure == {(1, 1), (1, 2)}
    assert pair.possible == {(0, 0)}


@pytest.mark.parametrize(
    ("rows", "line", "reason"),
    [
        (MSR[:2], 1, "fewer than three lines"),
        (("pair 3\n", *MSR[1:]), 1, "no heading"),
        ((*MSR[:2], "A ({ 9 })\n"), 3, "'9' is not a word"),
        ((*MSR[:2], "A ({ x })\n"), 3, "'x' is not a word"),
        ((*MSR[:2], "NULL ({ })\n"), 3, "no aligned word"),
    ],
)
def test_msr_says_where_it_breaks(
    rows: tuple[str, ...], line: int, reason: str
) -> None:
    with pytest.raises(FormatError, match=reason) as caught:
        list(msr_rte2.read(rows))
    assert caught.value.line == line

"""Bonuses that a text's own marks bring: who gets them, and who does not."""

import numpy as np
import pytest

from core.data.check import Floats
from core.errors import InvalidValue
from core.parsing.conventions import CONVENTIONS, follow
from core.parsing.reading import Reading

NAMES = ("", "ADJP", "LST", "NML", "NP", "S+VP", "VP")


def bonuses(text: str, tags: str, which: str) -> Floats:
    words = text.split()
    scores = np.zeros((len(words) + 1, len(words) + 1, len(NAMES)))
    follow(scores, Reading(words, tags.split()), NAMES, which=[which])
    return scores


def changed(scores: Floats) -> set[tuple[int, int, str]]:
    return {(int(i), int(j), NAMES[x]) for i, j, x in np.argwhere(scores)}


@pytest.mark.parametrize(
    "text",
    [
        "we see a red lamp ( Figure 2 )",
        "we see a red lamp ( see also Table 3 , left )",
        "we see a red lamp [ 3 , 7 – 9 ]",
        "we see a red lamp [ 3 ] , [ 7 ]",
        "we see a red lamp ( data not shown )",
        "we see a red lamp ( A. B. , unpublished data )",
        "we see a red lamp ( reviewed in the book )",
    ],
)
def test_what_ends_with_a_reference_is_rather_no_noun_phrase(text: str) -> None:
    n = len(text.split())
    cells = changed(bonuses(text, "NN " * n, "references"))
    assert cells == {(i, n, label) for i in range(5) for label in ("ADJP", "NML", "NP")}


@pytest.mark.parametrize(
    "text",
    [
        "a lamp ( red ) stood there",
        "the poet ( 1801 ) left",
        "[ 3 ] a lamp stood there",
        "they figured it out ( all of it )",
        "we see a lamp ( shown in red )",
        "a lamp ( Figure 2",
    ],
)
def test_other_brackets_change_nothing(text: str) -> None:
    assert not bonuses(text, "NN " * len(text.split()), "references").any()


def test_numbers_cited_are_no_amounts() -> None:
    names = ("", "NP", "NP+QP", "QP")
    words = ["the", "lamps", "[", "3", ",", "7", "]"]
    scores = np.zeros((8, 8, 4))
    follow(scores, Reading(words, ["NN"] * 7), names, which=["references"])
    assert (scores[3, 4:7, 2:] < 0).all()
    assert not scores[3, 4:7, 1].any()
    assert not scores[:2, :7].any()


@pytest.mark.parametrize(
    ("text", "tags", "expected"),
    [
        ("a door - bell sound", "DT NN HYPH NN NN", {(1, 4, "NML")}),
        ("a tea / milk mix", "DT NN SYM NN NN", {(1, 4, "NML")}),
        ("a face - to - face talk", "DT NN HYPH IN HYPH NN NN", {(1, 6, "NML")}),
        ("a well - known old song", "DT RB HYPH VBN JJ NN", {(1, 4, "ADJP")}),
        ("a rain - wet street", "DT NN HYPH JJ NN", {(1, 4, "ADJP")}),
        ("a door - bell rings", "DT NN HYPH NN VBZ", set()),
        ("the door - bell", "DT NN HYPH NN", set()),
        ("a song - she sang it", "DT NN : PRP VBD PRP", set()),
    ],
)
def test_words_tied_before_a_noun_are_one_modifier(
    text: str, tags: str, expected: set[tuple[int, int, str]]
) -> None:
    assert changed(bonuses(text, tags, "hyphens")) == expected


@pytest.mark.parametrize(
    "mark", ["( A )", "( iv )", "[ 2 ]", "( C and D )", "( a – f )"]
)
def test_a_bracketed_mark_before_a_sentence_is_a_list_marker(mark: str) -> None:
    text = f"{mark} The old lamp ."
    scores = bonuses(text, "NN " * len(text.split()), "enumerators")
    end = len(mark.split())
    assert scores[0, end, NAMES.index("LST")] > 0
    assert (scores[1 : end - 1, end - 1, 1:] <= 0).all()
    assert not scores[:, end + 1 :].any()
    assert not scores[:, :, 0].any()


@pytest.mark.parametrize("text", ["( A )", "( Once ) it rained .", "it ( A ) rained ."])
def test_no_list_marker_where_no_sentence_follows_or_it_is_a_word(text: str) -> None:
    assert not bonuses(text, "NN " * len(text.split()), "enumerators").any()


def test_labels_that_a_model_lacks_are_left_out() -> None:
    text = "( A ) a door - bell sound ( Figure 1 )"
    tags = "-LRB- LS -RRB- DT NN HYPH NN NN -LRB- NN CD -RRB-"
    scores = np.zeros((13, 13, 2))
    which = list(CONVENTIONS)
    follow(scores, Reading(text.split(), tags.split()), ("", "VP"), which=which)
    assert not scores[:, :, 0].any()
    assert (scores <= 0).all()


def test_an_unknown_convention_is_named_with_those_there_are() -> None:
    with pytest.raises(InvalidValue, match="references, hyphens, enumerators"):
        follow(np.zeros((2, 2, 1)), Reading(["a"], ["DT"]), ("",), which=["commas"])

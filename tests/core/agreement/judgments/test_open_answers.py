"""Marked words are compared word by word; texts are listed and counted."""

from itertools import combinations

import krippendorff
import numpy as np
import pytest

from core.agreement.figures import Estimate, Undefined
from core.agreement.judgments import open_answers
from core.agreement.judgments.dataset import Dataset, Selection
from core.agreement.judgments.open_answers import MarkedSpan, OpenQuestion
from core.agreement.judgments.report import ReportOptions, build
from core.errors import InvalidValue

SIZES = (4, 6, 3, 5)


def data(seed: int = 3, people: int = 3, *, share: float = 0.4) -> Dataset:
    """Each of ``people`` judges three of the four items, and writes a text."""
    rng = np.random.default_rng(seed)
    pairs = [(i, j) for i in range(4) for j in range(people) if (i + j) % 4]
    item, judge = np.array(pairs, np.int32).T
    written = np.full((len(pairs), 2), None, object)
    for row, (i, j) in enumerate(pairs):
        written[row, 0] = tuple(np.flatnonzero(rng.random(SIZES[i]) < share).tolist())
        written[row, 1] = f"text {(i + j) % 2}"
    return Dataset.of(
        [],
        ["a", "b", "c", "d"],
        [f"A{j + 1}" for j in range(people)],
        item,
        judge,
        np.zeros((len(pairs), 0), np.int32),
        open=(OpenQuestion("lost", "Lost", SIZES), OpenQuestion("why", "Why")),
        written=written,
    )


def answers(of: Dataset) -> dict[tuple[int, int], set[int]]:
    keys = zip(of.item.tolist(), of.annotator.tolist(), strict=True)
    return {
        key: set(one) for key, one in zip(keys, of.written[:, 0].tolist(), strict=True)
    }


def test_f1_equals_a_count_over_all_pairs_of_judges() -> None:
    of = data()
    both = either = 0
    for (i, a), (j, b) in combinations(answers(of), 2):
        if i == j and a != b:
            one, two = answers(of)[i, a], answers(of)[j, b]
            both += 2 * len(one & two)
            either += len(one) + len(two)
    got = open_answers.mutual_f1(of.marked(0), replicates=50)
    assert isinstance(got, Estimate)
    assert got.value == pytest.approx(both / either)
    assert got.low is not None
    assert got.low <= got.value


def test_alpha_of_words_equals_that_of_another_implementation() -> None:
    of = data()
    table = np.full((3, sum(SIZES)), np.nan)
    first = np.cumsum([0, *SIZES])
    for (i, j), words in answers(of).items():
        table[j, first[i] : first[i + 1]] = [w in words for w in range(SIZES[i])]
    expected = krippendorff.alpha(table, level_of_measurement="nominal")
    found = open_answers.agreement(of.marked(0), replicates=20, seed=0)
    alpha = found.figures["alpha_nominal"]
    assert isinstance(alpha, Estimate)
    assert alpha.value == pytest.approx(expected)


def test_f1_is_undefined_where_nothing_is_marked() -> None:
    got = open_answers.mutual_f1(data(share=0.0).marked(0), replicates=10)
    assert isinstance(got, Undefined)
    assert "marked" in got.reason


def test_a_report_counts_texts_and_compares_marks() -> None:
    marks, texts = build(data(), ReportOptions(replicates=20))["open"]
    assert (marks["kind"], marks["answers"], marks["items"]) == ("spans", 9, 4)
    assert [row["key"] for row in marks["measures"]] == [
        "raw",
        "cohen",
        "alpha_nominal",
    ]
    assert (texts["kind"], texts["answers"], texts["distinct"]) == ("text", 9, 2)
    assert texts["texts"][0] == {"item": "a", "annotator": "A2", "text": "text 1"}


def test_a_selection_holds_for_open_answers() -> None:
    few = data().select(Selection(annotators=("A1",)))
    assert {int(few.annotator[row]) for row in few.answered(0)} == {0}
    assert few.digest() != data().digest()
    assert data().digest() == data().digest()


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("", ""),
        ("paraphrase:3-9  source:0-5", "source:0-5 paraphrase:3-9"),
        ("source:3-5 source:0-3", "source:0-5"),
        ("source:0-4 source:2-6", "source:0-6"),
    ],
)
def test_marks_have_one_spelling(text: str, stored: str) -> None:
    assert open_answers.marks_text(open_answers.read_marks(text, (10, 12))) == stored


@pytest.mark.parametrize(
    "text", ["source:5-5", "source:0-11", "phrase:0-1", "source:0", "source:-1-3"]
)
def test_marks_that_fit_no_sentence_are_refused(text: str) -> None:
    with pytest.raises(InvalidValue):
        open_answers.read_marks(text, (10, 12))


def test_a_word_is_marked_if_a_mark_covers_part_of_it() -> None:
    words = open_answers.words_of(("Ann isn't in.", "我爱"))
    assert [(one.side, one.start, one.end) for one in words] == [
        *((0, 0, 3), (0, 4, 6), (0, 6, 9), (0, 10, 12), (0, 12, 13)),
        *((1, 0, 1), (1, 1, 2)),  # no spaces: by character
    ]
    marks = [MarkedSpan(0, 5, 9), MarkedSpan(1, 1, 2)]
    assert open_answers.marked_words(marks, words) == (1, 2, 6)

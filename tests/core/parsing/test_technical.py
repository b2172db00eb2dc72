"""The conventions of biomedical treebanks: which spans and labels they favour."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.data.check import Floats
from core.parsing.conventions import follow
from core.parsing.reading import Reading, acronyms, names

NAMES = ("", "NML", "NP", "PP", "PRN", "PRN+NP", "VP", "WHNP")
split = str.split
TREE = split("det compound compound compound root")


def scored(reading: Reading, which: str) -> Floats:
    n = len(reading)
    scores = np.zeros((n + 1, n + 1, len(NAMES)))
    follow(scores, reading, NAMES, which=[which])
    return scores


def favoured(reading: Reading, which: str) -> set[tuple[int, int, str]]:
    cells = np.argwhere(scored(reading, which) > 0)
    return {(int(i), int(j), NAMES[x]) for i, j, x in cells}


@pytest.mark.parametrize(
    ("text", "tags", "expected"),
    [
        ("the B6 / J mice", "DT NN SYM NN NNS", {(1, 4)}),
        ("a Hop2 / 5 mouse", "DT NN SYM CD NN", {(1, 4)}),
        ("Pax6 + / - eyes", "NN SYM SYM : NNS", {(0, 4)}),
        ("Pax6 - / - blue eyes", "NN HYPH SYM HYPH JJ NNS", {(0, 4)}),
        ("a Lhx2 : : cre line", "DT NN : : NN NN", {(1, 5)}),
        ("in 3 - 5 days", "IN CD SYM CD NNS", set()),
        ("a well - known line", "DT RB HYPH VBN NN", set()),
        ("the B6 / J slept", "DT NN SYM NN VBD", set()),
        ("a line - it seemed - held", "DT NN : PRP VBD : VBN", set()),
    ],
)
def test_a_tied_name_before_a_noun_is_one_modifier(
    text: str, tags: str, expected: set[tuple[int, int]]
) -> None:
    cells = favoured(Reading(text.split(), tags.split()), "names")
    assert cells == {(*span, "NML") for span in expected}


def test_a_tied_name_is_not_broken() -> None:
    reading = Reading(split("we saw B6 / J mice"), split("PRP VBD NN SYM NN NNS"))
    scores = scored(reading, "names")
    for i, j in combinations(range(7), 2):
        crosses = i < 2 < j < 5 or 2 < i < 5 < j
        assert (scores[i, j, 2:] < 0).all() == crosses
    assert scores[5, 6, NAMES.index("NP")] < 0  # the noun heads the whole
    assert not scores[:, :, 0].any()


def test_a_joined_name_modifies_what_the_last_one_modifies() -> None:
    text, tags = "the B6 / J and old mice", "DT NN SYM NN CC JJ NNS"
    labels = split("det compound punct compound cc conj root")
    heads = [6, 3, 3, 6, 5, 3, -1]
    reading = Reading(text.split(), tags.split(), heads, labels)
    assert favoured(reading, "names") == {(1, 4, "NML")}
    apart = Reading(text.split(), tags.split(), [*heads[:3], -1, 5, 3, 3], labels)
    assert not favoured(apart, "names")


def test_the_loci_of_a_genotype_are_names_and_together_one() -> None:
    text, tags = "old A / a ; B / b mice slept", "JJ NN SYM NN : NN SYM NN NNS VBD"
    cells = favoured(Reading(text.split(), tags.split()), "names")
    assert cells == {(1, 4, "NML"), (5, 8, "NML"), (1, 8, "NML")}
    alone = Reading(text.split()[1:8], tags.split()[1:8])
    assert favoured(alone, "names") == {(0, 3, "NP"), (4, 7, "NP")}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a brown bread bag ( BBB )", {(4, 7)}),
        ("the late train ( LT ) came", {(3, 6)}),
        ("a sugar - free tea ( SFT )", {(5, 8)}),
        ("a brown bread bag ( BBQ )", set()),
        ("a brown bread bag ( B )", set()),
        ("( BBB ) a brown bread bag", set()),
        ("the first of many words and so a bag ( FB )", set()),
    ],
)
def test_an_acronym_takes_its_letters_in_order_from_what_stands_before(
    text: str, expected: set[tuple[int, int]]
) -> None:
    assert set(acronyms(text.split())) == expected


def test_an_acronym_is_no_insertion_and_its_bracket_closes_outside() -> None:
    text, tags = "in a late train ( LT ) .", "IN DT JJ NN -LRB- NN -RRB- ."
    n = len(text.split())
    before = np.random.default_rng(3).normal(size=(n + 1, n + 1, len(NAMES)))
    scores = before.copy()
    follow(scores, Reading(text.split(), tags.split()), NAMES, which=["appositions"])
    for i in range(4):
        expected = np.logaddexp(before[i, 6, 1:], before[i, 7, 1:])
        expected[NAMES.index("NP") - 1] += 4 * (i == 3)  # the long form, by the tree
        assert scores[i, 6, 1:] == pytest.approx(expected)
        assert scores[i, 7, 1:] == pytest.approx(before[i, 7, 1:] - 8)
    gain = scores - before
    assert gain[5, 6, NAMES.index("NP")] == pytest.approx(8)
    assert gain[4, 6:8, 1:] == pytest.approx(np.full((2, 7), -8.0))
    assert not gain[:, :, 0].any()
    assert gain[:4, 4, [3, 6]] == pytest.approx(np.full((4, 2), -8.0))  # PP, VP
    assert not gain[:, 8].any()


def test_a_sentence_that_ends_with_an_acronym_keeps_its_bracket() -> None:
    reading = Reading(split("a late train ( LT )"), ["NN"] * 6)
    scores = scored(reading, "appositions")
    assert not scores[0, 6].any()
    assert (scores[1:3, 6, 1:] < 0).all()


def test_a_long_form_before_a_noun_is_a_modifier_with_its_acronym() -> None:
    words = split("a late train ( LT ) clerk")
    tags = split("DT JJ NN -LRB- NN -RRB- NN")
    labels = split("det amod compound punct appos punct root")
    reading = Reading(words, tags, [6, 2, 6, 4, 2, 4, -1], labels)
    scores = scored(reading, "appositions")
    nml = NAMES.index("NML")
    assert min(scores[1, 3, nml], scores[1, 5, nml], scores[4, 5, nml]) > 0
    assert not favoured(Reading(words, tags), "appositions") & {(1, 3, "NML")}


def test_a_bracketed_word_behind_a_preposition_is_its_object() -> None:
    words, tags = split("arrows in ( C ) shine"), split("NNS IN -LRB- NN -RRB- VBP")
    scores = scored(Reading(words, tags), "appositions")
    assert scores[3, 4, NAMES.index("NP")] > 0
    assert (scores[2, 4:6, 1:] < 0).all()
    other = Reading(words, ["NNS", "NN", *tags[2:]])
    assert not scored(other, "appositions").any()


@pytest.mark.parametrize(
    ("sizes", "expected"), [([1] * 5, False), ([3] + [1] * 4, True)]
)
def test_a_compound_in_a_compound_is_nml_in_technical_text(
    sizes: list[int], expected: bool
) -> None:
    words, tags = split("the bread bag clip price"), split("DT NN NN NN NN")
    reading = Reading(words, tags, [4, 2, 3, 4, -1], TREE, sizes)
    inner = {(1, 3, "NML"), (1, 4, "NML")} if expected else set()
    assert favoured(reading, "compounds") == inner


def test_compounds_that_are_no_stretch_of_words_are_left_alone() -> None:
    words, tags = split("the bread bag clip price"), split("DT NN NN NN NN")
    reading = Reading(words, tags, [4, 3, 4, 4, -1], TREE, [3] * 5)
    assert favoured(reading, "compounds") == set()


def test_each_of_several_joined_modifiers_is_nml() -> None:
    words = split("bread bag and tea box clips")
    labels = split("compound compound cc compound conj root")
    reading = Reading(
        words, split("NN NN CC NN NN NNS"), [1, 5, 4, 4, 1, -1], labels, [3] * 6
    )
    cells = favoured(reading, "compounds")
    assert cells == {(0, 5, "NML"), (0, 2, "NML"), (3, 5, "NML")}


def test_relative_pronouns_are_wh_phrases_in_technical_text_alone() -> None:
    words, tags = split("lamps which shine"), split("NNS WDT VBP")
    assert favoured(Reading(words, tags, pieces=[3, 1, 1]), "relatives") == {
        (1, 2, "WHNP")
    }
    assert not favoured(Reading(words, tags, pieces=[2, 1, 1]), "relatives")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the old lamp was lit", False),
        ("the p53 lamp was lit", True),
        ("a 5 μm lamp was lit", True),
        ("5 , 7 .", False),
        ("in 1984 a lamp was lit", False),
    ],
)
def test_text_is_technical_by_formulas_and_signs(text: str, expected: bool) -> None:
    words = text.split()
    assert Reading(words, ["NN"] * len(words)).is_technical == expected


@given(st.lists(st.integers(-1, 6), min_size=1, max_size=7))
def test_subtrees_are_the_hulls_of_all_words_below(raw: list[int]) -> None:
    heads = [h if h < i else -1 for i, h in enumerate(raw)]  # no cycles
    reading = Reading(["w"] * len(heads), ["NN"] * len(heads), heads)
    for v in range(len(heads)):
        below = {v}
        for i, head in enumerate(heads):
            if head in below:
                below.add(i)
        assert reading.subtrees[v] == (min(below), max(below) + 1)
        whole = below == set(range(min(below), max(below) + 1))
        assert reading.is_whole(v) == whole


def test_names_need_a_tie_between_words() -> None:
    words, tags = split("red - or blue lamps / 3"), split("JJ HYPH CC JJ NNS SYM CD")
    assert list(names(Reading(words, tags))) == [(0, 3), (4, 7)]
    assert not list(names(Reading(["a", "-"], ["DT", "HYPH"])))

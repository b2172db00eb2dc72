"""Whether the probabilities of links mean what they say."""

import numpy as np
import pytest

from core.evaluation.phrase_alignment import Cell, Outcome, PhraseCase, prepare, scores
from core.formats.alignments.phrase_links import PhrasePair
from core.formats.ptb import parse_one
from core.phrase_alignment.aligner import PhraseAligner
from core.phrase_alignment.sides import collapsed
from lab.evaluation.phrase_methods import (
    attachment_of,
    calibration,
    is_supported,
    pair_counts,
    run,
)
from lab.evaluation.phrase_overlap import overlap_links
from tests.core.phrase_alignment.test_phrase_align import ACTIVE, trees_of

TREE = parse_one("(S (NP (NN rain)) (VP (VBZ falls)))")
RAIN: Cell = ((0, 1), (0, 1))
FALLS: Cell = ((1, 2), (1, 2))


def case() -> PhraseCase:
    links = {"A": {(1, 1)}, "B": {(1, 1)}, "C": {(2, 2)}}
    links = {who: frozenset(cells) for who, cells in links.items()}
    return prepare([PhrasePair("1", TREE, TREE, links)], None)[0]


def test_probabilities_are_held_against_most_annotators() -> None:
    sure = {RAIN: 0.9, FALLS: 0.4}  # two of three, and one of three
    figures = calibration([case()], [Outcome(frozenset(sure), True, sure=sure)])
    assert figures["links"] == 2
    assert figures["log_loss"] == pytest.approx(-np.log(0.9 * 0.6) / 2)
    assert figures["error"] == pytest.approx((0.1 + 0.4) / 2)


def test_one_tenth_may_be_wrong_both_ways() -> None:
    sure = {RAIN: 0.55, FALLS: 0.55}
    figures = calibration([case()], [Outcome(frozenset(sure), True, sure=sure)])
    assert figures["error"] == pytest.approx(0.05)  # 55 % said, half of them hold


def test_certainty_that_is_wrong_costs_much_and_not_everything() -> None:
    figures = calibration([case()], [Outcome(frozenset(), True, sure={FALLS: 1.0})])
    assert figures["log_loss"] == pytest.approx(-np.log(1e-6), rel=1e-3)
    assert calibration([case()], [Outcome(frozenset(), False)])["log_loss"] is None


def test_counts_of_pairs_add_up_to_the_figures_that_are_printed() -> None:
    links = {"A": {(0, 0), (1, 1)}, "B": {(0, 0), (2, 2)}, "C": {(0, 0), (1, 1)}}
    named = {who: frozenset(cells) for who, cells in links.items()}
    cases = prepare([PhrasePair(ref, TREE, TREE, named) for ref in "12"], None)
    whole = ((0, 2), (0, 2))
    outcomes = [
        Outcome(frozenset({whole}), reached=True),
        Outcome(frozenset({whole, RAIN, (FALLS[0], RAIN[0])}), reached=True),
    ]
    sums = pair_counts(cases, outcomes).sum(0)
    figures = scores(cases, outcomes, multiword=False)
    recall, precision = (sums[..., 0] / sums[..., 1]).mean(1)
    assert figures["recall"] == pytest.approx(recall)
    assert figures["precision"] == pytest.approx(precision)
    assert 0 < precision < 1


LONG = (
    "(S (NP (DT the) (NN rain)) (VP (VBZ falls) (PP (IN on) (NP (NNS roofs)))) (. .))"
)


def test_heads_are_those_of_converted_trees_without_punctuation() -> None:
    gold = parse_one(LONG)
    flat = parse_one("(S (DT the) (NN rain) (VBZ falls) (IN on) (NNS roofs) (. .))")
    links = {"A": frozenset({(0, 0)}), "B": frozenset({(0, 0)})}
    cases = prepare([PhrasePair("1", gold, gold, links)], None)
    right = Outcome(frozenset(), True, trees=(gold, gold))
    assert attachment_of(cases, [right]).uas == 1.0
    half = attachment_of(cases, [Outcome(frozenset(), True, trees=(gold, flat))])
    assert half.tokens == 10
    assert 0.5 < half.uas < 1.0
    assert attachment_of(cases, [Outcome(frozenset(), False)]).heads == 0


def test_wholes_without_two_links_below_are_linked_and_not_supported() -> None:
    other = parse_one("(S (NP (NN tea)) (VP (VBZ cools)))")
    links = {"A": frozenset({(0, 0)}), "B": frozenset({(0, 0)})}
    pairs = [PhrasePair("1", TREE, TREE, links), PhrasePair("2", TREE, other, links)]
    aligner = PhraseAligner.load()
    outcomes = run(prepare(pairs, None), "no-em", lambda _: aligner, trees="gold")
    assert [one.reached for one in outcomes] == [True, True]
    assert list(map(is_supported, outcomes)) == [True, False]


def test_overlap_links_equal_trees_node_by_node() -> None:
    (tree, _), (source, target) = trees_of(ACTIVE, ACTIVE)
    links = overlap_links(source, target)
    assert len(links) == len(collapsed(tree))
    assert all(s == t for s, t in links)

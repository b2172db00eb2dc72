"""Whether the probabilities of links mean what they say."""

import numpy as np
import pytest

from core.evaluation.phrases.cases import Cell, PhraseCase, prepare
from core.evaluation.phrases.scores import Outcome, calibration, pair_counts, scores
from core.formats.alignments.phrase_links import PhrasePair
from core.formats.ptb import parse_one

TREE = parse_one("(S (NP (NN rain)) (VP (VBZ falls)))")
RAIN: Cell = ((0, 1), (0, 1))
FALLS: Cell = ((1, 2), (1, 2))


def case() -> PhraseCase:
    links = {"A": {(1, 1)}, "B": {(1, 1)}, "C": {(2, 2)}}
    links = {who: frozenset(found) for who, found in links.items()}
    return prepare([PhrasePair("1", TREE, TREE, links)], None)[0]


def test_probabilities_are_held_against_most_annotators() -> None:
    sure = {RAIN: 0.9, FALLS: 0.4}  # two of three, and one of three
    found = calibration([case()], [Outcome(frozenset(sure), True, sure=sure)])
    assert found["links"] == 2
    assert found["log_loss"] == pytest.approx(-np.log(0.9 * 0.6) / 2)
    assert found["error"] == pytest.approx((0.1 + 0.4) / 2)


def test_one_tenth_may_be_wrong_both_ways() -> None:
    sure = {RAIN: 0.55, FALLS: 0.55}
    found = calibration([case()], [Outcome(frozenset(sure), True, sure=sure)])
    assert found["error"] == pytest.approx(0.05)  # 55 % said, half of them hold


def test_certainty_that_is_wrong_costs_much_and_not_everything() -> None:
    found = calibration([case()], [Outcome(frozenset(), True, sure={FALLS: 1.0})])
    assert found["log_loss"] == pytest.approx(-np.log(1e-6), rel=1e-3)
    assert calibration([case()], [Outcome(frozenset(), False)])["log_loss"] is None


def test_counts_of_pairs_add_up_to_the_figures_that_are_printed() -> None:
    links = {"A": {(0, 0), (1, 1)}, "B": {(0, 0), (2, 2)}, "C": {(0, 0), (1, 1)}}
    named = {who: frozenset(found) for who, found in links.items()}
    cases = prepare([PhrasePair(ref, TREE, TREE, named) for ref in "12"], None)
    whole = ((0, 2), (0, 2))
    outcomes = [
        Outcome(frozenset({whole}), reached=True),
        Outcome(frozenset({whole, RAIN, (FALLS[0], RAIN[0])}), reached=True),
    ]
    sums = pair_counts(cases, outcomes).sum(0)
    found = scores(cases, outcomes, multiword=False)
    recall, precision = (sums[..., 0] / sums[..., 1]).mean(1)
    assert found["recall"] == pytest.approx(recall)
    assert found["precision"] == pytest.approx(precision)
    assert 0 < precision < 1

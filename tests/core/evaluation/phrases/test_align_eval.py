"""Whether the probabilities of links mean what they say."""

import numpy as np
import pytest

from core.evaluation.phrases.cases import Cell, PhraseCase, prepare
from core.evaluation.phrases.scores import Outcome, calibration
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

"""The paper's features with weights from links, each pair with weights of others."""

from core.backends.align_cases import prepare
from core.backends.align_taught import taught_crossfit
from core.formats.phrase_links import PhrasePair
from core.formats.ptb import parse_one
from core.learning.feature_em import EmState

TREE = parse_one("(S (NP (NN rain)) (VP (VBZ falls)))")


def test_what_one_fold_comes_to_know_is_not_told_to_another() -> None:
    pairs = [PhrasePair(str(n), TREE, TREE, {"A": frozenset({(0, 0)})}) for n in (1, 2)]
    begin = EmState()
    state_of = taught_crossfit(prepare(pairs, None), 2, None, begin)
    first, second = state_of(0), state_of(1)
    assert first is not second
    first.number("new")
    assert second.number("other") == len(second.weights) - 1
    assert len(begin.weights) == 1

"""The paper's features with weights from links, each pair with weights of others."""

from core.evaluation.phrase_alignment import prepare
from core.formats.alignments.phrase_links import PhrasePair
from core.formats.ptb import parse_one
from lab.evaluation.phrase_em import EmState
from lab.evaluation.phrases_taught import taught_crossfit

TREES = [
    parse_one(f"(S (NP (NN {noun})) (VP (VBZ falls)))") for noun in ("rain", "snow")
]


def test_what_one_fold_comes_to_know_is_not_told_to_another() -> None:
    links = {"A": frozenset({(0, 0)})}
    pairs = [PhrasePair(str(n), tree, tree, links) for n, tree in enumerate(TREES)]
    begin = EmState()
    state_of = taught_crossfit(prepare(pairs, None), 2, None, begin)
    first, second = state_of(0), state_of(1)
    assert first is not second
    first.number("new")
    assert second.number("other") == len(second.weights) - 1
    assert len(begin.weights) == 1

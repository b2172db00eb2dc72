"""The grammar of a treebank, and pairs ranked under it, on sentences of our own."""

from pathlib import Path

import numpy as np
import pytest

from core.errors import InvalidValue
from core.formats import ptb
from lab.reproduce.itg_labelled import best_labelled
from lab.reproduce.pairs import LabelledPairs
from lab.reproduce.wu2005_labels import (
    LABELS,
    CategoryGrammar,
    compared,
    grammar_of,
    lines,
)

TREES = """(S (NP (DT the) (NN king)) (VP (VBD sold) (NP (DT a) (NN boat))) (. .))
(S (NP (DT the) (NN sale)) (VP (VBD ended)))
"""
S, NP, VP, X = (LABELS.index(name) for name in ("S", "NP", "VP", "X"))


@pytest.fixture
def grammar() -> CategoryGrammar:
    return grammar_of(ptb.parse_one(tree) for tree in TREES.splitlines())


def test_rules_are_relative_frequencies_of_binary_phrases(
    grammar: CategoryGrammar,
) -> None:
    rows = grammar.rules.tolist(), grammar.nats
    nats = {tuple(r): x for r, x in zip(*rows, strict=True)}
    assert nats[NP, X, NP] == 0.0
    assert nats[VP, VP, NP] == 0.0
    assert nats[S, NP, S] == pytest.approx(np.log(1 / 3))
    assert nats[S, VP, X] == pytest.approx(np.log(1 / 3))
    assert nats[S, NP, VP] == pytest.approx(np.log(1 / 3))
    assert nats[S, X, X] == pytest.approx(np.log(1e-3))


def test_words_are_what_they_are_in_the_treebank(grammar: CategoryGrammar) -> None:
    assert grammar.words["boat"] == {NP}
    weights = grammar.weights(["boat"], ["boat", "sold", "skiff"], 1.0)
    assert weights.links[NP, 0].tolist() == [0.0, -np.inf, -1.0]
    assert weights.links[VP, 0].tolist() == [-np.inf] * 3
    assert weights.target_nulls[:, 2].tolist() == [-np.inf] + [-1.0] * 5


def test_equal_sentences_cost_what_their_best_tree_costs(
    grammar: CategoryGrammar,
) -> None:
    words = ["the", "king", "ended"]
    best = best_labelled(grammar.weights(words, words, 2.0))
    assert best.score == pytest.approx(2 * np.log(1 / 3), abs=1e-5)
    assert best.links == ((0, 0), (1, 1), (2, 2))


def test_better_grammar_is_chosen_on_the_training_part(tmp_path: Path) -> None:
    (tmp_path / "own.ptb").write_text(TREES)
    same = (("the", "king", "ended"),) * 2
    other = (("the", "king", "ended"), ("a", "boat", "sold"))
    pairs = LabelledPairs(
        "x", "paraphrase", [same, other] * 2, np.array([True, False] * 2), ("",) * 4
    )
    results = compared(tmp_path, pairs, pairs, 4)
    assert results["pairs"] == (4, 4)
    assert results["test"] == {"labelled": 100.0, "bracketing": 100.0}
    assert results["p"] == 1.0
    assert "2 trees" in "\n".join(lines(results))


def test_treebank_without_trees_is_refused(tmp_path: Path) -> None:
    (tmp_path / "own.conllu").write_text("1\tGo\tgo\tVERB\tVB\t_\t0\troot\t_\t_\n\n")
    none = LabelledPairs("x", "paraphrase", [], np.array([], dtype=bool), ())
    with pytest.raises(InvalidValue):
        compared(tmp_path, none, none, 1)

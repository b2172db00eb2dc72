"""Rewrites of a sentence: which word came from which, and what passes."""

import random

import numpy as np

from core.data.deps import DepAnalysis, DepTree
from core.data.tokens import Sentence
from core.protocols import Analysis
from lab.evaluation import rewrites
from lab.evaluation.rewordings import rewordings
from lab.evaluation.rewrites import Rewrite, summed_side, tree_rewrites, word_rewrites

NAMES = ("root", "nsubj", "obl", "case", "conj", "cc")
WORDS = ["she", "sang", "at", "home", "in", "May"]
HEADS = (1, -1, 3, 1, 5, 1)
LABELS = ("nsubj", "root", "case", "obl", "case", "obl")
TAGS = ("PRP", "VBD", "IN", "NN", "IN", "NNP")


def analysis(words: list[str], *, sure: float = 5.0) -> Analysis:
    n = len(words)
    arcs = np.full((n + 1, n + 1), -sure)
    relations = np.full((n + 1, n + 1, len(NAMES)), -9.0)
    for m, (h, label) in enumerate(zip(HEADS, LABELS, strict=True)):
        arcs[h + 1, m + 1] = 0.0
        relations[h + 1, m + 1, NAMES.index(label)] = 0.0
    deps = DepAnalysis(DepTree(HEADS, LABELS), arcs, relations, NAMES)
    return Analysis(Sentence.of(words), deps=deps, xpos=TAGS, upos=("X",) * n)


def test_words_of_tree_rewrites_are_those_of_their_places() -> None:
    made = tree_rewrites(
        analysis(WORDS), rewordings({}), random.Random(1), wanted=3, n_best=1,
        lemma_of=str.lower,
    )  # fmt: skip
    assert made
    for one in made:
        assert one.sentence.forms != tuple(WORDS)
        kept = [(j, i) for j, i in enumerate(one.places) if i >= 0]
        assert len(kept) >= 4
        for j, i in kept:
            assert one.sentence.forms[j].lower() == WORDS[i].lower()
        assert [(link.source, link.target) for link in one.links()] == [
            (f"w{i}", f"w{j}") for j, i in kept
        ]


def test_word_rewrites_exchange_open_class_words_alone() -> None:
    source = analysis(WORDS)
    made = word_rewrites(
        source, lambda _, at: ("house", "flat"), random.Random(1), wanted=2
    )
    assert {one.sentence.forms[3] for one in made} == {"house", "flat"}
    for one in made:
        assert one.sentence.forms[:3] == tuple(WORDS[:3])
        assert one.places == tuple(range(6))
    assert not word_rewrites(source, lambda _, at: (), random.Random(1), wanted=2)


def test_readings_of_rewrites_add_up_in_the_places_of_their_words() -> None:
    unsure, sure = analysis(WORDS, sure=0.0), analysis(WORDS)
    swapped = Rewrite(sure.sentence, tuple(range(6)))
    assert summed_side(unsure, []).deps.tree.heads != HEADS  # type: ignore[union-attr]
    side = summed_side(unsure, [(swapped, sure)])
    assert side.deps is not None
    assert side.deps.tree == DepTree(HEADS, LABELS)


def test_a_sure_parse_has_the_higher_confidence() -> None:
    sure, unsure = (rewrites.confidence(analysis(WORDS, sure=x)) for x in (5.0, 0.5))
    assert unsure < sure < 1e-6

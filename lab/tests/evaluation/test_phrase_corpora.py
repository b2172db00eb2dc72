"""Phrases of parallel treebanks, by the links of words and the shape of trees alone."""

from pathlib import Path

import numpy as np
import pytest

from core.errors import InvalidValue, Unavailable
from core.formats.ptb import parse_one
from core.phrase_alignment.forest_align import nodes
from core.phrase_alignment.sides import BinaryForest, side_of_tree
from lab.evaluation.phrase_corpora import (
    Bitree,
    TreebankAligner,
    fit_treebanks,
    overlap,
    phrase_f1,
)
from lab.evaluation.phrase_structure import STRUCTURE_NAMES, phrases_of, structure_rows

Spans = list[tuple[tuple[int, int], tuple[int, int]]]


def span(side: BinaryForest, v: int) -> tuple[int, int]:
    places = np.flatnonzero(side.members[v])
    return int(places[0]), int(places[-1]) + 1


def bitree(
    a: str, b: str, words: list[tuple[int, int]], gold: Spans, *, apart: bool = True
) -> Bitree:
    sides = tuple(side_of_tree(parse_one(x), words_apart=apart) for x in (a, b))
    linked = np.zeros([len(side.words) for side in sides], dtype=bool)
    for cell in words:
        linked[cell] = True
    at = [
        {span(side, v): v for v in np.flatnonzero(phrases_of(nodes(side))).tolist()}
        for side in sides
    ]
    links = frozenset((at[0][s], at[1][t]) for s, t in gold)
    scored = tuple(frozenset(one.values()) for one in at)
    return Bitree((sides[0], sides[1]), linked, links, (scored[0], scored[1]))


PAIRS = [
    bitree(
        "(S (NP (NNS cats)) (VP (VBP eat) (NP (NN fish))))",
        "(S (NP (ART die) (NN Katzen)) (VVFIN essen) (NP (ART den) (NN Fisch)))",
        [(0, 1), (1, 2), (2, 4)],
        [((0, 1), (0, 2)), ((2, 3), (3, 5)), ((0, 3), (0, 5))],
    ),
    bitree(
        "(S (NP (PRP she)) (VP (VBD slept) (PP (IN in) (NP (DT the) (NN hall)))))",
        "(S (PP (APPR in) (ART dem) (NN Saal)) (VVFIN schlief) (NP (PPER sie)))",
        [(0, 4), (1, 3), (2, 0), (3, 1), (4, 2)],
        [((0, 1), (4, 5)), ((2, 5), (0, 3)), ((0, 5), (0, 5))],
    ),
    bitree(
        "(S (NP (DT the) (NN dog)) (VP (VBZ barks)))",
        "(S (NP (ART der) (NN Hund)) (VVFIN bellt))",
        [(0, 0), (1, 1), (2, 2)],
        [((0, 2), (0, 2)), ((0, 3), (0, 3))],
    ),
]


def test_a_phrase_over_one_word_is_a_node_apart() -> None:
    tree = parse_one("(S (NP (NNS cats)) (VP (VBP eat)))")
    assert side_of_tree(tree).labels == ("NP", "VP", "S")
    apart = side_of_tree(tree, words_apart=True)
    assert apart.labels == ("", "NP", "", "VP", "S")
    assert apart.named.all()
    assert list(apart.parts_of(apart.best_edge(1))) == [0]


def test_every_number_is_the_same_from_the_other_side() -> None:
    for pair in PAIRS:
        source, target = (nodes(side) for side in pair.sides)
        there, shared = structure_rows(source, target, pair.words)
        back, again = structure_rows(target, source, pair.words.T)
        assert there == pytest.approx(back.transpose(1, 0, 2))
        assert (shared == again.T).all()


def test_rows_count_linked_and_free_words_and_phrases_over_the_same() -> None:
    pair = PAIRS[0]
    source, target = (nodes(side) for side in pair.sides)
    rows, shared = structure_rows(source, target, pair.words)
    spans = [[span(side, v) for v in range(side.n_nodes)] for side in pair.sides]
    s = max(v for v, at in enumerate(spans[0]) if at == (2, 3))  # NP over fish
    t = max(v for v, at in enumerate(spans[1]) if at == (3, 5))
    row = dict(zip(STRUCTURE_NAMES, rows[s, t].tolist(), strict=True))
    assert shared[s, t]
    assert row["share"] == 2  # all linked words of both
    assert row["out"] == 0
    assert row["free"] == pytest.approx(np.log(2))  # the article
    assert row["same_kind"] == 1
    assert row["above"] == 0
    verb = max(v for v, at in enumerate(spans[0]) if at == (1, 3))
    out = rows[verb, t, STRUCTURE_NAMES.index("out")]
    assert out == pytest.approx(np.log(2))  # the verb is linked elsewhere


def test_a_phrase_is_linked_though_its_only_word_has_a_link_of_its_own() -> None:
    aligner = fit_treebanks(PAIRS, {})
    links = set(aligner.links(PAIRS[0]))
    assert PAIRS[0].gold <= links
    assert phrase_f1(PAIRS, aligner.links)["recall"] == 1.0
    together = bitree(
        "(S (NP (NNS cats)) (VP (VBP eat)))",
        "(S (NP (ART die) (NN Katzen)) (VVFIN essen))",
        [(0, 1), (1, 2)],
        [((0, 1), (0, 2))],
        apart=False,
    )
    assert not together.gold <= set(overlap(together))  # the word has taken its place


def test_weights_are_kept_and_other_files_refused(tmp_path: Path) -> None:
    aligner = fit_treebanks(PAIRS, {"fitted_on": "three pairs"})
    aligner.save(tmp_path / "kept.json")
    again = TreebankAligner.load(tmp_path / "kept.json")
    assert again.facts == {"fitted_on": "three pairs"}
    assert again.links(PAIRS[1]) == aligner.links(PAIRS[1])
    (tmp_path / "other.json").write_text("{}")
    with pytest.raises(InvalidValue):
        TreebankAligner.load(tmp_path / "other.json")
    with pytest.raises(Unavailable):
        TreebankAligner.load(tmp_path / "none.json")
    with pytest.raises(InvalidValue):
        fit_treebanks([], {})


def test_shipped_weights_link_the_treebanks_own_phrases() -> None:
    aligner = TreebankAligner.load()
    assert phrase_f1(PAIRS, aligner.links)["recall"] == 1.0

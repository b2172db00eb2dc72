"""Arcs and brackets that fit each other: counts against brute force, and a quarrel."""

import numpy as np
import pytest

from core.data.check import Floats
from core.data.tokens import Sentence
from core.dependencies.mst import mst, tree_marginals
from core.forests.cky import cky
from core.parsing import english
from core.parsing.neural import NeuralParser
from core.parsing.registry import backend_of
from core.parsing.together import Coupling, coupled, crossed, fitting, leaving
from core.protocols import Analysis, Capability, ParserBackend

COUNTED = np.array([True, True, False, True, True])


def _heads_as_arcs(heads: list[int]) -> Floats:
    p = np.zeros((len(heads) + 1, len(heads) + 1))
    for m, h in enumerate(heads):
        p[h + 1, m + 1] = 1.0
    return p


@pytest.mark.parametrize(
    "heads", [[1, -1, 1, 4, 1], [4, 0, 0, 4, -1], [-1, 0, 1, 2, 3]]
)
def test_arcs_that_leave_a_span_are_those_counted_by_hand(heads: list[int]) -> None:
    expected = leaving(_heads_as_arcs(heads), COUNTED)
    for i in range(5):
        for j in range(i + 1, 6):
            by_hand = sum(
                not i <= heads[m] < j for m in range(i, j) if bool(COUNTED[m])
            )
            assert expected[i, j] == pytest.approx(by_hand)


def test_expected_arcs_are_the_mean_over_trees() -> None:
    random = np.random.default_rng(3)
    p = tree_marginals(random.normal(size=(6, 6)))
    expected = leaving(p, COUNTED)
    for i in range(5):
        for j in range(i + 1, 6):
            outside = [h for h in range(6) if not i <= h - 1 < j]
            own = [m for m in range(i, j) if COUNTED[m]]
            by_hand = sum(p[h, m + 1] for h in outside for m in own)
            assert expected[i, j] == pytest.approx(by_hand)


def test_phrases_that_an_arc_leaves_are_those_counted_by_hand() -> None:
    random = np.random.default_rng(4)
    p = np.triu(random.random((6, 6)), 1)
    expected = crossed(p, COUNTED)
    for h in range(6):
        for m in range(5):
            if h != m + 1:
                by_hand = sum(
                    p[i, j]
                    for i in range(5)
                    for j in range(i + 1, 6)
                    if i <= m < j and not i <= h - 1 < j
                )
                assert expected[h, m + 1] == pytest.approx(by_hand * COUNTED[m])


def test_a_doubtful_bracket_yields_to_sure_arcs() -> None:
    """The arcs make words 1 and 2 hang from word 0; a bracket over them is likely by a
    hair, one over words 0 and 1 a little less so."""
    scores = np.zeros((4, 4, 2))
    scores[0, 3, 1], scores[1, 3, 1], scores[0, 2, 1] = 5.0, 1.2, 1.0
    arcs = np.log(_heads_as_arcs([-1, 0, 0]) * 0.98 + 0.01)
    counted = np.ones(3, dtype=bool)
    apart = {tuple(row) for row in cky(scores)[1].tolist()}
    new, _ = coupled(scores, arcs, counted, Coupling(1.0, 1.0))
    joined = {tuple(row) for row in cky(new)[1].tolist()}
    assert (1, 3, 1) in apart
    assert (0, 2, 1) in joined
    assert (1, 3, 1) not in joined


def test_a_doubtful_arc_yields_to_sure_brackets() -> None:
    scores = np.zeros((4, 4, 2))
    scores[0, 3, 1], scores[1, 3, 1] = 9.0, 9.0
    arcs = np.full((4, 4), -9.0)
    arcs[0, 1], arcs[1, 3] = 0.0, 0.0
    arcs[1, 2], arcs[3, 2] = 0.3, 0.0  # word 1 hangs from word 0, or from word 2
    counted = np.ones(3, dtype=bool)
    _, new = coupled(scores, arcs, counted, Coupling(1.0, 1.0))
    assert mst(arcs)[1].tolist() == [-1, 0, 0]
    assert mst(new)[1].tolist() == [-1, 2, 0]


def test_what_was_given_stays_as_it_was() -> None:
    random = np.random.default_rng(5)
    scores, arcs = random.normal(size=(4, 4, 3)), random.normal(size=(4, 4))
    before = scores.copy(), arcs.copy()
    coupled(scores, arcs, np.ones(3, dtype=bool), Coupling(2.0, 1.0))
    assert np.array_equal(scores, before[0])
    assert np.array_equal(arcs, before[1])


def test_no_cost_changes_nothing() -> None:
    random = np.random.default_rng(6)
    scores, arcs = random.normal(size=(5, 5, 3)), random.normal(size=(5, 5))
    new = coupled(scores, arcs, np.ones(4, dtype=bool), Coupling(0.0, 0.0))
    assert np.array_equal(new[0], scores)
    assert np.array_equal(new[1], arcs)


def test_a_phrase_fits_if_one_word_has_its_head_outside() -> None:
    phrases = [(0, 4, "S"), (0, 2, "NP"), (2, 4, "VP"), (3, 4, "NP")]
    everything = [True] * 4
    assert fitting(phrases, [2, 0, -1, 2], everything) == (3, 3)
    assert fitting(phrases, [2, 2, -1, 2], everything) == (2, 3)
    assert fitting(phrases, [2, 2, -1, 2], [True, False, True, True]) == (3, 3)


TEXT = "Much more quickly than the others did he finish what was left of the bread ."
WANT: frozenset[Capability] = frozenset({"forest", "dependencies", "tags"})


def _analysis(parser: ParserBackend) -> Analysis:
    (analysis,) = parser.analyse([Sentence.of(TEXT)], want=WANT)
    assert isinstance(analysis, Analysis)
    return analysis


def test_decoding_together_leaves_weights_and_arcs_as_they_are() -> None:
    apart = english.parser()
    one, other = _analysis(apart), _analysis(apart.decoding_together())
    assert apart.together is None
    assert one.edge_weights is not None
    assert one.deps is not None
    assert other.deps is not None
    assert np.array_equal(one.edge_weights, np.asarray(other.edge_weights))
    assert np.array_equal(np.asarray(one.deps.arcs), np.asarray(other.deps.arcs))


def test_under_dear_costs_all_phrases_hang_together_and_the_tree_weighs_less() -> None:
    parser = english.parser().decoding_together()
    parser.together = Coupling(30.0, 30.0)
    together, plain = _analysis(parser), _analysis(english.parser())
    assert together.best is not None
    assert together.deps is not None
    assert plain.best is not None
    counted = [tag != "PUNCT" for tag in together.upos]
    n_fitting, n_all = fitting(together.best[1], together.deps.tree.heads, counted)
    assert n_fitting == n_all
    assert together.best[1] != plain.best[1]
    assert together.best[0] < plain.best[0]


def test_the_option_of_a_command_turns_it_on() -> None:
    asked = {"engine": "english", "models": None}
    on = backend_of({**asked, "together": True})
    assert isinstance(on, NeuralParser)
    assert on.together == Coupling()
    off = backend_of({**asked, "together": False})
    assert isinstance(off, NeuralParser)
    assert off.together is None

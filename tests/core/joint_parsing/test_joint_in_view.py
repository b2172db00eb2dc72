"""A pair read as one text: what is kept of it, and what bp makes of it."""

from dataclasses import replace

import numpy as np
import pytest

from core.data.check import Floats
from core.data.deps import DepAnalysis, DepTree
from core.data.tokens import Sentence
from core.dependencies.mst import mst
from core.errors import InvalidValue
from core.joint_parsing.gate import JointWeights
from core.joint_parsing.in_view import View, seen, views_of
from core.joint_parsing.parser import JointParser
from core.joint_parsing.values import JointSettings
from core.protocols import Analysis, BackendInfo, Capability
from tests.core.joint_parsing.aligners import NoLinks

SOURCE, TARGET = Sentence.of("she reads books here"), Sentence.of("books she reads")
CHAIN = np.array([[2, 1], [0, 2], [2, 3], [2, 4]])  # head and modifier, ROOT = 0


class ChainParser:
    """Alone it hangs every word from the one before it; of two sentences as one it
    knows better: from the second word of either."""

    def __init__(self, *can: Capability, longest: int = 100) -> None:
        able = frozenset({"dependencies", "forest", *can})
        self.info = BackendInfo("reader", "1", "CC0-1.0", ("en",), able)
        self.longest = longest
        self.asked: list[tuple[str, ...]] = []

    def analyse(
        self, sentences: list[Sentence], *, want: frozenset[Capability]
    ) -> list[Analysis | Exception]:
        self.asked += [sentence.forms for sentence in sentences]
        return [self._one(sentence) for sentence in sentences]

    def _one(self, sentence: Sentence) -> Analysis | Exception:
        n = len(sentence)
        if n > self.longest:
            return InvalidValue(f"{n} tokens")
        table = np.full((n + 1, n + 1), -4.0)
        at = np.arange(n)
        table[at, at + 1] = 0.0
        if n == len(SOURCE) + len(TARGET):
            table[at, at + 1] = -4.0
            begin = 0 if sentence.forms[: len(SOURCE)] == SOURCE.forms else len(TARGET)
            for h, m in CHAIN:
                table[h + begin if h else 0, m + begin] = 0.0
        relations = np.log(np.full((n + 1, n + 1, 2), 0.5))
        heads = tuple(int(h) for h in mst(table)[1])
        tree = DepTree(heads, ("a",) * n)
        deps = DepAnalysis(tree, table, relations, ("a", "b"))
        return Analysis(sentence, deps=deps)


def probabilities(table: Floats) -> Floats:
    return np.asarray(np.exp(table) / np.exp(table).sum(0))


def test_arcs_within_a_sentence_are_kept_from_both_orders() -> None:
    reader = ChainParser("pairs")
    (both,) = views_of(reader, [(SOURCE, TARGET)])
    assert both is not None
    ours, theirs = both
    joined = SOURCE.forms + TARGET.forms, TARGET.forms + SOURCE.forms
    assert tuple(reader.asked) == joined
    assert ours.arcs.shape == (5, 5)
    assert theirs.arcs.shape == (4, 4)
    assert ours.relations is not None
    assert ours.relations.shape == (5, 5, 2)
    np.testing.assert_allclose(ours.arcs.sum(0), 1)
    wanted = np.full((5, 5), -4.0)
    wanted[CHAIN[:, 0], CHAIN[:, 1]] = 0.0
    np.testing.assert_allclose(ours.arcs, probabilities(wanted))


def test_only_a_parser_that_reads_pairs_is_asked() -> None:
    reader = ChainParser()
    assert views_of(reader, [(SOURCE, TARGET)]) == [None]
    assert reader.asked == []


def test_a_pair_too_long_for_one_reading_has_no_views() -> None:
    assert views_of(ChainParser("pairs", longest=6), [(SOURCE, TARGET)]) == [None]


def alone(sentence: Sentence) -> Analysis:
    (analysis,) = ChainParser().analyse([sentence], want=frozenset())
    assert isinstance(analysis, Analysis)
    return analysis


@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_a_share_is_in_nats(share: float) -> None:
    own = alone(SOURCE)
    assert own.deps is not None
    assert own.deps.arcs is not None
    (both,) = views_of(ChainParser("pairs"), [(SOURCE, TARGET)])
    assert both is not None
    mixed = seen(own, both[0], share).deps
    assert mixed is not None
    mine = np.log(probabilities(own.deps.arcs))
    wanted = (1 - share) * mine + share * np.log(both[0].arcs)
    np.testing.assert_allclose(mixed.arcs, wanted)
    assert mixed.tree == own.deps.tree


def test_what_the_parser_forbids_stays_forbidden() -> None:
    own = alone(SOURCE)
    assert own.deps is not None
    assert own.deps.arcs is not None
    arcs = own.deps.arcs.copy()
    arcs[:, 0] = arcs[3, 1] = -np.inf
    forbidding = replace(own, deps=replace(own.deps, arcs=arcs))
    mixed = seen(forbidding, View(np.full((5, 5), 0.2), None), 0.5).deps
    assert mixed is not None
    assert mixed.arcs is not None
    np.testing.assert_array_equal(np.isfinite(mixed.arcs), np.isfinite(arcs))


def test_a_view_of_another_sentence_is_refused() -> None:
    (both,) = views_of(ChainParser("pairs"), [(SOURCE, TARGET)])
    assert both is not None
    with pytest.raises(InvalidValue, match="of this sentence"):
        seen(alone(SOURCE), both[1], 0.5)


GOOD = (1, -1, 1, 1)


@pytest.mark.parametrize(
    ("chosen", "heads"),
    [
        (JointSettings(), GOOD),
        (JointSettings(in_view=False), (-1, 0, 1, 2)),
        (JointSettings("mbr"), (-1, 0, 1, 2)),
    ],
)
def test_bp_reads_the_pair_as_one(
    chosen: JointSettings, heads: tuple[int, ...]
) -> None:
    weights = JointWeights(view_share=0.75)
    parser = JointParser(NoLinks(), weights)
    (views,) = views_of(ChainParser("pairs"), [(SOURCE, TARGET)])
    pair = alone(SOURCE), alone(TARGET)
    result = parser.parse(*pair, chosen, views=views)
    assert result.source.deps is not None
    assert result.source.deps.tree.heads == heads
    changed = [arc.word for arc in result.source.arcs]
    assert changed == ([0, 1, 3] if heads == GOOD else [])

"""The aligner under an annotator's constraints."""

import numpy as np
import pytest

from core.data.check import Floats
from core.data.forest import ForestBuilder
from core.errors import Contradiction, InvalidValue
from core.formats.ptb import parse_one
from core.phrase_alignment.constraints import Constraint, align_under
from core.phrase_alignment.forest_align import Aligned
from core.phrase_alignment.sides import BinaryForest, side_of_forest, side_of_tree

SOURCE = side_of_tree(parse_one("(S (NP (DT the) (NN cat)) (VP (VBZ sleeps)))"))
TARGET = side_of_tree(parse_one("(S (VP (VBZ sleeps)) (NP (DT a) (NN cat)))"))


def gain_of(source: BinaryForest, target: BinaryForest) -> Floats:
    rng = np.random.default_rng(3)
    return rng.normal(0, 1, (source.n_nodes, target.n_nodes))


def ambiguous() -> BinaryForest:
    """a (b c) or (a b) c."""
    grown = ForestBuilder()
    words = [grown.node("", i, i + 1) for i in range(3)]
    for word in words:
        grown.edge(word)
    left, right = grown.node("L", 0, 2), grown.node("R", 1, 3)
    grown.edge(left, words[:2])
    grown.edge(right, words[1:])
    top = grown.node("S", 0, 3)
    grown.edge(top, [left, words[2]])
    grown.edge(top, [words[0], right])
    return side_of_forest(
        grown.freeze(), np.array([0, 0, 0, 0, 0, -0.5, 0.0]), words="abc", tags="XXX"
    )


def places(aligned: Aligned) -> set[tuple[tuple[int, int], tuple[int, int]]]:
    def span(side: BinaryForest, v: int) -> tuple[int, int]:
        at = np.flatnonzero(side.members[v])
        return int(at[0]), int(at[-1]) + 1

    links = aligned.best.links
    return {(span(aligned.source, s), span(aligned.target, t)) for s, t in links}


def test_must_link_is_linked_whatever_it_costs() -> None:
    want = Constraint("must-link", (0, 1), (2, 3))
    aligned = align_under(SOURCE, TARGET, gain_of(SOURCE, TARGET), [want])
    assert ((0, 1), (2, 3)) in places(aligned)
    assert aligned.best.score < 1000  # the bonus is no part of the score


def test_rejected_and_null_nodes_are_left_alone() -> None:
    gain = gain_of(SOURCE, TARGET)
    gain[:] = 5.0
    wishes = [
        Constraint("must-not-link", (0, 1), (1, 2)),
        Constraint("must-null", (1, 2)),
    ]
    cells = places(align_under(SOURCE, TARGET, gain, wishes))
    assert ((0, 1), (1, 2)) not in cells
    assert not any(source == (1, 2) for source, _ in cells)


def test_brackets_choose_the_tree() -> None:
    side = ambiguous()
    gain = np.full((side.n_nodes, TARGET.n_nodes), -3.0)
    for rule, place in (("must-bracket", (0, 2)), ("cannot-bracket", (1, 3))):
        aligned = align_under(side, TARGET, gain, [Constraint(rule, place)])  # type: ignore[arg-type]
        assert 3 in aligned.best.edges[0]
        assert 4 not in aligned.best.edges[0]


def test_contradiction_names_those_that_contradict_and_no_others() -> None:
    wishes = [
        Constraint("must-link", (2, 3), (0, 1)),
        Constraint("must-link", (0, 1), (1, 2)),
        Constraint("must-null", (0, 1)),
    ]
    with pytest.raises(Contradiction) as error:
        align_under(SOURCE, TARGET, gain_of(SOURCE, TARGET), wishes)
    said = str(error.value)
    assert "must-null “the”" in said
    assert "must-link “the” = “a”" in said
    assert "sleeps" not in said


def test_a_bracket_that_no_tree_has_is_a_contradiction() -> None:
    with pytest.raises(Contradiction, match="must-bracket “cat sleeps”"):
        align_under(
            SOURCE,
            TARGET,
            gain_of(SOURCE, TARGET),
            [Constraint("must-bracket", (1, 3))],
        )


def test_a_link_needs_two_spans() -> None:
    with pytest.raises(InvalidValue):
        Constraint("must-link", (0, 1))

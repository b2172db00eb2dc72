"""Belief propagation between sentences against enumeration of all joint choices."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.data.alignment import Link
from core.data.deps import DepAnalysis, DepTree
from core.errors import InvalidValue
from core.joint_parsing.beliefs import agree
from core.joint_parsing.linked import LinkedWords, SetLinks, linked_words
from tests.oracles.arcs import dependency_trees
from tests.oracles.beliefs import RootFactor, labelled_trees, worths

NAMES = ("left", "right")


def parsed(n: int, seed: int, names: tuple[str, ...] = NAMES) -> DepAnalysis:
    """A sentence of n words with weights drawn from ``seed``."""
    rng = np.random.default_rng(seed)
    arcs = rng.normal(0, 1.5, (n + 1, n + 1))
    logits = rng.normal(0, 1.5, (n + 1, n + 1, len(names)))
    relations = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
    heads = next(dependency_trees(n, projective=True))
    tree = DepTree(heads, (names[0],) * n)
    return DepAnalysis(tree, arcs, relations, names)


def linked(links: list[tuple[int, int, float]], n: int, m: int) -> LinkedWords:
    given = [Link(f"w{s}", f"w{t}", attrs={"prob": str(p)}) for s, t, p in links]
    return linked_words(given, n, m)


SIZES = st.integers(1, 3)


@settings(max_examples=40, deadline=None)
@given(SIZES, SIZES, st.integers(0, 10**6), st.floats(0, 3), st.booleans(), st.data())
def test_one_link_gives_the_best_tree_of_the_summed_model(
    n: int, m: int, seed: int, slack: float, projective: bool, data: st.DataObject
) -> None:
    """One word and ROOT linked: no loops, so that beliefs are exact."""
    s, t = data.draw(st.integers(0, n - 1)), data.draw(st.integers(0, m - 1))
    sides = [parsed(n, seed), parsed(m, seed + 1)]
    trees = agree(
        sides,
        [SetLinks(0, 1, linked([(s, t, 0.8)], n, m))],
        slack=slack,
        projective=projective,
    )
    factor = RootFactor(s, t, 0.8)
    for of, tree in enumerate(trees):
        every = worths(sides, [factor], of, slack=slack, projective=projective)
        chosen = tree.heads, tuple(NAMES.index(name) for name in tree.labels)
        assert every[chosen] == pytest.approx(max(every.values()), abs=1e-6)


@pytest.mark.parametrize("ends", [[(0, 1), (0, 2)], [(0, 1), (1, 2)]])
def test_what_one_paraphrase_says_reaches_the_other(
    ends: list[tuple[int, int]],
) -> None:
    """A star, and a chain in which both links are of one word: no loops, two steps from
    end to end, so two rounds and not one."""
    factors = [RootFactor(0, 1, 0.9, *ends[0]), RootFactor(1, 0, 0.8, *ends[1])]
    differ = 0
    for seed in range(0, 60, 3):
        sides = [parsed(2, seed), parsed(2, seed + 1), parsed(2, seed + 2)]
        edges = [
            SetLinks(x.a, x.b, linked([(x.s, x.t, x.prob)], 2, 2)) for x in factors
        ]
        trees, early = (
            agree(sides, edges, slack=4.0, projective=True, rounds=rounds)
            for rounds in (2, 1)
        )
        differ += trees != early
        for of, tree in enumerate(trees):
            every = worths(sides, factors, of, slack=4.0, projective=True)
            chosen = tree.heads, tuple(NAMES.index(name) for name in tree.labels)
            assert every[chosen] == pytest.approx(max(every.values()), abs=1e-6)
    assert differ


def test_a_triangle_mostly_gives_the_best_tree_of_the_summed_model() -> None:
    """Messages go round and hear of themselves: beliefs are approximate."""
    factors = [
        RootFactor(0, 0, 0.9, 0, 1),
        RootFactor(0, 0, 0.8, 0, 2),
        RootFactor(0, 0, 0.7, 1, 2),
    ]
    edges = [SetLinks(x.a, x.b, linked([(0, 0, x.prob)], 2, 2)) for x in factors]
    n_right = {"linked": 0, "apart": 0}
    for seed in range(0, 90, 3):
        sides = [parsed(2, seed + k) for k in range(3)]
        every = worths(sides, factors, 0, slack=2.0, projective=True)
        for name, some in (("linked", edges), ("apart", [])):
            tree = agree(sides, some, slack=2.0, projective=True)[0]
            chosen = tree.heads, tuple(NAMES.index(x) for x in tree.labels)
            n_right[name] += every[chosen] > max(every.values()) - 1e-6
    assert n_right["linked"] >= 29
    assert n_right["apart"] < n_right["linked"]


def test_without_a_price_each_has_its_own_best_labelled_tree() -> None:
    ours, theirs = parsed(3, 1), parsed(3, 2)
    links = linked([(i, i, 1.0) for i in range(3)], 3, 3)
    trees = agree([ours, theirs], [SetLinks(0, 1, links)], slack=0.0, projective=True)
    for side, tree in zip((ours, theirs), trees, strict=True):
        _, (heads, labels) = max(labelled_trees(side, projective=True))
        assert tree.heads == heads
        assert tree.labels == tuple(NAMES[k] for k in labels)


def test_the_same_sentence_twice_agrees_with_itself() -> None:
    side = parsed(4, 7)
    links = linked([(i, i, 1.0) for i in range(4)], 4, 4)
    first, second = agree(
        [side, side], [SetLinks(0, 1, links)], slack=2.0, projective=True
    )
    assert first == second


def test_subtypes_of_a_relation_do_not_disagree() -> None:
    """Active and passive subjects: what is told apart stays the parser's choice."""
    sub = ("subj", "subj:pass")
    ours, theirs = parsed(3, 3, sub), parsed(3, 4, sub)
    links = linked([(i, i, 1.0) for i in range(3)], 3, 3)
    trees = agree([ours, theirs], [SetLinks(0, 1, links)], slack=1.0, projective=True)
    assert ours.relations is not None
    for m, h in enumerate(trees[0].heads):
        own = int(ours.relations[h + 1, m + 1].argmax())
        assert trees[0].labels[m] == sub[own]


def test_relations_of_another_scheme_count_nothing() -> None:
    """Only arcs agree then; the labels are those of either parser."""
    ours, theirs = parsed(3, 5), parsed(3, 6, ("arg", "mod"))
    links = linked([(i, i, 1.0) for i in range(3)], 3, 3)
    trees = agree([ours, theirs], [SetLinks(0, 1, links)], slack=1.0, projective=True)
    assert set(trees[0].labels) <= set(NAMES)
    assert set(trees[1].labels) <= {"arg", "mod"}


def test_arc_weights_are_wanted() -> None:
    bare = DepAnalysis(DepTree((-1,), ("root",)))
    with pytest.raises(InvalidValue, match="arc weights"):
        agree(
            [bare, parsed(1, 1)],
            [SetLinks(0, 1, linked([], 1, 1))],
            slack=1.0,
            projective=True,
        )

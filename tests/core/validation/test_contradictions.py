"""Arcs against brackets: a phrase holds together, or it is named."""

from itertools import product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.data.deps import DepTree
from core.data.tree import Tree
from core.errors import InvalidValue
from core.formats import ptb
from core.validation import sentences
from tests.oracles import query_worlds as worlds


def holds_together(words: frozenset[int], heads: tuple[int, ...]) -> bool:
    """Whether the arcs within the phrase join all its words, by walking them."""
    reached, waiting = set(), [min(words)]
    while waiting:
        m = waiting.pop()
        reached.add(m)
        near = {heads[m]} | {one for one in words if heads[one] == m}
        waiting += [one for one in near & words if one not in reached]
    return reached == words


def test_a_phrase_is_named_unless_its_arcs_join_it() -> None:
    """All arcs over four words, all phrases of neighbours."""
    for heads in product(range(-1, 4), repeat=4):
        try:
            deps = DepTree(heads, ("dep",) * 4)
        except InvalidValue:
            continue
        if heads.count(-1) != 1:
            continue
        for low, high in ((0, 2), (1, 3), (2, 4), (0, 3), (1, 4)):
            leaves = [f"(X w{i})" for i in range(4)]
            leaves[low:high] = [f"(P {' '.join(leaves[low:high])})"]
            tree = ptb.parse_one(f"(S {' '.join(leaves)})")
            problems = sentences.between(tree, deps)
            words = frozenset(range(low, high))
            assert bool(problems) != holds_together(words, heads), (heads, low, high)


def by_heads(tree: Tree, rng: Random) -> DepTree:
    """Arcs of a tree in which any child of a phrase may be its head."""
    heads = [-1] * tree.n_tokens

    def head_of(v: int) -> int:
        if tree.is_leaf(v):
            return tree.tokens[v]
        below = [m for m in map(head_of, tree.children[v]) if m >= 0]
        if not below:
            return -1
        head = rng.choice(below)
        for other in below:
            if other != head:
                heads[other] = head
        return head

    head_of(0)
    return DepTree(tuple(heads), ("dep",) * len(heads))


@given(st.integers(0, 10**6))
def test_arcs_made_by_heads_contradict_no_bracket(seed: int) -> None:
    rng = Random(seed)
    tree = worlds.tree(rng)
    assert sentences.between(tree, by_heads(tree, rng)) == []


def test_a_wrong_attachment_is_told_with_its_words() -> None:
    tree = ptb.parse_one("(S (VP (VBD saw) (NP (NN man) (PP (IN in) (NN town)))))")
    deps = DepTree((-1, 0, 3, 0), ("root", "obj", "case", "obl"))
    (problem,) = sentences.between(tree, deps)
    assert (problem.node, problem.words) == (3, (1, 3))
    assert "NP “man in town” has 2 words" in problem.text
    assert "man on saw, town on saw" in problem.text


def test_punctuation_follows_conventions_of_its_own() -> None:
    tree = ptb.parse_one("(S (NP (NN man) (. ,)) (VBD left))")
    deps = DepTree((2, 2, -1), ("nsubj", "punct", "root"))
    assert sentences.between(tree, deps) == []
    other = DepTree((2, 2, -1), ("nsubj", "dep", "root"))
    assert len(sentences.between(tree, other)) == 1


def test_trees_of_other_words_are_refused() -> None:
    tree = ptb.parse_one("(S (NN a))")
    with pytest.raises(InvalidValue, match="1 words"):
        sentences.between(tree, DepTree((-1, 0), ("root", "dep")))

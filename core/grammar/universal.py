"""Dependencies in the manner of Universal Dependencies, read off a gold tree.

The heads are the SEMANTIC ones of ``core.grammar.heads``, but the first conjunct heads
a coordination, however long, and a conjunction hangs from the conjunct after it. There
are no labels. What UD decides by meaning alone stays different; how much is measured
in docs/joint-parsing.md.
"""

from collections.abc import Sequence

from core.data.deps import ROOT, DepTree
from core.data.tree import Tree
from core.grammar.heads import PUNCTUATION, SEMANTIC, category, head_child

__all__ = ["counted_words", "to_universal"]

LINKS = PUNCTUATION | {"CC", "CONJP"}


def to_universal(tree: Tree) -> DepTree:
    """The heads of the tokens of ``tree``; every label is "dep", the top's "root"."""
    head_of = _heads(tree)
    heads = [ROOT] * tree.n_tokens
    for v in range(1, len(tree)):
        mother = head_of[tree.parents[v]]
        if head_of[v] >= 0 and head_of[v] != mother:
            heads[head_of[v]] = mother
    for children in tree.children:
        for at, child in enumerate(children):
            if _kind(tree, child) == "CC" and heads[tree.tokens[child]] != ROOT:
                _hang(tree, heads, tree.tokens[child], children[at + 1 :], head_of)
    labels = tuple("root" if h == ROOT else "dep" for h in heads)
    return DepTree(tuple(heads), labels)


def counted_words(tree: Tree) -> list[bool]:
    """Whether each token counts in scores: by its gold tag no punctuation."""
    return [category(tag) not in PUNCTUATION for tag in tree.tags]


def _heads(tree: Tree) -> list[int]:
    """The head token of every node, -1 where there is none."""
    heads = list(tree.tokens)
    for v in range(len(tree) - 1, -1, -1):
        if tree.children[v] and tree.spans[v][0] < tree.spans[v][1]:
            heads[v] = heads[_first_conjunct(tree, v, head_child(tree, v, SEMANTIC))]
    return heads


def _first_conjunct(tree: Tree, v: int, head: int) -> int:
    """The first of the like children that stand in one coordination with ``head``."""
    children = tree.children[v]
    kinds = [_kind(tree, c) for c in children]
    at = children.index(head)
    if not {"CC", "CONJP"} & set(kinds):
        return head
    like = kinds[at][:2]
    while True:
        before = at - 1
        while before >= 0 and kinds[before] in LINKS:
            before -= 1
        if before < 0 or before == at - 1 or kinds[before][:2] != like:
            return children[at]
        at = before


def _hang(
    tree: Tree, heads: list[int], word: int, after: Sequence[int], head_of: list[int]
) -> None:
    """Hang a conjunction from the next phrase, if that makes no cycle."""
    for child in after:
        top = head_of[child]
        if top >= 0 and _kind(tree, child) not in PUNCTUATION:
            above = top
            while above not in (ROOT, word):
                above = heads[above]
            if above == ROOT:
                heads[word] = top
            return


def _kind(tree: Tree, v: int) -> str:
    return category(tree.labels[v])

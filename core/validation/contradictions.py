"""Arcs and brackets of one sentence that cannot both be right.

A phrase is built around one word: all its other words depend, at last, on this one, so
that only one of its words depends on a word outside. (Gaifman 1965, "Dependency systems
and phrase-structure systems", Information and Control 8.) Punctuation is left out: its
arcs follow conventions of their own.
"""

from core.data.deps import DepTree
from core.data.tree import Tree
from core.errors import InvalidValue
from core.validation.problems import Problem

PUNCT = frozenset({"punct"})


def leaving(words: frozenset[int], deps: DepTree) -> list[int]:
    """The words of a phrase whose heads are outside, punctuation left out."""
    return [
        m
        for m in sorted(words)
        if deps.heads[m] not in words and _relation(deps.labels[m]) not in PUNCT
    ]


def between(tree: Tree, deps: DepTree) -> list[Problem]:
    """The phrases that an arc contradicts, by their numbers; of unary chains the first.

    Raises InvalidValue if the two stand on sentences of different lengths.
    """
    if tree.n_tokens != len(deps):
        raise InvalidValue(
            f"the tree has {tree.n_tokens} words, the arcs have {len(deps)}"
        )
    problems, seen = [], set()
    for v in range(1, len(tree)):
        words = frozenset(tree.yield_of(v))
        if tree.is_leaf(v) or len(words) < 2 or words in seen:
            continue
        seen.add(words)
        out = leaving(words, deps)
        if len(out) > 1:
            problems.append(_problem(tree, deps, v, out))
    return problems


def _relation(label: str) -> str:
    return label.partition(":")[0]


def _problem(tree: Tree, deps: DepTree, v: int, out: list[int]) -> Problem:
    arcs = [f"{tree.words[m]} on {_head(tree, deps.heads[m])}" for m in out]
    text = (
        f"The phrase {tree.labels[v]} “{_words(tree, v)}” has {len(out)} words that "
        f"depend on words outside it: {', '.join(arcs)}."
    )
    remedy = (
        "One of its words alone may: attach the others within the phrase, or take "
        "them out of it."
    )
    return Problem("contradiction", text, remedy, tuple(out), v)


def _head(tree: Tree, head: int) -> str:
    return "the root" if head < 0 else tree.words[head]


def _words(tree: Tree, v: int) -> str:
    words = [tree.words[token] for token in tree.yield_of(v)]
    return " ".join(words if len(words) < 9 else [*words[:4], "…", *words[-2:]])

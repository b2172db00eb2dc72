"""Agreement of trees over the same sentences, by any authors.

PARSEVAL F1 is the same both ways; so are the unlabelled and labelled attachment
scores, since every token counts. Intervals resample sentences.
"""

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np

from core.agreement.figures import as_json, figure, resample
from core.agreement.trees import attachment, parseval
from core.agreement.words import Reason
from core.data.deps import DepTree
from core.data.tree import Tree
from core.errors import InvalidValue


def agreement_of_trees(
    trees: Mapping[str, Mapping[str, Tree]], *, seed: int = 0
) -> list[dict[str, Any]]:
    """F1 and the share of equal trees for each pair of makers.

    ``trees``: by maker and sentence. Sentences of another length are left out and
    counted as ``unlike``.
    """
    return [
        _pair(trees, a, b, _brackets, ("f1", "exact"), seed)
        for a, b in combinations(trees, 2)
    ]


def agreement_of_deps(
    trees: Mapping[str, Mapping[str, DepTree]], *, seed: int = 0
) -> list[dict[str, Any]]:
    """UAS and LAS for each pair of makers, in the same form."""
    return [
        _pair(trees, a, b, _heads, ("uas", "las"), seed)
        for a, b in combinations(trees, 2)
    ]


def _pair(
    trees: Mapping[str, Mapping[str, Any]],
    a: str,
    b: str,
    count: Any,
    names: tuple[str, str],
    seed: int,
) -> dict[str, Any]:
    common = [sentence for sentence in trees[a] if sentence in trees[b]]
    rows, cases = [], []
    for sentence in common:
        try:
            row = count(trees[a][sentence], trees[b][sentence])
        except InvalidValue:
            continue
        rows.append(row)
        if row[0] < row[1]:
            cases.append(sentence)
    table = np.array(rows, np.float64).reshape(-1, 4)
    sums = resample(len(table), 1000, np.random.default_rng(seed)) @ table
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = sums[:, [0, 2]] / sums[:, [1, 3]]
    reason = Reason.NO_TWO_TREES
    return {
        "a": a,
        "b": b,
        "n": len(rows),
        "unlike": len(common) - len(rows),
        "cases": cases[:100],
        **{
            name: as_json(figure(shares[:, at], len(rows), reason, clusters=len(rows)))
            for at, name in enumerate(names)
        },
    }


def _brackets(one: Tree, other: Tree) -> tuple[int, int, int, int]:
    """Twice the common brackets, all brackets; equal trees, trees."""
    score = parseval.compare(one, other)
    return 2 * score.matched, score.guessed + score.gold, score.exact, 1


def _heads(one: DepTree, other: DepTree) -> tuple[int, int, int, int]:
    score = attachment.compare(one, other)
    return score.heads, score.tokens, score.labelled, score.tokens

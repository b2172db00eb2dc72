"""Paraphrase probabilities out of lists, from equations 2 to 7; nothing is pruned."""

from collections import Counter, defaultdict
from collections.abc import Iterable

from tests.oracles.pivoting.phrase_labels import labels
from tests.oracles.pivoting.phrases import consistent_pairs

Row = tuple[str, str, str, set[tuple[int, int]], object]
"""corpus, English, foreign, links, tree or None, or shares and trees"""


def counts(rows: Iterable[Row], limit: int) -> Counter[tuple[str, str, str, str]]:
    """Of (corpus, foreign, English, label), label "" whatever the label is."""
    shares: Counter[tuple[str, str, str, str]] = Counter()
    for corpus, english, foreign, links, tree in rows:
        e, f = english.lower().split(), foreign.lower().split()
        for i, j, k, m in consistent_pairs(len(e), len(f), links, limit):
            for name, share in weights(tree, i, j).items():
                shares[corpus, " ".join(f[k:m]), " ".join(e[i:j]), name] += share
    return shares


def weights(tree: object, i: int, j: int) -> Counter[str]:
    """The labels of a phrase, each with the shares of the trees that give it."""
    trees = tree if isinstance(tree, list) else [(1, tree)]
    shares = Counter({"": 1})
    for share, one in trees:
        for name in labels(one, i, j) if one is not None else ():
            shares[name] += share
    return shares


def paraphrases(
    rows: Iterable[Row], limit: int
) -> dict[tuple[str, str], dict[str, float]]:
    """p(e2 | e1, s), by (e1, s) and e2; sums over corpora as equation 5 is printed."""
    n = counts(rows, limit)
    of_e: Counter[tuple[str, str, str]] = Counter()
    of_f: Counter[tuple[str, str, str]] = Counter()
    for (corpus, f, e, label), many in n.items():
        of_e[corpus, e, label] += many
        of_f[corpus, f, label] += many
    table: dict[tuple[str, str], dict[str, float]] = defaultdict(
        lambda: defaultdict(float)
    )
    for (corpus, f, e1, label), n1 in n.items():
        for (corpus2, f2, e2, label2), n2 in n.items():
            if (corpus, f, label) == (corpus2, f2, label2) and e1 != e2:
                share = n1 / of_e[corpus, e1, label] * n2 / of_f[corpus, f, label]
                table[e1, label][e2] += share
    return table

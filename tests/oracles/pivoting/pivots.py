"""Paraphrase probabilities out of lists, from equations 2 to 7; nothing is pruned."""

from collections import Counter, defaultdict
from collections.abc import Iterable

from tests.oracles.pivoting.phrase_labels import labels
from tests.oracles.pivoting.phrases import consistent_pairs

Row = tuple[str, str, str, set[tuple[int, int]], object]
"""corpus, English, foreign, links, tree or None, or shares and trees"""


def counts(rows: Iterable[Row], limit: int) -> Counter[tuple[str, str, str, str]]:
    """Of (corpus, foreign, English, label), label "" whatever the label is."""
    found: Counter[tuple[str, str, str, str]] = Counter()
    for corpus, english, foreign, links, tree in rows:
        e, f = english.lower().split(), foreign.lower().split()
        for i, j, k, m in consistent_pairs(len(e), len(f), links, limit):
            for name, share in weights(tree, i, j).items():
                found[corpus, " ".join(f[k:m]), " ".join(e[i:j]), name] += share
    return found


def weights(tree: object, i: int, j: int) -> Counter[str]:
    """The labels of a phrase, each with the shares of the trees that give it."""
    trees = tree if isinstance(tree, list) else [(1, tree)]
    found = Counter({"": 1})
    for share, one in trees:
        for name in labels(one, i, j) if one is not None else ():
            found[name] += share
    return found


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
    found: dict[tuple[str, str], dict[str, float]] = defaultdict(
        lambda: defaultdict(float)
    )
    for (corpus, f, e1, label), n1 in n.items():
        for (corpus2, f2, e2, label2), n2 in n.items():
            if (corpus, f, label) == (corpus2, f2, label2) and e1 != e2:
                share = n1 / of_e[corpus, e1, label] * n2 / of_f[corpus, f, label]
                found[e1, label][e2] += share
    return found

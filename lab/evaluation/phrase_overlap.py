"""The strong simple baseline: link the nodes that share most word links.

Gains of phrases from word links alone: any two languages, nothing to train.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.data.check import Floats
from core.phrase_alignment.sides import BinaryForest
from core.word_alignment.lexicon import WordRelation, relations


def lexical_links(source: BinaryForest, target: BinaryForest) -> NDArray[np.bool_]:
    """``lexical_word_links`` of two sides."""
    return lexical_word_links(source.words, target.words)


def lexical_word_links(
    source: Sequence[str], target: Sequence[str]
) -> NDArray[np.bool_]:
    """Words of one form or one stem, one to one: ``(T, V)``.

    Each word takes the partner whose neighbours agree with its own, then the one at
    the nearest relative place.
    """
    table = relations(source, target, None)
    n, m = table.shape
    alike = np.where(table == WordRelation.EXACT, 2.0, 0.0)
    alike[table == WordRelation.STEM] = 1.0
    framed = np.zeros((n + 2, m + 2))
    framed[1:-1, 1:-1] = table <= WordRelation.STEM
    around = framed[:-2, :-2] + framed[2:, 2:]
    place = np.abs((np.arange(n) + 0.5)[:, None] / n - (np.arange(m) + 0.5) / m)
    score = np.where(alike > 0, 10 * alike + 2 * around - place, 0.0)
    links = np.zeros((n, m), dtype=bool)
    for at in np.argsort(-score, axis=None, kind="stable"):
        i, j = divmod(int(at), m)
        if score[i, j] <= 0:
            break
        if not links[i].any() and not links[:, j].any():
            links[i, j] = True
    return links


def overlap_links(source: BinaryForest, target: BinaryForest) -> list[tuple[int, int]]:
    """``greedy_links`` over words of one form or one stem."""
    return greedy_links(source, target, lexical_links(source, target))


def greedy_links(
    source: BinaryForest, target: BinaryForest, words: NDArray[np.bool_]
) -> list[tuple[int, int]]:
    """Node pairs, one to one, by 2 shared / (words of both), the highest first.

    Pairs that share no word link are left out; of equals the largest comes first.
    """
    w = words.astype(np.float64)
    a, b = source.members.astype(np.float64), target.members.astype(np.float64)
    shared = a @ w @ b.T
    sizes = a.sum(1)[:, None] + b.sum(1)
    score = np.where(shared > 0, 2 * shared / sizes, 0.0)
    score[~source.named] = 0.0
    score[:, ~target.named] = 0.0
    links: list[tuple[int, int]] = []
    taken_s, taken_t = set(), set()
    order = np.lexsort((-sizes.ravel(), -score.ravel()))
    for at in order:
        s, t = divmod(int(at), score.shape[1])
        if score[s, t] <= 0:
            break
        if s not in taken_s and t not in taken_t:
            links.append((s, t))
            taken_s.add(s)
            taken_t.add(t)
    return sorted(links)


STEEP, EVEN, FREE = 8.0, 0.8, 0.3


def coverage_gains(
    source: NDArray[np.bool_],
    target: NDArray[np.bool_],
    links: NDArray[np.bool_],
) -> Floats:
    """``(n_s, n_t)`` nats; ``source`` (n_s, T), ``target`` (n_t, V): whose words.

    ``links`` (T, V), many to many. Of the linked words of both phrases, the share that
    has a link into the other, less 0.8, times 8; and 0.3 log(1 + n) less for n
    words without any link on either side. The numbers are plain guesses, rounded.
    """
    a, b, w = (x.astype(np.float64) for x in (source, target, links))
    linked_s, linked_t = a @ (w.sum(1) > 0), b @ (w.sum(0) > 0)
    into = a @ ((w @ b.T) > 0)
    back = ((a @ w) > 0).astype(np.float64) @ b.T
    share = (into + back) / np.maximum(linked_s[:, None] + linked_t, 1.0)
    free_s, free_t = a.sum(1) - linked_s, b.sum(1) - linked_t
    free = np.log1p(free_s)[:, None] + np.log1p(free_t)
    return np.ascontiguousarray(STEEP * (share - EVEN) - FREE * free)

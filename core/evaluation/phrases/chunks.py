"""Chunk links of interpretable similarity (SemEval-2016, task 2), from phrase links.

The chunks are given, as in the task's track with gold chunks; what is told is which of
them belong together. The measure is the task's F1 of alignments: every link of chunks
stands for links of all their tokens, punctuation aside; a token link weighs 1 over the
larger fan-out of its two tokens (Melamed 1998, "Manual annotation of translational
equivalence", equation 4), in the gold standard for recall, in ours for precision, and
both are summed over all pairs. Links to nothing do not count.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from core.data.tree import Tree, TreeBuilder
from core.evaluation.phrases.cases import Cell
from core.formats.alignments.ists import Chunk, ChunkPair
from core.formats.alignments.phrase_links import PhrasePair

__all__ = ["chunk_f1", "chunk_links", "phrase_pair"]

PUNCTUATION = frozenset(".,:'`?;\"-")
Chunks = tuple[Chunk, Chunk]
Places = frozenset[tuple[int, int]]


def phrase_pair(pair: ChunkPair) -> PhrasePair:
    """The pair without any link, its sentences as flat trees: none are gold."""
    return PhrasePair(pair.id, _flat(pair.source), _flat(pair.target), {})


def _flat(words: Sequence[str]) -> Tree:
    builder = TreeBuilder()
    builder.open("S")
    for word in words:
        builder.leaf("X", word)
    builder.close()
    return builder.freeze()


def chunk_links(pair: ChunkPair, cells: Iterable[Cell]) -> list[Chunks]:
    """Chunks, one to one, by the share of their tokens that linked nodes cover which
    lie within both, the highest first; those with none are left out.

    Of equals the largest comes first, then the leftmost. ``cells``: linked spans.
    """
    links = [(set(range(*s)), set(range(*t))) for s, t in cells]
    ranked = []
    for source in pair.chunks(0):
        for target in pair.chunks(1):
            a, b = set(source), set(target)
            inside = [(s, t) for s, t in links if s <= a and t <= b]
            covered = sum(len(set().union(*side)) for side in zip(*inside, strict=True))
            size = len(a) + len(b)
            ranked.append((-covered / size, -size, (source, target)))
    linked: list[Chunks] = []
    taken: tuple[set[Chunk], set[Chunk]] = set(), set()
    for share, _, (source, target) in sorted(ranked):
        if share < 0 and source not in taken[0] and target not in taken[1]:
            linked.append((source, target))
            taken[0].add(source)
            taken[1].add(target)
    return linked


def chunk_f1(
    pairs: Sequence[ChunkPair], predicted: Sequence[Sequence[Chunks]]
) -> dict[str, float]:
    """Precision, recall and F1 of the alignments, shares of 1."""
    sums = np.zeros(4)
    for pair, ours in zip(pairs, predicted, strict=True):
        gold = [(k.source, k.target) for k in pair.links if k.source and k.target]
        there, here = (_token_links(pair, some) for some in (gold, ours))
        sums += *_weights(here, there), *_weights(there, here)
    hit_here, here_all, hit_there, there_all = sums.tolist()
    precision = hit_here / here_all if here_all else 0.0
    recall = hit_there / there_all if there_all else 0.0
    both = precision + recall
    f1 = 2 * precision * recall / both if both else 0.0
    return {"precision": precision, "recall": recall, "f1": f1}


def _token_links(pair: ChunkPair, links: Iterable[Chunks]) -> Places:
    """All tokens of a chunk with all of its partner's."""
    return frozenset(
        (i, j)
        for source, target in links
        for i in source
        for j in target
        if not {pair.source[i], pair.target[j]} & PUNCTUATION
    )


def _weights(links: Places, others: Places) -> tuple[float, float]:
    """The weight of those that are among the others, and of all."""
    fan_s, fan_t = (Counter(link[side] for link in links) for side in (0, 1))
    weights = {(i, j): 1 / max(fan_s[i], fan_t[j]) for i, j in links}
    return sum(w for k, w in weights.items() if k in others), sum(weights.values())

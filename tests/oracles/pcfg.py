"""All trees of a small grammar over a sentence, enumerated from the definition.

A grammar is {head: [(left, right, p)]} and chains {start: [(end, name, p)]}; words are
[{state: p}]. A tree is its weight and the names of its chains with their spans.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

Named = tuple[tuple[int, int, str], ...]
Binary = Mapping[int, Sequence[tuple[int, int, float]]]
Chains = Mapping[int, Sequence[tuple[int, str, float]]]


def trees(
    binary: Binary,
    chains: Chains,
    words: Sequence[Mapping[int, float]],
    state: int,
    i: int,
    j: int,
) -> Iterator[tuple[float, Named]]:
    """Every tree of ``state`` over words i to j - 1: a chain, then a word or a pair."""
    for end, name, p in chains.get(state, ()):
        named: Named = ((i, j, name),) if name else ()
        if j - i == 1 and end in words[i]:
            yield p * words[i][end], named
        for k, (left, right, q) in product(range(i + 1, j), binary.get(end, ())):
            lefts = trees(binary, chains, words, left, i, k)
            rights = list(trees(binary, chains, words, right, k, j))
            for (a, above), (b, below) in product(lefts, rights):
                yield p * q * a * b, (*named, *above, *below)

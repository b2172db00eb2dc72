"""How much the words that two sentences share weigh: the compiled loop."""

from core.compiled import njit
from core.data.check import Floats, Ints


@njit(cache=True)
def shared_weights(
    first: Ints, words: Ints, weights: Floats, pairs: Ints, shared: Floats
) -> None:
    """Sum the weights of the words in both sentences of each pair into ``shared``.

    ``words[first[i] : first[i + 1]]``: those of sentence i, each once, rising.
    """
    for p in range(pairs.shape[0]):
        a, b = pairs[p, 0], pairs[p, 1]
        i, j = first[a], first[b]
        total = 0.0
        while i < first[a + 1] and j < first[b + 1]:
            if words[i] == words[j]:
                total += weights[words[i]]
                i += 1
                j += 1
            elif words[i] < words[j]:
                i += 1
            else:
                j += 1
        shared[p] = total

"""Every alignment of a pair that ITG can build, from the definition."""

from collections.abc import Iterator
from itertools import combinations, permutations

import numpy as np
from numba import njit

from core.data.check import Floats
from core.itg.grammar import ItgWeights

Links = tuple[tuple[int, int], ...]


def alignments(n_source: int, n_target: int) -> Iterator[Links]:
    """All one-to-one link sets, whether or not ITG can build them."""
    for k in range(min(n_source, n_target) + 1):
        for sources in combinations(range(n_source), k):
            for targets in permutations(range(n_target), k):
                yield tuple(zip(sources, targets, strict=True))


def rules(order: tuple[int, ...]) -> tuple[int, int] | None:
    """How many straight and inverted rules build this order; None if none can.

    Wu 1997: cut in two; all of one part must lie below all of the other.
    """
    if len(order) < 2:
        return 0, 0
    for cut in range(1, len(order)):
        left, right = order[:cut], order[cut:]
        if max(left) < min(right) or max(right) < min(left):
            parts = rules(left), rules(right)
            if None in parts:
                return None
            straight, inverted = (a + b for a, b in zip(*parts, strict=True))
            is_straight = max(left) < min(right)
            return straight + is_straight, inverted + (not is_straight)
    return None


def weighed(weights) -> dict[Links, float]:
    """The weight in nats of every alignment that ITG can build."""
    table: dict[Links, float] = {}
    for links in alignments(*weights.shape):
        counts = rules(tuple(t for _, t in links))
        if counts is None:
            continue
        sources, targets = ({pair[side] for pair in links} for side in (0, 1))
        total = sum(weights.links[i, j] for i, j in links)
        total += sum(x for i, x in enumerate(weights.source_nulls) if i not in sources)
        total += sum(x for j, x in enumerate(weights.target_nulls) if j not in targets)
        total += counts[0] * weights.straight + counts[1] * weights.inverted
        if total > -np.inf:
            table[links] = float(total)
    return table


def edit_weights(
    distance: Floats, *, inversion: float = 0.0, null: float = 1.0
) -> ItgWeights:
    """Costs of the edit distance with block inversion, as weights (cost = -nats).

    ``distance`` ``(T, V)`` >= 0: 0 for a match, the cost of a substitution else;
    ``null``: of a deletion or an insertion. With ``inversion`` large this is
    Levenshtein's distance. Leusch et al. 2003, "A novel string-to-string distance
    measure", MT Summit.
    """
    n_source, n_target = distance.shape
    return ItgWeights(
        -np.asarray(distance, dtype=np.float64),
        np.full(n_source, -float(null)),
        np.full(n_target, -float(null)),
        straight=0.0,
        inverted=-float(inversion),
    )


def posteriors(weights: ItgWeights, *, sharpness: float) -> Floats:
    """``(T, V)``: the share of exp(``sharpness`` * weight) of the alignments that hold
    each link."""
    table = {links: sharpness * x for links, x in weighed(weights).items()}
    top = max(table.values())
    shares = np.zeros(weights.shape)
    total = sum(np.exp(weight - top) for weight in table.values())
    for links, weight in table.items():
        for link in links:
            shares[link] += np.exp(weight - top) / total
    return shares


def best_links(weights: ItgWeights, *, within: float) -> list[Links]:
    """All alignments that weigh as much as the best, to so many nats."""
    table = weighed(weights)
    top = max(table.values())
    return [links for links, weight in table.items() if weight >= top - within]


def best_score(weights: ItgWeights) -> float:
    """The best alignment's score by the whole chart, nothing pruned. O(T^3 V^3)."""
    n, m = weights.shape
    full, not_straight, not_inverted = (
        np.full((n + 1, n + 1, m + 1, m + 1), -np.inf) for _ in range(3)
    )
    rules = np.array([weights.straight, weights.inverted])
    _normal_form(weights.gains, rules, full, not_straight, not_inverted)
    return float(weights.all_null + max(0.0, full[:n, n, :m, m].max()))


@njit
def _normal_form(
    gains: Floats,
    rules: Floats,
    full: Floats,
    not_straight: Floats,
    not_inverted: Floats,
) -> None:
    """The best gain of every cell, each alignment in one form; charts come in as -inf.

    A cell ``[s, t, u, v]`` holds the alignments of that block whose first words are
    both linked. A straight block's first part is not straight, an inverted block's last
    part is not inverted.

    ``gains`` ``(T, V)``, any sign; ``rules``: straight, inverted; nulls are worth 0.
    """
    n, m = gains.shape
    straight, inverted = np.empty(m + 1), np.empty(m + 1)
    for s in range(n - 1, -1, -1):
        for t in range(s + 1, n + 1):
            for u in range(m - 1, -1, -1):
                straight[:], inverted[:] = -np.inf, -np.inf
                for i in range(s + 1, t):
                    for j in range(u + 1, m):
                        x, y = (
                            rules[0] + not_straight[s, i, u, j],
                            rules[1] + not_inverted[i, t, u, j],
                        )
                        if x > -np.inf:
                            for v in range(j + 1, m + 1):
                                straight[v] = max(straight[v], x + full[i, t, j, v])
                        if y > -np.inf:
                            for v in range(j + 1, m + 1):
                                inverted[v] = max(inverted[v], y + full[s, i, j, v])
                for v in range(u + 1, m + 1):
                    not_straight[s, t, u, v] = max(gains[s, u], inverted[v])
                    not_inverted[s, t, u, v] = max(gains[s, u], straight[v])
                    full[s, t, u, v] = max(not_straight[s, t, u, v], straight[v])

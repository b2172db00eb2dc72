"""Decoder kernels against the same recurrences in plain Python.

    python -m lab bench decoders         a table: ms a call, and how many times faster

Random scores with a planted tree, best of several runs, one core. The plain twins are
the same dynamic programs in Python, at 25 tokens; that of 50-best derivations is only
its 1-best pass.
"""

import time
from collections.abc import Callable

import numpy as np

from core.dependencies.eisner import EisnerDecoder, best_eisners, eisner_marginals
from core.dependencies.mst import MstDecoder, best_msts, tree_marginals
from core.forests.cky import SpanDecoder, bracket_marginals, cky, log_partition, summed
from core.forests.derivation import tree_of_phrases
from core.forests.inside import forest_marginals, inside_log
from core.forests.kbest import best_trees, k_best
from core.forests.packing import span_forest
from tests.oracles.semiring import LOG, MAX, inside

LENGTHS = (10, 25, 40, 60)
N_LABELS = 70
NAMES = ("", *(f"L{x}" for x in range(1, N_LABELS)))
Call = Callable[[], object]


def main() -> None:
    print(f"{'':28}" + "".join(f"{n:>10} tok" for n in LENGTHS) + "   times faster")
    tables = [rows(n) for n in LENGTHS]
    for name, (_, plain) in tables[1].items():
        cells = "".join(f"{best_of(table[name][0]):>11.3f} ms" for table in tables)
        ratio = ""
        if plain is not None:
            ratio = f"{best_of(plain, 3) / best_of(tables[1][name][0]):>8.0f} x"
        print(f"{name:28}{cells}   {ratio}", flush=True)


def rows(n: int) -> dict[str, tuple[Call, Call | None]]:
    """Return by name the compiled call and its plain twin, compared at 25 tokens."""
    scores, arcs = (
        scores_of(n),
        np.random.default_rng(n).normal(size=(n + 1, n + 1)) * 4,
    )
    zero, words = np.zeros((n + 1, n + 1)), [f"w{i}" for i in range(n)]
    spans, eisner, mst = SpanDecoder(scores), EisnerDecoder(n), MstDecoder(n)
    forest, weights = span_forest(scores, NAMES)
    phrases = [(i, j, NAMES[x]) for i, j, x in cky(scores)[1].tolist()]
    return {
        "CKY argmax under a bonus": (
            lambda: spans.argmax(spans.phrase, bonus=zero),
            lambda: plain_cky(spans.null, spans.phrase),
        ),
        "CKY from label scores": (lambda: cky(scores), None),
        "span log-sum": (lambda: log_partition(scores), None),
        "span marginals": (lambda: bracket_marginals(*reversed(summed(scores))), None),
        "Eisner argmax": (
            lambda: eisner.argmax(arcs, bonus=zero),
            lambda: plain_eisner(arcs),
        ),
        "Eisner marginals": (lambda: eisner_marginals(arcs), None),
        "50-best projective": (lambda: best_eisners(arcs, 50), None),
        "arborescence argmax": (
            lambda: mst.argmax(arcs, bonus=zero),
            lambda: plain_arborescence(arcs),
        ),
        "matrix-tree marginals": (lambda: tree_marginals(arcs), None),
        "50-best arborescences": (lambda: best_msts(arcs, 50), None),
        "packed forest": (lambda: span_forest(scores, NAMES), None),
        "forest inside": (
            lambda: inside_log(forest, weights),
            lambda: inside(forest, weights, LOG),
        ),
        "forest marginals": (lambda: forest_marginals(forest, weights), None),
        "50-best derivations": (
            lambda: k_best(forest, weights, 50),
            lambda: inside(forest, weights, MAX),
        ),
        "brackets to a tree": (
            lambda: tree_of_phrases(phrases, words=words, tags=words),
            None,
        ),
        "50 best as trees": (
            lambda: best_trees(forest, weights, 50, words=words, tags=words),
            None,
        ),
    }


def scores_of(n: int) -> np.ndarray:
    """Return label scores of a sentence whose parser is fairly sure of one tree."""
    rng = np.random.default_rng(n)
    scores = rng.normal(size=(n + 1, n + 1, N_LABELS)) * 2
    scores[:, :, 0] += 6
    waiting = [(0, n)]
    while waiting:
        i, j = waiting.pop()
        scores[i, j, rng.integers(1, N_LABELS)] += 12
        if j - i > 1:
            k = int(rng.integers(i + 1, j))
            waiting += [(i, k), (k, j)]
    return scores


def best_of(call: Call, n: int = 15) -> float:
    """Return the milliseconds of the fastest of ``n`` runs, after a warm-up."""
    call()
    seconds = []
    for _ in range(n):
        begin = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - begin)
    return 1000 * min(seconds)


def plain_cky(null: np.ndarray, phrase: np.ndarray) -> float:
    n = len(null) - 1
    none, some = null.tolist(), phrase.tolist()
    complete = [[0.0] * (n + 1) for _ in range(n + 1)]
    either = [[0.0] * (n + 1) for _ in range(n + 1)]
    for width in range(1, n + 1):
        for i in range(n + 1 - width):
            j = i + width
            body = 0.0
            if width > 1:
                body = max(complete[i][k] + either[k][j] for k in range(i + 1, j))
            either[i][j] = body + max(none[i][j], some[i][j])
            complete[i][j] = either[i][j] if width == 1 else body + some[i][j]
    return either[0][n]


def plain_eisner(arcs: np.ndarray) -> float:
    n, score = len(arcs) - 1, arcs.tolist()
    right = [[0.0] * n for _ in range(n)]
    left = [[0.0] * n for _ in range(n)]
    go_right = [[0.0] * n for _ in range(n)]
    go_left = [[0.0] * n for _ in range(n)]
    for width in range(1, n):
        for i in range(n - width):
            j = i + width
            whole = max(right[i][k] + left[k + 1][j] for k in range(i, j))
            go_right[i][j] = whole + score[i + 1][j + 1]
            go_left[i][j] = whole + score[j + 1][i + 1]
            right[i][j] = max(go_right[i][k] + right[k][j] for k in range(i + 1, j + 1))
            left[i][j] = max(left[i][k] + go_left[k][j] for k in range(i, j))
    return max(score[0][r + 1] + left[0][r] + right[r][n - 1] for r in range(n))


def plain_arborescence(arcs: np.ndarray) -> float:
    """Find an arborescence by Chu-Liu/Edmonds over dictionaries, with any roots."""
    n = len(arcs) - 1
    weight = {
        (h, m): float(arcs[h, m])
        for h in range(n + 1)
        for m in range(1, n + 1)
        if h != m
    }
    return contract(set(range(n + 1)), weight, n + 1)


def contract(nodes: set[int], weight: dict[tuple[int, int], float], new: int) -> float:
    best = {
        m: max((h for h in nodes if (h, m) in weight), key=lambda h, m=m: weight[h, m])
        for m in nodes
        if m
    }
    cycle = find_cycle(best)
    total = sum(weight[h, m] for m, h in best.items())
    if not cycle:
        return total
    inside = sum(weight[best[m], m] for m in cycle)
    smaller: dict[tuple[int, int], float] = {}
    for (h, m), w in weight.items():
        if h in cycle and m in cycle:
            continue
        key = (new if h in cycle else h, new if m in cycle else m)
        gain = w - weight[best[m], m] if m in cycle else w
        smaller[key] = max(smaller.get(key, -np.inf), gain)
    return inside + contract((nodes - cycle) | {new}, smaller, new + 1)


def find_cycle(best: dict[int, int]) -> set[int]:
    for start in best:
        seen, m = [], start
        while m in best and m not in seen:
            seen.append(m)
            m = best[m]
        if m in seen:
            return set(seen[seen.index(m) :])
    return set()


if __name__ == "__main__":
    main()

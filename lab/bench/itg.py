"""How long a biparse takes: pruned, in a straightforward loop, and in plain Python.

    python lab/bench/itg.py [--data DIR] [--repeat N]

Random pairs in which 5 % of the word pairs match, the costs of the edit distance with
block inversion: inversion 1, substitution 1 (any two words may be linked) and 2 (only
matches). With ``--data`` also MSRPC test, DIR/msrpc/msr-para-test.tsv.
"""

import argparse
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from core.formats import msrpc
from core.formats.records import PairRecord
from core.itg.biparse import best_biparse
from core.itg.grammar import ItgWeights
from core.itg.scores import SCORERS
from core.text.tokenize import tokenize
from core.text.wordnet import find_thesaurus

SIZES = (10, 20, 30, 40, 60)
PYTHON_UP_TO = 10
MATCHES = 0.05


@njit(cache=True)
def plain_loop(gain: NDArray[np.float32], penalty: float) -> float:
    """Fill every block from every split, without pruning."""
    n, m = gain.shape
    best = np.zeros((n + 1, n + 1, m + 1, m + 1), np.float32)
    for length in range(1, n + 1):
        for s in range(n + 1 - length):
            t = s + length
            for u in range(m - 1, -1, -1):
                row = best[s, t, u]
                if length == 1:
                    for v in range(u + 1, m + 1):
                        beside = max(best[s, t, u + 1, v], row[v - 1])
                        row[v] = max(row[v], max(beside, gain[s, v - 1]))
                for i in range(s + 1, t):
                    for j in range(u, m + 1):
                        x, y = best[s, i, u, j], best[i, t, u, j] - penalty
                        right, above = best[i, t, j], best[s, i, j]
                        for v in range(j, m + 1):
                            row[v] = max(row[v], max(x + right[v], y + above[v]))
    return float(best[0, n, 0, m])


def python_twin(gain: NDArray[np.float32], penalty: float) -> float:
    """Fill the same chart without numba."""
    twin: Callable[..., float] = plain_loop.py_func
    return twin(gain, penalty)


def random_pair(n: int, substitution: float, rng: np.random.Generator) -> ItgWeights:
    match = rng.random((n, n)) < MATCHES
    links = np.where(match, 0.0, -substitution)
    return ItgWeights(links, np.full(n, -1.0), np.full(n, -1.0), inverted=-1.0)


def milliseconds(
    work: Callable[[], Any],
    repeat: int,
    clock: Callable[[], float] = time.process_time,
) -> float:
    """The fastest of ``repeat`` runs: of CPU time, so that a busy machine matters
    less; by ``clock`` where several threads work."""
    taken = []
    for _ in range(repeat):
        start = clock()
        work()
        taken.append(1000 * (clock() - start))
    return min(taken)


def sizes(repeat: int) -> None:
    rng = np.random.default_rng(0)
    print("ms a pair    subst.  pruned   plain loop   ratio   Python    chart MiB")
    for substitution in (1.0, 2.0):
        for n in SIZES:
            pair = random_pair(n, substitution, rng)
            gain = np.maximum(pair.gains, 0).astype(np.float32)
            fast = milliseconds(lambda pair=pair: best_biparse(pair), repeat)
            loop = milliseconds(
                lambda gain=gain: plain_loop(gain, np.float32(1.0)), min(repeat, 3)
            )
            assert np.isclose(
                plain_loop(gain, np.float32(1.0)) + pair.all_null,
                best_biparse(pair).score,
            )
            slow = "       -"
            if n <= PYTHON_UP_TO:
                taken = milliseconds(lambda gain=gain: python_twin(gain, 1.0), 1)
                slow = f"{taken:8.0f}"
            memory = (n + 1) ** 4 * 4 / 2**20
            print(
                f"{n:3} x {n:<3}    {substitution:4.0f} {fast:10.2f} {loop:11.2f}"
                f" {loop / fast:8.1f} {slow} {memory:10.1f}"
            )


def corpus(path: Path, repeat: int) -> None:
    with path.open(encoding="utf-8-sig", newline="") as lines:
        records = [r for r in msrpc.read(lines) if isinstance(r, PairRecord)]
    sides = [
        (tokenize(r.source.text).forms, tokenize(r.target.text).forms) for r in records
    ]
    thesaurus, _ = find_thesaurus()
    for name in ("plain", "thesaurus", "paraphrase"):
        scorer = SCORERS[name]

        def one(pair: Any, scorer: Any = scorer) -> float:
            return scorer.score(scorer.view(*pair, thesaurus)).value

        cold = milliseconds(lambda one=one: list(map(one, sides)), 1)
        warm = milliseconds(lambda one=one: list(map(one, sides)), repeat)
        wall = time.perf_counter
        alone = milliseconds(lambda one=one: list(map(one, sides)), 1, wall)
        with ThreadPoolExecutor(2) as pool:
            both = milliseconds(lambda one=one: list(pool.map(one, sides)), 1, wall)
        print(
            f"{len(sides)} pairs by {name}: {warm / 1000:.2f} s CPU "
            f"({cold / 1000:.2f} s with an empty memory of words); "
            f"wall {alone / 1000:.2f} s on one core, {both / 1000:.2f} s on two"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    for substitution in (1.0, 2.0):  # compile before the clock runs
        pair = random_pair(4, substitution, np.random.default_rng(1))
        best_biparse(pair)
        plain_loop(np.maximum(pair.gains, 0).astype(np.float32), np.float32(1.0))
    sizes(options.repeat)
    if options.data:
        corpus(options.data / "msrpc" / "msr-para-test.tsv", min(options.repeat, 3))


if __name__ == "__main__":
    main()

"""How fast phrases are aligned: ``python -m lab bench aligner FILE.tsv``.

FILE: one pair a line, two sentences of space-separated tokens in the columns named
source and paraphrase. Pairs are grouped by the tokens of their longer side. Timed on
one core, from ready analyses: sides, gains, decoding (1-best trees and forests), and
once more under ten constraints, as the editor asks. The parser is not timed.
"""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from core.evaluation.phrase_alignment import best_side
from core.parsing import registry
from core.phrase_alignment.aligner import PhraseAligner, side_of
from core.phrase_alignment.constraints import Constraint, align_under
from core.phrase_alignment.sides import BinaryForest
from core.protocols import Analysis
from lab.bench.pairs import LENGTHS, analysed, file_of_pairs, of_length

BEAM = 50  # alignments unpacked, the paper's mu_b; else those of the settings, 10


def main(path: Path) -> None:
    parser, aligner = registry.load(registry.DEFAULT), PhraseAligner.load()
    rows = []
    for length in LENGTHS:
        pairs = analysed(parser, of_length(path, length))
        if pairs:
            rows.append({"tokens": length, **_measure(aligner, pairs)})
    for row in rows:
        row["growth"] = _growth(rows[0], row)
    sys.stdout.write(json.dumps(rows, indent=1) + "\n")


def _measure(aligner: PhraseAligner, pairs: list[list[Analysis]]) -> dict[str, float]:
    def run(
        make: Callable[[Analysis], BinaryForest], k: int = 1
    ) -> Callable[[list[Analysis]], object]:
        def one(pair: list[Analysis]) -> object:
            vectors = pair[0].vectors, pair[1].vectors
            return aligner.align(make(pair[0]), make(pair[1]), vectors, k=k)  # type: ignore[arg-type]

        return one

    def correct(pair: list[Analysis]) -> Callable[[], object]:
        source, target = best_side(pair[0]), best_side(pair[1])
        gains = aligner.gains(source, target, (pair[0].vectors, pair[1].vectors))  # type: ignore[arg-type]
        n = min(len(source.words), len(target.words), 10)
        held = [Constraint("must-link", (i, i + 1), (i, i + 1)) for i in range(n)]
        return lambda: align_under(source, target, gains, held, aligner.settings, k=10)

    corrections = [correct(pair) for pair in pairs]
    edges = [side_of(a).weight.size for pair in pairs for a in pair]
    return {
        "pairs": len(pairs),
        "forest_edges": round(float(np.mean(edges)), 1),
        "one_best_ms": _median_ms([lambda p=p: run(best_side)(p) for p in pairs]),
        "forest_ms": _median_ms([lambda p=p: run(side_of)(p) for p in pairs]),
        "forest_beam_ms": _median_ms(
            [lambda p=p: run(side_of, BEAM)(p) for p in pairs]
        ),
        "correction_ms": _median_ms(corrections),
    }


def _median_ms(works: list[Callable[[], object]]) -> float:
    """Return the median CPU time per pair in ms, without the first run."""
    works[0]()
    taken = []
    for work in works:
        start = time.process_time()
        work()
        taken.append(1000 * (time.process_time() - start))
    return round(float(np.median(taken)), 1)


def _growth(first: dict[str, Any], row: dict[str, Any]) -> float | None:
    """Return x such that time grows as tokens ** x, from ``first`` to ``row``."""
    if row is first:
        return None
    ratio = np.log(row["forest_ms"] / first["forest_ms"])
    return round(float(ratio / np.log(row["tokens"] / first["tokens"])), 2)


if __name__ == "__main__":
    main(file_of_pairs(__doc__))

"""How fast words are aligned: ``python -m lab bench words FILE.tsv``.

FILE: one pair a line, two sentences of space-separated tokens in the columns named
source and paraphrase. Pairs are grouped by the tokens of their longer side. Timed on
one core, from ready analyses: CPU time of the table of probabilities, and of the links
out of it, one to one and many to many. The encoder is not timed. The reference is the
mutual argmax of the same vectors.
"""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from core.parsing import registry
from core.protocols import Analysis
from core.word_alignment.aligner import TrainedWordAligner
from lab.bench.pairs import LENGTHS, analysed, file_of_pairs, of_length
from lab.evaluation.word_methods import CosineAligner

Pair = list[Analysis]


def main(path: Path) -> None:
    parser, aligner = registry.load(registry.DEFAULT), TrainedWordAligner.load()
    rows = []
    for length in LENGTHS:
        pairs = analysed(parser, of_length(path, length))
        if pairs:
            rows.append({"tokens": length, **_measure(aligner, pairs)})
    sys.stdout.write(json.dumps(rows, indent=1) + "\n")


def _measure(aligner: TrainedWordAligner, pairs: list[Pair]) -> dict[str, Any]:
    tables = [aligner.probabilities(*pair) for pair in pairs]
    many = aligner.with_settings(many=True)
    whole = _ms([lambda p=p: aligner.align(*p) for p in pairs])
    return {
        "pairs": len(pairs),
        "align_ms": whole,
        "pairs_per_second_a_core": round(1000 / whole, 1),
        "one_to_one_ms": _ms([lambda t=t: aligner.links(t) for t in tables]),
        "many_to_many_ms": _ms([lambda t=t: many.links(t) for t in tables]),
        "cosine_ms": _ms([lambda p=p: CosineAligner().align(*p) for p in pairs]),
    }


def _ms(works: list[Callable[[], object]]) -> float:
    """Return the mean CPU time per pair in ms, without the first run."""
    works[0]()
    start = time.process_time()
    for work in works:
        work()
    return round(1000 * (time.process_time() - start) / len(works), 3)


if __name__ == "__main__":
    main(file_of_pairs(__doc__))

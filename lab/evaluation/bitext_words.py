"""Bilingual word links against those that people made: two aligners, side by side."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from core.errors import InvalidValue
from core.word_alignment import eflomal
from core.word_alignment.bilingual import (
    BitextLinks,
    BitextSettings,
    BitextStep,
    align_bitext,
)
from lab.evaluation.bitext_golds import LinkedSentences

ALIGNERS = ("hmm", "ibm1", "eflomal")
Pair = tuple[str, str]


def compare(
    golds: Sequence[LinkedSentences],
    text: Sequence[Pair],
    *,
    aligners: Sequence[str],
    settings: BitextSettings,
    on_iteration: Callable[[BitextStep], None] | None = None,
) -> dict[str, dict[str, Any]]:
    """Return figures by aligner, trained on gold sentences and ``text``, unlinked."""
    pairs = [(" ".join(one.source), " ".join(one.target)) for one in golds]
    pairs += text
    by_name = {}
    for name in aligners:
        start = time.perf_counter()
        links = _aligned(name, pairs, settings, on_iteration)
        wall = time.perf_counter() - start
        by_name[name] = scores(golds, links) | {
            "seconds": round(wall, 1),
            "pairs_a_second": round(len(pairs) / wall),
        }
    return by_name


def _aligned(
    name: str,
    pairs: Sequence[Pair],
    settings: BitextSettings,
    on_iteration: Callable[[BitextStep], None] | None,
) -> BitextLinks:
    if name not in ALIGNERS:
        raise InvalidValue(f"aligners: {', '.join(ALIGNERS)}")
    if name == "eflomal":
        return eflomal.align(pairs, settings=settings)
    rules = replace(settings, hmm=0, agree=0) if name == "ibm1" else settings
    sides = ([pair[side] for pair in pairs] for side in (0, 1))
    return align_bitext(*sides, settings=rules, on_iteration=on_iteration)


def scores(golds: Sequence[LinkedSentences], links: BitextLinks) -> dict[str, Any]:
    """Precision, recall and F1 against all links, and the alignment error rate (Och &
    Ney 2003), over the first pairs of ``links``; shares of 1."""
    made = right = wanted = sure = right_sure = 0
    for pair, gold in enumerate(golds):
        cells = {(i, j) for i, j in links.of(pair).tolist()}
        made += len(cells)
        right += len(cells & gold.possible)
        wanted += len(gold.possible)
        sure += len(gold.sure)
        right_sure += len(cells & gold.sure)
    return {
        "pairs": len(golds),
        "precision": _share(right, made),
        "recall": _share(right, wanted),
        "f1": _share(2 * right, made + wanted),
        "aer": round(1 - (right + right_sure) / max(made + sure, 1), 4),
    }


def _share(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 0.0

"""How many phrases of a table can be paraphrased."""

from pathlib import Path

import pytest

from lab.reproduce.census import census
from tests.core.pivoting.test_table import built, by_hand


def test_counts_are_of_all_candidates_and_of_those_kept(tmp_path: Path) -> None:
    made = built(tmp_path, best=1, widest=0)
    whole = by_hand()
    phrases = sorted({phrase for phrase, _ in whole})
    counts = census(made, phrases)
    every = {
        kind: {
            (e1, e2)
            for (e1, label), under in whole.items()
            for e2 in under
            if (not label if kind == "baseline" else label)
        }
        for kind in ("baseline", "ccg")
    }
    for kind, pairs in every.items():
        assert counts["paraphrases"][kind] == len(pairs)
        assert counts["paraphrasable"][kind] == len({e1 for e1, _ in pairs})
        inside = [f" {a} " in f" {b} " or f" {b} " in f" {a} " for a, b in pairs]
        assert counts["contained"][kind] == pytest.approx(sum(inside) / len(inside))
    assert every["ccg"] <= every["baseline"]
    kept = counts["kept"]["paraphrases"]
    assert kept["baseline"] == len({e1 for e1, _ in every["baseline"]})
    assert kept["baseline"] < len(every["baseline"])

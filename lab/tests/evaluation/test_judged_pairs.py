"""Scores against people's: which file, which line, which pairs; nothing leaks."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from core.errors import FormatError, InvalidValue
from lab.evaluation.judged_pairs import (
    JudgedPair,
    agreement,
    compare,
    p_value,
    pair_scores,
    read_judgments,
)
from tests.core.pivoting.test_table import built, by_hand

PPDB = """4.5\t[ADJP]\tcalm\tquiet\t4.0,5.0
2.0\t[NP]\tthe old sea\tthe ancient sea\t2.0
1.0\t[NP]\tthe old boat\tthe ancient boat\t1.0
3.0\t[VBP]\tlike\tlove\t3.0
1.5\t[NN]\tsea\tocean\t1.5
1.0\t[NN]\tboat\tharbour\t1.0
"""
BIRD = """pair\tterm1\tterm2\tkind\tsource\trelation\tscore\tpos
(a, b)\tthe old sea\tthe ancient sea\tbigram\tx\tNone\t0.6\tn-n
"""


def test_both_formats_are_read(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "ppdb.gz", "wt") as file:
        file.write(PPDB)
    pairs = read_judgments(tmp_path / "ppdb.gz", "ppdb")
    assert pairs[0] == JudgedPair("calm", "quiet", "ADJP", 4.5, (4.0, 5.0))
    (tmp_path / "bird.txt").write_text(BIRD)
    rated = read_judgments(tmp_path / "bird.txt", "bird")
    assert rated == [JudgedPair("the old sea", "the ancient sea", "", 0.6)]


@pytest.mark.parametrize("line", ["4.5\t[NP]\tone", "much\t[NP]\tone\tother\t1"])
def test_a_bad_line_is_named(tmp_path: Path, line: str) -> None:
    (tmp_path / "ppdb.txt").write_text("1\t[NP]\ta\tb\t1\n" + line)
    with pytest.raises(FormatError, match="line 2"):
        read_judgments(tmp_path / "ppdb.txt", "ppdb")


def test_the_result_names_pairs_covered_and_each_score(
    lab: Callable[..., str], tmp_path: Path
) -> None:
    """Pairs that share no foreign phrase are not covered."""
    (tmp_path / "ppdb.txt").write_text(PPDB)
    built(tmp_path)
    table, folds = ("--table", tmp_path / "table"), ("--folds", 2)
    given = ("--format", "ppdb", "--judgments", tmp_path / "ppdb.txt", "--json")
    result = json.loads(lab("evaluate", "paraphrases", *table, *folds, *given))
    assert (result["pairs"], result["covered"]) == (6, 5)
    for name in ("baseline", "syntactic", "extraction"):
        assert result[name].keys() == {"rho", "p", "n"}


def test_translations_that_are_the_same_have_a_cosine_of_one(tmp_path: Path) -> None:
    asked = [("calm", "calm", ""), ("calm", "quiet", ""), ("quiet", "calm", "")]
    same, *both = pair_scores(built(tmp_path), asked)["cosine"]
    assert same == pytest.approx(1)
    assert both[0] == pytest.approx(both[1])
    assert 0 < both[0] <= 1


def test_judges_who_agree_bound_nothing_and_those_at_random_everything() -> None:
    rng = np.random.default_rng(0)
    alike = [[float(x)] * 4 for x in range(50)]
    assert agreement(alike, rng) == {"pairs": 50, "halves": 1.0, "ceiling": 1.0}
    noisy = (rng.normal(size=(4000, 1)) + rng.normal(size=(4000, 4))).tolist()
    figures = agreement(noisy, rng)
    assert figures["halves"] == pytest.approx(2 / 3, abs=0.05)  # 1 / (1 + 1 / 2)
    assert figures["ceiling"] == pytest.approx(0.8**0.5, abs=0.03)
    assert agreement([(1.0, 2.0)] * 9, rng) == {}


def test_a_table_that_holds_nothing_of_them_is_told(tmp_path: Path) -> None:
    with pytest.raises(InvalidValue, match="holds 0 of 1"):
        compare(built(tmp_path), [JudgedPair("harbour", "port", "NN", 4.0)])


def test_p_is_that_of_scipy_for_many_pairs() -> None:
    stats = pytest.importorskip("scipy.stats", reason="comes with scikit-learn")
    rng = np.random.default_rng(0)
    one = rng.normal(size=2000)
    other = 0.05 * one + rng.normal(size=2000)
    wanted = stats.spearmanr(one, other)
    assert p_value(wanted.statistic, 2000) == pytest.approx(wanted.pvalue, rel=0.02)


def test_given_pairs_are_scored_by_all_their_pivots(tmp_path: Path) -> None:
    whole = by_hand()
    asked = [("calm", "quiet", "ADJP"), ("calm", "quiet", "NP"), ("calm", "boat", "")]
    scores = pair_scores(built(tmp_path), asked)
    want = whole["calm", ""]["quiet"]
    assert scores["baseline"] == pytest.approx([want, want, 0])
    back = whole["quiet", ""]["calm"]
    assert scores["baseline_back"] == pytest.approx([back, back, 0])
    under = whole["calm", "ADJP"]["quiet"]
    assert scores["syntactic"] == pytest.approx([under, 0, 0])
    assert (scores["pivots"] > 0).tolist() == [True, True, False]

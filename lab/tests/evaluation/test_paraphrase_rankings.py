"""Rankings that are fitted on judgments: nothing leaks from the pairs they rank."""

from pathlib import Path

import numpy as np
import pytest

from core.agreement.correlation import spearman
from lab.evaluation import judged_pairs, paraphrase_rankings
from lab.evaluation.judged_pairs import JudgedPair, compare, pair_scores
from lab.evaluation.paraphrase_rankings import (
    WORD_FEATURES,
    cross_fitted,
    ranker,
    smoothed,
    word_features,
)
from tests.core.pivoting.test_table import built


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """What leaks shows in a tenth of the trees, too."""
    monkeypatch.setattr(paraphrase_rankings, "ROUNDS", 25)
    monkeypatch.setattr(paraphrase_rankings, "TREES", 30)
    monkeypatch.setattr(judged_pairs, "REPLICATES", 20)


def test_a_fitted_ranking_never_saw_the_phrase_it_ranks(tmp_path: Path) -> None:
    """Judgments that only the phrase explains cannot be learned from other phrases."""
    table = built(tmp_path)
    rng = np.random.default_rng(0)
    judged = [
        JudgedPair(one, other, label, float(rng.normal()))
        for one, other, label in [
            ("calm", "quiet", "ADJP"),
            ("quiet", "calm", "ADJP"),
            ("like", "love", "VBP"),
            ("love", "like", "VBP"),
            ("the old sea", "the ancient sea", "NP"),
        ]
        for _ in range(40)
    ]
    scores = compare(table, judged, rank=ranker(5, None))
    assert abs(scores["log-linear"]["rho"]) < 0.35
    assert abs(scores["supervised"]["rho"]) < 0.35


def test_the_label_says_nothing_where_it_was_not_seen(tmp_path: Path) -> None:
    """Where it was, its share grows with how often; without a prior it is alone."""
    asked = [("calm", "quiet", "ADJP"), ("calm", "quiet", "NP")]
    columns = pair_scores(built(tmp_path), asked)
    seen, unseen = smoothed(columns, 2.0)
    n, own, any_ = (columns[x][0] for x in ("under 1", "syntactic", "baseline"))
    assert n > 0
    assert seen == pytest.approx((n * own + 2 * any_) / (n + 2))
    assert unseen == columns["baseline"][1]
    assert smoothed(columns, 1e-9)[0] == pytest.approx(own)


def test_words_alike_are_told_by_name() -> None:
    rows = word_features([("not a boat", "the boats", "NP"), ("go", "going", "VB")])
    first, second = (dict(zip(WORD_FEATURES, row, strict=True)) for row in rows)
    assert (first["negation"], first["determiner"], first["plural"]) == (1, 1, 1)
    assert (first["content stems"], second["stems"]) == (1, 1)
    assert (first["label phrase"], second["label verb"]) == (1, 1)
    assert (second["beginning"], second["end"]) == (2 / 5, 0)


def test_a_reversed_pair_teaches_nothing_about_its_twin(monkeypatch) -> None:
    """Its features and its score are the same: what had seen it would know."""
    rng = np.random.default_rng(5)
    features, people = rng.normal(size=(150, 3)), rng.normal(size=150)
    pairs = [(f"a {n}", f"b {n}") for n in range(150)]
    twins = [(second, first) for first, second in pairs]
    monkeypatch.setattr(
        paraphrase_rankings, "smoothed", lambda columns, _: columns["score"]
    )
    scores = cross_fitted(
        {"score": np.zeros(300)},
        np.vstack([features, features]),
        np.concatenate([people, people]),
        [*pairs, *twins],
        k=5,
        rng=rng,
    )
    for name in ("log-linear", "boosted", "forest", "supervised"):
        assert abs(spearman(scores[name], np.tile(people, 2))) < 0.25, name


def test_where_all_pairs_hang_together_nothing_is_fitted(monkeypatch) -> None:
    rng = np.random.default_rng(5)
    star = [("hub", f"b {n}") for n in range(20)]
    rows, people = rng.normal(size=(20, 3)), rng.normal(size=20)
    assert cross_fitted({}, rows, people, star, k=5, rng=rng) == {}

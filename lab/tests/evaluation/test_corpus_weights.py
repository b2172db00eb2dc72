"""Texts that count alike or not: equal weights are the table's own sums."""

import numpy as np
import pytest

from core.pivoting.conditions import CONDITIONS
from core.pivoting.table import Table
from lab.evaluation.commands.corpus_weights import Judged, compared, scored, weightings
from tests.core.pivoting.test_table import built

LABELS = ("ADJP", "JJ", "NP")
PAIRS = [("calm", "quiet"), ("quiet", "calm"), ("the old sea", "the ancient sea")]
JUDGED = [Judged(a, b, LABELS, 1.0 + at, at) for at, (a, b) in enumerate(PAIRS)]


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Table:
    return built(tmp_path_factory.mktemp("weights"), best=1000, widest=0)


def test_equal_weights_give_the_probabilities_of_the_table(table: Table) -> None:
    columns = scored(table, JUDGED, weightings(table)["equal"])
    for name in CONDITIONS:
        for at, one in enumerate(JUDGED):
            found = table.lookup(one.phrase, LABELS, condition=name, k=1000)
            by_text = {row.text: row.p for row in found}
            shown = columns[name][at]
            assert shown == pytest.approx(by_text.get(one.paraphrase, 0.0)), name
    assert (columns["baseline"] > 0).all()


def test_weights_have_a_mean_of_one_and_follow_size_and_language(table: Table) -> None:
    weights = weightings(table)
    for one in weights.values():
        assert sum(one.values()) == pytest.approx(len(one))
    assert set(weights["equal"].values()) == {1.0}


def test_a_text_that_counts_for_nothing_adds_nothing(table: Table) -> None:
    weights = weightings(table)["equal"]
    whole = scored(table, JUDGED, weights)["baseline"]
    parts = [
        scored(table, JUDGED, {x: float(x == name) for x in weights})["baseline"]
        for name in weights
    ]
    assert len(parts) > 1
    assert sum(parts) == pytest.approx(whole)
    assert all((part < whole).any() for part in parts)


def test_the_best_of_a_place_follows_the_weights(table: Table) -> None:
    judged = [Judged("a", "b", (), 1.0, 0), Judged("a", "c", (), 5.0, 0)]
    judged += [Judged("d", "e", (), 2.0, 1), Judged("d", "f", (), 4.0, 1)]
    equal, size = np.array([0.2, 0.1, 0.1, 0.3]), np.array([0.1, 0.2, 0.1, 0.3])
    result = compared({"equal": equal, "size": size}, judged, 0)
    best, order = result["best"], result["order"]
    assert (best["places"], best["mean"]) == (2, 2.5)
    assert best["size"]["changed"] == 1
    assert best["size"]["difference"] == pytest.approx(2.0)
    assert (order["mean"], order["size"]["difference"]) == (0.5, 0.5)

"""The settings that reach Wu's figures, next to one procedure, on pairs of our own."""

from typing import Any

import numpy as np
import pytest

from lab.reproduce.pairs import LabelledPairs
from lab.reproduce.wu2005_settings import (
    CURVE,
    PROCEDURES,
    STOP_LISTED,
    TASKS,
    by_settings,
    lines,
)

GOOD = ("the king sold a boat", "the king sold a boat")
BAD = ("a nurse closed the gate", "six barns were painted red yesterday")


def pairs(kind: str, labels: str) -> LabelledPairs:
    """``+``: a pair of equal sentences, positive; ``x``: one that is negative; ``-``: a
    pair with nothing in common, negative. Tasks take turns."""
    sides = [BAD if label == "-" else GOOD for label in labels]
    both = [(tuple(a.split()), tuple(b.split())) for a, b in sides]
    tasks = tuple(TASKS[at // 2 % len(TASKS)] for at in range(len(labels)))
    return LabelledPairs("x", kind, both, np.array([c == "+" for c in labels]), tasks)


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    return by_settings(
        pairs("paraphrase", "+-+-"),
        pairs("paraphrase", "+-+x"),
        pairs("entailment", "+-" * 6 + "x-"),
    )


def score(name: str, source: str, target: str) -> float:
    scorer = PROCEDURES[name]
    return scorer.score(scorer.view(source.split(), target.split())).value


@pytest.mark.parametrize(
    ("target", "distance"),
    [
        ("p q r s", 0),
        ("r s p q", 0),  # blocks change places for nothing
        ("p x r s", 1),
        ("p q r s t", 1),
        ("q s p r", 2),  # an order that no inversion makes
    ],
)
def test_unit_costs_are_the_edit_distance_with_inverted_blocks(
    target: str, distance: int
) -> None:
    assert score("unit costs", "p q r s", target) == -distance
    longer = max(4, len(target.split()))
    by_length = score("unit costs, by length", "p q r s", target)
    assert by_length == pytest.approx(-distance / longer)


def test_the_curve_is_expected_over_ties_and_for_both_parts(
    results: dict[str, Any],
) -> None:
    assert list(results["curve"]) == [f"{match:g}" for match in CURVE]
    for row in results["curve"].values():
        assert row["train"] == 100.0
        # of three tied pairs one is negative: the mean over where it may stand
        orders = (1, (1 + 2 / 3) / 2, (1 / 2 + 2 / 3) / 2)
        assert row["test"] == pytest.approx(100 * sum(orders) / 3, abs=0.01)


def test_one_procedure_scores_both_tasks(results: dict[str, Any]) -> None:
    assert set(results["procedures"]) == set(PROCEDURES)
    for row in results["procedures"].values():
        assert row["test"] == pytest.approx(80.56)
        # half of the pairs are equal, and nothing lies above their score
        assert 0 < row["rte1"] < 100


def test_each_task_has_the_score_of_its_own_pairs(results: dict[str, Any]) -> None:
    for row in results["by_task"].values():
        assert [row[task] for task in TASKS] == [75.0] * 6 + [0.0]


def test_the_tables_hold_both_figures(results: dict[str, Any]) -> None:
    table = list(lines(results))
    (ours,) = (line for line in table if line.startswith("wu2005-stop"))
    (theirs,) = (line for line in table if line.startswith("Wu 2005, stop list"))
    assert ours.split()[-7:] == ["75.0"] * 6 + ["0.0"]
    assert theirs.split()[-7:] == [f"{STOP_LISTED[task]:.1f}" for task in TASKS]
    (published,) = (line for line in table if "as published" in line)
    assert published.split()[-3:] == ["76.1", "55.0", "51.2"]
    assert sum("chosen with the test figure" in line for line in table) == 1

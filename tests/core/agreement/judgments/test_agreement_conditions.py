"""The arithmetic of Table 6, on sets small enough to count by hand."""

from itertools import product

import numpy as np
import pytest

from core.agreement.figures import Estimate, Undefined
from core.agreement.judgments.conditions import (
    Credits,
    JudgedItems,
    condition_table,
    threshold_strip,
)
from core.agreement.paired import holm, sign_flip_p

NAN = float("nan")


def judged(*rows: tuple[int, float, float]) -> JudgedItems:
    return JudgedItems(
        np.array([row[0] for row in rows], np.int32),
        np.array([row[1:] for row in rows], np.float64).reshape(-1, 2),
    )


def credits_of(
    names: tuple[str, ...], rows: list[tuple[int, int, int]], clusters: list[int]
) -> Credits:
    condition, item, instance = (
        np.array([row[at] for row in rows], np.int32) for at in range(3)
    )
    return Credits(names, condition, item, instance, np.array(clusters, np.int32))


# Four instances. Baseline answers all four, "constrained" three, "late" none.
# Item 0 is produced by both for instance 0: judged once, credited twice.
TABLE = credits_of(
    ("baseline", "constrained", "late"),
    [(0, 0, 0), (1, 0, 0), (0, 1, 1), (1, 2, 1), (0, 3, 2), (1, 4, 2), (0, 5, 3)],
    [0, 0, 1, 1],
)
SCORES = judged(
    (0, 5, 5),  # correct on both
    (1, 3, 3),  # meaning only
    (2, 3, 4),  # both
    (3, 2, 5),  # grammar only
    (4, 5, 3),  # meaning only by one judge ...
    (4, 5, 4),  # ... and both by the other
    (5, 1, 1),  # neither
)


def values(figures: tuple[object, ...]) -> list[float]:
    assert all(isinstance(figure, Estimate) for figure in figures)
    return [figure.value for figure in figures]  # type: ignore[attr-defined]


def test_each_condition_scores_the_mean_of_its_credits() -> None:
    base, other, late = condition_table(SCORES, TABLE, (3, 4), replicates=50)
    assert values(base.figures) == pytest.approx([2 / 4, 2 / 4, 1 / 4])
    assert values(other.figures) == pytest.approx([1.0, 2.5 / 3, 2.5 / 3])
    assert (base.covered, other.covered, late.covered) == (4, 3, 0)
    assert (base.judged, other.judged, late.judged) == (4, 3, 0)
    assert base.n_instances == 4
    assert late.figures[0] == Undefined("no item of late was judged", 0)


def test_a_shared_rendering_counts_for_every_condition_that_made_it() -> None:
    alone = judged((0, 5, 5))
    base, other, _ = condition_table(alone, TABLE, (3, 4), replicates=0)
    assert values(base.figures) == values(other.figures) == [1, 1, 1]
    assert base.judged == other.judged == 1


def test_the_difference_pairs_the_instances_that_both_have() -> None:
    base, other, late = condition_table(SCORES, TABLE, (3, 4), replicates=50)
    assert base.differences is None
    assert other.differences is not None
    meaning = other.differences[0]
    assert meaning.n == 3
    assert isinstance(meaning.figure, Estimate)
    assert meaning.figure.value == pytest.approx(1 / 3)
    assert meaning.p == 1.0  # one cluster moved: either sign is as likely
    assert late.differences is not None
    assert isinstance(late.differences[0].figure, Undefined)


def test_a_missing_scale_counts_on_the_others_only() -> None:
    only = judged((0, 4, NAN), (0, 2, 5))
    row = condition_table(only, TABLE, (3, 4), replicates=0)[0]
    assert values(row.figures) == [0.5, 1.0, 0.0]


def test_the_strip_holds_all_twenty_five_choices() -> None:
    points = (1.0, 2.0, 3.0, 4.0, 5.0)
    strip = threshold_strip(SCORES, TABLE, (points, points))
    assert len(strip) == 25
    for choice in product(points, points):
        rows = condition_table(SCORES, TABLE, choice, replicates=0)
        assert strip[choice][:2].tolist() == [values(row.figures) for row in rows[:2]]
    assert np.isnan(strip[3.0, 4.0][2]).all()


def test_intervals_and_tests_find_a_real_difference_and_no_other() -> None:
    rng = np.random.default_rng(4)
    n = 150
    names = ("baseline", "better", "same")
    rows, scores = [], []
    for instance, place in product(range(n), range(3)):
        item = instance * 3 + place
        rows.append((place, item, instance))
        good = rng.random() < (0.8 if place == 1 else 0.5)
        scores.append((item, 5.0 if good else 1.0, 5.0))
    table = condition_table(
        judged(*scores),
        credits_of(names, rows, [i // 3 for i in range(n)]),
        (3, 4),
        replicates=500,
    )
    better, same = table[1].differences, table[2].differences
    assert better is not None
    assert same is not None
    assert better[0].p_holm < 0.01
    assert isinstance(better[0].figure, Estimate)
    assert better[0].figure.low is not None
    assert better[0].figure.low > 0
    assert same[0].p_holm > 0.05


def test_sign_flips_are_exact_on_few_clusters() -> None:
    rng = np.random.default_rng(0)
    few = np.stack([np.ones(5), np.zeros(5)], axis=1)
    assert sign_flip_p(few, rng) == pytest.approx([2 / 32, 1])
    many = np.r_[np.ones(12), -np.ones(4)][:, None]
    (drawn,) = sign_flip_p(many, rng, draws=40_000)
    exact = np.array(list(product((-1, 1), repeat=16))).sum(1)
    assert drawn == pytest.approx((np.abs(exact) >= 8).mean(), abs=0.01)


def test_holm_equals_statsmodels() -> None:
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    for seed in range(5):
        ps = np.random.default_rng(seed).random(7) / 5
        theirs = multitest.multipletests(ps, method="holm")[1]
        assert holm(ps.tolist()) == pytest.approx(theirs.tolist())
    assert holm([]) == []

"""How many items are needed, against campaigns that are simulated by definition."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from core.agreement.judgments.sample_size import (
    Components,
    DetectableDifference,
    JudgingPlan,
    henderson,
    items_needed,
    judgments,
    of_judgments,
    of_shares,
    power_at,
)
from core.agreement.paired import sign_flip_p
from core.data.check import Floats
from core.errors import InvalidValue

POINTS = Components(1.1**2, 0.4**2, 0.7**2)
RUNS = 2500
BOUND = 3.5 * np.sqrt(0.8 * 0.2 / RUNS)  # Monte-Carlo error of a power of 80 %


def judged(truth: Floats, biases: Floats, plan: JudgingPlan, rng, residual: float):
    """Scores ``truth.shape`` of items, each the mean of its own judges' answers."""
    k = np.where(rng.random(truth.shape) < plan.share, plan.most, plan.k)
    order = rng.random((*truth.shape, len(biases))).argsort(-1)
    seen = order[..., : plan.most]  # the judges drawn, without repetition
    answers = truth[..., None] + biases[seen]
    answers = answers + rng.normal(0, residual, answers.shape)
    counts = np.arange(plan.most) < k[..., None]
    return (answers * counts).sum(-1) / k


def share_seen(
    n: int, wanted: DetectableDifference, plan: JudgingPlan, seed: int
) -> float:
    """How many of ``RUNS`` simulated campaigns see the difference, by a t test."""
    rng = np.random.default_rng(seed)
    hits = 0
    for _ in range(RUNS):
        common = rng.normal(0, np.sqrt(plan.likeness), n)
        own = rng.normal(0, np.sqrt(1 - plan.likeness), (2, n))
        whole = own + common if plan.is_paired else rng.normal(0, 1, (2, n))
        truth = whole * np.sqrt(POINTS.item)
        truth[1] += wanted.difference
        biases = rng.normal(0, np.sqrt(POINTS.annotator), plan.people)
        one, other = judged(truth, biases, plan, rng, np.sqrt(POINTS.residual))
        test = stats.ttest_rel if plan.is_paired else stats.ttest_ind
        hits += test(other, one).pvalue < wanted.alpha
    return hits / RUNS


@pytest.mark.parametrize(
    "plan",
    [
        JudgingPlan(k=1, people=4, likeness=0.4),
        JudgingPlan(k=1, share=0.5, more=3, people=3, likeness=0.2),
        JudgingPlan(k=2, people=5, is_paired=False),
        JudgingPlan(k=4, people=4, likeness=0.6),
    ],
)
def test_simulated_campaigns_of_the_size_proposed_have_the_power(
    plan: JudgingPlan,
) -> None:
    wanted = DetectableDifference(0.5)
    n = items_needed(wanted, POINTS, POINTS, plan)
    share = share_seen(n, wanted, plan, seed=7)
    assert share == pytest.approx(0.8, abs=BOUND + 0.01)  # n is a whole number


def test_a_quarter_of_the_items_has_not_the_power() -> None:
    plan, wanted = JudgingPlan(k=1, people=4, likeness=0.4), DetectableDifference(0.5)
    n = items_needed(wanted, POINTS, POINTS, plan) // 4
    share = share_seen(n, wanted, plan, seed=8)
    assert share == pytest.approx(power_at(n, wanted, POINTS, POINTS, plan), abs=0.03)
    assert share < 0.4


def shares(n: int, base: float, within: float, quantile: Floats) -> Floats:
    """Each item's chance to be judged correct: beta, of this mean and correlation."""
    whole = 1 / within - 1
    return stats.beta.ppf(quantile, base * whole, (1 - base) * whole)


@pytest.mark.parametrize(("k", "likeness"), [(1, 0.0), (3, 0.5)])
def test_shares_of_correct_substitutions_are_told_apart_by_the_test_of_the_report(
    k: int, likeness: float
) -> None:
    base, gap, within = 0.46, 0.12, 0.5
    one, other = (of_shares(p, within=within) for p in (base, base + gap))
    plan = JudgingPlan(k=k, likeness=likeness)
    n = items_needed(DetectableDifference(gap), one, other, plan)
    rng = np.random.default_rng(3)
    first = rng.random((n, RUNS))
    second = np.where(rng.random((n, RUNS)) < likeness, first, rng.random((n, RUNS)))
    scores = [
        rng.binomial(k, shares(n, p, within, where)) / k
        for p, where in ((base, first), (base + gap, second))
    ]
    p = np.array(sign_flip_p(scores[1] - scores[0], rng, draws=2000))
    assert (p < 0.05).mean() == pytest.approx(0.8, abs=BOUND + 0.015)


@given(
    st.floats(0.1, 2),
    st.floats(0.3, 0.95),
    st.integers(1, 4),
    st.floats(0, 1),
    st.booleans(),
)
def test_the_size_proposed_is_the_least_that_has_the_power(
    difference: float, power: float, k: int, share: float, paired: bool
) -> None:
    wanted = DetectableDifference(difference, power)
    plan = JudgingPlan(k=k, share=share, more=k + 1, people=9, is_paired=paired)
    n = items_needed(wanted, POINTS, POINTS, plan)
    assert power_at(n, wanted, POINTS, POINTS, plan) >= power - 1e-6
    if n > 2:
        assert power_at(n - 1, wanted, POINTS, POINTS, plan) < power


def test_textbook_sizes() -> None:
    # a standard deviation as difference, half of it: 80 % power, two groups, t test
    # (Cohen 1988, table 2.4.1: 17 and 64 a group)
    alone = Components(1.0, 0.0, 0.0)
    plan = JudgingPlan(is_paired=False)
    assert items_needed(DetectableDifference(1.0), alone, alone, plan) == 17
    assert items_needed(DetectableDifference(0.5), alone, alone, plan) == 64


def test_annotators_who_judge_everything_add_nothing() -> None:
    strict = replace(POINTS, annotator=4.0)
    everybody = JudgingPlan(k=3, people=3)
    sizes = [
        items_needed(DetectableDifference(0.3), c, c, everybody)
        for c in (POINTS, strict)
    ]
    assert sizes[0] == sizes[1]
    drawn = JudgingPlan(k=3, people=30)
    assert items_needed(DetectableDifference(0.3), strict, strict, drawn) > sizes[0]


def test_pairs_that_are_alike_need_fewer_items_and_clusters_more() -> None:
    apart = items_needed(
        DetectableDifference(0.3), POINTS, POINTS, JudgingPlan(is_paired=False)
    )
    alike = items_needed(
        DetectableDifference(0.3), POINTS, POINTS, JudgingPlan(likeness=0.8)
    )
    wide = JudgingPlan(likeness=0.8, design_effect=2.0)
    assert alike < apart
    assert items_needed(
        DetectableDifference(0.3), POINTS, POINTS, wide
    ) == pytest.approx(2 * alike, abs=4)


def test_judgments_count_those_that_several_make() -> None:
    plan = JudgingPlan(k=1, share=0.2, more=3)
    assert judgments(100, plan) == 200 + 40 * 2
    assert judgments(100, plan, conditions=5) == 500 + 100 * 2


def test_a_difference_that_nothing_shows_is_told() -> None:
    with pytest.raises(InvalidValue, match="too small for a campaign"):
        items_needed(DetectableDifference(1e-5), POINTS, POINTS, JudgingPlan())


@pytest.mark.parametrize(
    "make",
    [
        lambda: DetectableDifference(0),
        lambda: DetectableDifference(1, power=0.04),
        lambda: DetectableDifference(1, power=1),
        lambda: JudgingPlan(k=0),
        lambda: JudgingPlan(share=1.2),
        lambda: JudgingPlan(share=0.5, more=3, people=2),
        lambda: JudgingPlan(likeness=-0.1),
        lambda: JudgingPlan(design_effect=0.5),
        lambda: Components(-1, 0, 0),
        lambda: of_shares(1.2, within=0.5),
        lambda: of_shares(0.5, within=-0.5),
    ],
)
def test_values_that_mean_nothing_are_refused(make) -> None:
    with pytest.raises(InvalidValue):
        make()


# --- variance components from judgments ---------------------------------------------


def pilot(rng, *, n=120, people=6, k=2, likeness=0.5):
    """Two conditions on ``n`` instances, each item judged by ``k`` of the people."""
    common = rng.normal(0, np.sqrt(likeness), n)
    truth = (rng.normal(0, np.sqrt(1 - likeness), (2, n)) + common).ravel()
    biases = rng.normal(0, np.sqrt(POINTS.annotator), people)
    item = np.repeat(np.arange(2 * n), k)
    annotator = rng.random((2 * n, people)).argsort(1)[:, :k].ravel()
    condition = item // n
    values = np.sqrt(POINTS.item) * truth[item] + biases[annotator] + 0.8 * condition
    values = values + rng.normal(0, np.sqrt(POINTS.residual), len(item))
    return values, {
        "item": item,
        "annotator": annotator,
        "instance": item % n,
        "condition": condition,
    }


def test_components_of_simulated_pilots_are_those_they_were_made_with() -> None:
    rng = np.random.default_rng(5)
    made = []
    for _ in range(300):
        values, codes = pilot(rng)
        variances, likeness = of_judgments(values, **codes)
        made.append([variances.item, variances.annotator, variances.residual, likeness])
    expected = [POINTS.item, POINTS.annotator, POINTS.residual, 0.5]
    means, errors = np.mean(made, 0), np.std(made, 0) / np.sqrt(300)
    assert np.abs(means - expected) == pytest.approx(0, abs=max(4 * errors) + 0.01)


def test_components_of_a_balanced_table_are_those_of_the_analysis_of_variance() -> None:
    table = np.array([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6.0]])
    table = np.vstack([table, [[10, 5, 6, 9], [6, 2, 4, 7]]])
    # Shrout & Fleiss 1979, table 2: mean squares 11.24, 32.49 and 1.02
    item, judge = np.divmod(np.arange(24), 4)
    variances = henderson(table.ravel(), {"item": item, "annotator": judge})
    assert variances["residual"] == pytest.approx(1.02, abs=0.005)
    assert variances["item"] == pytest.approx((11.24 - 1.02) / 4, abs=0.005)
    assert variances["annotator"] == pytest.approx((32.49 - 1.02) / 6, abs=0.005)


def test_one_condition_with_an_item_an_instance_is_enough() -> None:
    values, codes = pilot(np.random.default_rng(6), n=400, k=3, likeness=0.0)
    first = codes["condition"] == 0
    kept = {name: column[first] for name, column in codes.items()}
    variances, likeness = of_judgments(values[first], **kept)
    assert likeness == 0.0
    assert variances.item == pytest.approx(POINTS.item, rel=0.25)
    assert variances.residual == pytest.approx(POINTS.residual, rel=0.15)


def test_parts_of_a_share_add_up_to_its_variance() -> None:
    made = of_shares(0.3, within=0.5, strict=0.2)
    parts = (made.item, made.annotator, made.residual)
    assert parts == pytest.approx((0.105, 0.042, 0.063))
    with pytest.raises(InvalidValue, match="items and annotators"):
        of_shares(0.3, within=0.9, strict=0.2)


def test_what_cannot_be_told_apart_is_none() -> None:
    zeros, six = np.zeros(6, int), np.arange(6)
    alone = {"annotator": zeros, "instance": six, "condition": zeros}
    assert of_judgments(np.arange(6.0), item=six, **alone) is None
    once = {"annotator": six % 2, "instance": six, "condition": zeros}
    assert of_judgments(np.arange(6.0), item=six, **once) is None
    nothing = np.zeros(0, int)
    assert (
        of_judgments(
            np.zeros(0),
            item=nothing,
            annotator=nothing,
            instance=nothing,
            condition=nothing,
        )
        is None
    )

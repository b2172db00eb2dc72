"""Two rank correlations on the same pairs: equal ones are not told apart."""

import numpy as np

from core.agreement.correlation import rank_gaps


def p_between(
    one: np.ndarray, other: np.ndarray, people: np.ndarray, draws: int = 1000
) -> float:
    group = np.repeat(np.arange(len(people) // 2, dtype=np.int32), 2)
    rng = np.random.default_rng(0)
    columns = {"other": other}
    gaps = rank_gaps(columns, one, people, group, replicates=draws, rng=rng)
    return gaps["other"]["p"]


def test_scores_that_rank_alike_are_not_told_apart() -> None:
    """Equal, of equal order, and equal but for a few pairs: no gap is no evidence."""
    rng = np.random.default_rng(0)
    people, scores = rng.normal(size=(2, 200))
    assert p_between(scores, scores.copy(), people) == 1
    assert p_between(scores, np.exp(scores), people) == 1
    nearly = scores.copy()
    nearly[:2] = nearly[1::-1]
    assert p_between(scores, nearly, people) > 0.2


def test_a_score_that_ranks_better_is_told_apart_whichever_stands_first() -> None:
    rng = np.random.default_rng(0)
    people, noise = rng.normal(size=(2, 200))
    better = people + noise
    assert p_between(noise, better, people) < 0.01
    assert p_between(better, noise, people) < 0.01


def test_one_in_twenty_of_equally_good_scores_is_told_apart_at_five_percent() -> None:
    rng = np.random.default_rng(0)
    ps = []
    for _ in range(40):
        people, a, b = rng.normal(size=(3, 100))
        ps.append(p_between(people + 2 * a, people + 2 * b, people, 200))
    assert np.mean(np.array(ps) < 0.05) < 0.15
    assert 0.3 < np.mean(ps) < 0.7

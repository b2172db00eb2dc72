"""Folds: what shares a key stays together."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from core.learning.ridge import folds
from lab.evaluation.folds import grouped, grouped_folds

KEYS = st.lists(st.frozensets(st.integers(0, 12), min_size=1, max_size=2), min_size=1)


@given(KEYS, st.integers(1, 5), st.integers(0, 99))
def test_members_that_share_a_key_are_in_one_fold(
    keys: list[frozenset[int]], k: int, seed: int
) -> None:
    parts = grouped_folds(keys, k, np.random.default_rng(seed))
    assert sorted(at for part in parts for at in part) == list(range(len(keys)))
    fold_of = {at: n for n, part in enumerate(parts) for at in part}
    for a, one in enumerate(keys):
        for b, other in enumerate(keys):
            assert not one & other or fold_of[a] == fold_of[b]


def test_groups_hang_together_by_chains_of_keys() -> None:
    assert grouped([{1, 2}, {5}, {2, 3}, {3, 4}]) == [[0, 2, 3], [1]]


def test_without_shared_keys_the_folds_are_those_of_single_members() -> None:
    alone = [{n} for n in range(11)]
    parts = grouped_folds(alone, 3, np.random.default_rng(1))
    assert parts == folds(11, 3, np.random.default_rng(1))

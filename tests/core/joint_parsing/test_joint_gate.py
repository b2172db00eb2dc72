"""The gate: its features and its weights."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.data.deps import DepTree
from core.errors import InvalidValue, Unavailable
from core.joint_parsing.gate import (
    WEIGHTS,
    Gate,
    JointWeights,
    non_projective_arcs,
)


def test_weights_come_back_from_their_file(tmp_path) -> None:  # type: ignore[no-untyped-def]
    weights = JointWeights(
        bp_slack=0.8,
        trust=1.25,
        slack=0.5,
        span_slack=0.75,
        gates={"hard": Gate(0.5, {"a": -1.0}, (2,), 0.6)},
    )
    weights.save(tmp_path / "joint.json")
    assert JointWeights.load(tmp_path / "joint.json") == weights


def test_missing_or_broken_weights_say_so(tmp_path) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(Unavailable, match="not weights"):
        JointWeights.load(tmp_path / "none.json")
    (tmp_path / "bad.json").write_text('{"trust": "much"}')
    with pytest.raises(InvalidValue, match=r"bad\.json"):
        JointWeights.load(tmp_path / "bad.json")


def test_shipped_weights_say_what_they_were_fitted_on() -> None:
    facts = JointWeights.load(WEIGHTS).facts
    assert "unchecked" in facts["fitted_on"]


@pytest.mark.parametrize(
    ("heads", "arcs"),
    [
        ((1, -1, 1), 0),
        ((2, -1, 1), 1),  # word 1, between 2 and 0, does not descend from 2
        ((-1, 3, 0, 0), 1),
        ((2, 3, -1, 2), 1),
    ],
)
def test_arcs_over_a_foreign_word_are_not_projective(
    heads: tuple[int, ...], arcs: int
) -> None:
    assert non_projective_arcs(DepTree(heads, ("dep",) * len(heads))) == arcs


@given(st.integers(1, 8), st.integers(0, 2**32 - 1))
def test_arcs_are_not_projective_where_any_word_below_is_not_reached(
    n: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    order = rng.permutation(n)
    heads = [-1] * n
    for place in range(1, n):
        heads[order[place]] = int(order[rng.integers(place)])
    below = {v: {v} for v in range(n)}
    for _ in range(n):
        for v, h in enumerate(heads):
            if h >= 0:
                below[h] |= below[v]
    expected = sum(
        bool(set(range(min(h, v) + 1, max(h, v))) - below[h])
        for v, h in enumerate(heads)
        if h >= 0
    )
    tree = DepTree(tuple(heads), ("dep",) * n)
    assert non_projective_arcs(tree) == expected

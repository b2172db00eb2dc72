"""The gate: its features, and fitting it."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.data.deps import DepTree
from core.errors import InvalidValue, Unavailable
from core.joint_parsing.gate import (
    BULLETS,
    TEMPLATES,
    WEIGHTS,
    Gate,
    GateExample,
    JointWeights,
    fit_gate,
    non_projective_arcs,
)


def examples(n: int, *, telling: bool) -> list[GateExample]:
    """Joint parses that help where "sign" is high; template 3 tells nothing."""
    rng = np.random.default_rng(1)
    cases = []
    for k in range(n):
        good = bool(rng.random() < 0.5)
        sign = float(good) if telling else float(rng.random() < 0.5)
        noise = {f"before 3 {rng.integers(3)}": 1.0}
        by_template = tuple(noise if k == 3 else {} for k in range(len(TEMPLATES)))
        cases.append(
            GateExample({"sign": sign}, by_template, 2 if good else -2, f"pair {k}")
        )
    return cases


def test_gate_learns_what_tells_good_from_bad() -> None:
    pytest.importorskip("sklearn")
    gate = fit_gate(examples(80, telling=True))
    assert gate is not None
    assert gate.probability({"sign": 1.0}) > 0.8 > 0.2 > gate.probability({"sign": 0.0})
    assert gate.probability({}) == gate.probability({"never seen": 5.0, "sign": 0.0})


def test_there_is_no_gate_where_nothing_tells() -> None:
    pytest.importorskip("sklearn")
    useless = examples(80, telling=False)
    lucky = [replace(e, gained=abs(e.gained)) for e in useless[:60]]
    assert fit_gate(lucky + useless[60:]) is None


def test_too_few_examples_are_refused() -> None:
    with pytest.raises(InvalidValue, match="five pairs"):
        fit_gate(examples(4, telling=True))


def test_weights_come_back_from_their_file(tmp_path) -> None:  # type: ignore[no-untyped-def]
    weights = JointWeights(
        bp_slack=0.8,
        trust=1.25,
        slack=0.5,
        span_slack=0.75,
        slacks={"nsubj": 0.25},
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


def test_there_are_the_fifteen_groups_of_the_paper() -> None:
    assert len(TEMPLATES) == len(set(TEMPLATES)) == 11
    assert len(BULLETS) == len(set(BULLETS)) == 4


def test_a_feature_of_the_paper_is_used_only_where_the_search_takes_it() -> None:
    pytest.importorskip("sklearn")
    rng = np.random.default_rng(4)
    shown = [
        replace(one, plain={"shorter": float(one.gained > 0), "words in common": noise})
        for one, noise in zip(
            examples(120, telling=True), rng.random(120).tolist(), strict=True
        )
    ]
    gate = fit_gate(shown)
    assert gate is not None
    assert set(gate.weights) == {"shorter"}
    assert gate.templates == ()


def test_parses_of_one_pair_never_teach_a_gate_that_judges_it() -> None:
    """Four parses of each pair, whose outcome only its own name tells: held out by
    pair nothing is learnt, held out by parse it would be."""
    pytest.importorskip("sklearn")
    rng = np.random.default_rng(2)
    several = []
    for k in range(60):
        good, name = bool(rng.random() < 0.5), {f"pair {k}": 1.0}
        empty: tuple[dict[str, float], ...] = ({},) * len(TEMPLATES)
        several += [GateExample(name, empty, 3 if good else -3, f"{k}")] * 4
    assert fit_gate(several) is None
    apart = [replace(one, pair=f"{at}") for at, one in enumerate(several)]
    assert fit_gate(apart) is not None


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

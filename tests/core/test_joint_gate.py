"""The gate: its features, and fitting it."""

import numpy as np
import pytest

from core.errors import InvalidValue, Unavailable
from core.joint.gate import TEMPLATES, Gate
from core.joint.joint_weights import WEIGHTS, JointWeights
from core.learning.joint_gate import GateExample, fit_gate


def examples(n: int, *, telling: bool) -> list[GateExample]:
    """Joint parses that help where "sign" is high; template 3 tells nothing."""
    rng = np.random.default_rng(1)
    found = []
    for _ in range(n):
        good = bool(rng.random() < 0.5)
        sign = float(good) if telling else float(rng.random() < 0.5)
        noise = {f"before 3 {rng.integers(3)}": 1.0}
        by_template = tuple(noise if k == 3 else {} for k in range(len(TEMPLATES)))
        found.append(GateExample({"sign": sign}, by_template, 2 if good else -2))
    return found


def test_gate_learns_what_tells_good_from_bad() -> None:
    pytest.importorskip("sklearn")
    gate = fit_gate(examples(80, telling=True))
    assert gate is not None
    assert gate.probability({"sign": 1.0}) > 0.8 > 0.2 > gate.probability({"sign": 0.0})
    assert gate.probability({}) == gate.probability({"never seen": 5.0, "sign": 0.0})


def test_there_is_no_gate_where_nothing_tells() -> None:
    pytest.importorskip("sklearn")
    useless = examples(80, telling=False)
    lucky = [GateExample(e.plain, e.by_template, abs(e.gained)) for e in useless[:60]]
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
    with pytest.raises(Unavailable, match="no weights"):
        JointWeights.load(tmp_path / "none.json")
    (tmp_path / "bad.json").write_text('{"trust": "much"}')
    with pytest.raises(InvalidValue, match=r"bad\.json"):
        JointWeights.load(tmp_path / "bad.json")


def test_shipped_weights_say_what_they_were_fitted_on() -> None:
    facts = JointWeights.load(WEIGHTS).facts
    assert "unchecked" in facts["fitted_on"]

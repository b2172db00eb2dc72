"""Fitting the gate of joint parsing."""

from dataclasses import replace

import numpy as np
import pytest

from core.joint_parsing.gate import TEMPLATES
from lab.evaluation.gate_fitting import BULLETS, GateExample, fit_gate


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


def test_too_few_examples_teach_no_gate() -> None:
    assert fit_gate(examples(4, telling=True)) is None


def test_a_printed_gate_has_the_groups_alone_and_need_not_win() -> None:
    """Short sources gain more often, others still more often than not."""
    pytest.importorskip("sklearn")
    rng = np.random.default_rng(2)
    shown = []
    for k in range(300):
        good = bool(rng.random() < (0.98 if k % 2 else 0.65))
        plain = {"shorter": float(k % 2), "sign": float(good)}
        empty: tuple[dict[str, float], ...] = ({},) * len(TEMPLATES)
        shown.append(GateExample(plain, empty, 1 if good else -1, f"{k}"))
    gate = fit_gate(shown, printed=True)
    assert gate is not None
    assert set(gate.weights) == {"shorter"}
    unsigned = [replace(one, plain={"shorter": one.plain["shorter"]}) for one in shown]
    assert fit_gate(unsigned) is None


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

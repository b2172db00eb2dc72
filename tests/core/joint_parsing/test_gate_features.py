"""What a gate looks at, worked out by hand; its probability, and its file."""

from dataclasses import replace
from itertools import combinations
from math import exp, log
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.data.alignment import Link
from core.data.deps import ROOT, DepAnalysis, DepTree
from core.data.tokens import Sentence
from core.errors import InvalidValue
from core.joint_parsing.gate import TEMPLATES, Gate, gate_features
from core.joint_parsing.values import ArcChange, JointResult, JointSide
from core.protocols import Analysis

LABELS = ("nsubj", "root", "amod", "obj", "advmod")
BEFORE = DepTree((1, ROOT, 3, 1, 3), LABELS)
AFTER = DepTree((1, ROOT, 3, 1, 1), LABELS)  # "here" moves from "books" to "reads"
TAGS = ("PRP", "VBZ", "JJ", "NNS", "RB")
LINKS = (
    Link("w0", "w1"),
    Link("w1", "w2", attrs={"prob": "0.25"}),
    Link("w3", "w0"),  # crosses the two before it
)
MOVED = ArcChange(4, 3, 1, "advmod", "advmod", 0.2, 0.6, LINKS[:2])


def analysis(text: str, tree: DepTree | None, **layers: Any) -> Analysis:
    deps = DepAnalysis(tree) if tree else None
    return Analysis(Sentence.of(text), deps=deps, **layers)


SOURCE = analysis("She reads old books here", BEFORE, xpos=TAGS)
TARGET = analysis("Books she reads", DepTree((2, 2, ROOT), ("obj", "nsubj", "root")))


def result(
    *moved: ArcChange, tree: DepTree | None = AFTER, **facts: Any
) -> JointResult:
    deps = DepAnalysis(tree) if tree else None
    return JointResult(JointSide(deps, arcs=moved), JointSide(), LINKS, **facts)


def test_features_of_a_pair_are_shares_of_the_source_s_words() -> None:
    parse = result(MOVED, agreement_before=4, agreement_after=1, exact=False)
    features = gate_features(SOURCE, TARGET, parse)
    assert features == pytest.approx(
        {
            "crossing links": 2 / 5,
            "shorter": 0.0,
            "words in common": 3 / 5,  # whatever the letter case
            "linked": 3 / 5,
            "agreement gained": 3 / 5,
            "disagreement left": 1 / 5,
            "not exact": 1.0,
            "more non-projective arcs": 0.0,
            "arcs changed": 1.0,
            "mean margin": log(0.2) - log(0.6),
            "greatest margin": log(0.2) - log(0.6),
            "least link": 0.25,
            "root changed": 0.0,
        }
    )


def test_only_a_source_of_fewer_words_is_shorter() -> None:
    def shorter(other: str) -> float:
        return gate_features(SOURCE, analysis(other, None), result())["shorter"]

    assert shorter("one two three four five six") == 1.0
    assert shorter("one two three four five") == 0.0


@given(st.permutations(range(4)))
def test_links_cross_that_change_the_order_of_their_words(order: list[int]) -> None:
    links = tuple(Link(f"w{s}", f"w{t}") for s, t in enumerate(order))
    features = gate_features(SOURCE, TARGET, replace(result(), links=links))
    crossing = sum(order[s] > order[u] for s, u in combinations(range(4), 2))
    assert features["crossing links"] == pytest.approx(crossing / 5)


def test_links_that_share_a_word_do_not_cross() -> None:
    links = (Link("w0", "w0"), Link("w0", "w1"), Link("w1", "w1"))
    parse = replace(result(), links=links)
    assert gate_features(SOURCE, TARGET, parse)["crossing links"] == 0.0


def test_exact_parses_and_parses_without_a_change_say_so() -> None:
    features = gate_features(SOURCE, TARGET, result())
    assert features["not exact"] == 0.0
    assert "arcs changed" not in features
    relabelled = replace(MOVED, head_after=MOVED.head_before, label_after="obl")
    assert gate_features(SOURCE, TARGET, result(relabelled)) == features


def test_margins_of_several_arcs_have_a_mean_and_a_greatest() -> None:
    surer = replace(MOVED, prob_before=0.9, prob_after=0.1, because=())
    features = gate_features(SOURCE, TARGET, result(MOVED, surer))
    margins = log(0.2 / 0.6), log(0.9 / 0.1)
    assert features["arcs changed"] == 2
    assert features["mean margin"] == pytest.approx(sum(margins) / 2)
    assert features["greatest margin"] == pytest.approx(margins[1])
    assert features["least link"] == 0.25


def test_links_without_a_probability_are_certain_and_no_links_are_not() -> None:
    certain = gate_features(SOURCE, TARGET, result(replace(MOVED, because=LINKS[:1])))
    assert certain["least link"] == 1.0
    alone = gate_features(SOURCE, TARGET, result(replace(MOVED, because=())))
    assert alone["least link"] == 0.0


@pytest.mark.parametrize(("before", "after"), [(0.0, 0.5), (0.5, 0.0)])
def test_impossible_arcs_have_finite_margins(before: float, after: float) -> None:
    never = replace(MOVED, prob_before=before, prob_after=after)
    margin = gate_features(SOURCE, TARGET, result(never))["greatest margin"]
    wanted = log(0.5) - log(1e-6)
    assert margin == pytest.approx(wanted if before else -wanted)


@pytest.mark.parametrize(("before", "after"), [(ROOT, 1), (1, ROOT)])
def test_an_arc_to_or_from_root_changes_the_root(before: int, after: int) -> None:
    moved = replace(MOVED, head_before=before, head_after=after)
    assert gate_features(SOURCE, TARGET, result(moved))["root changed"] == 1.0


def test_only_more_non_projective_arcs_than_before_count() -> None:
    crossed = DepTree((1, ROOT, 4, 1, 1), LABELS)  # "old" from "here", over "books"
    name = "more non-projective arcs"
    assert gate_features(SOURCE, TARGET, result(tree=crossed))[name] == 1.0
    source = replace(SOURCE, deps=DepAnalysis(crossed))
    assert gate_features(source, TARGET, result(tree=crossed))[name] == 0.0


def test_templates_show_relations_and_coarse_tags_up_to_the_root() -> None:
    whole = TEMPLATES.index(("CP", "CP_p", "CP_gp"))
    mixed = TEMPLATES.index(("REL", "CP_p", "REL_gp"))
    plain = gate_features(SOURCE, TARGET, result())
    features = gate_features(SOURCE, TARGET, result(), (whole, mixed))
    wanted = {
        f"{name} {whole} {tags}"
        for name, here in (("before", "RB NN VB"), ("after", "RB VB ROOT"))
        for tags in ("PR VB ROOT", "VB ROOT ROOT", "JJ NN VB", "NN VB ROOT", here)
    } | {
        f"{name} {mixed} {parts}"
        for name, here in (("before", "advmod NN root"), ("after", "advmod VB ROOT"))
        for parts in (
            "nsubj VB ROOT",
            "root ROOT ROOT",
            "amod NN root",
            "obj VB ROOT",
            here,
        )
    }
    assert features == plain | dict.fromkeys(wanted, 1.0)


@pytest.mark.parametrize(("layers", "tag"), [({"upos": ("NOUN",) * 5}, "NO"), ({}, "")])
def test_without_penn_tags_the_universal_ones_are_read(
    layers: dict[str, Any], tag: str
) -> None:
    k = TEMPLATES.index(("CP",))
    source = analysis("She reads old books here", BEFORE, **layers)
    features = gate_features(source, TARGET, result(), (k,))
    assert {name for name in features if name.startswith("before")} == {
        f"before {k} {tag}"
    }


def test_a_side_without_a_dependency_tree_is_refused() -> None:
    with pytest.raises(InvalidValue, match="dependency trees"):
        gate_features(SOURCE, TARGET, result(tree=None))
    with pytest.raises(InvalidValue, match="dependency trees"):
        gate_features(replace(SOURCE, deps=None), TARGET, result())


def test_a_gate_is_a_logistic_regression_that_stays_finite() -> None:
    gate = Gate(0.5, {"a": 2.0, "b": -1.0})
    assert gate.least == 0.5
    nats = 0.5 + 2.0 * 0.25 - 1.0 * 3.0
    features = {"a": 0.25, "b": 3.0, "never seen": 7.0}
    assert gate.probability(features) == pytest.approx(1 / (1 + exp(-nats)))
    never, always = Gate(-1e5, {}), Gate(1e5, {})
    assert never.probability({}) == pytest.approx(exp(-30), rel=1e-9, abs=0)
    assert 1 - always.probability({}) == pytest.approx(exp(-30), rel=1e-2, abs=0)


@pytest.mark.parametrize(
    "broken",
    [
        {"weights": None},
        {"weights": {"a": "much"}},
        {"templates": 3},
        {"templates": ["x"]},
        {"intercept": None},
        {"least": "most"},
    ],
)
def test_what_is_no_gate_is_refused(broken: dict[str, Any]) -> None:
    whole = Gate(0.5, {"a": 1.0}, (2,)).to_json()
    assert Gate.from_json(whole).to_json() == whole
    with pytest.raises(InvalidValue, match="not a gate"):
        Gate.from_json(whole | broken)
    for name in whole:
        with pytest.raises(InvalidValue, match="not a gate"):
            Gate.from_json({key: one for key, one in whole.items() if key != name})

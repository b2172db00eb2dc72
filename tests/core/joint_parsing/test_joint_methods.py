"""The other methods of joint parsing against enumeration, and their door."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.data.alignment import Link
from core.data.check import Floats
from core.data.deps import DepAnalysis, DepTree
from core.data.forest import Forest, ForestBuilder
from core.data.tokens import Sentence
from core.dependencies.mst import mst
from core.errors import InvalidValue
from core.joint_parsing.beliefs import carried, consensus_heads
from core.joint_parsing.duals import agree_on_spans, linked_spans
from core.joint_parsing.gate import Gate, JointWeights
from core.joint_parsing.linked import SetLinks, disagreements, linked_words
from core.joint_parsing.methods import best_choice, ranked_heads
from core.joint_parsing.parser import JointParser, pairs_of
from core.joint_parsing.values import JointSettings
from core.protocols import Analysis
from tests.core.joint_parsing.aligners import NoLinks
from tests.oracles import strategies
from tests.oracles.arcs import dependency_trees, weight
from tests.oracles.forests import derivations

DIAGONAL = [Link(f"w{i}", f"w{i}") for i in range(9)]


def analysis(text: str, arcs: dict[tuple[int, int], float]) -> Analysis:
    """Weights in nats by (head, modifier), ROOT = -1; all others are -9."""
    words = text.split()
    table = np.full((len(words) + 1, len(words) + 1), -9.0)
    for (h, m), nats in arcs.items():
        table[h + 1, m + 1] = nats
    _, heads = mst(table)
    names = ("left", "right")
    side = np.subtract.outer(*[np.arange(len(table))] * 2) > 0
    relations = np.log(np.where(np.stack([side, ~side], -1), 0.2, 0.8))
    tree = DepTree(tuple(int(h) for h in heads), ("left",) * len(words))
    deps = DepAnalysis(tree, table, relations, names)
    return Analysis(Sentence.of(text), deps=deps, xpos=("NN",) * len(words))


@pytest.fixture
def pair() -> tuple[Analysis, Analysis]:
    """The source's parser doubts where "here" hangs, the paraphrase's is sure."""
    unsure = {(-1, 1): 0.0, (1, 0): 0.0, (1, 2): 0.0, (1, 3): -0.8, (2, 3): -0.6}
    sure = unsure | {(1, 3): -0.01, (2, 3): -5.0}
    return analysis("she reads books here", unsure), analysis(
        "she studies books here", sure
    )


@pytest.fixture
def parser() -> JointParser:
    return JointParser(NoLinks(), JointWeights())


@pytest.mark.parametrize("method", ["bp", "mbr", "soft", "hard", "pairs"])
def test_a_sure_paraphrase_settles_what_the_source_doubts(
    method: str, pair: tuple[Analysis, Analysis], parser: JointParser
) -> None:
    settings = JointSettings(method, slack=2.0, trust=2.0)  # type: ignore[arg-type]
    result = parser.parse(*pair, settings, links=DIAGONAL[:4])
    (change,) = result.source.arcs
    assert (change.word, change.head_before, change.head_after) == (3, 2, 1)
    assert change.label_after in ("left", "right")
    assert change.prob_before > change.prob_after
    assert [link.source for link in change.because] == ["w3", "w1"]
    assert (result.agreement_before, result.agreement_after) == (2, 0)
    assert result.exact
    assert not result.target.arcs


@pytest.mark.parametrize("method", ["bp", "mbr", "soft", "hard", "pairs"])
def test_a_sure_sentence_settles_what_a_set_doubts(
    method: str, pair: tuple[Analysis, Analysis], parser: JointParser
) -> None:
    unsure, sure = pair
    settings = JointSettings(method, slack=2.0, trust=2.0)  # type: ignore[arg-type]
    links = dict.fromkeys(((0, 1), (0, 2), (1, 2)), DIAGONAL[:4])
    result = parser.parse_set([unsure, unsure, sure], settings, links=links)
    for side in result.sides[:2]:
        (change,) = side.arcs
        assert (change.word, change.head_before, change.head_after) == (3, 2, 1)
    assert [link.attrs["sentences"] for link in result.sides[1].arcs[0].because] == [
        "0-1", "1-2", "0-1", "1-2"
    ]  # fmt: skip
    assert not result.sides[2].arcs
    assert (result.agreement_before, result.agreement_after) == (4, 0)
    assert result.exact


def test_a_set_is_split_into_pairs_with_each_change_in_one(
    pair: tuple[Analysis, Analysis], parser: JointParser
) -> None:
    unsure, sure = pair
    settings = JointSettings("bp", slack=2.0)
    links = {(0, 1): (), (0, 2): DIAGONAL[:4], (1, 2): DIAGONAL[:4]}
    some = [unsure, unsure, sure]
    joint = parser.parse_set(some, settings, links=links)
    first, second = pairs_of(some, joint, settings)
    assert not first.source.arcs
    (change,) = second.source.arcs
    assert [link.attrs["sentences"] for link in change.because] == ["0-2", "0-2"]
    assert first.source.deps == second.source.deps == joint.sides[0].deps
    (theirs,) = first.target.arcs
    assert not theirs.because  # its links lead to the third sentence
    assert (len(first.links), len(second.links)) == (0, 4)
    assert (second.agreement_before, second.agreement_after) == (2, 0)


def test_a_set_of_two_is_parsed_as_a_pair(
    pair: tuple[Analysis, Analysis], parser: JointParser
) -> None:
    for method in ("bp", "mbr", "soft", "pairs"):
        settings = JointSettings(method, slack=0.7)  # type: ignore[arg-type]
        both = parser.parse(*pair, settings, links=DIAGONAL[:4])
        joint = parser.parse_set(pair, settings, links={(0, 1): DIAGONAL[:4]})
        for one, other in zip(both.sides, joint.sides, strict=True):
            assert (one.arcs, one.tree) == (other.arcs, other.tree)


def test_what_takes_two_sentences_refuses_a_set(
    pair: tuple[Analysis, Analysis], parser: JointParser
) -> None:
    many = [*pair, *pair, *pair]
    for how, reason in (
        (JointSettings("spans"), "expected two sentences"),
        (JointSettings("soft", slack_kind="prob"), "expected one slack"),
        (JointSettings("pairs", n_best=100), "expected fewer trees"),
    ):
        with pytest.raises(InvalidValue, match=reason):
            parser.parse_set(many, how)


def test_without_links_nothing_changes(
    pair: tuple[Analysis, Analysis], parser: JointParser
) -> None:
    for method in ("bp", "mbr", "soft", "hard", "pairs"):
        result = parser.parse(*pair, JointSettings(method))  # type: ignore[arg-type]
        assert not result.source.arcs
        assert not result.target.arcs


def test_gate_puts_the_separate_parses_back(
    pair: tuple[Analysis, Analysis],
) -> None:
    shut = JointWeights(bp_slack=2.0, gates={"bp": Gate(-5.0, {})})
    result = JointParser(NoLinks(), shut).parse(*pair, links=DIAGONAL[:4])
    assert not result.kept
    assert result.gate is not None
    assert result.gate < 0.01
    assert result.source.deps is pair[0].deps
    assert result.agreement_after == result.agreement_before
    free = JointSettings(gate=False)
    kept = JointParser(NoLinks(), shut).parse(*pair, free, links=DIAGONAL[:4])
    assert kept.kept
    assert kept.gate is None


def test_links_beyond_the_pair_are_refused(
    pair: tuple[Analysis, Analysis], parser: JointParser
) -> None:
    with pytest.raises(InvalidValue, match="outside its pair"):
        parser.parse(*pair, links=[Link("w0", "w7")])


@pytest.mark.parametrize(
    "wrong", [{"method": "magic"}, {"rounds": 0}, {"slack": -1.0}, {"step": 0.0}]
)
def test_settings_out_of_range_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(InvalidValue):
        JointSettings(**wrong)  # type: ignore[arg-type]


@settings(max_examples=40, deadline=None)
@given(strategies.arc_scores(max_tokens=4), st.booleans(), st.floats(0, 3))
def test_consensus_is_the_tree_of_most_worth(
    arcs: Floats,
    projective: bool,
    trust: float,
) -> None:
    arcs = np.where(np.isneginf(arcs), -5.0, arcs)
    n = len(arcs) - 1
    linked = linked_words(DIAGONAL[:n], n, n)
    other = np.random.default_rng(n).random(arcs.shape)
    seen = carried(linked, other, n)
    heads = consensus_heads(arcs, [seen], trust=trust, projective=projective)
    worth = arcs + trust * other
    best = max(weight(t, worth) for t in dependency_trees(n, projective=projective))
    assert weight(tuple(heads), worth) == pytest.approx(best, abs=1e-9)


@settings(max_examples=30, deadline=None)
@given(strategies.arc_scores(max_tokens=4), strategies.arc_scores(max_tokens=4))
def test_pair_finding_over_all_trees_is_exhaustive(a: Floats, b: Floats) -> None:
    a, b = (np.where(np.isneginf(x), -5.0, x) for x in (a, b))
    n, m = len(a) - 1, len(b) - 1
    linked = linked_words(DIAGONAL[: min(n, m)], n, m)
    ours, theirs = (ranked_heads(x, 200, projective=True) for x in (a, b))
    (i, j), count = best_choice([ours, theirs], [SetLinks(0, 1, linked)])
    everything = [
        (disagreements(linked, x, y), -weight(x, a) - weight(y, b))
        for x, y in product(
            dependency_trees(n, projective=True), dependency_trees(m, projective=True)
        )
    ]
    least = min(everything)
    assert count == least[0]
    assert -ours[i][0] - theirs[j][0] == pytest.approx(least[1], abs=1e-9)


def test_linked_spans_are_those_whose_words_stay_together() -> None:
    swapped = [Link("w0", "w2"), Link("w1", "w3"), Link("w2", "w0"), Link("w3", "w1")]
    linked = linked_words(swapped, 4, 4)
    assert linked_spans(linked, 4, 4) == [((0, 2), (2, 4)), ((2, 4), (0, 2))]


def test_no_span_is_linked_across_a_word_linked_elsewhere() -> None:
    links = [Link("w0", "w0"), Link("w1", "w2"), Link("w2", "w1")]
    spans = linked_spans(linked_words(links, 4, 4), 4, 4)
    assert ((0, 2), (0, 3)) not in spans
    assert ((1, 3), (1, 3)) in spans


def bracketed(first: float, second: float) -> tuple[Forest, Floats]:
    """Three words, (a b) c or a (b c), with the weights of the two."""
    builder = ForestBuilder()
    words = [builder.node("W", i, i + 1) for i in range(3)]
    for word in words:
        builder.edge(word)
    left, right = builder.node("P", 0, 2), builder.node("P", 1, 3)
    top = builder.node("S", 0, 3)
    builder.edge(left, words[:2])
    builder.edge(right, words[1:])
    builder.edge(top, [left, words[2]])
    builder.edge(top, [words[0], right])
    forest = builder.freeze()
    weights = np.zeros(forest.n_edges)
    for e in range(forest.n_edges):
        v = int(forest.heads[e])
        if forest.name(v) == "P":
            weights[e] = first if forest.starts[v] == 0 else second
    return forest, weights


@settings(max_examples=60, deadline=None)
@given(*[st.floats(-2, 2)] * 4, st.floats(0, 2))
def test_certified_phrases_are_the_best_of_all_pairs(
    a: float, b: float, c: float, d: float, slack: float
) -> None:
    ours, theirs = bracketed(a, b), bracketed(c, d)
    spans = linked_spans(linked_words(DIAGONAL[:3], 3, 3), 3, 3)
    agreed = agree_on_spans(ours, theirs, spans, slack=slack, rounds=60, step=0.5)
    best = max(
        (a, b)[x] + (c, d)[y] - 2 * slack * (x != y) for x, y in product((0, 1), (0, 1))
    )
    assert len(list(derivations(ours[0]))) == 2
    assert agreed.score <= best + 1e-9 <= agreed.bound + 1e-6
    if agreed.bound - agreed.score < 1e-7:
        assert agreed.score == pytest.approx(best, abs=1e-6)


def test_hard_decomposition_answers_with_round_k_or_with_the_best_pair(
    pair: tuple[Analysis, Analysis], parser: JointParser
) -> None:
    """In one tiny step nothing agrees yet: the best pair met is the separate one."""
    brief = JointSettings("hard", rounds=2, step=1e-6, gate=False)
    best = parser.parse(*pair, brief, links=DIAGONAL[:4])
    assert not best.exact
    assert best.source.deps is not None
    assert best.source.deps.tree.heads == pair[0].deps.tree.heads  # type: ignore[union-attr]
    far = replace(brief, rounds=1000, step=50.0)
    last = parser.parse(*pair, replace(far, last_round=True), links=DIAGONAL[:4])
    assert last.agreement_after <= best.agreement_after


def test_roots_are_linked_unless_they_are_not_to_be(
    pair: tuple[Analysis, Analysis], parser: JointParser
) -> None:
    alone = JointSettings("soft", gate=False, link_roots=False)
    apart = parser.parse(*pair, alone, links=())
    assert apart.rounds[0].disagreements == 0
    assert not apart.source.arcs

"""Feature-enhanced EM over phrase alignments, on pairs made up for it."""

import numpy as np
import pytest

from core.errors import InvalidValue
from core.forests.mixture import ranked_forest
from core.formats.ptb import parse_one
from core.phrase_alignment.forest_align import AlignSettings, align
from core.phrase_alignment.sides import side_of_forest, side_of_tree
from lab.evaluation.phrase_em import (
    EmState,
    FeaturePair,
    _add_slope,
    _log_probabilities,
    features,
    gains,
    train,
)

PAIRS = (
    (
        "(S (NP (DT the) (NN cook)) (VP (VBD burned) (NP (DT the) (NN rice))))",
        "(S (NP (DT a) (NN cook)) (VP (VBD burned) (NP (NN rice))))",
    ),
    (
        "(S (NP (NNS dogs)) (VP (VBP bark) (PP (IN at) (NP (NNS cars)))))",
        "(S (PP (IN at) (NP (NNS cars))) (NP (NNS dogs)) (VP (VBP bark)))",
    ),
)


def prepared(state: EmState) -> list[FeaturePair]:
    return [
        features(*(side_of_tree(parse_one(text)) for text in pair), state, None)
        for pair in PAIRS
    ]


def test_probabilities_sum_to_one_in_both_directions() -> None:
    state = EmState()
    pair = prepared(state)[0]
    weights = np.random.default_rng(1).normal(size=len(state.weights))
    forth, back = _log_probabilities(pair, weights)
    named = np.flatnonzero(pair.source.named)
    assert np.exp(forth[named]).sum(1) == pytest.approx(1.0)
    named = np.flatnonzero(pair.target.named)
    assert np.exp(back[:, named]).sum(0) == pytest.approx(1.0)


def test_the_slope_is_that_of_the_log_likelihood() -> None:
    state = EmState()
    pair = prepared(state)[1]
    weights = np.random.default_rng(2).normal(size=len(state.weights))
    links = [(pair.source.n_nodes - 1, pair.target.n_nodes - 1)]
    slope = np.zeros(len(weights))
    here = _add_slope(pair, weights, links, slope)
    for at in np.flatnonzero(slope)[:8]:
        moved = weights.copy()
        moved[at] += 1e-6
        there = _add_slope(pair, moved, links, np.zeros(len(weights)))
        assert (there - here) / 1e-6 == pytest.approx(slope[at], abs=1e-3)


def test_what_a_forest_holds_beside_its_chosen_tree_is_not_seen_as_null() -> None:
    texts = (
        "(S (NP (NNS dogs)) (VP (VBP see) (NP (NNS cars) (PP (IN at) (NN day)))))",
        "(S (NP (NNS dogs)) (VP (VP (VBP see) (NP (NNS cars))) (PP (IN at) (NN day))))",
    )
    ranked = [(-1.0 * k, parse_one(text)) for k, text in enumerate(texts)]
    forest, weights = ranked_forest(ranked)
    words, tags = ranked[0][1].words, ranked[0][1].tags
    both = side_of_forest(forest, weights, words=words, tags=tags)
    state = EmState()
    pair = features(both, side_of_tree(ranked[0][1]), state, None)
    zero = np.zeros(len(state.weights))
    chosen = align(pair.source, pair.target, gains(pair, zero, mu_n=1.1))
    beside = set(np.flatnonzero(both.named).tolist()) - chosen.edges[0].keys()
    assert beside  # phrases of the other tree
    slopes = []
    for trees in (None, chosen):
        slopes.append(np.zeros(len(zero)))
        _add_slope(pair, zero, chosen.links, slopes[-1], trees)
    # As null they would hold down each feature of their links with a node over there.
    seen = np.zeros(len(zero))
    likely = np.exp(_log_probabilities(pair, zero)[0])
    for node in beside:
        np.add.at(seen, pair.ids[node], likely[node][:, None])
    seen[0] = 0.0
    assert slopes[1] - slopes[0] == pytest.approx(seen)


def test_training_makes_the_alignments_more_probable() -> None:
    state = EmState()
    pairs = prepared(state)
    train(pairs, state, epochs=30, batch=2)
    assert state.curve[-1] > state.curve[0] + 0.5
    gain = gains(pairs[1], np.array(state.weights), mu_n=1.1)
    alignment = align(pairs[1].source, pairs[1].target, gain)
    assert len(alignment.links) == 6  # all but the VP over a verb and a PP


def test_a_resumed_run_ends_as_one_that_was_not_broken_off() -> None:
    whole = EmState()
    train(prepared(whole), whole, epochs=4, batch=1, seed=5)
    half = EmState()
    train(prepared(half), half, epochs=2, batch=1, seed=5)
    resumed = EmState.loads(half.dumps())
    train(prepared(resumed), resumed, epochs=4, batch=1, seed=5)
    assert resumed.step == whole.step
    assert resumed.curve == pytest.approx(whole.curve, abs=1e-3)


def test_links_that_are_told_are_learnt_from_where_the_weights_begin() -> None:
    state = EmState()
    pairs = prepared(state)
    pair = pairs[0]
    top = (pair.source.n_nodes - 1, pair.target.n_nodes - 1)
    state.weights[1] = 3.0
    begun = list(state.weights)
    still = train(pairs[:1], state, epochs=1, seen=[[]])
    assert still.weights == begun  # nothing told, nothing forgotten
    likelihood = [_add_slope(pair, np.array(begun), [top], np.zeros(len(begun)))]
    state.step = 0
    train(pairs[:1], state, epochs=5, seen=[[top]])
    now = np.array(state.weights)
    likelihood.append(_add_slope(pair, now, [top], np.zeros(len(now))))
    assert likelihood[1] > likelihood[0] + 1.0


def test_nothing_to_learn_from_is_refused() -> None:
    with pytest.raises(InvalidValue):
        train([], EmState(), epochs=1)
    with pytest.raises(InvalidValue):
        EmState.loads("{}")


def test_settings_reach_the_decoder() -> None:
    state = EmState()
    pairs = prepared(state)
    strict = AlignSettings().monotonic()
    assert train(pairs, state, epochs=1, settings=strict).step == 1


def test_numbers_are_no_conjunctions_and_clauses_no_adverbs() -> None:
    sides = [
        side_of_tree(parse_one(text))
        for text in (
            "(S (NP (NP (CD two) (NNS dogs)) (RRC (RB now) (ADJP (JJ old)))) (VP "
            "(VBP bark) (CC and) (VBP bite) (PRT (RP off))))",
            "(UH yes)",
        )
    ]
    state = EmState()
    features(sides[0], sides[1], state, None)
    names = {
        (name.split()[1], name.split()[2]) for name in state.names if name[:1] == "1"
    }
    assert {("two", "N"), ("now", "R"), ("old", "J"), ("and", "C")} <= names
    assert ("two", "C") not in names
    assert not any(kind == "C" for lemma, kind in names if lemma != "and")
    assert not any(kind == "R" for lemma, kind in names if lemma != "now")


def test_prepositions_are_told_by_their_heads_not_by_phrases_around_them() -> None:
    state = EmState()
    pair = prepared(state)[1]
    five = state.names["5"]
    cells = np.argwhere((pair.ids == five).any(2))
    words = {
        (
            pair.source.words[int(pair.source.heads[s])],
            pair.target.words[int(pair.target.heads[t])],
        )
        for s, t in cells
    }
    assert words == {("at", "at")}
    both = [side.category(v) for side in (pair.source, pair.target)
            for v in range(side.n_nodes)]  # fmt: skip
    assert both.count("PP") == 2  # whose semantic heads are nouns

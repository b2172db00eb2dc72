"""Costs, features, tuned weights and scores of a pair."""

import numpy as np
import pytest

from core.errors import InvalidValue, Unavailable
from core.itg import scores as scoring
from core.itg.features import GROUPS, PLAIN, PairView, features
from core.itg.grammar import CostSettings, WordClass, pair_costs, word_classes
from core.itg.scores import SCORERS, trained
from core.learning.logistic import LogisticModel
from core.word_alignment.lexicon import LexiconSettings

SOURCE = ["The", "nurse", ",", "not", "the", "cook", ",", "opened", "3", "windows", "."]
TARGET = ["3", "windows", "were", "opened", "by", "the", "nurse", "."]


def vectors(n: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(0, 1, (n, 8))


def test_word_classes_are_read_off_the_form() -> None:
    classes = word_classes(["The", "nurse", ",", "Anna", "1990s"])
    assert classes.tolist() == [
        WordClass.FUNCTION,
        WordClass.CONTENT,
        WordClass.PUNCTUATION,
        WordClass.NAME,
        WordClass.NUMBER,
    ]


def test_costs_weigh_words_by_class_and_side() -> None:
    rules = CostSettings(
        LexiconSettings(), punctuation=0.2, source_factor=0.5, inversion=0.3, match=0.1
    )
    classes = word_classes(["house", "."])
    weights = pair_costs(np.array([[0.0, 1.0], [1.0, 0.0]]), classes, classes, rules)
    assert weights.source_nulls.tolist() == [-0.5, -0.1]
    assert weights.target_nulls.tolist() == [-1.0, -0.2]
    np.testing.assert_allclose(weights.links, [[-0.1, -0.7], [-0.7, -0.1]])
    assert (weights.straight, weights.inverted) == (0.0, -0.3)
    with pytest.raises(InvalidValue):
        CostSettings(LexiconSettings(), number=-1.0)


def test_perfect_match_scores_one_and_nothing_in_common_little() -> None:
    scorer = SCORERS["plain"]
    same = scorer.score(scorer.view(SOURCE, SOURCE))
    assert same.value == 1.0
    assert same.biparse.n_inverted == 0
    assert scorer.score(scorer.view(["a", "b"], ["c", "d"])).value == pytest.approx(0.5)


def test_raw_scores_are_nats_and_fall_with_length() -> None:
    scorer = SCORERS["wu2005"]
    short = scorer.score(scorer.view(["a"], ["a"])).value
    long = scorer.score(scorer.view(["a"] * 5, ["a"] * 5)).value
    assert short == pytest.approx(-0.34)
    assert long == pytest.approx(5 * short)


def test_paraphrase_features_do_not_care_which_side_is_which() -> None:
    one = features(PairView(SOURCE, TARGET))
    other = features(PairView(TARGET, SOURCE))
    assert one.keys() == other.keys()
    for name, value in one.items():
        assert other[name] == pytest.approx(value, abs=1e-4), name


def test_entailment_features_do() -> None:
    one = features(PairView(SOURCE, TARGET, is_symmetric=False))
    other = features(PairView(TARGET, SOURCE, is_symmetric=False))
    assert one["grams1_source"] == other["grams1_target"]
    assert one["grams1_source"] != other["grams1_source"]


def test_features_say_numbers_and_negation() -> None:
    values = features(PairView(SOURCE, TARGET))
    assert values["numbers_same"] == 1.0
    assert values["negation_differs"] == 1.0
    clash = features(PairView(["5", "cats"], ["7", "cats"]))
    assert (clash["numbers_same"], clash["numbers_clash"]) == (0.0, 1.0)


def test_context_needs_vectors_and_groups_add_up() -> None:
    plain = PairView(SOURCE, TARGET)
    seen = PairView(
        SOURCE, TARGET, vectors=(vectors(len(SOURCE), 1), vectors(len(TARGET), 2))
    )
    without = features(plain)
    assert "closest_low" not in without
    assert set(features(seen)) - set(without) == set(features(seen, ["context"]))
    assert all(np.isfinite(list(features(seen).values())))
    assert list(features(seen, GROUPS[:1])) == list(features(plain, ["overlap"]))


def test_stop_words_and_punctuation_alone_make_features_too() -> None:
    values = features(PairView(["the", "."], ["of", "!"], is_symmetric=False))
    assert all(np.isfinite(list(values.values())))


@pytest.mark.parametrize("task", ["paraphrase", "entailment"])
@pytest.mark.parametrize("context", [False, True])
def test_shipped_weights_fit_the_features(task: str, context: bool) -> None:
    seen = (vectors(len(SOURCE), 1), vectors(len(TARGET), 2)) if context else None
    view = SCORERS[task].view(SOURCE, TARGET, None, seen)
    assert set(trained(task, context=context).names) == set(features(view))


@pytest.mark.parametrize("task", ["paraphrase", "entailment"])
def test_tuned_scorers_tell_same_from_different(task: str) -> None:
    scorer = SCORERS[task]
    other = [
        "Prices",
        "of",
        "copper",
        "fell",
        "by",
        "4",
        "%",
        "in",
        "London",
        "on",
        "Monday",
        ".",
    ]
    same = scorer.score(scorer.view(SOURCE, SOURCE)).value
    apart = scorer.score(scorer.view(SOURCE, other)).value
    assert 1 > same > 0.5 > apart > 0


def test_missing_weights_are_said(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(scoring, "files", lambda package: tmp_path)
    trained.cache_clear()
    scoring.shipped.cache_clear()
    with pytest.raises(Unavailable, match=r"paraphrase\.json"):
        trained("paraphrase", context=False)
    trained.cache_clear()
    scoring.shipped.cache_clear()


def test_logistic_model_survives_json_and_refuses_nonsense() -> None:
    rows = np.random.default_rng(5).normal(0, 1, (50, 2))
    halves, ones = np.full(2, 0.5), np.ones(2)
    model = LogisticModel(("a", "b"), halves, ones, np.array([2.0, -1.0]), 0.25)
    again = LogisticModel.from_json(model.to_json())
    assert again.names == model.names
    np.testing.assert_allclose(again.nats(rows), model.nats(rows), atol=1e-4)
    with pytest.raises(InvalidValue):
        LogisticModel.from_json({"features": {"a": "x"}})


def test_biparse_of_a_view_says_cost_as_share() -> None:
    best, cost = PairView(["a", "b"], ["b", "a"]).biparse(PLAIN, exact=True)
    assert best.score == pytest.approx(-0.05)
    assert cost == pytest.approx(0.05 / 4)

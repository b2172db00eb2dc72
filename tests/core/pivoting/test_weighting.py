"""The ninth condition: fitted on judgments, tried on other phrases, read back."""

import json
from dataclasses import replace

import numpy as np
import pytest

from core.errors import InvalidValue
from core.formats import ptb
from core.parsing import registry
from core.pivoting.commands.options import vectors_of
from core.pivoting.labels import ccg_labels
from core.pivoting.substitution import substitutes, weighted
from core.pivoting.table import Table
from core.pivoting.weighting import (
    ALONE,
    PLACED,
    JudgedSubstitute,
    Site,
    Weights,
    candidates,
    components,
    fit_weights,
    look_up,
)
from core.protocols import Analysis, BackendInfo
from tests.core.pivoting import small_bitext
from tests.core.pivoting.test_substitution import Shorter
from tests.core.pivoting.test_table import built

TREES = [ptb.parse_one(tree) for tree in small_bitext.TREES]


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Table:
    return built(tmp_path_factory.mktemp("weighting"), best=100)


class Letters:
    """A parser whose vector of a word is how often each letter is in it."""

    info = BackendInfo("letters", "1", "CC0", ("en",), frozenset({"vectors"}))

    def analyse(self, sentences, *, want):
        assert want == {"vectors"}
        return [
            Analysis(
                one,
                vectors=np.array(
                    [
                        [form.lower().count(c) for c in "abcdefghijklmnopqrstuvwxyz"]
                        for form in one.forms
                    ],
                    dtype=float,
                ),
            )
            for one in sentences
        ]


def sites(table: Table) -> list[Site]:
    """Every phrase of the sentences that the table has paraphrases of."""
    return [
        Site(tree.words, i, j, tuple(ccg_labels(tree, i, j)))
        for tree in TREES
        for i in range(len(tree.words))
        for j in range(i + 1, min(i + 3, len(tree.words)) + 1)
        if table.heads(" ".join(tree.words[i:j]))
    ]


def judged(table: Table, rate) -> list[JudgedSubstitute]:
    return [
        JudgedSubstitute(site, one.text, rate(site, one.text))
        for site in sites(table)
        for one in candidates(table, site)
    ]


def test_components_are_those_of_the_table_and_of_the_sentence(table: Table) -> None:
    site = Site(TREES[0].words, 1, 2, tuple(ccg_labels(TREES[0], 1, 2)))
    rows = components(table, site, ["ancient"], model=Shorter(), backend=Letters())
    values = dict(zip(PLACED, rows[0], strict=True))
    best = {
        name: substitutes(table, TREES[0], (1, 2), condition=name, k=99)
        for name in ("baseline", "extraction", "substitution", "averaged")
    }
    p = {
        name: next(x.paraphrase.p for x in rows if x.paraphrase.text == "ancient")
        for name, rows in best.items()
    }
    names = ("baseline", "any label", "labels here", "labels here, mean")
    assert [values[name] for name in names] == pytest.approx(np.log([*p.values()]))
    assert (values["one holds the other"], values["difference"]) == (0, 0)
    assert values["language model"] == 0  # as long as before
    assert values["fit of vectors"] == 0  # no letter in common
    same = components(table, site, ["old"], backend=Letters())[0]
    assert same[PLACED.index("fit of vectors")] == pytest.approx(1)


def test_what_is_not_there_is_not_known(table: Table) -> None:
    site = Site(TREES[0].words, 1, 2)
    values = dict(zip(PLACED, components(table, site, ["ancient"])[0], strict=True))
    assert np.isnan([values["language model"], values["fit of vectors"]]).all()


def test_people_who_like_one_component_give_it_the_weight(table: Table) -> None:
    """Who wants short paraphrases gets them first, though they are less likely."""

    def rate(site: Site, text: str) -> float:
        return 1.0 - text.count(" ") / 5

    weights = fit_weights(table, judged(table, rate), model=Shorter())
    by_name = dict(zip(PLACED, weights.placed.weights, strict=True))
    assert max(by_name, key=lambda name: abs(by_name[name])) in (
        "difference",
        "language model",
    )
    for site, tree in ((sites(table)[0], TREES[0]),):
        ranked = weighted(
            table, tree, (site.start, site.end), weights, model=Shorter(), k=99
        )
        lengths = [len(one.tokens) for one in ranked]
        assert lengths[0] == min(lengths)
        assert [one.place for one in ranked] == list(range(1, len(ranked) + 1))
        assert [one.score for one in ranked] == sorted(
            (one.score for one in ranked), reverse=True
        )


def test_the_gain_is_over_phrases_that_the_fit_never_saw(table: Table) -> None:
    """What only the phrase explains is not learned from others: no gain is claimed."""
    rng = np.random.default_rng(0)
    taste: dict[str, float] = {}

    def rate(site: Site, text: str) -> float:
        return taste.setdefault(site.phrase.lower(), float(rng.uniform()))

    facts = fit_weights(table, judged(table, rate)).facts
    assert facts["placed"] < 0.5
    assert facts["gain"]["low"] < 0 or facts["gain"]["p"] > 0.05
    assert facts["phrases"] == len(taste)


def test_weights_come_back_as_they_were_stored(table: Table) -> None:
    made = fit_weights(table, judged(table, lambda site, text: len(text) / 30))
    read = Weights.of_json(json.loads(json.dumps(made.to_json())))
    assert look_up(table, "old", read) == look_up(table, "old", made)
    assert read.facts == made.facts


def test_what_ranks_now_is_beaten_on_phrases_that_it_has_not_seen(
    table: Table,
) -> None:
    """Weights for paraphrases of other lengths rank now; people want the same."""

    def gap(site: Site, text: str) -> float:
        return abs(text.count(" ") - site.phrase.count(" ")) / 5

    other = judged(table, gap)
    same = judged(table, lambda site, text: 1 - gap(site, text))
    half = [one for one in other if one.site.phrase < "h"]
    now = fit_weights(table, half)
    facts = fit_weights(table, same, now=now).facts
    seen = set(now.facts["fitted_on"])
    new = {name for name in facts["fitted_on"] if name not in seen}
    assert seen
    assert facts["compared"]["phrases"] == len(new) > 1
    assert facts["compared"]["difference"] > 0.5
    again = fit_weights(table, half, now=now).facts
    assert again["compared"] == {"phrases": 0}


@pytest.mark.parametrize(
    "change",
    [
        {"version": 0},
        {"alone": {"names": []}},
        {"placed": None},
    ],
)
def test_weights_of_another_kind_are_refused(table: Table, change: dict) -> None:
    made = fit_weights(table, judged(table, lambda site, text: len(text) / 30))
    data = json.loads(json.dumps(made.to_json()))
    with pytest.raises(InvalidValue):
        Weights.of_json(data | change)


def test_weights_stay_with_the_parser_that_they_were_fitted_on(table: Table) -> None:
    weights = fit_weights(
        table, judged(table, lambda *_: 0.5), facts={"parser": "english"}
    )
    assert vectors_of(weights) is registry.load("english")
    assert replace(weights, facts={}).parser == registry.DEFAULT
    assert vectors_of(None) is None


def test_too_few_judgments_are_refused(table: Table) -> None:
    some = judged(table, lambda site, text: 0.5)
    with pytest.raises(InvalidValue, match="at least 20"):
        fit_weights(table, some[:5])
    unknown = [JudgedSubstitute(one.site, "harbour pilot", 1.0) for one in some]
    with pytest.raises(InvalidValue, match="0 judged substitutes"):
        fit_weights(table, unknown)


def test_a_look_up_needs_no_sentence(table: Table) -> None:
    made = fit_weights(table, judged(table, lambda site, text: 1 - len(text) / 30))
    rows = look_up(table, "old", made, k=3)
    assert rows
    assert [one.p for one in rows] == sorted((one.p for one in rows), reverse=True)
    assert not any(one.proven for one in rows)
    assert look_up(table, "no such phrase", made) == []
    assert len(ALONE) == len(made.alone.weights)

"""Two parsers beside each other, and how near the gold heads were, counted by hand."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from core.data.deps import DepAnalysis, DepTree
from core.data.tokens import Sentence
from core.errors import InvalidValue
from core.evaluation.golds import Gold, read_golds
from core.evaluation.parsers import compare, evaluate
from core.parsing import registry
from core.protocols import Analysis, BackendInfo, Capability
from tests import small_pcfg

CAPABILITIES: frozenset[Capability] = frozenset({"dependencies"})
FORMS = {"a": ("Rooks", "nest"), "b": ("They", "sang", "loudly"), "c": ("Snow", "fell")}
GOLD = {
    "a": DepTree((1, -1), ("nsubj", "root")),
    "b": DepTree((1, -1, 1), ("nsubj", "root", "advmod")),
    "c": DepTree((1, -1), ("nsubj", "root")),
}
FLAT = DepTree((-1, 0), ("root", "dep"))
TREES = (
    "(S (NP (NNP Mary)) (VP (VBD slept)))\n(S (NP (DT the) (NN man)) (VP (VBD left)))"
)


class Told:
    """Answers with the trees that it was made with; an error for any other sentence."""

    def __init__(self, answers: Mapping[str, DepAnalysis]) -> None:
        self.info = BackendInfo("told", "1", "", ("en",), CAPABILITIES)
        self.answers = {FORMS[name]: answer for name, answer in answers.items()}

    def analyse(
        self, sentences: list[Sentence], *, want: frozenset[Capability]
    ) -> list[Analysis | Exception]:
        return [
            Analysis(one, deps=self.answers[one.forms])
            if one.forms in self.answers
            else InvalidValue("too long")
            for one in sentences
        ]


def golds() -> list[Gold]:
    return [Gold(Sentence.of(FORMS[name]), deps=GOLD[name]) for name in FORMS]


def told(**trees: DepTree) -> Told:
    return Told({name: DepAnalysis(tree) for name, tree in trees.items()})


def test_each_has_its_scores_and_the_better_of_both_is_taken_by_sentence() -> None:
    relation = DepTree((1, -1, 1), ("nsubj", "root", "obj"))
    this = told(a=GOLD["a"], b=relation, c=FLAT)
    other = told(a=FLAT, b=GOLD["b"], c=FLAT)
    figures = compare(golds(), this, other)
    assert set(figures) == {"uas", "las"}
    assert (figures["uas"]["this"], figures["uas"]["other"]) == (71.43, 42.86)
    assert (figures["las"]["this"], figures["las"]["other"]) == (57.14, 42.86)
    assert figures["las"]["better"] == 71.43


def test_a_sentence_without_an_answer_is_all_wrong() -> None:
    figures = compare(golds(), told(b=GOLD["b"]), told(**GOLD))
    assert (figures["las"]["this"], figures["las"]["other"]) == (42.86, 100.0)


def test_p_is_of_swapping_the_parses_of_a_sentence() -> None:
    """Three sentences of which one parser has all and the other none: of the eight
    ways to swap, two are as far apart."""
    nothing = told(a=FLAT, b=DepTree((-1, 0, 0), ("root", "dep", "dep")), c=FLAT)
    figures = compare(golds(), told(**GOLD), nothing)
    assert figures["las"]["p"] == pytest.approx(2 / 8, abs=0.02)
    same = compare(golds(), told(**GOLD), told(**GOLD))
    assert {row["p"] for row in same.values()} == {1.0}


def test_brackets_are_compared_too(tmp_path: Path) -> None:
    (tmp_path / "x.ptb").write_text(TREES)
    some, _ = read_golds([tmp_path / "x.ptb"])
    small = registry.at(small_pcfg.written(tmp_path / "small"))
    figures = compare(some, small, registry.load("english"))
    assert set(figures) == {"f1"}
    alone = evaluate(small, some, oracle=False).to_json()
    assert figures["f1"]["this"] == alone["f1"]
    assert figures["f1"]["better"] >= max(figures["f1"]["this"], figures["f1"]["other"])


def test_gold_heads_are_counted_by_how_many_weigh_more() -> None:
    arcs = np.full((4, 4), -9.0)
    arcs[2, 1], arcs[0, 2] = -1.0, -1.0  # the gold heads of the first two words
    arcs[3, 1] = -0.5  # one head of the first weighs more
    arcs[:3, 3] = -1.0, -2.0, -3.0  # two of the third
    some = Told({"b": DepAnalysis(GOLD["b"], arcs)})
    near = evaluate(some, golds()[1:2], oracle=False).to_json()["heads_among"]
    assert near == {"2": 66.67, "3": 100.0}


def test_without_weights_nothing_is_said_of_heads() -> None:
    scores = evaluate(told(**GOLD), golds(), oracle=False).to_json()
    assert scores["heads_among"] is None

"""Errors by construction: hand-counted, and in all what PARSEVAL and UAS/LAS count."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.agreement.trees import attachment, parseval
from core.data.deps import DepTree
from core.evaluation.parsers import ErrorCounts
from core.formats.ptb import parse_one

GOLD = (
    "(S (NP (NN tea) (CC and) (NN cake)) (VP (VBD came) (PP (IN with) (NP (NN milk)))))"
)
GUESS = (
    "(S (NP (NN tea)) (CC and) (NP (NN cake))"
    " (VP (VBD came) (ADVP (IN with) (NN milk))))"
)


def test_labels_widths_and_coordination_are_counted() -> None:
    errors = ErrorCounts()
    errors.add_tree(parse_one(GOLD), parse_one(GUESS))
    table = errors.to_json()
    assert table["label"]["NP"] == {
        "gold": 2, "recall": 0.0, "precision": 0.0, "f1": 0.0, "other_label": 0
    }  # fmt: skip
    assert table["label"]["PP"] == {"gold": 1, "recall": 0.0}
    assert table["label"]["VP"]["f1"] == 100.0
    assert table["label"]["with CC"] == {"gold": 1, "recall": 0.0}
    assert table["width"]["6-10"] == {
        "gold": 1, "recall": 100.0, "precision": 100.0, "f1": 100.0, "other_label": 0
    }  # fmt: skip


def test_another_label_over_the_same_words_is_told() -> None:
    errors = ErrorCounts()
    errors.add_tree(
        parse_one("(S (X (A a) (B b)) (C c))"), parse_one("(S (Y (A a) (B b)) (C c))")
    )
    assert errors.cells["label", "X", "other_label"] == 1
    assert errors.cells["width", "1-2", "other_label"] == 1


def test_no_parse_finds_nothing() -> None:
    errors = ErrorCounts()
    errors.add_tree(parse_one(GOLD), None)
    errors.add_arcs(DepTree((1, -1), ("det", "root")), None)
    table = errors.to_json()
    assert {row["recall"] for row in table["label"].values()} == {0.0}
    assert table["relation"]["det"] == {"words": 1, "uas": 0.0, "las": 0.0}


def test_arcs_by_relation_and_length() -> None:
    gold = DepTree((1, -1, 1, 1), ("nsubj", "root", "obj", "punct"))
    guess = DepTree((1, -1, 1, 2), ("nsubj", "root", "iobj", "punct"))
    errors = ErrorCounts()
    errors.add_arcs(gold, guess)
    table = errors.to_json()
    assert table["relation"]["obj"] == {"words": 1, "uas": 100.0, "las": 0.0}
    assert table["relation"]["punct"] == {"words": 1, "uas": 0.0, "las": 0.0}
    assert table["length"]["root"] == {"words": 1, "uas": 100.0, "las": 100.0}
    assert table["length"]["1-2"]["words"] == 3


@given(st.lists(st.sampled_from([GOLD, GUESS, None]), min_size=1, max_size=4))
def test_all_labels_together_are_parseval(guesses) -> None:
    gold, errors, total = parse_one(GOLD), ErrorCounts(), parseval.Parseval()
    for text in guesses:
        guess = parse_one(text) if text else None
        errors.add_tree(gold, guess)
        total += parseval.compare(gold, guess)
    for kind in ("label", "width"):
        sums = {
            name: sum(n for (k, value, what), n in errors.cells.items()
                      if (k, what) == (kind, name) and value != "with CC")
            for name in ("gold", "given", "right")
        }  # fmt: skip
        assert sums == {
            "gold": total.gold,
            "given": total.guessed,
            "right": total.matched,
        }


@pytest.mark.parametrize("kind", ["relation", "length"])
def test_all_relations_together_are_the_attachment_scores(kind: str) -> None:
    gold = DepTree((1, -1, 1, 4, 1), ("nsubj", "root", "obj", "case", "obl"))
    guess = DepTree((1, -1, 4, 4, 1), ("nsubj", "root", "obj", "case", "advmod"))
    errors, scores = ErrorCounts(), attachment.compare(gold, guess)
    errors.add_arcs(gold, guess)
    sums = [
        sum(n for (k, _, what), n in errors.cells.items() if (k, what) == (kind, name))
        for name in ("words", "heads", "labelled")
    ]
    assert sums == [scores.tokens, scores.heads, scores.labelled]

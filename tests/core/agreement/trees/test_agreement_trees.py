"""Agreement of trees: sums over sentences, the same both ways."""

import pytest

from core.agreement.trees.annotators import agreement_of_deps, agreement_of_trees
from core.data.deps import DepTree
from core.formats import ptb

ONE = "(S (NP (DT A) (NN bell)) (VP (VBD rang)))"
TWO = "(S (NP (DT A)) (NP (NN bell)) (VP (VBD rang)))"
LONG = "(S (NP (DT A) (JJ big) (NN bell)) (VP (VBD rang)))"


def trees(**texts: str):
    return {name: ptb.parse_one(text) for name, text in texts.items()}


def test_f1_counts_brackets_over_all_sentences() -> None:
    made = {"ann": trees(x=ONE, y=ONE), "ben": trees(x=ONE, y=TWO, z=ONE)}
    (row,) = agreement_of_trees(made)
    assert (row["n"], row["cases"]) == (2, ["y"])
    assert row["f1"]["value"] == pytest.approx(2 * (3 + 2) / (6 + 7))
    assert row["exact"]["value"] == 0.5
    turned = dict(reversed(made.items()))
    assert agreement_of_trees(turned)[0]["f1"]["value"] == row["f1"]["value"]


def test_sentences_of_another_length_are_told_and_left_out() -> None:
    (row,) = agreement_of_trees({"ann": trees(x=ONE), "ben": trees(x=LONG)})
    assert (row["n"], row["unlike"]) == (0, 1)
    assert row["f1"]["undefined"] == "no sentence has both trees"


def test_heads_and_labels_are_counted_apart() -> None:
    left = DepTree((2, 0, -1), ("nsubj", "det", "root"))
    right = DepTree((2, 0, -1), ("obj", "det", "root"))
    (row,) = agreement_of_deps({"ann": {"x": left}, "ben": {"x": right}})
    assert row["uas"]["value"] == 1
    assert row["las"]["value"] == pytest.approx(2 / 3)

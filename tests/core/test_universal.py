"""Gold trees as dependencies in the manner of UD."""

import pytest

from core.formats import ptb
from core.grammar.universal import counted_words, to_universal


@pytest.mark.parametrize(
    ("text", "heads"),
    [
        # tea , milk and bread: all from the first, the conjunction from its conjunct
        ("(NP (NN tea) (, ,) (NN milk) (CC and) (NN bread))", (-1, 0, 0, 4, 0)),
        # she sings and he dances
        (
            "(S (S (NP (PRP she)) (VP (VBZ sings))) (CC and)"
            " (S (NP (PRP he)) (VP (VBZ dances))))",
            (1, -1, 4, 4, 1),
        ),
        # it is clearly deep: the predicate, not the adverb before it
        (
            "(S (NP (PRP it)) (VP (VBZ is) (ADVP (RB clearly)) (ADJP-PRD (JJ deep))))",
            (3, 3, 3, -1),
        ),
        # in boats
        ("(PP (IN in) (NP (NNS boats)))", (1, -1)),
    ],
)
def test_heads_are_those_of_ud(text: str, heads: tuple[int, ...]) -> None:
    deps = to_universal(ptb.parse_one(text))
    assert deps.heads == heads
    assert deps.labels[heads.index(-1)] == "root"


def test_punctuation_is_not_counted() -> None:
    tree = ptb.parse_one("(S (NP (NN Tea)) (: -) (VP (VBZ helps)) (. .))")
    assert counted_words(tree) == [True, False, True, False]

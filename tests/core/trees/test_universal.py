"""Gold trees as dependencies in the manner of UD."""

import pytest

from core.formats import ptb
from core.trees.universal import counted_words, to_universal


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
        # And yet she sings: a conjunction that joins nothing here
        (
            "(S (CC And) (ADVP (RB yet)) (NP (PRP she)) (VP (VBZ sings)))",
            (3, 3, 3, -1),
        ),
        # slow and perhaps cold: from the conjunct, not from the word between
        ("(ADJP (JJ slow) (CC and) (ADVP (RB perhaps)) (JJ cold))", (-1, 3, 0, 0)),
        # it is clearly deep: the predicate, not the adverb before it
        (
            "(S (NP (PRP it)) (VP (VBZ is) (ADVP (RB clearly)) (ADJP-PRD (JJ deep))))",
            (3, 3, 3, -1),
        ),
        # there is tea: the verb is no copula
        ("(S (NP (EX there)) (VP (VBZ is) (NP (NN tea))))", (1, -1, 1)),
        # in boats
        ("(PP (IN in) (NP (NNS boats)))", (1, -1)),
        # based on boats
        ("(PP (VBN based) (PP (IN on) (NP (NNS boats))))", (-1, 2, 0)),
        # a hand-made and a low-cost boat: what stands after the hyphen
        (
            "(NP (DT a) (ADJP (NN hand) (HYPH -) (VBN made)) (NN boat))",
            (4, 3, 3, 4, -1),
        ),
        ("(ADJP (JJ low) (HYPH -) (NN cost))", (2, 2, -1)),
        # how many
        ("(WHADJP (WRB how) (JJ many))", (1, -1)),
        # $ 5; 5 to 10; two hundred
        ("(QP ($ $) (CD 5))", (-1, 0)),
        ("(QP (CD 5) (TO to) (CD 10))", (-1, 0, 0)),
        ("(QP (CD two) (CD hundred))", (1, -1)),
        # Mina Orlo; the North Pier; captain Mina Orlo; J. Orlo Vane; V. Orlo
        ("(NP (NNP Mina) (NNP Orlo))", (-1, 0)),
        ("(NP (DT the) (NNP North) (NNP Pier))", (2, 2, -1)),
        ("(NP (NN captain) (NNP Mina) (NNP Orlo))", (-1, 0, 0)),
        ("(NP (NNP V.) (NNP Orlo))", (-1, 0)),
        # figure B2; table 3; June 4
        ("(NP (NN figure) (NN B2))", (-1, 0)),
        ("(NP (NN table) (CD 3))", (-1, 0)),
        ("(NP (NNP June) (CD 4))", (1, -1)),
        # saw what he ate; boats that sail
        (
            "(VP (VBD saw) (SBAR (WHNP (WP what)) (S (NP (PRP he)) (VP (VBD ate)))))",
            (-1, 0, 3, 1),
        ),
        (
            "(NP (NP (NNS boats)) (SBAR (WHNP (WDT that)) (S (VP (VBP sail)))))",
            (-1, 2, 0),
        ),
        # What he ate: a whole text, in no phrase; and a verb phrase that is one
        ("(SBAR (WHNP (WP What)) (S (NP (PRP he)) (VP (VBD ate))))", (-1, 2, 0)),
        ("(VP (VBZ is) (NP (NN tea)))", (1, -1)),
        # tea as well as milk; because of rain: fixed expressions
        (
            "(NP (NN tea) (CONJP (RB as) (RB well) (IN as)) (NN milk))",
            (-1, 4, 1, 1, 0),
        ),
        ("(PP (IN because) (IN of) (NP (NN rain)))", (2, 0, -1)),
        # he plays as well: not before another "as"
        ("(S (NP (PRP he)) (VP (VBZ plays) (ADVP (RB as) (RB well))))", (1, -1, 1, 2)),
    ],
)
def test_heads_are_those_of_ud(text: str, heads: tuple[int, ...]) -> None:
    deps = to_universal(ptb.parse_one(text))
    assert deps.heads == heads
    assert deps.labels[heads.index(-1)] == "root"


def test_a_phrase_in_two_places_is_no_fixed_expression() -> None:
    """ "out" of the verb, "of" of the noun: two ways lead out, so nothing is joined."""
    text = "(S (VP (VB run) (PRT (RP out)) (PP (IN of) (NP (NN tea)))))"
    assert to_universal(ptb.parse_one(text)).heads == (-1, 0, 3, 0)


def test_punctuation_is_not_counted() -> None:
    tree = ptb.parse_one("(S (NP (NN Tea)) (: -) (VP (VBZ helps)) (. .))")
    assert counted_words(tree) == [True, False, True, False]

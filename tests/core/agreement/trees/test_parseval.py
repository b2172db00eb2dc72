import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.agreement.trees import parseval
from core.agreement.trees.parseval import Parseval, compare
from core.data.tree import Tree
from core.errors import InvalidValue
from core.forests.derivation import tree_of_phrases
from core.formats import ptb
from tests.oracles import evalb, strategies


def _counts(gold: str, guess: str) -> tuple[int, int, int]:
    counts = compare(ptb.parse_one(gold), ptb.parse_one(guess))
    return counts.matched, counts.guessed, counts.gold


@pytest.mark.parametrize(
    ("gold", "guess", "counts"),
    [
        # one label wrong, one bracket too many
        (
            "(S (NP (DT the) (NN cat)) (VP (VBD sat)))",
            "(S (NX (DT the) (NN cat)) (VP (VP (VBD sat))))",
            (2, 4, 3),
        ),
        # the full stop is taken out, so the two S span the same
        ("(S (NP (NN x)) (. .))", "(ROOT (S (NP (NN x))) (. .))", (2, 2, 2)),
        # traces, what is over them alone, function tags
        (
            "( (S (NP-SBJ-1 (-NONE- *)) (VP (VB go) (PRT (RP on)))))",
            "(TOP (S (VP (VB go) (ADVP (RB on)))))",
            (3, 3, 3),
        ),
        # the gold tag decides what is punctuation
        ("(NP (NN a) (SYM -))", "(NP (NP (NN a)) (: -))", (1, 2, 1)),
        # equal brackets match once each
        ("(NP (NP (NN a)))", "(NP (NN a))", (1, 1, 2)),
        ("(HEADING (NP (NN a)))", "(NP (NN a))", (1, 1, 1)),
    ],
)
def test_what_counts(gold: str, guess: str, counts: tuple[int, int, int]) -> None:
    assert _counts(gold, guess) == counts


@st.composite
def _two_trees(draw: st.DrawFn) -> tuple[Tree, Tree]:
    gold = draw(strategies.trees())
    phrases = [
        (*gold.spans[v], draw(st.sampled_from((gold.labels[v], "NP-SBJ", "PRT"))))
        for v in range(len(gold))
        if gold.children[v] and draw(st.integers(0, 3))
    ]
    tags = draw(st.lists(st.sampled_from(("NN", ".")), min_size=20, max_size=20))
    return gold, tree_of_phrases(phrases, words=gold.words, tags=tags)


@given(_two_trees())
def test_counts_agree_with_an_independent_scorer(pair: tuple[Tree, Tree]) -> None:
    texts = ptb.bracket(pair[0]), ptb.bracket(pair[1])
    counts = compare(*pair)
    assert (counts.matched, counts.guessed, counts.gold) == evalb.counts(*texts)


@given(strategies.trees())
def test_a_tree_against_itself_is_exact(tree: Tree) -> None:
    counts = compare(tree, tree)
    assert (counts.exact, counts.matched) == (1, counts.gold)
    assert counts.f1 == 1.0


def test_no_parse_finds_nothing_and_is_not_exact() -> None:
    tree = ptb.parse_one("(S (NN a) (NN b))")
    assert compare(tree, None) == Parseval(0, 0, 1, 0, 1)


def test_counts_add_up_to_shares() -> None:
    total = Parseval(3, 4, 5, 1, 2) + Parseval(1, 1, 3, 0, 1)
    assert (total.precision, total.recall) == (4 / 5, 4 / 8)
    assert total.f1 == pytest.approx(2 * 0.8 * 0.5 / 1.3)
    assert total.exact / total.sentences == pytest.approx(1 / 3)


def test_trees_of_different_sentences_are_refused() -> None:
    with pytest.raises(InvalidValue, match="2 tokens"):
        compare(ptb.parse_one("(X a)"), ptb.parse_one("(S (X a) (X b))"))


@pytest.mark.parametrize(
    ("label", "plain"),
    [("NP-SBJ-1", "NP"), ("NP=2", "NP"), ("ADVP|PRT", "ADVP"), ("PRT", "ADVP")],
)
def test_labels_are_cut_to_their_category(label: str, plain: str) -> None:
    assert parseval.plain_label(label) == plain

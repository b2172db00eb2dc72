"""An annotator who is played: gold is always reached, and the ledger says how."""

from hypothesis import given
from hypothesis import strategies as st

from core.data.tree import Tree
from core.forests.mixture import ranked_forest
from core.formats import ptb
from core.trees.editing import Relabel
from core.trees.phrases import JoinPhrases, SplitPhrase
from lab.evaluation.correcting import bare, correct, distance, next_step
from tests.core.forests.test_following import LOW


@st.composite
def trees(draw: st.DrawFn, n: int = 4) -> Tree:
    """A tree over n words, chains included."""

    def phrase(i: int, j: int) -> str:
        label = draw(st.sampled_from("ABC"))
        if j - i == 1:
            word = f"(X w{i})"
            return f"({label} {word})" if draw(st.booleans()) else word
        cut = draw(st.integers(i + 1, j - 1))
        inner = f"{phrase(i, cut)} {phrase(cut, j)}"
        flat = i > 0 and draw(st.booleans())
        return inner if flat else f"({label} {inner})"

    return ptb.parse_one(f"(S {phrase(0, n)})")


@given(trees(), trees())
def test_gold_is_reached_and_the_steps_replayed_give_it(tree, gold) -> None:
    course = correct(tree, gold)
    assert course.tree == gold
    assert len(course.steps) <= 2 * len(gold) + len(tree)
    for step in course.steps:
        tree = step.on(tree).tree
    assert tree == gold


@given(trees(), trees())
def test_gold_is_reached_whatever_follows(tree, gold) -> None:
    forest = ranked_forest([(0.0, tree), (-1.0, gold)])
    course = correct(tree, gold, packed=forest)
    assert course.tree == gold
    assert course.refused <= course.followed


FLAT = ptb.parse_one(
    "(S (NP (PRP She)) (VP (VBD saw) (NP (DT a) (NN man)) (PP (IN with) (NP (DT a)"
    " (NN hat))) (PP (IN in) (NP (DT a) (NN room)))))"
)
NESTED = ptb.parse_one(
    "(S (NP (PRP She)) (VP (VBD saw) (NP (NP (DT a) (NN man)) (PP (IN with) (NP"
    " (NP (DT a) (NN hat)) (PP (IN in) (NP (DT a) (NN room))))))))"
)


def test_after_one_attachment_the_rest_follows() -> None:
    forest = ranked_forest([(0.0, FLAT), (-2.0, NESTED)])
    assert correct(FLAT, NESTED).cost == 3
    together = correct(FLAT, NESTED, packed=forest)
    assert (together.cost, together.followed, together.refused) == (1, 1, 0)


def test_the_step_that_helps_most_comes_first() -> None:
    step, _ = next_step(Relabel(1, "NX").on(LOW).tree, LOW)
    assert step == Relabel(1, "NP")


def test_wrappers_and_functions_do_not_count() -> None:
    wrapped = ptb.parse_one("(ROOT (S (NP-SBJ (PRP We)) (VP (VBP do))))")
    assert ptb.bracket(bare(wrapped)) == "(S (NP (PRP We)) (VP (VBP do)))"
    assert distance(bare(wrapped), bare(wrapped)) == 0


def test_phrases_are_split_and_joined_in_one_step() -> None:
    two = ptb.parse_one("(S (X (A a) (B b)) (X (C c) (D d)) (E e))")
    one = ptb.parse_one("(S (X (A a) (B b) (C c) (D d)) (E e))")
    assert correct(one, two).steps == (SplitPhrase(1, (2,)),)
    (step,) = correct(two, one).steps
    assert isinstance(step, JoinPhrases)

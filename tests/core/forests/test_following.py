"""What follows from a step: from decisions alone, and never against them."""

from hypothesis import assume, given
from hypothesis import strategies as st

from core.data.tree import Tree
from core.forests.constraints import (
    Decisions,
    can_follow,
    decided_by,
    decoded,
    followed,
    plain_brackets,
)
from core.forests.derivation import phrases_of, tree_of_phrases
from core.forests.kbest import viterbi
from core.forests.mixture import ranked_forest
from core.forests.packing import span_forest
from core.formats import ptb
from core.trees.editing import Insert, Move, Relabel
from tests.oracles import strategies

HIGH = ptb.parse_one(
    "(S (NP (PRP She)) (VP (VBD saw) (NP (DT a) (NN man))"
    " (PP (IN with) (NP (DT a) (NN hat)))) (. .))"
)
LOW = ptb.parse_one(
    "(S (NP (PRP She)) (VP (VBD saw) (NP (NP (DT a) (NN man))"
    " (PP (IN with) (NP (DT a) (NN hat))))) (. .))"
)
FOREST = ranked_forest([(0.0, HIGH), (-2.0, LOW)])
NOTHING = Decisions()


def test_a_phrase_moved_into_another_brings_the_bracket_of_the_old_one_back() -> None:
    step = Move(8, 5)  # the PP to the object
    edited = step.on(HIGH)
    assert edited.tree != LOW
    after = decided_by([(HIGH, edited.tree, edited.at)])
    assert followed(HIGH, edited.tree, (NOTHING, after), *FOREST) == LOW


def test_a_phrase_moved_out_leaves_no_second_bracket_over_the_same_words() -> None:
    edited = Move(9, 3).on(LOW)  # the PP to the verb phrase
    assert ptb.bracket(edited.tree) != ptb.bracket(HIGH)
    after = decided_by([(LOW, edited.tree, edited.at)])
    assert followed(LOW, edited.tree, (NOTHING, after), *FOREST) == HIGH


def test_where_nothing_follows_the_tree_is_the_same() -> None:
    edited = Relabel(1, "NX").on(HIGH)
    after = decided_by([(HIGH, edited.tree, edited.at)])
    new = followed(HIGH, edited.tree, (NOTHING, after), *FOREST)
    assert new is edited.tree


def test_functions_and_wrappers_stay() -> None:
    tree = Insert(0, 0, "ROOT").on(Relabel(1, "NP-SBJ").on(HIGH).tree).tree
    edited = Move(9, 6).on(tree)
    after = decided_by([(tree, edited.tree, edited.at)])
    new = followed(tree, edited.tree, (NOTHING, after), *FOREST)
    assert ptb.bracket(new).startswith("(ROOT (S (NP-SBJ (PRP She))")
    assert plain_brackets(new) == plain_brackets(LOW)


def test_a_tag_decides_no_bracket() -> None:
    edited = Relabel(4, "VBN").on(HIGH)
    assert decided_by([(HIGH, edited.tree, edited.at)]) == NOTHING


def test_the_best_tree_under_decisions_keeps_functions_and_wrappers() -> None:
    tree = Insert(0, 0, "ROOT").on(Relabel(1, "NP-SBJ").on(HIGH).tree).tree
    fixed = Decisions(fixed=frozenset({(2, 7, "NP")}))
    new = decoded(tree, fixed, *FOREST)
    assert ptb.bracket(new).startswith("(ROOT (S (NP-SBJ (PRP She))")
    assert plain_brackets(new) == plain_brackets(LOW)
    assert decoded(tree, NOTHING, *FOREST) == tree


def test_a_tree_with_traces_does_not_follow() -> None:
    assert can_follow(HIGH)
    assert not can_follow(ptb.parse_one("(S (NP (-NONE- *)) (VP (VB Go)))"))


@given(strategies.label_scores(max_tokens=4), st.data())
def test_what_is_decided_stays_whatever_follows(scores, data) -> None:
    names = ("", "A", "B")[: scores.shape[2]]
    forest, weights = span_forest(scores, names, margin=20)
    assume(forest.n_nodes and forest.n_tokens > 1)
    words = tuple(f"w{i}" for i in range(forest.n_tokens))
    _, edges = viterbi(forest, weights)
    tree: Tree = tree_of_phrases(
        phrases_of(forest, edges), words=words, tags=["X"] * len(words)
    )
    steps, before = [], NOTHING
    for _ in range(data.draw(st.integers(1, 3))):
        v = data.draw(st.integers(0, len(tree) - 1))
        last = data.draw(st.sampled_from(tree.children[tree.parents[v]] if v else (0,)))
        edited = Insert(min(v, last), max(v, last), "C").on(tree)
        steps.append((tree, edited.tree, edited.at))
        after = decided_by(steps)
        new = followed(tree, edited.tree, (before, after), forest, weights)
        brackets = plain_brackets(new)
        assert all(brackets[b] for b in after.fixed)
        assert new.words == words
        assert new.tags == edited.tree.tags
        tree, before = new, after

"""Trees rewritten at matches: each as a whole, in order, and words stay."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InvalidValue
from core.formats import ptb
from core.trees.rewriting import Rewritten, read, rewritten
from tests.core.trees.test_editing import trees

SAW = "(S (NP (PRP I)) (VP (VBD saw) (NP (NP (DT a) (NN man)) (PP (IN in) (NN town)))))"


def made(text: str, *matches: dict[str, int], tree: str = SAW) -> Rewritten:
    return rewritten(ptb.parse_one(tree), read(text), matches)


OBJECT = "(NP (NP (DT a) (NN man)) (PP (IN in) (NN town)))"
FLAT = "(NP (DT a) (NN man)) (PP (IN in) (NN town))"


@pytest.mark.parametrize(
    ("text", "match", "was", "after"),
    [
        ("relabel x NX", {"x": 1}, "(NP (PRP", "(NX (PRP"),
        ("delete x", {"x": 5}, OBJECT, FLAT),
        ("insert X x y", {"x": 6, "y": 9}, FLAT, f"(X {FLAT})"),
        ("move x under y", {"x": 9, "y": 3}, OBJECT, FLAT),
        ("trace x *T*-1", {"x": 4}, "(VBD saw)", "(-NONE- *T*-1) (VBD saw)"),
        (
            "move x under y; relabel x PX",
            {"x": 9, "y": 3},
            OBJECT,
            FLAT.replace("PP", "PX"),
        ),
    ],
)
def test_commands_do_what_they_say(
    text: str, match: dict, was: str, after: str
) -> None:
    assert ptb.bracket(made(text, match).tree) == SAW.replace(was, after)


def test_the_same_nodes_are_rewritten_once_and_others_where_they_are_now() -> None:
    twice = made("insert X x", {"x": 1}, {"x": 1}, {"x": 5})
    assert ptb.bracket(twice.tree).count("(X ") == 2
    assert twice.nodes == (1, 5)


def test_a_match_that_cannot_be_is_left_as_a_whole() -> None:
    one = made("relabel x NX; move x under y", {"x": 5, "y": 6}, {"x": 0, "y": 1})
    assert ptb.bracket(one.tree) == SAW
    assert len(one.left) == 2
    gone = made("delete x", {"x": 5}, {"x": 5, "z": 1})
    assert gone.left == ()


@pytest.mark.parametrize(
    "text", ["", "fold x", "move x y", "relabel x", "delete x;" * 21]
)
def test_what_is_no_command_is_refused(text: str) -> None:
    with pytest.raises(InvalidValue):
        read(text)


@given(st.data())
def test_words_stay_whatever_is_done(data: st.DataObject) -> None:
    tree = data.draw(trees())
    node = st.integers(0, len(tree) - 1)
    matches = data.draw(st.lists(st.fixed_dictionaries({"x": node, "y": node})))
    text = data.draw(
        st.sampled_from(
            ["move x under y", "delete x; relabel y Q", "insert Q x y; move x under y"]
        )
    )
    assert rewritten(tree, read(text), matches).tree.words == tree.words

"""Words typed anew, in trees of both kinds and in raw text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InvalidValue
from core.formats import ptb, treetext
from core.trees import arcs, editing
from core.trees.arc_lines import Arcs
from core.trees.words import in_text

TREE = ptb.parse_one("(S (-NONE- *) (NP (DT The) (NN nurs)) (VP (VBD sang)))")
LINES = (
    "1-2\tThe nurs\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "1\tThe\tthe\tDET\tDT\t_\t2\tdet\t2:det\tX=1\n"
    "2\tnurs\tnurse\tNOUN\tNN\t_\t3\tnsubj\t_\t_\n"
    "2.1\tnurs\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "3\tsang\tsing\tVERB\tVBD\t_\t0\troot\t_\t_"
)
SIGNS = st.characters(codec="utf-8", exclude_categories=("Cc", "Cs"))
FORMS = st.text(SIGNS, min_size=1, max_size=9).filter(lambda x: x == x.strip())


@given(st.integers(0, 2), FORMS)
def test_a_word_typed_anew_is_stored_and_taken_back(token: int, form: str) -> None:
    step = editing.Retype(token, form)
    edited = step.on(TREE)
    assert edited.tree.words[token] == form
    assert edited.tree.tokens[edited.at] == token
    assert treetext.load(*treetext.dump(edited.tree)) == edited.tree
    assert editing.read(step.to_json()) == step


@given(st.integers(0, 2), FORMS)
def test_of_arcs_the_form_alone_is_another(token: int, form: str) -> None:
    tree, step = Arcs(LINES), arcs.Retype(token, form)
    after = step.on(tree).tree
    rows = [line.split("\t") for line in after.lines.split("\n")]
    was = [line.split("\t") for line in LINES.split("\n")]
    assert after.words == (*tree.words[:token], form, *tree.words[token + 1 :])
    assert [row[:1] + row[2:] for row in rows] == [row[:1] + row[2:] for row in was]
    assert [rows[0], rows[3]] == [was[0], was[3]]
    assert arcs.read(step.to_json()) == step


@pytest.mark.parametrize("form", ["", " nurse", "a\nb", "a\tb", "w" * 201])
def test_what_is_no_word_is_refused(form: str) -> None:
    with pytest.raises(InvalidValue, match="is not a word"):
        editing.Retype(1, form).on(TREE)
    with pytest.raises(InvalidValue, match="is not a word"):
        arcs.Retype(1, form).on(Arcs(LINES))


def test_a_word_that_is_not_there_is_refused() -> None:
    with pytest.raises(InvalidValue, match="no word 4"):
        editing.Retype(3, "x").on(TREE)
    with pytest.raises(InvalidValue, match="no word 4"):
        arcs.Retype(3, "x").on(Arcs(LINES))


@pytest.mark.parametrize(
    ("text", "words", "new", "after"),
    [
        ("I don't.", ["I", "do", "n't", "."], {1: "did"}, "I didn't."),
        ("a  a\u00a0a ", ["a", "a", "a"], {1: "b", 2: "cc"}, "a  b\u00a0cc "),
        ("“So”", ["``", "So", "''"], {1: "No"}, None),
        ("a b c", ["a", "c"], {1: "d"}, None),
        ("a b c", ["a", "b"], {1: "d"}, None),
    ],
)
def test_raw_text_is_changed_where_it_holds_the_words(
    text: str, words: list[str], new: dict[int, str], after: str | None
) -> None:
    assert in_text(text, words, new) == after

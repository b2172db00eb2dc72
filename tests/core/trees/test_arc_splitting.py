"""Words split and joined in dependency trees: all that is not about them stays."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from core.data.deps import ROOT, DepTree
from core.data.tokens import Token
from core.errors import InvalidValue
from core.formats import conllu
from core.trees.arc_lines import Arcs
from core.trees.arc_splitting import JoinWords, SplitWord
from core.trees.arcs import Attach, Restore, read
from tests.core.trees.test_arcs import TREE


@st.composite
def arcs(draw: st.DrawFn, most: int = 7) -> Arcs:
    """Any dependency tree over n words, its words in any order from the root."""
    n = draw(st.integers(1, most))
    order = draw(st.permutations(range(n)))
    heads = [ROOT] * n
    for i in range(1, n):
        heads[order[i]] = order[draw(st.integers(0, i - 1))]
    labels = tuple("root" if h == ROOT else "dep" for h in heads)
    tokens = tuple(Token(f"w{i}", upos="X") for i in range(n))
    return Arcs(conllu.lines_of(tokens, DepTree(tuple(heads), labels)))


@given(st.data())
def test_a_word_split_and_joined_is_as_it_was(data: st.DataObject) -> None:
    tree = data.draw(arcs())
    token = data.draw(st.integers(0, len(tree.words) - 1))
    step = SplitWord(token, ("w", str(token)), "goeswith")
    after = step.on(tree).tree
    assert after.words == (
        *tree.words[:token], "w", str(token), *tree.words[token + 1 :],
    )  # fmt: skip
    assert (after.deps.heads[token + 1], after.deps.labels[token + 1]) == (
        token, "goeswith",
    )  # fmt: skip
    assert JoinWords(token).on(after).tree == tree


@given(st.data())
def test_two_words_joined_are_a_tree_with_all_other_arcs(data: st.DataObject) -> None:
    tree = data.draw(arcs())
    assume(len(tree.words) > 1)
    token = data.draw(st.integers(0, len(tree.words) - 2))
    step = JoinWords(token)
    try:
        after = step.on(tree).tree
    except InvalidValue:
        assume(False)
    now = [i - (i > token) for i in range(len(tree.words))]
    assert after.words[token] == tree.words[token] + tree.words[token + 1]
    for m, h in enumerate(tree.deps.heads):
        if now[m] != token:
            assert after.deps.heads[now[m]] == (now[h] if h >= 0 else ROOT)
    back = read(Restore(tree.lines).to_json())
    assert back.on(after).tree == tree


def rows(tree: Arcs) -> list[str]:
    return [line.replace("\t", " ") for line in tree.lines.split("\n")]


def test_ranges_empty_nodes_and_enhanced_arcs_keep_their_words() -> None:
    after = SplitWord(2, ("op", "en"), "flat").on(TREE).tree
    assert rows(after) == [
        "1-2 Cannot _ _ _ _ _ _ _ _",
        "1 Can can AUX MD _ 3 aux 3:aux _",
        "2 not not PART RB _ 3 advmod _ _",
        "3 op open VERB VB _ 0 root 0:root SpaceAfter=No",
        "4 en _ VERB VB _ 3 flat 3:flat _",
        "4.1 open _ _ _ _ _ _ _ _",
        "5 doors door NOUN NNS Number=Plur 3 obj 3:obj SpaceAfter=No",
    ]
    assert JoinWords(2).on(after).tree == TREE


def test_a_word_of_a_range_is_split_within_it_and_the_range_goes_with_its_words() -> (
    None
):
    three = SplitWord(1, ("n", "ot"), "dep").on(TREE).tree
    assert rows(three)[0].startswith("1-3 Cannot")
    near = Attach(1, 0).on(TREE).tree
    joined = JoinWords(0, "cannot").on(near).tree
    assert rows(joined)[:3] == [
        "1 cannot can AUX MD _ 2 aux 2:aux _",
        "2 open open VERB VB _ 0 root 0:root _",
        "2.1 open _ _ _ _ _ _ _ _",
    ]


PLAIN = Arcs(
    "1\tthe\tthe\tDET\tDT\t_\t2\tdet\t2:det\t_\n"
    "2\twind\twind\tNOUN\tNN\t_\t0\troot\t0:root\tSpaceAfter=No\n"
    "3\tow\tow\tX\tFW\t_\t1\tdep\t1:dep|2:dep\t_"
)


def test_the_upper_of_two_words_gives_its_head_and_its_columns() -> None:
    assert rows(JoinWords(0, "th'wind").on(PLAIN).tree) == [
        "1 th'wind wind NOUN NN _ 0 root 0:root SpaceAfter=No",
        "2 ow ow X FW _ 1 dep 1:dep _",
    ]


@pytest.mark.parametrize(
    ("step", "tree", "said"),
    [
        (JoinWords(1), PLAIN, "attach one to the other first"),
        (JoinWords(1), TREE, "belongs to the multiword token “Cannot”"),
        (JoinWords(2), TREE, "empty node is between"),
        (JoinWords(2), PLAIN, "no word 4"),
        (SplitWord(9, ("a", "b")), TREE, "no word 10"),
        (SplitWord(0, ("a", " b")), TREE, "is not a word"),
        (SplitWord(0, ("a", "b"), "x y"), TREE, "is not a relation"),
    ],
)
def test_what_cannot_be_is_refused_with_its_reason(step, tree, said: str) -> None:
    with pytest.raises(InvalidValue, match=said):
        step.on(tree)


@pytest.mark.parametrize(
    "step", [SplitWord(1, ("a", "b"), "x"), JoinWords(1, "ab"), Restore(PLAIN.lines)]
)
def test_they_are_read_as_they_were_written(step) -> None:
    assert read(step.to_json()) == step


@pytest.mark.parametrize(
    "sent", [{}, {"op": "split", "token": 0}, {"op": "join"}, {"op": "glue"}]
)
def test_nothing_else_is_read_as_such_a_step(sent) -> None:
    with pytest.raises(InvalidValue):
        read(sent)

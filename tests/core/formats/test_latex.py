"""Trees as LaTeX: what is written, whatever the words are."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.data.alignment import Link
from core.data.deps import DepTree
from core.data.tree import Tree
from core.errors import InvalidValue
from core.formats import latex, ptb
from core.layout.links import LinkedSide, link_scene
from tests.core.trees.test_editing import trees

NURSE = ptb.parse_one("(S (NP (DT The) (NN nurse)) (VP (VBD slept)))")
DEPS = DepTree((1, 2, -1), ("det", "nsubj:pass", "root"))


def test_a_tree_for_forest_has_a_node_a_bracket() -> None:
    assert latex.forest(NURSE).split("\n") == [
        r"\begin{forest}",
        "  [S",
        "    [NP",
        "      [DT [The]]",
        "      [NN [nurse]]]",
        "    [VP",
        "      [VBD [slept]]]]",
        r"\end{forest}",
    ]


def test_a_tree_for_qtree_and_arcs_for_tikz_dependency() -> None:
    assert latex.qtree(NURSE) == (
        r"\Tree [.{S} [.{NP} [.{DT} {The} ] [.{NN} {nurse} ] ]"
        r" [.{VP} [.{VBD} {slept} ] ] ]"
    )
    assert latex.dependency(("The", "nurse", "slept"), DEPS).split("\n") == [
        r"\begin{dependency}",
        r"  \begin{deptext}",
        r"    The \& nurse \& slept \\",
        r"  \end{deptext}",
        r"  \depedge{2}{1}{det}",
        r"  \depedge{3}{2}{{nsubj:pass}}",
        r"  \deproot{3}{root}",
        r"\end{dependency}",
    ]


def test_linked_nodes_have_the_same_number_and_possible_links_a_question_mark() -> None:
    links = (Link("n1", "n1"), Link("w1", "w1", "possible"), Link("w1", "w2"))
    first, second = latex.linked(NURSE, NURSE, links).split(r"\par\bigskip")
    assert r"[{NP\textsubscript{1}}" in first
    assert r"[NN [{nurse\textsubscript{2?,3}}]]" in first
    assert r"[NN [{nurse\textsubscript{2?}}]]" in second
    assert r"[VBD [{slept\textsubscript{3}}]]" in second


def test_a_picture_has_solid_edges_dashed_links_and_every_word() -> None:
    side = LinkedSide(NURSE.words, NURSE, DEPS)
    links = (Link("n1", "n1", crossing=True), Link("w1", "w2", "possible"))
    text = latex.picture(link_scene(side, side, view="both"), links)
    assert text.count(r"\draw[branch]") == 2 * (len(NURSE) - 1)
    assert text.count(r"\draw[dependency]") == 2 * 3
    assert text.count(r"\draw[sure, crossing]") == 1
    (possible,) = (line for line in text.split("\n") if "[possible]" in line)
    curve = r"\.\. controls \(\S+\) and \(\S+\) \.\. \(\S+\)"
    drawn = rf"  \\draw\[possible\] \(\S+\)( {curve}| -- \(\S+\))+;"
    assert re.fullmatch(drawn, possible)
    for word in (*NURSE.words, "nsubj:pass"):
        assert text.count(f"{word}}}") == 2, word
    assert "∅" not in text  # the strips


def test_a_picture_may_have_branches_that_cross_and_stand_across() -> None:
    crossing = Tree(("S", "A", "B"), (-1, 0, 0), (-1, 1, 0), ("", "b", "a"))
    side = LinkedSide(crossing.words, crossing)
    for across in (False, True):
        text = latex.picture(link_scene(side, side, across=across))
        assert text.count(r"\node[tag]") == 4


def test_a_picture_has_secondary_edges_as_dashed_arrows() -> None:
    tree = replace(NURSE, secondary=((1, 4, "SB"),))
    side = LinkedSide(tree.words, tree)
    text = latex.picture(link_scene(side, LinkedSide(NURSE.words, NURSE)))
    curve = r"\\draw\[secondary\] \(\S+\) \.\. controls \(\S+\) \.\. \(\S+\);"
    assert len(re.findall(curve, text)) == 1
    assert "{SB}" in text
    assert "secondary/.style={draw=black!65, dashed, ->" in text


def test_branches_that_cross_are_refused() -> None:
    crossing = Tree(("S", "A", "B"), (-1, 0, 0), (-1, 1, 0), ("", "b", "a"))
    for write in (latex.forest, latex.qtree):
        with pytest.raises(InvalidValue, match="branches that cross"):
            write(crossing)


@given(trees())
def test_brackets_and_braces_are_closed(tree: Tree) -> None:
    if list(tree.tokens) == sorted(tree.tokens):
        text = latex.forest(tree) + latex.qtree(tree)
        assert text.count("[") == text.count("]")
        assert text.count("{") == text.count("}")


@given(st.text('ab\\{}[]%&$#_^~|<>,=.;: "', max_size=8))
def test_any_word_keeps_braces_in_pairs_and_no_bare_sign(word: str) -> None:
    text = latex.dependency((word,), DepTree((-1,), ("root",)))
    bare = text.replace("\\{", "").replace("\\}", "").replace("\\&", "")
    assert bare.count("{") == bare.count("}")
    assert not set(bare.replace("\\%", "").replace("\\$", "").replace("\\#", "")) & set(
        '%$#~^<>|"'
    )


def test_a_word_never_parts_the_columns_of_the_arcs() -> None:
    words = ("R&D", "&", "and", r"\&")
    deps = DepTree((-1, 0, 0, 0), ("root", "cc", "conj", "dep"))
    line = latex.dependency(words, deps).split("\n")[2]
    assert line.count(r"\&") == len(words) - 1
    assert line.split(r" \& ")[1] == r"\symbol{38}"

"""Universal Dependencies by level: every graph of small sentences, every rule."""

from itertools import product

import pytest

from core.data.deps import DepTree
from core.data.tokens import Token
from core.errors import InvalidValue
from core.validation import sentences


def rules(heads, relations, upos=None, *, level: int = 3) -> list[tuple]:
    parts = upos or ["X"] * len(heads)
    tokens = [Token(f"w{i}", upos=part) for i, part in enumerate(parts)]
    problems = sentences.check(heads, relations, tokens, level=level)
    assert all(one.text and one.remedy for one in problems)
    return [(one.rule, one.words) for one in problems]


def is_tree(heads) -> bool:
    """One root, and every word comes to it, step by step."""
    if heads.count(-1) != 1:
        return False
    for m in range(len(heads)):
        for _ in heads:
            m = heads[m] if m >= 0 else m
        if m >= 0:
            return False
    return True


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_every_graph_is_a_tree_or_named(n: int) -> None:
    for heads in product(range(-1, n), repeat=n):
        relations = ["root" if head < 0 else "dep" for head in heads]
        names = {rule for rule, _ in rules(heads, relations, level=2)}
        broken = {"head-range", "cycle", "root-number"}
        assert bool(names & broken) != is_tree(heads), heads
        assert names <= broken
        if not names:
            DepTree(heads, tuple(relations))
        elif names & {"head-range", "cycle"}:
            with pytest.raises(InvalidValue):
                DepTree(heads, tuple(relations))


def test_the_words_of_a_ring_are_named() -> None:
    assert rules((-1, 2, 3, 1), ["root", "dep", "dep", "dep"]) == [("cycle", (1, 2, 3))]


@pytest.mark.parametrize(
    ("heads", "relations", "level", "expected"),
    [
        ((9,), ["root"], 1, [("head-range", (0,))]),
        ((-1,), [""], 1, [("no-relation", (0,))]),
        ((-1,), ["dep"], 1, []),
        ((-1,), ["dep"], 2, [("root-relation", (0,))]),
        ((-1, 0), ["root", "root"], 2, [("root-relation", (1,))]),
        ((-1, 0), ["root", "subject"], 2, [("unknown-relation", (1,))]),
        ((-1, 0), ["root", "nsubj:pass"], 2, []),
        ((-1, -1), ["root", "root"], 2, [("root-number", (0, 1))]),
    ],
)
def test_the_lower_levels(heads, relations, level: int, expected) -> None:
    assert rules(heads, relations, level=level) == expected


@pytest.mark.parametrize(
    ("heads", "relations", "upos", "expected"),
    [
        ((1, -1), "det root", "DET NOUN", []),
        ((1, -1), "det root", "ADJ NOUN", [("relation-upos", (0,))]),
        ((1, -1), "det:poss root", "ADJ NOUN", [("relation-upos", (0,))]),
        ((1, -1), "case root", "DET NOUN", [("relation-upos", (0,))]),
        ((2, 0, -1), "case fixed root", "DET ADP NOUN", []),
        ((1, -1), "punct root", "NOUN VERB", [("relation-upos", (0,))]),
        ((1, -1), "obj root", "PUNCT VERB", [("upos-punct", (0,))]),
        ((-1,), "root", "PUNCT", []),
        ((-1,), "root", "NAME", [("unknown-upos", (0,))]),
        ((1, -1), "conj root", "NOUN NOUN", [("left-to-right", (0,))]),
        ((-1, 0), "root conj", "NOUN NOUN", []),
        ((-1, 0), "root orphan", "NOUN NOUN", []),
        ((-1, 0, 1), "root obj orphan", "NOUN NOUN NOUN", [("orphan-parent", (2,))]),
        ((1, 2, -1), "advmod case root", "ADV ADP NOUN", []),
        ((1, 2, -1), "det case root", "DET ADP NOUN", [("leaf", (0,))]),
        ((2, 2, -1), "nsubj csubj root", "NOUN VERB VERB", [("many-subjects", (0, 1))]),
        ((2, 2, -1), "nsubj:outer nsubj root", "NOUN NOUN VERB", []),
        ((-1, 0, 0), "root obj ccomp", "VERB NOUN VERB", [("many-objects", (1, 2))]),
        ((2, 3, -1, 2), "obj punct root obl", "X PUNCT X X",
         [("punct-crossing", (1,))]),
        ((2, 0, -1, 2), "obj punct root obl", "X PUNCT X X", []),
    ],
)  # fmt: skip
def test_the_third_level(heads, relations: str, upos: str, expected) -> None:
    assert rules(heads, relations.split(), upos.split()) == expected


def test_where_arcs_are_no_tree_the_third_level_is_silent() -> None:
    assert rules((1, 0), ["det", "det"], ["ADJ", "ADJ"]) == [
        ("root-number", ()), ("cycle", (0, 1)),
    ]  # fmt: skip


def test_there_are_37_relations_and_17_parts_of_speech() -> None:
    assert len(sentences.RELATIONS) == 37
    assert len(sentences.UPOS) == 17

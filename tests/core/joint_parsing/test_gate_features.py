"""What a gate looks at: crossing links, sizes, words in common, and the templates."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.data.alignment import Link, token_ref
from core.data.deps import DepAnalysis, DepTree
from core.data.tokens import Sentence
from core.errors import InvalidValue
from core.joint_parsing.gate import TEMPLATES, gate_features
from core.joint_parsing.values import ArcChange, JointResult, JointSide
from core.protocols import Analysis

WORDS = ["cats", "chase", "old", "mice"]
TAGS = ("NNS", "VBP", "JJ", "NNS")
BEFORE = DepTree((1, -1, 1, 2), ("nsubj", "root", "obj", "dep"))
AFTER = DepTree((1, -1, 3, 1), ("nsubj", "root", "amod", "obj"))


def sentence(
    words: list[str], tree: DepTree | None = None, tags: tuple[str, ...] = ()
) -> Analysis:
    deps = DepAnalysis(tree) if tree else None
    return Analysis(Sentence.of(words), deps=deps, xpos=tags)


def result(
    tree: DepTree = AFTER,
    links: tuple[Link, ...] = (),
    arcs: tuple[ArcChange, ...] = (),
) -> JointResult:
    return JointResult(
        JointSide(DepAnalysis(tree), arcs=arcs),
        JointSide(),
        links,
        agreement_before=3,
        agreement_after=1,
    )


def link(s: int, t: int, prob: float = 1.0) -> Link:
    return Link(token_ref(s), token_ref(t), attrs={"prob": prob})


@given(st.permutations(range(4)))
def test_links_cross_that_change_the_order_of_their_words(order: list[int]) -> None:
    links = tuple(link(s, t) for s, t in enumerate(order))
    source, target = sentence(WORDS, BEFORE), sentence(list("abcd"))
    found = gate_features(source, target, result(links=links))
    crossing = sum(order[s] > order[u] for s, u in combinations(range(4), 2))
    assert found["crossing links"] == crossing / 4
    assert found["linked"] == 1.0


def test_sizes_common_words_and_agreement_are_by_word_of_the_source() -> None:
    source = sentence(WORDS, BEFORE)
    longer = sentence(["Mice", "that", "CATS", "chase", "."])
    found = gate_features(source, longer, result())
    assert found["shorter"] == 1.0
    assert found["words in common"] == 3 / 4
    assert (found["agreement gained"], found["disagreement left"]) == (0.5, 0.25)
    assert found["not exact"] == 0.0
    shorter = gate_features(source, sentence(["dogs"]), result())
    assert (shorter["shorter"], shorter["words in common"]) == (0.0, 0.0)


def test_arcs_that_become_non_projective_are_told() -> None:
    crossing = DepTree((2, -1, 1, 0), BEFORE.labels)
    source, target = sentence(WORDS, BEFORE), sentence(["x"])
    name = "more non-projective arcs"
    assert gate_features(source, target, result(crossing))[name] == 1.0
    assert gate_features(source, target, result(AFTER))[name] == 0.0
    straight = sentence(WORDS, crossing)
    assert gate_features(straight, target, result(AFTER))[name] == 0.0


def test_changed_arcs_tell_margins_and_the_weakest_link() -> None:
    arcs = (
        ArcChange(2, 1, 3, "obj", "amod", 0.8, 0.2, (link(2, 0, 0.9),)),
        ArcChange(3, -1, 1, "root", "obj", 0.5, 0.5, (link(3, 1, 0.6),)),
        ArcChange(0, 1, 1, "nsubj", "dep", 0.9, 0.1),  # its label alone
    )
    source, target = sentence(WORDS, BEFORE), sentence(["x"])
    found = gate_features(source, target, result(arcs=arcs))
    assert found["arcs changed"] == 2.0
    assert found["greatest margin"] == pytest.approx(np.log(4))
    assert found["mean margin"] == pytest.approx(np.log(4) / 2)
    assert (found["least link"], found["root changed"]) == (0.6, 1.0)


EXPECTED = {  # of the word "old" (2), whose head is 1 before, and 3 under 1 after
    ("REL",): ("obj", "amod"),
    ("REL", "REL_p"): ("obj root", "amod obj"),
    ("REL", "REL_p", "REL_gp"): ("obj root ROOT", "amod obj root"),
    ("REL", "REL_gp"): ("obj ROOT", "amod root"),
    ("CP",): ("JJ", "JJ"),
    ("CP", "CP_p"): ("JJ VB", "JJ NN"),
    ("CP", "CP_p", "CP_gp"): ("JJ VB ROOT", "JJ NN VB"),
    ("CP", "CP_gp"): ("JJ ROOT", "JJ VB"),
    ("REL", "CP"): ("obj JJ", "amod JJ"),
    ("REL", "CP", "CP_p"): ("obj JJ VB", "amod JJ NN"),
    ("REL", "CP_p", "REL_gp"): ("obj VB ROOT", "amod NN root"),
}


@pytest.mark.parametrize("k", range(len(TEMPLATES)))
def test_templates_tell_relation_and_tag_of_word_parent_and_grandparent(
    k: int,
) -> None:
    source, target = sentence(WORDS, BEFORE, TAGS), sentence(["x"])
    plain = gate_features(source, target, result())
    found = gate_features(source, target, result(), (k,)).keys() - plain.keys()
    before, after = EXPECTED[TEMPLATES[k]]
    assert {f"before {k} {before}", f"after {k} {after}"} <= found
    shapes = {len(name.split()) for name in found}
    assert shapes == {2 + len(TEMPLATES[k])}
    assert 2 <= len(found) <= 2 * len(WORDS)


def test_the_head_of_the_sentence_has_root_above_it_twice() -> None:
    source, target = sentence(WORDS, BEFORE, TAGS), sentence(["x"])
    at = TEMPLATES.index(("REL", "REL_p", "REL_gp"))
    found = gate_features(source, target, result(), (at,))
    assert f"before {at} root ROOT ROOT" in found


def test_a_gate_wants_trees() -> None:
    with pytest.raises(InvalidValue, match="dependency trees"):
        gate_features(sentence(WORDS), sentence(["x"]), result())

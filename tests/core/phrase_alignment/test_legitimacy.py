"""Definition 3.2, rule by rule, on trees small enough to see."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.data.alignment import Alignment, Link
from core.formats import ptb
from core.phrase_alignment.legitimacy import node_of, problems, ref_of, refs_of

ACTIVE = ptb.parse_one(
    "(S (NP (DT the) (NN nurse)) (VP (VBD opened) (NP (DT the) (NN window))))"
)  # S0 NP1 VP4 NP6
SAME = ptb.parse_one(
    "(S (NP (DT a) (NN nurse)) (VP (VBD unlocked) (NP (DT a) (NN window))))"
)
PASSIVE = ptb.parse_one(
    "(S (NP (DT the) (NN window)) (VP (VBD was) (VP (VBN opened)"
    " (PP (IN by) (NP (DT the) (NN nurse))))))"
)  # S0 NP1 VP4 VP6 PP8 NP10
WHOLE = Alignment(tuple(Link(ref, ref) for ref in refs_of(ACTIVE)))


def rules(*links: Link, target=SAME, nulls_s=(), nulls_t=()) -> list[tuple]:
    alignment = Alignment(links, frozenset(nulls_s), frozenset(nulls_t))
    violations = problems(alignment, ACTIVE, target)
    return [(p.rule, p.source, p.target) for p in violations if p.rule != "undecided"]


def words(*numbers: int) -> list[Link]:
    return [Link(f"w{i}", f"w{i}") for i in numbers]


def test_two_equal_trees_linked_throughout_are_legitimate() -> None:
    assert problems(WHOLE, ACTIVE, SAME) == []


def test_a_second_link_breaks_consistency() -> None:
    violations = rules(Link("n0", "n0"), *words(0, 1, 2, 3, 4), Link("w1", "w4"))
    assert ("consistency", ("w1",), ("w1", "w4")) in violations
    assert ("consistency", ("w1", "w4"), ("w4",)) in violations


def test_inside_on_one_side_only_breaks_the_order() -> None:
    violations = rules(Link("n0", "n0"), Link("n4", "n1"), Link("n6", "n4"))
    assert ("monotonous", ("n4", "n6"), ("n1", "n4")) in violations
    marked = Link("n6", "n4", crossing=True)
    assert rules(Link("n0", "n0"), Link("n4", "n1"), marked)[0][0] == "relevance"


def test_without_the_root_pair_only_that_is_said() -> None:
    violations = [rule for rule, _, _ in rules(*words(0, 1))]
    assert violations == ["root", "maximum"]  # DT and NN support NP


def test_a_root_over_the_only_phrase_counts_as_the_root() -> None:
    topped = ptb.parse_one("(TOP (S (NP (NN it)) (VP (VBD rang))) (. .))")
    violations = problems(Alignment((Link("n1", "n0"),)), topped, ACTIVE)
    assert "root" not in {p.rule for p in violations}


def test_a_link_that_supports_nothing_is_irrelevant() -> None:
    # opened is below VP on both sides, and nothing else is: S gets no support from it
    links = [Link("n0", "n0"), Link("w1", "w6"), Link("w4", "w1"), Link("w2", "w3")]
    violations = rules(*links, target=PASSIVE)
    assert ("relevance", ("w2",), ("w3",)) in violations
    assert ("relevance", ("w1",), ("w6",)) not in violations


def test_supported_phrases_could_be_linked() -> None:
    violations = rules(Link("n0", "n0"), *words(0, 1, 2, 3, 4))
    maximum = [cell for rule, *cell in violations if rule == "maximum"]
    assert maximum == [[("n1",), ("n1",)], [("n4",), ("n4",)], [("n6",), ("n6",)]]


def test_a_word_beside_nothing_but_null_supports_its_phrase() -> None:
    violations = rules(Link("n0", "n0"), *words(1, 2), nulls_s=["w0"], nulls_t=["w0"])
    assert ("maximum", ("n1",), ("n1",)) in violations
    bare = rules(Link("n0", "n0"), *words(1, 2))
    assert ("maximum", ("n1",), ("n1",)) not in bare


def test_undecided_nodes_are_counted() -> None:
    violations = problems(Alignment(), ACTIVE, SAME)
    n = len(refs_of(ACTIVE)) + len(refs_of(SAME))
    assert violations[-1].reason == f"{n} nodes are still undecided."


def test_reasons_are_one_sentence_about_words() -> None:
    violations = problems(Alignment((Link("n1", "n1"), Link("n1", "n6"))), ACTIVE, SAME)
    assert violations[0].reason.startswith("NP “the nurse” has 2 links")


@given(st.data())
def test_maximum_suggestions_break_no_rule(data: st.DataObject) -> None:
    cells = st.tuples(st.sampled_from(refs_of(ACTIVE)), st.sampled_from(refs_of(SAME)))
    chosen = data.draw(st.lists(cells, max_size=5, unique=True))
    links = [Link(*cell) for cell in chosen]
    before = problems(Alignment(tuple(links)), ACTIVE, SAME)
    for offer in (p for p in before if p.rule == "maximum"):
        more = [*links, Link(offer.source[0], offer.target[0])]
        after = problems(Alignment(tuple(more)), ACTIVE, SAME)
        for rule in ("consistency", "monotonous"):
            was = {p.key for p in before if p.rule == rule}
            assert {p.key for p in after if p.rule == rule} == was
        keys = {p.key for p in after if p.rule == "relevance"}
        assert not any(offer.key.partition(":")[2] == k.partition(":")[2] for k in keys)


@given(st.sets(st.sampled_from(refs_of(ACTIVE)), max_size=6))
def test_identity_links_are_consistent_and_in_order(refs: set[str]) -> None:
    alignment = Alignment(tuple(Link(ref, ref) for ref in refs))
    violations = {p.rule for p in problems(alignment, ACTIVE, SAME)}
    assert not violations & {"consistency", "monotonous"}


@pytest.mark.parametrize("tree", [ACTIVE, PASSIVE])
def test_refs_and_nodes_are_inverse(tree) -> None:
    for ref in refs_of(tree):
        assert ref_of(tree, node_of(tree, ref)) == ref
    assert node_of(tree, "w99") is None
    assert node_of(tree, "n2") is None  # a leaf is known by its token

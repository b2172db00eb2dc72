"""Every step can be taken back; what a tree lacks is parked, never lost."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.data.alignment import Alignment, Link
from core.data.remap import places
from core.data.tree import Tree, TreeBuilder
from core.errors import Contradiction, InvalidValue
from core.formats import ptb
from core.phrase_alignment import editing
from core.phrase_alignment.editing import Draft
from core.phrase_alignment.legitimacy import refs_of

FLAT = ptb.parse_one("(S (NP (DT the) (JJ old) (NN dog)) (VP (VBD slept)))")
DEEP = ptb.parse_one("(S (NP (DT the) (NP (JJ old) (NN dog))) (VP (VP (VBD slept))))")
TARGET = ptb.parse_one("(S (NP (NN dog)) (VP (VBD slept)))")


@st.composite
def trees(draw: st.DrawFn, n_tokens: int) -> Tree:
    """A random tree over ``n_tokens``, unary chains and repeated labels included."""
    builder = TreeBuilder()

    def top(start: int, end: int) -> None:
        opened = draw(st.integers(1, 2))
        for _ in range(opened):
            builder.open(draw(st.sampled_from(["NP", "VP"])))
        if end - start == 1:
            builder.leaf("X", f"w{start}")
        else:
            cut = draw(st.integers(start + 1, end - 1))
            top(start, cut)
            top(cut, end)
        for _ in range(opened):
            builder.close()

    top(0, n_tokens)
    return builder.freeze()


@st.composite
def steps(draw: st.DrawFn, source: Tree, target: Tree) -> list[tuple]:
    s, t = st.sampled_from(refs_of(source)), st.sampled_from(refs_of(target))
    one = st.one_of(
        st.tuples(st.just("link"), s, t, st.sampled_from(["sure", "possible"])),
        st.tuples(st.just("beside"), s, t, st.just("sure")),
        st.tuples(st.just("null"), st.sets(s, max_size=3), st.sets(t, max_size=3)),
        st.tuples(st.just("clear"), st.sets(s, max_size=3), st.sets(t, max_size=3)),
        st.tuples(st.just("unlink"), s, t),
        st.tuples(st.just("crossing"), s, t),
        st.tuples(st.just("ignore"), st.sampled_from("ab"), st.text(max_size=3)),
        st.tuples(st.just("accept"), st.lists(st.tuples(s, t), max_size=4)),
    )
    return draw(st.lists(one, max_size=12))


def play(draft: Draft, step: tuple) -> Draft:
    match step:
        case ("link", s, t, kind):
            return editing.put_link(draft, Link(s, t, kind))
        case ("beside", s, t, kind):
            return editing.put_link(draft, Link(s, t, kind), keep_others=True)
        case ("null", s, t):
            return editing.put_null(draft, s, t)
        case ("clear", s, t):
            return editing.clear(draft, s, t)
        case ("unlink", s, t):
            return editing.unlink(draft, s, t)
        case ("crossing", s, t):
            return editing.mark_kind(draft, s, t, crossing=True)
        case ("ignore", key, note):
            return editing.ignore(draft, key, note)
        case ("accept", cells):
            return editing.accept(draft, [Link(s, t) for s, t in cells])
    raise AssertionError(step)


@given(steps(DEEP, TARGET))
def test_undo_all_is_the_beginning_and_redo_all_the_end(played: list[tuple]) -> None:
    drafts = [Draft(trees=("a", "b"))]
    for step in played:
        try:
            drafts.append(play(drafts[-1], step))
        except InvalidValue:
            continue  # unlink, crossing: no such link
    deltas = [editing.delta(a, b) for a, b in pairwise(drafts)]
    back = drafts[-1]
    for before, after in reversed(deltas):
        back = editing.revert(back, before, after)
    assert back == drafts[0]
    for before, after in deltas:
        back = editing.revert(back, after, before)
    assert back == drafts[-1]


@given(st.data())
def test_another_tree_and_back_changes_nothing(data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 5))
    old, new = data.draw(trees(n)), data.draw(trees(n))
    cells = st.tuples(st.sampled_from(refs_of(old)), st.sampled_from(refs_of(TARGET)))
    links = data.draw(st.sets(cells, max_size=6))
    linked = {s for s, _ in links}
    free = [ref for ref in refs_of(old) if ref not in linked]
    nulls = data.draw(st.sets(st.sampled_from(free))) if free else set()
    alignment = Alignment(tuple(Link(*cell) for cell in links), frozenset(nulls))
    draft = Draft(alignment, trees=("old", "t"))
    there = editing.switch_tree(draft, "s", "new", old, new)
    back = editing.switch_tree(there, "s", "old", new, old)
    assert back == draft
    n_before = len(alignment.links) + len(alignment.null_source)
    kept = there.alignment
    assert len(kept.links) + len(kept.null_source) + len(there.parked) == n_before


@given(st.data())
def test_every_phrase_has_a_place_of_its_own(data: st.DataObject) -> None:
    tree = data.draw(trees(data.draw(st.integers(1, 5))))
    nodes = places(tree)
    phrases = [v for v in range(len(tree)) if tree.tokens[v] < 0]
    assert sorted(nodes.values()) == phrases
    for (words, label, _), v in nodes.items():
        assert (words, label) == (tree.yield_of(v), tree.labels[v])


def test_links_of_a_missing_phrase_are_parked_and_come_back() -> None:
    links = (Link("n3", "n1"), Link("w2", "w0"))  # n3: NP "old dog", only in DEEP
    draft = Draft(Alignment(links), trees=("deep", "t"))
    there = editing.switch_tree(draft, "s", "flat", DEEP, FLAT)
    assert [link.cell for link in there.alignment.links] == [("w2", "w0")]
    assert there.parked == ({"s": [[1, 2], "NP", 0], "t": "n1", "kind": "sure"},)
    back = editing.switch_tree(there, "s", "deep", FLAT, DEEP)
    assert back == draft


def test_a_parked_link_waits_while_its_node_is_null() -> None:
    draft = Draft(Alignment((Link("n3", "n1"),)), trees=("deep", "t"))
    there = editing.switch_tree(draft, "s", "flat", DEEP, FLAT)
    there = editing.put_null(there, [], ["n1"])
    back = editing.switch_tree(there, "s", "deep", FLAT, DEEP)
    assert back.alignment.null_target == {"n1"}
    assert len(back.parked) == 1


def test_a_step_that_was_changed_since_cannot_be_reverted() -> None:
    first = Draft()
    second = editing.put_link(first, Link("w0", "w0"))
    third = editing.put_null(second, ["w0"], [])
    before, after = editing.delta(first, second)
    with pytest.raises(Contradiction, match="changed"):
        editing.revert(third, before, after)


TWO = (Link("w0", "w0"), Link("w1", "w1", "possible", crossing=True))


def draft_of(*links: Link, source: str = "", target: str = "") -> Draft:
    nulls = frozenset(source.split()), frozenset(target.split())
    return Draft(Alignment(links, *nulls))


def cells(draft: Draft) -> list[tuple[str, str]]:
    return sorted(link.cell for link in draft.alignment.links)


def test_a_link_takes_the_place_of_others_unless_it_is_put_beside_them() -> None:
    draft, new = draft_of(*TWO), Link("w0", "w1")
    assert cells(editing.put_link(draft, new)) == [("w0", "w1")]
    assert cells(editing.put_link(draft, new, keep_others=True)) == [
        ("w0", "w0"),
        ("w0", "w1"),
        ("w1", "w1"),
    ]


def test_one_link_goes_and_one_that_is_not_there_is_refused() -> None:
    left = editing.unlink(draft_of(*TWO), "w0", "w0")
    assert left.alignment.links == TWO[1:]
    with pytest.raises(InvalidValue, match="no link w0-w1"):
        editing.unlink(draft_of(*TWO), "w0", "w1")
    with pytest.raises(InvalidValue, match="no link w0-w1"):
        editing.mark_kind(draft_of(*TWO), "w0", "w1", kind="sure")


def test_a_mark_changes_what_it_marks_alone() -> None:
    def marked(**marks) -> Link:
        draft = editing.mark_kind(draft_of(*TWO), "w1", "w1", **marks)
        assert set(TWO[:1]) < set(draft.alignment.links)
        return next(k for k in draft.alignment.links if k.cell == ("w1", "w1"))

    assert marked(kind="sure") == Link("w1", "w1", "sure", crossing=True)
    assert marked(crossing=False) == Link("w1", "w1", "possible", crossing=False)
    assert marked() == TWO[1]


def test_suggestions_are_taken_where_both_nodes_are_undecided() -> None:
    draft = draft_of(*TWO, source="w2", target="w3")
    offered = ("w0 w4", "w4 w1", "w2 w4", "w4 w3", "w4 w4", "w4 w5", "w5 w4", "w5 w5")
    taken = editing.accept(draft, [Link(*cell.split()) for cell in offered])
    assert cells(taken) == [("w0", "w0"), ("w1", "w1"), ("w4", "w4"), ("w5", "w5")]


def test_notes_and_brackets_are_kept_by_their_key_until_they_are_taken_back() -> None:
    draft = editing.ignore(editing.ignore(Draft(), "a", "1"), "b", "2")
    assert draft.ignored == {"a": "1", "b": "2"}
    assert editing.ignore(draft, "a", "3").ignored == {"a": "3", "b": "2"}
    assert editing.ignore(draft, "a", None).ignored == {"b": "2"}
    draft = editing.bracket(Draft(), "s 0-2", "must-bracket")
    draft = editing.bracket(draft, "t 0-2", "cannot-bracket")
    assert draft.brackets == {"s 0-2": "must-bracket", "t 0-2": "cannot-bracket"}
    assert editing.bracket(draft, "s 0-2", "").brackets == {"t 0-2": "cannot-bracket"}


def test_nulls_take_links_with_them_and_clearing_takes_both() -> None:
    null = editing.put_null(draft_of(*TWO), ["w0"], []).alignment
    assert (null.links, null.null_source, null.null_target) == (TWO[1:], {"w0"}, set())
    clear = editing.clear(draft_of(*TWO, source="w2"), ["w2"], ["w1"]).alignment
    assert (clear.links, clear.null_source, clear.null_target) == (
        TWO[:1],
        set(),
        set(),
    )


def test_words_alone_park_links_of_phrases_and_keep_those_of_words() -> None:
    links = (Link("n3", "n1"), Link("w2", "w0"))
    draft = Draft(Alignment(links, frozenset({"n1"})), trees=("deep", "t"))
    bare = editing.switch_tree(draft, "s", "", DEEP, None)
    assert [link.cell for link in bare.alignment.links] == [("w2", "w0")]
    assert (bare.alignment.null_source, len(bare.parked)) == (frozenset(), 2)
    assert bare.trees == ("", "t")
    assert editing.switch_tree(bare, "s", "deep", None, DEEP) == draft

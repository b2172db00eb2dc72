"""Where the parts of a biparse drawing go."""

from hypothesis import given
from hypothesis import strategies as st

from core.data.blocks import Block
from core.itg.grammar import blocks_of
from core.layout.biparse import matrix_scene, numbered, trees_scene
from core.layout.measure import GlyphTable

WORDS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]


@st.composite
def trees(draw) -> tuple[int, Block]:
    """A biparse tree over up to ten words a side, from random cuts."""
    n = draw(st.integers(1, 10))

    def order(words: list[int]) -> list[int]:
        if len(words) < 2:
            return words
        cut = draw(st.integers(1, len(words) - 1))
        parts = [order(words[:cut]), order(words[cut:])]
        first, last = parts[::-1] if draw(st.booleans()) else parts
        return first + last

    targets = order(list(range(n)))
    tree = blocks_of(list(enumerate(targets)))
    assert tree is not None
    return n, tree


@given(trees())
def test_blocks_nest_within_their_parents_and_the_page(case) -> None:
    n, tree = case
    scene = matrix_scene(WORDS[:n], WORDS[:n], tree, GlyphTable())
    marks = {mark.number: mark.rect for mark in scene.blocks}
    parents = {number: parent for number, _, _, parent in numbered(tree)}
    for number, rect in marks.items():
        outer = marks.get(parents[number])
        assert rect.x >= 0
        assert rect.x + rect.w <= scene.width
        assert rect.y + rect.h <= scene.height
        if outer is not None:
            assert outer.x < rect.x
            assert outer.y < rect.y
            assert outer.x + outer.w > rect.x + rect.w
            assert outer.y + outer.h > rect.y + rect.h
    assert len(scene.links) == n


@given(trees())
def test_trees_keep_order_and_parents_stand_between_children(case) -> None:
    n, tree = case
    scene = trees_scene(WORDS[:n], WORDS[:n], tree, GlyphTable())
    for labels in (scene.source, scene.target):
        places = [label.at[0] for label in labels]
        assert places == sorted(places)
        assert all(0 < x < scene.width for x in places)
    for marks in (scene.above, scene.below):
        assert all(0 <= mark.rect.y <= scene.height for mark in marks)
        assert all(0 <= mark.rect.x <= scene.width for mark in marks)
    assert len(scene.links) == n
    assert len(scene.lines) == 2 * (len(numbered(tree)) - 1)


def test_words_without_counterpart_are_marked() -> None:
    tree = blocks_of([(1, 0)])
    scene = matrix_scene(["a", "b"], ["c", "d"], tree, GlyphTable())
    assert [label.is_null for label in scene.source] == [True, False]
    assert [label.is_null for label in scene.target] == [False, True]


def test_nothing_linked_is_drawn_without_blocks() -> None:
    for scene in (matrix_scene, trees_scene):
        drawn = scene(["a"], ["b"], None, GlyphTable())
        assert drawn.links == ()
        assert all(label.is_null for label in (*drawn.source, *drawn.target))

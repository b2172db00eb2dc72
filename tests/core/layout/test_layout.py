"""No two boxes overlap, order is kept, a parent stands between her children."""

from dataclasses import replace
from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.data.deps import ROOT, DepTree
from core.data.tree import Tree, TreeBuilder
from core.formats import ptb
from core.layout.links import LinkedSide, arc_levels, link_scene, parse_scene
from core.layout.measure import GlyphTable
from core.layout.scene import Scene

LABELS = st.sampled_from(["S", "NP", "VP-SBJ-PRD-1", "X"])
WORDS = st.sampled_from(["a", "smoke", "incomprehensibilities", "。", "-LRB-"])


@st.composite
def trees(draw: st.DrawFn, max_tokens: int = 7, *, scattered: bool = False) -> Tree:
    """A random tree with unary chains and traces; ``scattered``: discontinuous."""
    n = draw(st.integers(1, max_tokens))
    order = draw(st.permutations(range(n))) if scattered else list(range(n))
    builder = TreeBuilder()

    def grow(start: int, end: int, depth: int) -> None:
        builder.open(draw(LABELS))
        if draw(st.booleans()):
            builder.trace("-NONE-", "*T*")
        if end - start == 1:
            builder.leaf("NN", draw(WORDS), token=order[start])
        elif depth > 6:
            for i in range(start, end):
                builder.leaf("NN", draw(WORDS), token=order[i])
        else:
            cut = draw(st.integers(start + 1, end))
            grow(start, cut, depth + 1)
            if cut < end:
                grow(cut, end, depth + 1)
        builder.close()

    grow(0, n, 0)
    return builder.freeze()


@st.composite
def deps(draw: st.DrawFn, n: int) -> DepTree:
    heads = [ROOT]
    order = draw(st.permutations(range(n)))
    for i in range(1, n):
        heads.append(order[draw(st.integers(0, i - 1))])
    by_token = dict(zip(order, heads, strict=True))
    labels = tuple(draw(st.sampled_from(["nsubj", "obl:agent", "d"])) for _ in range(n))
    return DepTree(tuple(by_token[i] for i in range(n)), labels)


def scene_of(tree: Tree, other: Tree, **how) -> Scene:
    return link_scene(
        LinkedSide(tree.words, tree), LinkedSide(other.words, other), **how
    )


def boxes_apart(scene: Scene) -> None:
    for a, b in combinations(scene.boxes, 2):
        assert not a.rect.overlaps(b.rect), (a, b)


@given(st.booleans(), st.data())
def test_boxes_never_overlap(across: bool, data: st.DataObject) -> None:
    scattered = data.draw(st.booleans())
    source = data.draw(trees(scattered=scattered))
    scene = scene_of(source, data.draw(trees()), across=across)
    boxes_apart(scene)
    for box in scene.boxes:
        assert 0 <= box.rect.x <= scene.width - box.rect.w + 0.01
        assert 0 <= box.rect.y <= scene.height - box.rect.h + 0.01


@given(trees(), st.booleans())
def test_words_keep_their_order(tree: Tree, across: bool) -> None:
    scene = scene_of(tree, tree, across=across)
    for side in "st":
        places = [
            scene.box(f"{side}:w{i}").rect.centre[1 if across else 0]
            for i in range(tree.n_tokens)
        ]
        assert all(a < b for a, b in pairwise(places))


@given(trees(), st.booleans())
def test_a_mother_stands_between_her_daughters_and_outside(
    tree: Tree, across: bool
) -> None:
    scene = scene_of(tree, tree, across=across)
    along = 1 if across else 0
    for v in range(len(tree)):
        seen = [_box(scene, tree, c) for c in tree.children[v]]
        places = [box.rect.centre[along] for box in seen if box]
        mother = _box(scene, tree, v)
        if len(places) == len(tree.children[v]) and places:
            centre = mother.rect.centre[along]
            assert min(places) - 0.01 <= centre <= max(places) + 0.01
            away = mother.rect.centre[1 - along]
            assert all(away < box.rect.centre[1 - along] for box in seen if box)


def _box(scene: Scene, tree: Tree, v: int):
    if tree.children[v]:
        return scene.box(f"s:n{v}")
    return scene.box(f"s:w{tree.tokens[v]}") if tree.tokens[v] >= 0 else None


@given(trees(scattered=True), st.data())
def test_a_folded_phrase_hides_what_is_below(tree: Tree, data: st.DataObject) -> None:
    phrases = [v for v in range(1, len(tree)) if tree.children[v]]
    if not phrases:
        return
    v = data.draw(st.sampled_from(phrases))
    side = LinkedSide(tree.words, tree, folded=frozenset({v}))
    scene = link_scene(side, LinkedSide(("x",)))
    boxes_apart(scene)
    assert scene.box(f"s:n{v}").kind == "fold"
    for token in tree.yield_of(v):
        assert scene.box(f"s:w{token}") is None


@given(st.integers(1, 8), st.booleans(), st.data())
def test_arc_labels_never_overlap(n: int, across: bool, data: st.DataObject) -> None:
    tree = data.draw(deps(n))
    side = LinkedSide(tuple(f"word{i}" for i in range(n)), deps=tree)
    scene = link_scene(side, LinkedSide(("x",)), view="dependency", across=across)
    for a, b in combinations(scene.arcs, 2):
        assert not a.label_rect.overlaps(b.label_rect), (a, b)
    for arc in scene.arcs:
        assert arc.label_rect.x >= 0
        assert arc.label_rect.x + arc.label_rect.w <= scene.width


@given(st.integers(1, 9), st.data())
def test_arcs_of_one_level_share_no_words(n: int, data: st.DataObject) -> None:
    arcs = [arc for arc in arc_levels(data.draw(deps(n))) if arc.head != ROOT]
    for a, b in combinations(arcs, 2):
        low = max(min(a.head, a.modifier), min(b.head, b.modifier))
        high = min(max(a.head, a.modifier), max(b.head, b.modifier))
        assert a.level != b.level or low >= high


@pytest.mark.parametrize(
    ("text", "width"),
    [("", 0), ("iii", 7.5), ("mmm", 26.28), ("日本", 20), ("e\u0301", 0)],
)
def test_widths_come_from_the_table(text: str, width: float) -> None:
    measured = GlyphTable(stretch=1.0).width(text, size=10)
    if text == "e\u0301":  # a combining mark has no width of its own
        assert measured == GlyphTable(stretch=1.0).width("e", size=10)
    else:
        assert measured == pytest.approx(width)


@given(trees(scattered=True), st.booleans(), st.data())
def test_secondary_edges_lead_from_border_to_border_within_the_drawing(
    tree: Tree, across: bool, data: st.DataObject
) -> None:
    nodes = st.integers(0, len(tree) - 1)
    v, target = data.draw(st.tuples(nodes, nodes).filter(lambda two: two[0] != two[1]))
    tree = replace(tree, secondary=((v, target, "SB"),))
    scene = scene_of(tree, tree, across=across)
    assert [one.side for one in scene.secondary] == ["s", "t"]
    for one in scene.secondary:
        start, control, end = one.points
        for ref, (x, y) in ((one.ref, start), (one.target, end)):
            rect = scene.box(f"{one.side}:{ref}").rect
            assert rect.x - 5 <= x <= rect.x + rect.w + 5
            assert rect.y - 5 <= y <= rect.y + rect.h + 5
        assert 0 <= control[0] <= scene.width
        assert 0 <= control[1] <= scene.height


def test_a_secondary_edge_into_a_folded_phrase_is_not_drawn() -> None:
    tree = ptb.parse_one("(S (NP (DT The) (NN nurse)) (VP (VBD slept)))")
    tree = replace(tree, secondary=((1, 4, "SB"), (2, 4, "X")))
    side = LinkedSide(tree.words, tree, folded=frozenset({1}))
    (one,) = parse_scene(side).secondary
    assert (one.ref, one.target, one.label) == ("n1", "n4", "SB")


def test_labels_of_secondary_edges_are_off_the_boxes() -> None:
    tree = ptb.parse_one(
        "(S (NP (PRP She)) (VP (VP (VBD opened) (NP (DT the) (NN window)))"
        " (CC and) (VP (VBD closed) (NP (DT the) (NN door)))) (. .))"
    )
    tree = replace(tree, secondary=((0, 12, "X"), (1, 10, "SB"), (7, 14, "OA")))
    scene = parse_scene(LinkedSide(tree.words, tree))
    rects = [one.label_rect for one in scene.secondary]
    for rect in rects:
        assert not any(box.rect.overlaps(rect) for box in scene.boxes)
    assert not any(a.overlaps(b) for a, b in combinations(rects, 2))

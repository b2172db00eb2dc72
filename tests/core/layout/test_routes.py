"""No link runs through a box, and links cross no more often than straight lines."""

import random
import re
from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.formats import ptb
from core.layout.links import LinkedSide, link_scene
from core.layout.routes import LANE, WIDE, crossings, link_paths, passages, rows_of
from core.layout.scene import Scene
from tests.core.layout.test_layout import trees
from tests.long_pairs import long_pair
from tests.oracles import routes as drawn

Links = list[tuple[str, str]]


@st.composite
def linked_scenes(draw: st.DrawFn, *, most: int = 8) -> tuple[Scene, Links]:
    """Two random trees face to face, some folded, and links between their boxes."""
    sides = []
    for _ in "st":
        tree = draw(trees(scattered=draw(st.booleans())))
        phrases = [v for v in range(1, len(tree)) if tree.children[v]]
        folded = draw(st.sets(st.sampled_from(phrases), max_size=1)) if phrases else ()
        sides.append(LinkedSide(tree.words, tree, folded=frozenset(folded)))
    scene = link_scene(*sides, across=draw(st.booleans()))
    ends = [
        st.sampled_from(
            [b.key for b in scene.boxes if b.key[0] == s and b.kind != "null"]
        )
        for s in "st"
    ]
    return scene, draw(
        st.lists(st.tuples(*ends), min_size=1, max_size=most, unique=True)
    )


def long_scene(n_words: int, **how) -> tuple[Scene, Links]:
    made = long_pair(n_words)
    source, target = (ptb.parse_one(text) for text in (made.source, made.target))
    scene = link_scene(
        LinkedSide(source.words, source), LinkedSide(target.words, target), **how
    )
    return scene, [(f"s:{k.source}", f"t:{k.target}") for k in made.links.links]


def words_scene(n: int) -> Scene:
    words = LinkedSide(tuple(f"word{i}" for i in range(n)))
    return link_scene(words, words)


def middle_of_band(scene: Scene, paths: list[str]) -> list[float]:
    """Where each path of a scene that is not across is in the middle of the band."""
    y = scene.band.y + scene.band.h / 2
    return [
        min(drawn.points(path), key=lambda point: abs(point[1] - y))[0]
        for path in paths
    ]


@given(linked_scenes())
def test_a_link_runs_through_no_box_but_its_own(made: tuple[Scene, Links]) -> None:
    scene, links = made
    for link, path in zip(links, link_paths(scene, links), strict=True):
        assert not drawn.boxes_met(scene, link, path, slack=0.7)


@given(linked_scenes())
def test_a_link_begins_and_ends_at_its_boxes(made: tuple[Scene, Links]) -> None:
    scene, links = made
    for (s, t), path in zip(links, link_paths(scene, links), strict=True):
        points = drawn.points(path)
        for key, (x, y) in ((s, points[0]), (t, points[-1])):
            rect = scene.box(key).rect
            near = (rect.x + rect.w, rect.x)[key[0] == "t"], rect.centre[1]
            if not scene.across:
                near = rect.centre[0], (rect.y + rect.h, rect.y)[key[0] == "t"]
            assert (x, y) == pytest.approx(near, abs=0.11)


@given(linked_scenes())
def test_links_stay_in_the_drawing(made: tuple[Scene, Links]) -> None:
    scene, links = made
    for path in link_paths(scene, links):
        for x, y in drawn.points(path):
            assert 0 < x < scene.width
            assert 0 < y < scene.height


@given(linked_scenes())
def test_links_cross_no_more_often_than_straight_lines(
    made: tuple[Scene, Links],
) -> None:
    scene, links = made
    paths = link_paths(scene, links)
    there_are = drawn.drawn_crossings(paths, across=scene.across)
    assert there_are <= drawn.straight_crossings(rows_of(scene), links)


@settings(max_examples=40)
@given(linked_scenes(most=5))
def test_links_of_one_gap_are_in_the_order_that_crosses_least(
    made: tuple[Scene, Links],
) -> None:
    scene, links = made
    rows = rows_of(scene)
    places = passages(rows, [(rows.ends[s], rows.ends[t]) for s, t in links])
    paths = link_paths(scene, links)
    least = drawn.fewest_crossings(places)
    assert drawn.drawn_crossings(paths, across=scene.across) == least
    pairs = [
        crossings(places[[k]], places[[m]])[0]
        for k, m in combinations(range(len(links)), 2)
    ]
    assert sum(pairs) == least


@given(linked_scenes(), st.randoms())
def test_the_same_links_have_the_same_paths_in_any_order(
    made: tuple[Scene, Links], chance: random.Random
) -> None:
    scene, links = made
    paths = dict(zip(links, link_paths(scene, links), strict=True))
    chance.shuffle(links)
    assert paths == dict(zip(links, link_paths(scene, links), strict=True))


@pytest.mark.parametrize("across", [False, True])
@pytest.mark.parametrize("n_words", [10, 25, pytest.param(60, marks=pytest.mark.slow)])
def test_a_long_pair_has_no_link_through_a_box(n_words: int, across: bool) -> None:
    scene, links = long_scene(n_words, across=across)
    paths = link_paths(scene, links)
    for link, path in zip(links, paths, strict=True):
        assert not drawn.boxes_met(scene, link, path, slack=0.9), link
    there_are = drawn.drawn_crossings(paths, across=across)
    assert there_are <= drawn.straight_crossings(rows_of(scene), links)


def test_links_that_pass_others_together_run_as_one_bundle() -> None:
    scene = words_scene(6)
    moved = [(0, 3), (1, 4), (2, 5), (3, 0), (4, 1), (5, 2)]
    links = [(f"s:w{i}", f"t:w{j}") for i, j in moved]
    at = middle_of_band(scene, link_paths(scene, links))
    near = [b - a for a, b in pairwise(at)]
    assert near[:2] + near[3:] == pytest.approx([LANE] * 4, abs=0.11)


def test_a_bundle_is_cut_where_it_would_be_wide() -> None:
    scene = words_scene(16)
    links = [(f"s:w{i}", f"t:w{(i + 8) % 16}") for i in range(16)]
    at = middle_of_band(scene, link_paths(scene, links))[:8]
    cuts = [b - a > LANE + 0.2 for a, b in pairwise(at)]
    length = scene.box("s:w7").rect.x - scene.box("s:w0").rect.x
    assert sum(cuts) + 1 == -(-length // WIDE)


def test_links_that_cross_nothing_are_not_gathered() -> None:
    scene = words_scene(4)
    links = [(f"s:w{i}", f"t:w{i}") for i in range(4)]
    for (key, _), path in zip(links, link_paths(scene, links), strict=True):
        middle = scene.box(key).rect.centre[0]
        assert all(abs(x - middle) < 0.11 for x, _ in drawn.points(path))


def test_links_in_one_gap_run_beside_each_other() -> None:
    tree = ptb.parse_one("(S (X (Y (Z (A left) (B right)))))")
    scene = link_scene(LinkedSide(tree.words, tree), LinkedSide(tree.words, tree))
    links = [(f"s:n{v}", f"t:n{v}") for v in range(4)]
    at = sorted(middle_of_band(scene, link_paths(scene, links)))
    assert all(b - a > 0.5 for a, b in pairwise(at))
    assert drawn.drawn_crossings(link_paths(scene, links), across=False) == 0


def test_a_link_within_a_folded_phrase_has_no_path() -> None:
    tree = ptb.parse_one("(S (NP (D the) (N nurse)) (V slept))")
    side = LinkedSide(tree.words, tree, folded=frozenset({1}))
    scene = link_scene(side, LinkedSide(("she", "slept")))
    paths = link_paths(scene, [("s:w0", "t:w0"), ("s:w2", "t:w1"), ("s:n1", "t:w0")])
    assert [bool(path) for path in paths] == [False, True, True]


def test_links_of_words_alone_need_no_trees() -> None:
    scene = words_scene(2)
    (path,) = link_paths(scene, [("s:w0", "t:w1")])
    assert re.fullmatch(r"M[\d. ]+(C[\d. ]+|L[\d. ]+)+", path)


def test_no_links_have_no_paths() -> None:
    assert link_paths(words_scene(1), []) == []


@given(linked_scenes())
def test_a_link_never_runs_along_an_edge_in_a_row(made: tuple[Scene, Links]) -> None:
    scene, links = made
    rows = rows_of(scene)
    for (s, t), path in zip(links, link_paths(scene, links), strict=True):
        line = [(x, y) if not scene.across else (y, x) for x, y in drawn.points(path)]
        for row in rows.rows[rows.ends[s].row + 1 : rows.ends[t].row]:
            edges = [low for low, high in row.spans if low == high]
            at = [x for x, y in line if row.top <= y <= row.bottom]
            assert all(abs(x - edge) > 1.8 for x in at for edge in edges)


def test_edges_that_run_past_a_row_are_in_it() -> None:
    tree = ptb.parse_one("(S (X (Y (A one) (B two)) (Z (C three) (D four))) (E five))")
    scene = link_scene(LinkedSide(tree.words, tree), LinkedSide(("one",)))
    rows = rows_of(scene).rows
    edges = [[low for low, high in row.spans if low == high] for row in rows]
    (five,) = {edge.points[-1][0] for edge in scene.edges if edge.ref == "w4"}
    assert edges == [
        [],
        [pytest.approx(five, abs=0.01)],
        [pytest.approx(five, abs=0.01)],
        [],
        [],
    ]

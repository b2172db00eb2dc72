"""The drawing of one parse: a golden file, and what must hold for any tree."""

import re

import pytest
from hypothesis import given

from annotator.svg.parse import Note, draw, marked
from core.data.deps import DepTree
from core.data.tree import Tree
from core.formats import ptb
from core.layout.links import LinkedSide, parse_scene
from tests.oracles import strategies

TREE = ptb.parse_one("(S (NP (PRP She)) (VP (VBD met) (NP (DT a) (NN friend))) (. .))")
DEPS = DepTree((1, -1, 3, 1, 1), ("nsubj", "root", "det", "obj ≠", "punct"))


def _drawn() -> str:
    phrases = {"n0": Note(1.0), "n1": Note(0.97), "n3": Note(0.4, differs=True)}
    arcs = {"w0": Note(0.99), "w3": Note(0.2, differs=True)}
    scene = parse_scene(LinkedSide(TREE.words, TREE, DEPS))
    return draw(scene, title="She met a friend", phrases=phrases, arcs=arcs)


def test_a_parse_with_its_notes_looks_as_it_did(golden) -> None:
    golden("parse.svg", _drawn() + "\n")


def test_every_line_says_in_words_what_its_weight_says() -> None:
    titles = re.findall("<title>(.*?)</title>", _drawn())
    assert "S, sure" in titles
    assert "NP, 97 % sure" in titles
    assert "VP, 40 % sure, not in the other tree" in titles
    assert "obj, 20 % sure, not in the other tree" in titles


def test_the_surer_the_heavier_and_dashed_below_one_half() -> None:
    def width(p: float) -> tuple[float, bool]:
        scene = parse_scene(LinkedSide(TREE.words, TREE, None))
        svg = draw(scene, title="x", phrases={"n0": Note(p)})
        line = next(part for part in svg.split("<g") if 'class="pp"' in part)
        stroke = re.search(r'stroke-width="([\d.]+)"', line)
        assert stroke
        return float(stroke.group(1)), "stroke-dasharray" in line

    widths = [width(p) for p in (0.0, 0.3, 0.6, 1.0)]
    assert [w for w, _ in widths] == sorted(w for w, _ in widths)
    assert [dashed for _, dashed in widths] == [True, True, False, False]


@pytest.mark.parametrize(("differs", "label"), [(True, "obj ≠"), (False, "obj")])
def test_labels_of_arcs_carry_the_sign(differs: bool, label: str) -> None:
    assert marked("obj", Note(None, differs)) == label


@given(strategies.trees(max_tokens=8))
def test_boxes_never_overlap_and_arcs_stay_below_the_words(tree: Tree) -> None:
    n = tree.n_tokens
    deps = DepTree((-1, *range(n - 1)), ("dep",) * n)
    scene = parse_scene(LinkedSide(tree.words, tree, deps))
    boxes = [box.rect for box in scene.boxes]
    for i, one in enumerate(boxes):
        assert not any(one.overlaps(other) for other in boxes[i + 1 :])
        assert one.x >= 0
        assert one.x + one.w <= scene.width
        assert one.y + one.h <= scene.height
    words = max(box.rect.y + box.rect.h for box in scene.boxes if box.kind == "word")
    for arc in scene.arcs:
        assert all(words - 0.01 <= y <= scene.height for _, y in arc.points)

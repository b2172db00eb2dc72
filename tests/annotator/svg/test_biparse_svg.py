"""The drawings of a biparse."""

from annotator.svg.biparse import draw_matrix, draw_trees
from core.itg.grammar import blocks_of
from core.layout.biparse import matrix_scene, trees_scene
from core.layout.measure import GlyphTable

SOURCE = ["when", "it", "rained", "the", "<old>", "cat", "slept"]
TARGET = ["the", "cat", "slept", "soundly", "when", "it", "rained"]
LINKS = [(0, 4), (1, 5), (2, 6), (3, 0), (5, 1), (6, 2)]


def test_matrix_is_drawn_as_it_was(golden) -> None:
    scene = matrix_scene(SOURCE, TARGET, blocks_of(LINKS), GlyphTable())
    golden("biparse-matrix.svg", draw_matrix(scene, title="Cat & rain"))


def test_trees_are_drawn_as_they_were(golden) -> None:
    scene = trees_scene(SOURCE, TARGET, blocks_of(LINKS), GlyphTable())
    golden("biparse-trees.svg", draw_trees(scene, title="Cat & rain"))


def test_words_are_escaped_and_orientations_do_not_rest_on_colour() -> None:
    scene = matrix_scene(SOURCE, TARGET, blocks_of(LINKS), GlyphTable())
    text = draw_matrix(scene, title="Cat & rain")
    assert "&lt;old&gt;" in text
    assert "Cat &amp; rain" in text
    assert "stroke-dasharray" in text
    assert "Block 1, inverted" in text

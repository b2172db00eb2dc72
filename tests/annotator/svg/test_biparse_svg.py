"""The drawings of a biparse, and the bars of the coverage study."""

from annotator.svg.bars import draw_bars
from annotator.svg.biparse import draw_matrix, draw_trees
from core.itg.grammar import blocks_of
from core.layout.bars import Bar
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


def test_bars_say_their_numbers_and_their_group() -> None:
    text = draw_bars(
        [Bar("first", 97.5, 96.0, 99.0, 0), Bar("second", 92.0, 90.0, 95.0, 1)],
        ("one language", "two languages"),
        title="Covered",
        start=80.0,
    )
    assert "first: 97.5 % (96.0 to 99.0)" in text
    assert "two languages" in text
    assert text.count("<circle") == 2  # the bar's, and the legend's

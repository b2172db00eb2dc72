"""The geometry of a biparse: the matrix with nested blocks, the facing trees."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.data.blocks import Block, Orientation
from core.data.tokens import Span
from core.layout.scene import Rect
from core.protocols import TextMeasure

CELL, GAP, PAD, SIZE = 22.0, 8.0, 10.0, 13.0
NEST = 2.0  # px between the outlines of nested blocks
LEVEL, WORD_GAP, BAND = 30.0, 14.0, 96.0
NULL = " ∅"  # behind a word without a counterpart
Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Label:
    """A word: where its text starts (or its middle is), and whether it is null."""

    text: str
    at: Point
    is_null: bool
    token: int


@dataclass(frozen=True, slots=True)
class BlockMark:
    """A block: ``number`` in preorder from 1, its outline or node, its orientation."""

    number: int
    orientation: Orientation
    rect: Rect
    depth: int
    source: Span
    target: Span


@dataclass(frozen=True, slots=True)
class MatrixScene:
    """Source words are rows, target words columns; target words are written
    vertically."""

    width: float
    height: float
    grid: Rect
    source: tuple[Label, ...]
    target: tuple[Label, ...]
    blocks: tuple[BlockMark, ...]
    links: tuple[Rect, ...]


@dataclass(frozen=True, slots=True)
class TreesScene:
    """The one tree seen from both sides: source order above, target order below.

    ``lines``: from parent to child, in px; ``links``: between the two words.
    """

    width: float
    height: float
    source: tuple[Label, ...]
    target: tuple[Label, ...]
    above: tuple[BlockMark, ...]
    below: tuple[BlockMark, ...]
    lines: tuple[tuple[Point, Point], ...]
    links: tuple[tuple[Point, Point], ...]


def numbered(tree: Block | None) -> list[tuple[int, Block, int, int]]:
    """(number, block, depth, number of its parent) in preorder; 0 means no parent."""
    numbers: list[tuple[int, Block, int, int]] = []
    waiting = [(tree, 0, 0)] if tree else []
    while waiting:
        block, depth, parent = waiting.pop()
        number = len(numbers) + 1
        numbers.append((number, block, depth, parent))
        waiting += [(child, depth + 1, number) for child in reversed(block.children)]
    return numbers


def matrix_scene(
    source: Sequence[str],
    target: Sequence[str],
    tree: Block | None,
    measure: TextMeasure,
) -> MatrixScene:
    """The alignment matrix; each block is a rectangle within its parent's.

    O(n) for n words and blocks.
    """
    blocks = numbered(tree)
    linked = [block for _, block, _, _ in blocks if block.orientation == "link"]
    rows = {block.source.start for block in linked}
    columns = {block.target.start for block in linked}
    left = PAD + GAP + max(_widths(source, rows, measure))
    top = PAD + GAP + max(_widths(target, columns, measure))
    deepest = max((depth for _, _, depth, _ in blocks), default=0)
    margin = NEST * (deepest + 1)
    grid = Rect(left + margin, top + margin, CELL * len(target), CELL * len(source))
    nested = [entry for entry in blocks if entry[1].orientation != "link"]
    return MatrixScene(
        grid.x + grid.w + margin + PAD,
        grid.y + grid.h + margin + PAD,
        grid,
        tuple(
            Label(word, (left - 4, grid.y + CELL * (i + 0.5)), i not in rows, i)
            for i, word in enumerate(source)
        ),
        tuple(
            Label(word, (grid.x + CELL * (j + 0.5), top - 4), j not in columns, j)
            for j, word in enumerate(target)
        ),
        tuple(
            _mark(entry, _grown(_cells(grid, entry[1]), NEST * (deepest - entry[2])))
            for entry in nested
        ),
        tuple(_cells(grid, block) for block in linked),
    )


def _mark(entry: tuple[int, Block, int, int], rect: Rect) -> BlockMark:
    number, block, depth, _ = entry
    return BlockMark(number, block.orientation, rect, depth, block.source, block.target)


def _grown(rect: Rect, by: float) -> Rect:
    return Rect(rect.x - by, rect.y - by, rect.w + 2 * by, rect.h + 2 * by)


def _cells(grid: Rect, block: Block) -> Rect:
    return Rect(
        grid.x + CELL * block.target.start,
        grid.y + CELL * block.source.start,
        CELL * (block.target.end - block.target.start),
        CELL * (block.source.end - block.source.start),
    )


def trees_scene(
    source: Sequence[str],
    target: Sequence[str],
    tree: Block | None,
    measure: TextMeasure,
) -> TreesScene:
    """The biparse tree twice, words in the order of either side, links between.

    Boxes of words do not overlap, order is kept, and a parent is between its first and
    its last child.
    """
    blocks = numbered(tree)
    height = max((_height(block) for _, block, _, _ in blocks), default=0)
    links = [block for _, block, _, _ in blocks if block.orientation == "link"]
    rows = _ends(_widths(source, {b.source.start for b in links}, measure))
    columns = _ends(_widths(target, {b.target.start for b in links}, measure))
    width = 2 * PAD + max(rows[-1][1], columns[-1][1])
    upper = PAD + LEVEL * (height + 0.5) + SIZE
    lower = upper + BAND
    above = _side(blocks, rows, "source", upper - SIZE - 4, -LEVEL)
    below = _side(blocks, columns, "target", lower + 8, LEVEL)
    lines = [line for marks, part in (above, below) for line in part]
    return TreesScene(
        width,
        lower + LEVEL * (height + 0.5) + PAD + SIZE,
        _labels(source, rows, {b.source.start for b in links}, upper),
        _labels(target, columns, {b.target.start for b in links}, lower),
        tuple(above[0]),
        tuple(below[0]),
        tuple(lines),
        tuple(
            (
                (_middle(rows[b.source.start]), upper + 6),
                (_middle(columns[b.target.start]), lower - SIZE - 2),
            )
            for b in links
        ),
    )


def _widths(
    words: Sequence[str], linked: set[int], measure: TextMeasure
) -> list[float]:
    """The width of every word in px, with the sign of a null where it is one."""
    return [
        measure.width(word if k in linked else word + NULL, size=SIZE)
        for k, word in enumerate(words)
    ]


def _ends(widths: Sequence[float]) -> list[tuple[float, float]]:
    """Left and right end of every word of a line in px."""
    ends, x = [], PAD
    for wide in widths:
        ends.append((x, x + wide))
        x += wide + WORD_GAP
    return ends


def _labels(
    words: Sequence[str], ends: list[tuple[float, float]], linked: set[int], y: float
) -> tuple[Label, ...]:
    return tuple(
        Label(word, (_middle(ends[k]), y), k not in linked, k)
        for k, word in enumerate(words)
    )


def _middle(ends: tuple[float, float]) -> float:
    return (ends[0] + ends[1]) / 2


def _height(block: Block) -> int:
    return 1 + max((_height(child) for child in block.children), default=-1)


def _side(
    blocks: list[tuple[int, Block, int, int]],
    ends: list[tuple[float, float]],
    side: str,
    start: float,
    step: float,
) -> tuple[list[BlockMark], list[tuple[Point, Point]]]:
    """Nodes and lines of one side; leaves are at ``start``, roots ``step`` by level."""
    places: dict[int, Point] = {}
    marks: list[BlockMark] = []
    lines: list[tuple[Point, Point]] = []
    kids: dict[int, list[int]] = {}
    for number, block, depth, parent in reversed(blocks):
        kids.setdefault(parent, []).append(number)
        if block.orientation == "link":
            x = _middle(ends[getattr(block, side).start])
        else:
            below = [places[kid][0] for kid in kids[number]]
            x = (min(below) + max(below)) / 2
        at = (x, start + step * _height(block))
        places[number] = at
        if block.orientation != "link":
            rect = Rect(at[0] - 9, at[1] - 9, 18, 18)
            marks.append(_mark((number, block, depth, parent), rect))
            lines += [(at, places[kid]) for kid in kids[number]]
    return marks, lines

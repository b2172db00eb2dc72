"""Layers as rows: each link seen from either side, on the nodes of the trees shown.

A layer that stands on no constituent tree is on the one that stands for its sentence;
words are also put on the sentence's dependency tree.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

from django.db import connection

from annotator.models import AlignmentLayer, Parse
from annotator.services.queries.rows import delete, insert
from core.data.alignment import Alignment, Ref
from core.errors import GemelError
from core.queries.rows import Kind

Nodes = Mapping[Ref, tuple[int, int]]
"""Of a tree: by ref, its preorder number and its label's number."""


class LinkState(IntEnum):
    SURE = 1
    POSSIBLE = 2
    NULL = 3
    PARKED = 4


@dataclass(frozen=True, slots=True)
class _LayerOnTrees:
    """A layer on one kind of tree; a side without such a tree has 0 and no nodes."""

    layer: AlignmentLayer
    kind: int
    trees: tuple[int, int]
    nodes: tuple[Nodes, Nodes]


def index(keys: Sequence[int]) -> None:
    """The rows of these layers again. Within a transaction."""
    for name in ("layer", "link"):
        delete(name, "layer", keys)
    rows = AlignmentLayer.objects.filter(pk__in=keys).select_related(
        "pair", "source_parse", "target_parse"
    )
    layers = list(rows.defer("meta", "source_parse__text", "target_parse__text"))
    chosen = _chosen({s for one in layers for s in _sentences(one)})
    wanted = {
        (one.pk, kind): _trees(one, kind, chosen) for one in layers for kind in (0, 1)
    }
    nodes = _nodes({tree for trees in wanted.values() for tree in trees if tree})
    seen = [
        _LayerOnTrees(
            one, kind, trees, (nodes.get(trees[0], {}), nodes.get(trees[1], {}))
        )
        for one in layers
        for kind in (0, 1)
        if any(trees := wanted[one.pk, kind])
    ]
    insert("layer", [row for one in seen for row in _views(one)])
    insert("link", sorted({row for one in seen for row in _links(one)}))


def _sentences(layer: AlignmentLayer) -> tuple[int, int]:
    return layer.pair.source_id, layer.pair.target_id


def _chosen(sentences: set[int]) -> dict[tuple[int, int], int]:
    """By sentence and kind, the tree that stands for it."""
    if not sentences:
        return {}
    marks = ", ".join(["%s"] * len(sentences))
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT sentence, kind, parse FROM search_tree"
            f" WHERE chosen = 1 AND sentence IN ({marks})",
            [*sentences],
        )
        return {(row[0], row[1]): row[2] for row in cursor.fetchall()}


def _trees(
    layer: AlignmentLayer, kind: int, chosen: Mapping[tuple[int, int], int]
) -> tuple[int, int]:
    """The trees of this kind that the layer is shown on, 0 for none."""
    wanted = Parse.Kind.DEPENDENCY if kind else Parse.Kind.CONSTITUENCY
    source, target = (
        parse.pk
        if parse is not None and parse.kind == wanted
        else chosen.get((sentence, kind), 0)
        for parse, sentence in zip(
            (layer.source_parse, layer.target_parse), _sentences(layer), strict=True
        )
    )
    return source, target


def _nodes(trees: set[int]) -> dict[int, dict[Ref, tuple[int, int]]]:
    """The nodes of these trees that links can name: not the words below tags."""
    nodes: dict[int, dict[Ref, tuple[int, int]]] = {}
    if not trees:
        return nodes
    marks = ", ".join(["%s"] * len(trees))
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT tree, pre, node, kind, label FROM search_node"
            f" WHERE tree IN ({marks}) ORDER BY tree, pre",
            [*trees],
        )
        above = (0, 0)
        for tree, pre, node, kind, label in cursor.fetchall():
            here = nodes.setdefault(tree, {})
            if kind == Kind.WORD:  # its tag is what a link on it means
                here[f"w{node}"] = above
                continue
            above = pre, label
            here[f"w{node}" if kind == Kind.TOKEN else f"n{node}"] = above
    return nodes


def _views(seen: _LayerOnTrees) -> Iterator[tuple[int | None, ...]]:
    layer, pair = seen.layer, seen.layer.pair
    for side in (0, 1):
        if seen.trees[side]:
            trees = seen.trees[side], seen.trees[1 - side] or None
            yield layer.pk, seen.kind, side, pair.corpus_id, pair.pk, *trees


def _links(seen: _LayerOnTrees) -> Iterator[tuple[int, ...]]:
    """Rows of links and of what is decided instead, from either side."""
    try:
        decided = seen.layer.to_core()
    except GemelError:
        decided = Alignment()
    for link in decided.links:
        ends = link.source, link.target
        state = LinkState.SURE if link.kind == "sure" else LinkState.POSSIBLE
        for side in (0, 1):
            here = seen.nodes[side].get(ends[side])
            there = seen.nodes[1 - side].get(ends[1 - side])
            if here:  # a partner that this kind of tree lacks is still one
                end = there or (-1, 0)
                row = here[0], int(state), end[0], here[1], end[1]
                yield seen.layer.pk, seen.kind, side, *row
    nulls = decided.null_source, decided.null_target
    parked = [
        {row.get(name) for row in seen.layer.parked if isinstance(row.get(name), str)}
        for name in ("s", "t")
    ]
    for state, refs in ((LinkState.NULL, nulls), (LinkState.PARKED, parked)):
        for side in (0, 1):
            for ref in refs[side]:
                if here := seen.nodes[side].get(str(ref)):
                    row = here[0], int(state), -1, here[1], 0
                    yield seen.layer.pk, seen.kind, side, *row

"""Labels in words: each is read off a tree in which it occurs."""

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

import numpy as np

from core.pivoting.building.counting import kept_trees
from core.pivoting.building.engines import DuckEngine
from core.pivoting.categories import PlainTree
from core.pivoting.labels import NodeNames

__all__ = ["spell_labels"]

_AT_ONCE = 200_000
_PLACES = """
    SELECT n.label, n.file, n.pair_id, n.rank, n.first, n.last, n.node FROM (
        SELECT label, file, pair_id, rank, first, last, node, row_number() OVER (
            PARTITION BY label ORDER BY file, pair_id, rank, first, last, node) AS place
        FROM names WHERE label IN (SELECT label FROM wanted)) n
    WHERE n.place = 1"""


def spell_labels(
    names: Sequence[Path],
    wanted: Sequence[Path],
    pairs: Sequence[Path],
    path: Path,
    *,
    memory: str = "2GB",
) -> None:
    """Write ``label, text`` of the labels in the files ``wanted``.

    ``names``: the places where labels are; ``pairs``: the files with their trees, in
    the order of their numbers. Trees are read in order, each once.
    """
    engine = DuckEngine(path.parent, memory=memory)
    try:
        engine.scan("names", names)
        engine.scan("joins", wanted)
        engine.make("wanted", "SELECT DISTINCT label FROM joins WHERE label <> 0")
        engine.make("places", _PLACES)
        engine.make("spelled", "SELECT CAST(0 AS BIGINT) AS label, '' AS text LIMIT 0")
        for number, file in enumerate(pairs):
            _of_file(engine, number, file)
        engine.write("SELECT label, text FROM spelled ORDER BY label", path)
    finally:
        engine.close()


def _of_file(engine: DuckEngine, number: int, file: Path) -> None:
    sql = """
        SELECT p.tree, n.rank, n.first, n.last, n.node, n.label FROM places n
        JOIN read_parquet(?) p ON p.pair_id = n.pair_id
        WHERE n.file = ? ORDER BY n.pair_id, n.rank LIMIT ? OFFSET ?"""
    start = 0
    while rows := engine.rows(sql, [str(file), number, _AT_ONCE, start]):
        labels, texts = [], []
        for (kept, rank), places in groupby(rows, key=lambda row: row[:2]):
            names = NodeNames(PlainTree.read(kept_trees(kept)[rank][0]))
            for _, _, first, last, node, label in places:
                labels.append(label)
                texts.append(names.name(node, first, last))
        engine.add(
            "spelled",
            {"label": np.array(labels), "text": np.array(texts, dtype=object)},
        )
        start += _AT_ONCE

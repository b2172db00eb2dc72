"""A sentence and its analyses as programs read them: tokens, nodes and arcs."""

from typing import Any

from annotator.models import PackedForest, Parse, Sentence
from annotator.models.projects import Anybody
from annotator.services.parses import steps
from annotator.services.parses.accuracy import readable
from annotator.services.parses.parsers import sureness
from core.data.tree import Tree
from core.errors import FormatError, GemelError
from core.formats import forest_npz
from core.formats.forest_npz import StoredForest
from core.phrase_alignment.legitimacy import ref_of


def record(sentence: Sentence, user: Anybody) -> dict[str, Any]:
    """The sentence with every parse of it that this person may see, gold first."""
    return {
        "code": sentence.code,
        "corpus": sentence.corpus.code,
        "ref": sentence.ref,
        "text": sentence.text,
        "language": sentence.language,
        "tokens": sentence.forms,
        "parses": [_parse(row) for row in readable(sentence, user)],
    }


def forests(sentence: Sentence) -> list[dict[str, Any]]:
    """The packed forest of each parser over the sentence; those that this version
    cannot read are left out."""
    records = []
    rows = PackedForest.objects.filter(sentence=sentence)
    for row in rows.order_by("engine", "version", "pk"):
        try:
            stored = forest_npz.load(bytes(row.data))
        except FormatError:
            continue
        made_by = {"engine": row.engine, "version": row.version}
        records.append(made_by | _forest(stored))
    return records


def _forest(stored: StoredForest) -> dict[str, Any]:
    forest = stored.forest
    labels = [forest.names[at] for at in forest.labels.tolist()]
    spans = zip(labels, forest.starts.tolist(), forest.ends.tolist(), strict=True)
    ends, tails = forest.first_tail.tolist(), forest.tails.tolist()
    edges = zip(forest.heads.tolist(), stored.weights.tolist(), strict=True)
    return {
        "nodes": [list(one) for one in spans],
        "edges": [
            {"node": head, "parts": tails[ends[e] : ends[e + 1]], "weight": weight}
            for e, (head, weight) in enumerate(edges)
        ],
        "phrases": [
            {"label": label, "span": [start, end], "p": p}
            for (start, end, label), p in sorted(sureness(stored).items())
        ],
    }


def _parse(row: Parse) -> dict[str, Any]:
    nodes, arcs, secondary = [], [], []
    try:
        if row.kind == Parse.Kind.CONSTITUENCY:
            tree = row.to_tree()
            nodes, secondary = _nodes(tree), steps.secondary(tree)
        else:
            arcs = _arcs(row)
    except GemelError:
        pass  # a text that this version cannot read is still given as text
    return {
        "code": row.code,
        "kind": row.kind,
        "origin": row.origin,
        "made_by": row.name,
        "engine": row.engine,
        "version": row.version,
        "rank": row.rank,
        "score": row.score,
        "text": row.text,
        "nodes": nodes,
        "secondary": secondary,
        "arcs": arcs,
    }


def _nodes(tree: Tree) -> list[dict[str, Any]]:
    """In preorder; ``words`` are token positions, ``span`` the hull around them."""
    below = _yields(tree)
    return [
        {
            "id": v,
            "ref": ref_of(tree, v),
            "label": label,
            "edge": tree.edges[v] if tree.edges else "",
            "mother": tree.parents[v] if v else None,
            "span": tree.spans[v],
            "words": below[v],
            "form": tree.forms[v],
        }
        for v, label in enumerate(tree.labels)
    ]


def _yields(tree: Tree) -> list[list[int]]:
    """By node, the tokens below it in order; O(depth times tokens)."""
    below: list[list[int]] = [[] for _ in tree.labels]
    for token, leaf in enumerate(tree.leaf_of):
        v = leaf
        while v >= 0:
            below[v].append(token)
            v = tree.parents[v]
    return below


def _arcs(row: Parse) -> list[dict[str, Any]]:
    deps = row.to_deps()
    return [
        {"token": token, "head": head, "relation": relation}
        for token, (head, relation) in enumerate(
            zip(deps.heads, deps.labels, strict=True)
        )
    ]

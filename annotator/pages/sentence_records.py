"""A sentence and its analyses as programs read them: tokens, nodes and arcs."""

from typing import Any

from annotator.models import Parse, Sentence
from annotator.models.projects import Anybody
from annotator.services.parses.accuracy import readable
from core.data.tree import Tree
from core.errors import GemelError
from core.phrase_alignment.legitimacy import ref_of

__all__ = ["record"]


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


def _parse(row: Parse) -> dict[str, Any]:
    nodes, arcs = [], []
    try:
        if row.kind == Parse.Kind.CONSTITUENCY:
            nodes = _nodes(row.to_tree())
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

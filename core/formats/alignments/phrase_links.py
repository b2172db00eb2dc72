"""Pairs with two trees and the phrase links of several annotators, as JSON.

    file = [pair, …]
    pair = {"id", "source_tree", "paraphrase_tree": brackets of one tree each,
            "links": {annotator: [[s, t], …]}}

s and t number the nodes of a tree in preorder, words included, every unary chain being
one node. Other members are left alone. Nothing is lost on the way in but those.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.data.tree import Tree
from core.errors import FormatError
from core.formats.ptb import parse_one

Links = frozenset[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class PhrasePair:
    """``links`` by annotator, over nodes as the module says."""

    ref: str
    source: Tree
    target: Tree
    links: Mapping[str, Links]


def loads(text: str) -> list[PhrasePair]:
    """The pairs of a file; raises FormatError that names the pair and what it lacks."""
    try:
        rows = json.loads(text)
    except (RecursionError, ValueError) as error:
        raise FormatError(f"not JSON: {error}") from error
    if not isinstance(rows, list):
        raise FormatError("not a list of pairs", remedy="see docs/formats.md")
    return [_pair(row, at) for at, row in enumerate(rows, start=1)]


def _pair(row: Any, at: int) -> PhrasePair:
    try:
        links = {
            str(who): frozenset((_node(s), _node(t)) for s, t in pairs)
            for who, pairs in row["links"].items()
        }
        trees = parse_one(row["source_tree"]), parse_one(row["paraphrase_tree"])
    except FormatError as error:
        raise FormatError(f"pair {at}: {error}") from error
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise FormatError(
            f"pair {at}: {error!r}",
            remedy="give source_tree, paraphrase_tree and links",
        ) from error
    return PhrasePair(str(row.get("id", at)), *trees, links)


def _node(number: Any) -> int:
    """The number of a node: whole, from 0; Python would count -1 from the end."""
    if type(number) is not int or number < 0:
        raise ValueError(f"{number!r} is not a node")
    return number

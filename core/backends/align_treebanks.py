"""Parallel treebanks with gold links of words and phrases: the structural part alone.

Gold trees and gold links between terminals go in; links between phrases are scored. An
artificial top (VROOT) is no node of the treebank: over one phrase and punctuation it
stands for that phrase, else its links are not counted.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.data.tree import Tree
from core.formats import treealigner
from core.formats.records import BadLine, PairRecord
from core.joint.forest_align import AlignSettings, align
from core.joint.legitimacy import node_of
from core.joint.overlap import greedy_links
from core.joint.sides import Side, side_of_tree
from core.scoring.coverage import coverage_gains

__all__ = ["Bitree", "phrase_f1", "read_bitrees"]

VROOT = "VROOT"
EVEN = 0.9  # of 0.8 to 0.95 the best on SMULTRON en-sv; de-en was not looked at
SETTINGS = AlignSettings(cross_cost=0.0, null_cost=1.0, order_cost=2.0)


@dataclass(frozen=True, slots=True, eq=False)
class Bitree:
    """``words`` bool (T, V); ``gold``: phrase links, as nodes of the sides; ``scored``:
    the phrases that count, by side."""

    sides: tuple[Side, Side]
    words: NDArray[np.bool_]
    gold: frozenset[tuple[int, int]]
    scored: tuple[frozenset[int], frozenset[int]]


def read_bitrees(
    lines: Iterable[str], open_treebank: Callable[[str], Iterable[str]]
) -> tuple[list[Bitree], int]:
    """The pairs of a TreeAligner file, and how many lines could not be read."""
    found, n_bad = [], 0
    for record in treealigner.read(lines, open_treebank):
        n_bad += isinstance(record, BadLine)
        if isinstance(record, PairRecord):
            source, target = record.source.parse, record.target.parse
            if source and target and source.tree and target.tree:
                found.append(_bitree(record, source.tree, target.tree))
    return found, n_bad


def phrase_f1(pairs: Iterable[Bitree], method: str) -> dict[str, float]:
    """Precision, recall and F1 of phrase links, ``gold-trees`` or ``overlap``."""
    hits = n_found = n_gold = 0
    for pair in pairs:
        links = _found(pair, method)
        kept = {k for k in links if all(k[x] in pair.scored[x] for x in (0, 1))}
        hits += len(kept & pair.gold)
        n_found += len(kept)
        n_gold += len(pair.gold)
    return {
        "precision": hits / max(n_found, 1),
        "recall": hits / max(n_gold, 1),
        "f1": 2 * hits / max(n_found + n_gold, 1),
    }


def _found(pair: Bitree, method: str) -> Iterable[tuple[int, int]]:
    source, target = pair.sides
    if method == "overlap":
        return greedy_links(source, target, pair.words)
    gain = coverage_gains(source.members, target.members, pair.words, even=EVEN)
    return align(source, target, gain, SETTINGS).links


def _bitree(record: PairRecord, source: Tree, target: Tree) -> Bitree:
    sides, nodes, scored = [], [], []
    for tree in (source, target):
        side, node_at, counted = _side(tree)
        sides.append(side)
        nodes.append(node_at)
        scored.append(counted)
    words = np.zeros((source.n_tokens, target.n_tokens), dtype=bool)
    gold = set()
    links = [k for one in record.layers if not one.name for k in one.alignment.links]
    for link in links:
        s, t = node_of(source, link.source), node_of(target, link.target)
        if s is None or t is None:
            continue
        if source.is_leaf(s) and target.is_leaf(t):
            words[source.tokens[s], target.tokens[t]] = True
        elif not source.is_leaf(s) and not target.is_leaf(t):
            gold.add((nodes[0][s], nodes[1][t]))
    return Bitree((sides[0], sides[1]), words, frozenset(gold), (scored[0], scored[1]))


def _side(tree: Tree) -> tuple[Side, dict[int, int], frozenset[int]]:
    """The side, its node of every node of the tree, and the phrases that count."""
    side = side_of_tree(tree)
    by_origin = {int(o): v for v, o in enumerate(side.origin) if o >= 0}
    node_at: dict[int, int] = {}
    for v in range(len(tree)):
        node_at[v] = by_origin[v] if v in by_origin else node_at[tree.parents[v]]
    phrases = {v for o, v in by_origin.items() if not tree.is_leaf(o)}
    top = side.n_nodes - 1
    if tree.labels[0] == VROOT:
        below = [c for c in tree.children[0] if tree.children[c]]
        if len(below) != 1:
            return side, node_at, frozenset(phrases - {top})
        inner = node_at[below[0]]
        if inner != top:
            named = side.named.copy()
            named[inner] = False
            side = replace(side, named=named)
            node_at = {v: top if at == inner else at for v, at in node_at.items()}
    return side, node_at, frozenset(phrases)

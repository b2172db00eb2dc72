"""Chunk links of interpretable similarity (SemEval-2016, task 2), from phrase links.

The chunks are given, as in the task's track with gold chunks; what is told is which of
them belong together. The measure is the task's F1 of alignments: every link of chunks
stands for links of all their tokens, punctuation aside; a token link weighs 1 over the
larger fan-out of its two tokens (Melamed 1998, "Manual annotation of translational
equivalence", equation 4), in the gold standard for recall, in ours for precision, and
both are summed over all pairs. Links to nothing do not count.

Parallel treebanks with gold links of words and phrases: the structural part alone.

Gold trees and gold links between terminals go in; links between phrases are scored.
Words and phrases are nodes apart, as in the treebanks: a phrase over one word can be
linked to a longer one while the word has its own link. How well two phrases match is
told by a model of ``structure``, fitted on another treebank. The decoder links the two
wholes in any case; like every other, that link counts if it gains.

An artificial top (VROOT) is no node of the treebank: over one phrase and punctuation it
stands for that phrase, else its links are not counted.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.data.check import Floats
from core.data.tree import Tree, TreeBuilder
from core.errors import InvalidValue, Unavailable
from core.evaluation.phrase_alignment import Cell
from core.formats.alignments import treealigner
from core.formats.alignments.phrase_links import PhrasePair
from core.formats.records import BadLine, PairRecord
from core.learning.logistic import LogisticModel
from core.phrase_alignment.forest_align import AlignSettings, align, nodes
from core.phrase_alignment.legitimacy import node_of
from core.phrase_alignment.sides import BinaryForest, side_of_tree
from lab.evaluation.fitting import fit_logistic
from lab.evaluation.ists import Chunk, ChunkPair
from lab.evaluation.phrase_overlap import greedy_links
from lab.evaluation.phrase_structure import STRUCTURE_NAMES, phrases_of, structure_rows

PUNCTUATION = frozenset(".,:'`?;\"-")
Chunks = tuple[Chunk, Chunk]
Places = frozenset[tuple[int, int]]


def phrase_pair(pair: ChunkPair) -> PhrasePair:
    """The pair without any link, its sentences as flat trees: none are gold."""
    return PhrasePair(pair.id, _flat(pair.source), _flat(pair.target), {})


def _flat(words: Sequence[str]) -> Tree:
    builder = TreeBuilder()
    builder.open("S")
    for word in words:
        builder.leaf("X", word)
    builder.close()
    return builder.freeze()


def chunk_links(pair: ChunkPair, cells: Iterable[Cell]) -> list[Chunks]:
    """Chunks, one to one, by the share of their tokens that linked nodes cover which
    lie within both, the highest first; those with none are left out.

    Of equals the largest comes first, then the leftmost. ``cells``: linked spans.
    """
    links = [(set(range(*s)), set(range(*t))) for s, t in cells]
    ranked = []
    for source in pair.chunks(0):
        for target in pair.chunks(1):
            a, b = set(source), set(target)
            inside = [(s, t) for s, t in links if s <= a and t <= b]
            covered = sum(len(set().union(*side)) for side in zip(*inside, strict=True))
            size = len(a) + len(b)
            ranked.append((-covered / size, -size, (source, target)))
    linked: list[Chunks] = []
    taken: tuple[set[Chunk], set[Chunk]] = set(), set()
    for share, _, (source, target) in sorted(ranked):
        if share < 0 and source not in taken[0] and target not in taken[1]:
            linked.append((source, target))
            taken[0].add(source)
            taken[1].add(target)
    return linked


def chunk_f1(
    pairs: Sequence[ChunkPair], predicted: Sequence[Sequence[Chunks]]
) -> dict[str, float]:
    """Precision, recall and F1 of the alignments, shares of 1."""
    sums = np.zeros(4)
    for pair, ours in zip(pairs, predicted, strict=True):
        gold = [(k.source, k.target) for k in pair.links if k.source and k.target]
        there, here = (_token_links(pair, some) for some in (gold, ours))
        sums += *_weights(here, there), *_weights(there, here)
    hit_here, here_all, hit_there, there_all = sums.tolist()
    precision = hit_here / here_all if here_all else 0.0
    recall = hit_there / there_all if there_all else 0.0
    both = precision + recall
    f1 = 2 * precision * recall / both if both else 0.0
    return {"precision": precision, "recall": recall, "f1": f1}


def _token_links(pair: ChunkPair, links: Iterable[Chunks]) -> Places:
    """All tokens of a chunk with all of its partner's."""
    return frozenset(
        (i, j)
        for source, target in links
        for i in source
        for j in target
        if not {pair.source[i], pair.target[j]} & PUNCTUATION
    )


def _weights(links: Places, others: Places) -> tuple[float, float]:
    """The weight of those that are among the others, and of all."""
    fan_s, fan_t = (Counter(link[side] for link in links) for side in (0, 1))
    weights = {(i, j): 1 / max(fan_s[i], fan_t[j]) for i, j in links}
    return sum(w for k, w in weights.items() if k in others), sum(weights.values())


VROOT = "VROOT"
WEIGHTS = Path(__file__).parent / "weights/treebanks.json"
SETTINGS = AlignSettings(cross_cost=0.0, null_cost=1.0, order_cost=2.0)
BIAS = 0.5  # nats; SMULTRON says 0 to 0.5, SQUOIA 1: lab/notes/phrase-alignment.md
WORD = 4.0  # nats that a gold link of words gains
PENALTY = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Bitree:
    """``words`` bool (T, V); ``gold``: phrase links, as nodes of the sides; ``scored``:
    the phrases that count, by side."""

    sides: tuple[BinaryForest, BinaryForest]
    words: NDArray[np.bool_]
    gold: frozenset[tuple[int, int]]
    scored: tuple[frozenset[int], frozenset[int]]


def read_bitrees(
    lines: Iterable[str],
    open_treebank: Callable[[str], Iterable[str]],
    *,
    words_apart: bool = True,
) -> tuple[list[Bitree], int]:
    """The pairs of a TreeAligner file, and how many lines could not be read.

    ``words_apart``: else a phrase over one word and the word are one node, with which
    ``overlap`` does better.
    """
    bitrees, n_bad = [], 0
    for record in treealigner.read(lines, open_treebank):
        n_bad += isinstance(record, BadLine)
        if isinstance(record, PairRecord):
            source, target = record.source.parse, record.target.parse
            if source and target and source.tree and target.tree:
                bitrees.append(
                    _bitree(record, source.tree, target.tree, words_apart=words_apart)
                )
    return bitrees, n_bad


@dataclass(frozen=True, slots=True, eq=False)
class TreebankAligner:
    """Links phrases of two trees whose words are linked, whatever the languages."""

    model: LogisticModel
    bias: float
    facts: Mapping[str, Any]

    @classmethod
    def load(cls, path: Path = WEIGHTS) -> "TreebankAligner":
        """Raises Unavailable if the file is missing, InvalidValue if it is another."""
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            model = LogisticModel.from_json(data["model"])
            if model.names != STRUCTURE_NAMES:
                raise ValueError("its features differ")
            return cls(model, float(data["bias"]), data["facts"])
        except OSError as error:
            raise Unavailable(f"{path}: not weights for treebanks") from error
        except (KeyError, TypeError, ValueError) as error:
            raise InvalidValue(f"{path}: not a weights file: {error!r}") from error

    def save(self, path: Path) -> None:
        """Write the file that ``load`` reads."""
        data = {
            "facts": dict(self.facts),
            "bias": self.bias,
            "model": self.model.to_json(),
        }
        path.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")

    def links(self, pair: Bitree) -> list[tuple[int, int]]:
        """The links of words and phrases, as nodes of the sides."""
        gain = self._gains(pair)
        return [k for k in align(*pair.sides, gain, SETTINGS).links if gain[k] > 0]

    def _gains(self, pair: Bitree) -> Floats:
        """``(n_s, n_t)``: words to words, phrases to phrases that share a link."""
        source, target = (nodes(side) for side in pair.sides)
        rows, sharing = structure_rows(source, target, pair.words)
        phrases = phrases_of(source)[:, None] & phrases_of(target)
        wholes = np.ix_(pair.sides[0].tops, pair.sides[1].tops)
        gain = np.where(sharing & phrases, self.model.nats(rows) + self.bias, -np.inf)
        gain[wholes] = np.maximum(gain[wholes], -WORD)
        words = pair.words[np.ix_(source.heads, target.heads)] & _are_words(pair)
        gain[words] = WORD
        return np.ascontiguousarray(gain)


def _are_words(pair: Bitree) -> NDArray[np.bool_]:
    words = [side.named & ~phrases_of(nodes(side)) for side in pair.sides]
    return np.asarray(words[0][:, None] & words[1])


def fit_treebanks(pairs: Sequence[Bitree], facts: Mapping[str, Any]) -> TreebankAligner:
    """The aligner of least loss over the phrases that count and share a word link.

    Raises InvalidValue if there are none, or none that are linked.
    """
    rows, wanted = [], []
    for pair in pairs:
        both = [nodes(side) for side in pair.sides]
        table, sharing = structure_rows(both[0], both[1], pair.words)
        linked = np.zeros(sharing.shape, dtype=bool)
        for cell in pair.gold:
            linked[cell] = True
        counted = np.zeros(sharing.shape, dtype=bool)
        counted[np.ix_(*(sorted(some) for some in pair.scored))] = True
        rows.append(table[counted & sharing])
        wanted.append(linked[counted & sharing])
    if not rows:
        raise InvalidValue("no pair of trees to fit on")
    model = fit_logistic(
        np.concatenate(rows), np.concatenate(wanted), STRUCTURE_NAMES, penalty=PENALTY
    )
    return TreebankAligner(model, BIAS, facts)


def phrase_f1(
    pairs: Iterable[Bitree], linker: Callable[[Bitree], Iterable[tuple[int, int]]]
) -> dict[str, float]:
    """Precision, recall and F1 of the phrase links that ``linker`` gives."""
    hits = n_predicted = n_gold = 0
    for pair in pairs:
        kept = {k for k in linker(pair) if all(k[x] in pair.scored[x] for x in (0, 1))}
        hits += len(kept & pair.gold)
        n_predicted += len(kept)
        n_gold += len(pair.gold)
    return {
        "precision": hits / max(n_predicted, 1),
        "recall": hits / max(n_gold, 1),
        "f1": 2 * hits / max(n_predicted + n_gold, 1),
    }


def overlap(pair: Bitree) -> list[tuple[int, int]]:
    """The baseline: the nodes that share most word links, greedily."""
    return greedy_links(*pair.sides, pair.words)


def _bitree(
    record: PairRecord, source: Tree, target: Tree, *, words_apart: bool
) -> Bitree:
    sides, nodes, scored = [], [], []
    for tree in (source, target):
        side, node_at, counted = _side(tree, words_apart=words_apart)
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


def _side(
    tree: Tree, *, words_apart: bool
) -> tuple[BinaryForest, dict[int, int], frozenset[int]]:
    """The side, its node of every node of the tree, and the phrases that count."""
    side = side_of_tree(tree, words_apart=words_apart)
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

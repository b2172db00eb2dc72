"""Reference pairs made ready for the phrase aligner: gold trees, parses, links."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.data.check import Floats
from core.data.tokens import Sentence
from core.data.tree import Tree
from core.errors import FormatError, GemelError
from core.forests.derivation import tree_of_phrases
from core.forests.kbest import best_trees
from core.formats.alignments.phrase_links import PhrasePair
from core.phrase_alignment.aligner import side_of
from core.phrase_alignment.fitting import Reference
from core.phrase_alignment.sides import BinaryForest, collapsed, side_of_tree
from core.protocols import Analysis, Capability, ParserBackend

__all__ = ["Cell", "PhraseCase", "best_side", "cell_of", "only_tree", "prepare"]

Place = tuple[int, int]  # half-open span
Cell = tuple[Place, Place]


@dataclass(frozen=True, slots=True, eq=False)
class PhraseCase:
    """One pair. ``links``: by annotator, as pairs of spans; ``gold``: sides of the
    gold trees; ``parsed``: what the parser says of both sentences, or None."""

    pair: PhrasePair
    links: Mapping[str, frozenset[Cell]]
    gold: tuple[BinaryForest, BinaryForest]
    parsed: tuple[Analysis, Analysis] | None

    @property
    def vectors(self) -> tuple[Floats, Floats] | None:
        if self.parsed is None:
            return None
        source, target = (one.vectors for one in self.parsed)
        return None if source is None or target is None else (source, target)

    def sides(self, trees: str) -> tuple[BinaryForest, BinaryForest]:
        """``gold`` trees, the parser's ``one-best`` trees, or its ``forest``."""
        if trees == "gold":
            return self.gold
        if self.parsed is None:
            raise GemelError("a parser is needed for anything but gold trees")
        make = side_of if trees == "forest" else best_side
        return make(self.parsed[0]), make(self.parsed[1])

    def reference(self, trees: str = "gold") -> Reference:
        """The links that most annotators made, over the nodes of these trees; those
        whose nodes are missing there are left out."""
        source, target = self.sides(trees)
        at_s, at_t = _by_span(source), _by_span(target)
        votes = np.zeros((source.n_nodes, target.n_nodes))
        for pairs in self.links.values():
            for s, t in pairs:
                if s in at_s and t in at_t:
                    votes[at_s[s], at_t[t]] += 1 / len(self.links)
        return Reference(source, target, votes > 0.5, self.vectors)


def prepare(
    pairs: Sequence[PhrasePair], backend: ParserBackend | None
) -> list[PhraseCase]:
    """The pairs, parsed if there is a parser. Raises FormatError if a link names a
    node that its tree lacks."""
    sentences = [Sentence.of(t.words) for p in pairs for t in (p.source, p.target)]
    want: frozenset[Capability] = frozenset(
        {"constituents", "forest", "tags", "vectors"}
    )
    analyses: list[Analysis | Exception] = []
    if backend is not None:
        analyses = backend.analyse(sentences, want=want)
    cases = []
    for at, pair in enumerate(pairs):
        parsed = None
        if analyses:
            a, b = analyses[2 * at : 2 * at + 2]
            if isinstance(a, Analysis) and isinstance(b, Analysis):
                parsed = a, b
        sides = side_of_tree(pair.source), side_of_tree(pair.target)
        cases.append(PhraseCase(pair, _cells(pair), sides, parsed))
    return cases


def cell_of(source: BinaryForest, target: BinaryForest, s: int, t: int) -> Cell:
    return _span(source, s), _span(target, t)


def best_side(analysis: Analysis) -> BinaryForest:
    """The parser's best tree alone, as a forest of one tree."""
    if analysis.forest is None or analysis.edge_weights is None:
        return side_of(analysis)
    words = analysis.sentence.forms
    tags = analysis.xpos or ("X",) * len(words)
    trees = best_trees(
        analysis.forest, analysis.edge_weights, 1, words=words, tags=tags
    )
    return side_of_tree(trees[0][1]) if trees else side_of(analysis)


def only_tree(side: BinaryForest) -> Tree:
    """The tree of a side that came of one, without what binarisation added."""
    phrases = []
    for v in range(side.n_nodes):
        if side.labels[v] and side.origin[v] >= 0:
            places = np.flatnonzero(side.members[v])
            phrases.append((int(places[0]), int(places[-1]) + 1, side.labels[v]))
    phrases.sort(key=lambda phrase: (phrase[0], -phrase[1]))
    return tree_of_phrases(phrases, words=side.words, tags=side.tags)


def _cells(pair: PhrasePair) -> dict[str, frozenset[Cell]]:
    spans_s = [pair.source.spans[v] for v in collapsed(pair.source)]
    spans_t = [pair.target.spans[v] for v in collapsed(pair.target)]
    try:
        return {
            who: frozenset((spans_s[s], spans_t[t]) for s, t in links)
            for who, links in pair.links.items()
        }
    except IndexError:
        reason = f"pair {pair.ref}: a link to a node that the tree does not have"
        raise FormatError(reason, remedy="nodes in preorder, chains as one") from None


def _span(side: BinaryForest, v: int) -> Place:
    places = np.flatnonzero(side.members[v])
    return int(places[0]), int(places[-1]) + 1


def _by_span(side: BinaryForest) -> dict[Place, int]:
    return {_span(side, v): v for v in range(side.n_nodes) if side.named[v]}

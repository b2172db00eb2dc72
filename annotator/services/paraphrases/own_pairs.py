"""The linked pairs of a project's corpora as text for paraphrase tables."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from django.db.models import Exists, F, OuterRef, QuerySet

from annotator.models import AlignmentLayer, Corpus, Origin, Project
from annotator.services.alignments.layers import tree_of
from core.data.alignment import Alignment, Ref
from core.data.tree import Tree
from core.formats import ptb
from core.phrase_alignment.legitimacy import node_of
from core.pivoting.bitext import (
    BitextPair,
    BitextParse,
    both_ways,
    write_pairs,
    write_parses,
)

if TYPE_CHECKING:
    from core.pivoting.building.settings import PairsFile

_CHUNK = 500
_LINKED = AlignmentLayer.objects.filter(n_links__gt=0).exclude(
    origin=Origin.ANNOTATOR, state=AlignmentLayer.State.OPEN
)
_ORDER = (Origin.GOLD, Origin.ANNOTATOR, Origin.ENGINE)  # whose links count first


def linked_corpora(project: Project) -> QuerySet[Corpus]:
    """The corpora of one language that have linked pairs."""
    linked = _LINKED.filter(pair__corpus=OuterRef("pk"))
    rows = project.corpora.filter(
        Exists(linked), source_language=F("target_language"), archived_at=None
    )
    return rows.order_by("name")


def write_corpus(corpus: Corpus, path: Path) -> "PairsFile":
    """Write the linked pairs of a corpus, both ways, and the trees under their links.

    Each pair has one layer: gold, else one that a person finished, else an engine's,
    the newest of these. Words of linked phrases that have no links count as linked.
    """
    from core.pivoting.building.settings import PairsFile

    parses = path.with_name(f"{path.stem}-parses.parquet")
    trees: dict[str, str] = {}
    write_pairs(path, both_ways(_pairs(corpus, trees)))
    write_parses(parses, (BitextParse(*one) for one in trees.items()))
    return PairsFile(path, (parses,))


def _pairs(corpus: Corpus, trees: dict[str, str]) -> Iterator[BitextPair]:
    """``trees``: gets those of the sentences, by their text."""
    for number, layer in enumerate(_layers(corpus)):
        pair, texts, over = layer.pair, [], []
        for side, parse in (
            (pair.source, layer.source_parse),
            (pair.target, layer.target_parse),
        ):
            forms = side.to_core().forms
            tree = tree_of(parse, len(forms))
            text = " ".join(form.replace(" ", "_") for form in forms)
            if tree is not None and _is_plain(tree):
                trees.setdefault(text, ptb.bracket(tree))
            texts.append(text)
            over.append(tree)
        cells = word_cells(layer.to_core(), *over)
        links = " ".join(f"{i}-{j}" for i, j in cells)
        yield BitextPair(number, corpus.name, texts[0], texts[1], links)


def _is_plain(tree: Tree) -> bool:
    """Whether its leaves are the words in their order: no traces, no gaps."""
    leaves = [tree.tokens[v] for v in range(len(tree)) if tree.is_leaf(v)]
    return leaves == list(range(tree.n_tokens))


def _layers(corpus: Corpus) -> Iterator[AlignmentLayer]:
    """One for each linked pair, in their order."""
    rows = _LINKED.filter(pair__corpus=corpus).order_by("pair_id", "pk")
    rows = rows.select_related(
        "pair__source", "pair__target", "source_parse", "target_parse"
    )
    best: AlignmentLayer | None = None
    for row in rows.defer("meta").iterator(chunk_size=_CHUNK):
        if best is not None and best.pair_id != row.pair_id:
            yield best
            best = None
        if best is None or _rank(row) <= _rank(best):
            best = row
    if best is not None:
        yield best


def _rank(layer: AlignmentLayer) -> int:
    return _ORDER.index(Origin(layer.origin))


def word_cells(
    links: Alignment, source: Tree | None, target: Tree | None
) -> list[tuple[int, int]]:
    """Linked words, and all words of two linked phrases where none is linked: the
    smallest phrases first. Links of nodes that the trees lack are left out."""
    both = [(_words(x.source, source), _words(x.target, target)) for x in links.links]
    cells: set[tuple[int, int]] = set()
    for ours, theirs in sorted(both, key=lambda one: len(one[0]) * len(one[1])):
        is_free = not any(i in ours or j in theirs for i, j in cells)
        if is_free or len(ours) == len(theirs) == 1:
            cells |= {(i, j) for i in ours for j in theirs}
    return sorted(cells)


def _words(ref: Ref, tree: Tree | None) -> tuple[int, ...]:
    if ref[0] == "w":
        return (int(ref[1:]),)
    node = None if tree is None else node_of(tree, ref)
    return () if tree is None or node is None else tree.yield_of(node)

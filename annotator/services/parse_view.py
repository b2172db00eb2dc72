"""What the pages draw of parses: trees and arcs, how sure, and where gold differs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from annotator.models import PackedForest, Parse, Sentence
from annotator.services import parse_scores
from annotator.services.parse_scores import Sides
from annotator.svg import parse as svg
from annotator.svg.parse import Note
from core.agreement import parseval
from core.data.check import Floats
from core.data.deps import DepTree
from core.data.forest import Forest
from core.data.tree import Tree
from core.errors import FormatError
from core.formats import forest_npz
from core.formats.forest_npz import StoredForest
from core.inference.derivation import chain_labels
from core.inference.inside import entropy, forest_marginals
from core.inference.mst import tree_marginals
from core.layout.links import Side, parse_scene
from core.protocols import Analysis

__all__ = [
    "Choice",
    "Doubt",
    "Other",
    "Shown",
    "choices",
    "of_analysis",
    "ranked_choices",
    "shown",
    "sides_of",
    "stored_forest",
    "sureness",
]

Sureness = dict[tuple[int, int, str], float]
SURE = 0.95


@dataclass(frozen=True, slots=True)
class Choice:
    """One tree of an engine's n-best list."""

    rank: int
    score: float
    share: float  # its probability in percent


@dataclass(frozen=True, slots=True)
class Doubt:
    """A phrase or an arc, the words it is about, and how probable it is in percent."""

    name: str
    words: str
    share: float


@dataclass(frozen=True, slots=True)
class Shown:
    """A drawing and what it says in words; ``entropy`` in bits, None if not known.

    ``doubts``: what is less than 95 % sure, the least sure first.
    """

    svg: str
    n_differing: int
    entropy: float | None = None
    doubts: tuple[Doubt, ...] = ()


@dataclass(frozen=True, slots=True)
class Other:
    """The trees a parse is compared with; ``gold_tags`` say what is punctuation."""

    tree: Tree | None
    deps: DepTree | None
    gold_tags: tuple[str, ...]


def choices(sentence: Sentence, engine: str, version: str) -> list[Choice]:
    """The stored trees of an engine, the one it chose first, then by probability."""
    rows = Parse.objects.filter(
        sentence=sentence,
        engine=engine,
        version=version,
        kind=Parse.Kind.CONSTITUENCY,
    )
    scores = rows.order_by("rank").values_list("score", flat=True)
    return ranked_choices([score or 0.0 for score in scores])


def ranked_choices(scores: Sequence[float]) -> list[Choice]:
    """Choices for trees of these log-probabilities, in this order."""
    return [
        Choice(rank, score, 100 * float(np.exp(min(0.0, score))))
        for rank, score in enumerate(scores, 1)
    ]


def stored_forest(sentence: Sentence, engine: str, version: str) -> StoredForest | None:
    """The forest of an engine over the sentence; None if there is none to be read."""
    row = PackedForest.objects.filter(
        sentence=sentence, engine=engine, version=version
    ).first()
    try:
        return forest_npz.load(bytes(row.data)) if row else None
    except FormatError:
        return None


def of_analysis(analysis: Analysis) -> StoredForest | None:
    """What ``stored_forest`` would give if the analysis had been stored."""
    if analysis.forest is None or analysis.edge_weights is None:
        return None
    arcs = analysis.deps.arcs if analysis.deps else None
    return StoredForest(analysis.forest, analysis.edge_weights, arcs)


def shown(
    words: Sequence[str],
    tree: Tree | None,
    deps: DepTree | None,
    *,
    title: str,
    forest: StoredForest | None = None,
    other: Other | None = None,
) -> Shown:
    """The drawing of a parse; ``other``: the trees it is compared with."""
    sure = sureness(forest) if forest else {}
    arcs_sure = _arc_sureness(forest)
    phrases = _phrase_notes(tree, sure, other) if tree else {}
    arcs = _arc_notes(deps, arcs_sure, other) if deps else {}
    doubts = _doubts(words, tree, deps, phrases | arcs)
    if deps:
        labels = [
            svg.marked(label, arcs[f"w{m}"]) for m, label in enumerate(deps.labels)
        ]
        deps = DepTree(deps.heads, tuple(labels))
    scene = parse_scene(Side(tuple(words), tree, deps))
    drawn = svg.draw(scene, title=title, phrases=phrases, arcs=arcs)
    differing = sum(note.differs for note in (*phrases.values(), *arcs.values()))
    bits = entropy(forest.forest, forest.weights) / np.log(2) if forest else None
    return Shown(drawn, differing, bits, doubts)


def sureness(stored: StoredForest) -> Sureness:
    """How probable each label of each span is, over all trees of the forest."""
    found: Sureness = {}
    p_node, _ = forest_marginals(stored.forest, stored.weights)
    for v, p in enumerate(p_node.tolist()):
        for label in chain_labels(stored.forest.name(v)):
            key = _key(stored.forest, v, label)
            found[key] = found.get(key, 0.0) + p
    return found


def _key(forest: Forest, v: int, label: str) -> tuple[int, int, str]:
    return int(forest.starts[v]), int(forest.ends[v]), label


def _arc_sureness(stored: StoredForest | None) -> Floats | None:
    if stored is None or stored.arcs is None:
        return None
    return tree_marginals(stored.arcs)


def _doubts(
    words: Sequence[str],
    tree: Tree | None,
    deps: DepTree | None,
    notes: Mapping[str, Note],
) -> tuple[Doubt, ...]:
    found = []
    for ref, note in notes.items():
        if note.p is None or note.p >= SURE:
            continue
        v = int(ref[1:])
        if ref[0] == "n" and tree:
            start, end = tree.spans[v]
            name, text = tree.labels[v], " ".join(words[start:end])
        elif deps:
            head = words[deps.heads[v]] if deps.heads[v] >= 0 else "ROOT"
            name, text = deps.labels[v], f"{head} → {words[v]}"
        found.append(Doubt(name, text, 100 * note.p))
    return tuple(sorted(found, key=lambda doubt: doubt.share))


def _phrase_notes(tree: Tree, sure: Sureness, other: Other | None) -> dict[str, Note]:
    theirs = other.tree if other else None
    gold_tags = other.gold_tags if other and other.gold_tags else tree.tags
    place = [0]
    for tag in gold_tags:
        place.append(place[-1] + (tag not in parseval.PUNCTUATION))
    known = parseval.brackets(theirs, gold_tags) if theirs else None
    scored = parseval.brackets(tree, gold_tags)
    notes = {}
    for v, label in enumerate(tree.labels):
        if tree.is_leaf(v):
            continue
        start, end = tree.spans[v]
        bracket = (place[start], place[end], parseval.plain_label(label))
        differs = known is not None and bracket in scored and bracket not in known
        p = sure.get((start, end, label), 0.0) if sure else None
        notes[f"n{v}"] = Note(p, differs)
    return notes


def _arc_notes(
    deps: DepTree, sure: Floats | None, other: Other | None
) -> dict[str, Note]:
    theirs = other.deps if other else None
    notes = {}
    for m, h in enumerate(deps.heads):
        p = None if sure is None else float(sure[h + 1, m + 1])
        differs = theirs is not None and (theirs.heads[m], theirs.labels[m]) != (
            h,
            deps.labels[m],
        )
        notes[f"w{m}"] = Note(p, differs)
    return notes


def sides_of(sentence: Sentence, engine: str, version: str, rank: int) -> Sides:
    """Gold and the engine's tree of this rank over one sentence."""
    (found,) = parse_scores.sides_of([sentence], engine, version, rank=rank)
    return found

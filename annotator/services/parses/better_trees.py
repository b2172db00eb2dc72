"""Whether another tree of the forest goes better with what is decided in a pair.

The forests are those that parsing or aligning stored, within 4 nats of their best
tree. All is decoded once with the decisions, and once more on the trees in hand: the
difference in nats says how much better the others are, parse and links together.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import get_args

from annotator import access
from annotator.models import PackedForest, Pair
from annotator.models.projects import Anybody
from annotator.services.alignments import phrases
from annotator.services.alignments.proposals import (
    Decided,
    Parses,
    Ready,
    SideName,
    aligner,
    constraints,
    held_words,
    ready,
)
from core.data.check import Floats
from core.data.tree import Tree
from core.errors import Contradiction, FormatError, InvalidValue
from core.formats import forest_npz
from core.phrase_alignment.aligner import Regaining, side_of_packed
from core.phrase_alignment.constraints import Constraint, Place, align_under
from core.phrase_alignment.forest_align import Aligned, tree_of
from core.phrase_alignment.sides import BinaryForest

CACHED = 16  # pairs whose forests are kept in memory
MARGIN = 1.0  # nats by which another tree must be better to be worth a word
Sides = tuple[BinaryForest, BinaryForest]


@dataclass(frozen=True, slots=True)
class Preferred:
    """Another tree of one side. ``nats``: by how much both sides' trees are better;
    None where a phrase of the present one is ruled out. ``only_here, not_here``: its
    phrases, and those of the present tree alone. ``parse``: its code, once taken."""

    side: SideName
    nats: float | None
    only_here: tuple[str, ...]
    not_here: tuple[str, ...]
    parse: str = ""


def prefer(
    pair: Pair, parses: Parses, decided: Decided, *, by: Anybody, take: str = ""
) -> list[Preferred]:
    """The trees that go better with what is decided, none or one a side.

    ``take``: the side ("s", "t") whose tree is wanted: it is stored. A side without a
    forest, or whose tree is none of it (gold, pasted), keeps its tree. Raises as
    ``proposing.propose``, and NotAllowed.
    """
    access.require(by, "annotate", pair.corpus.project)
    here = ready(pair, parses)
    rows = PackedForest.objects.filter(sentence_id__in={p.sentence_id for p in parses})
    last = dict(rows.order_by("pk").values_list("sentence_id", "pk"))
    forests = _forests(here, *(last.get(parse.sentence_id, 0) for parse in parses))
    preferred = _better(forests, here.trees, here.sides, decided)
    sentences = {"s": pair.source, "t": pair.target}
    return [
        replace(one, parse=phrases.store_tree(sentences[one.side], tree).code)
        if one.side == take
        else one
        for one, tree in preferred
    ]


@dataclass(frozen=True, eq=False)
class _Forests:
    """Both sides, as forests where there are any, and what their links gain."""

    sides: Sides
    gains: Floats
    regaining: Regaining


@lru_cache(maxsize=CACHED)
def _forests(here: Ready, source: int, target: int) -> _Forests:
    """By the trees in hand and the keys of the forests, which never change once they
    are stored; 0: there is none. O(n_s n_t) space, about 1 MB at 25 tokens."""
    sides = [
        _forest_side(pk, tree) or side
        for pk, tree, side in zip((source, target), here.trees, here.sides, strict=True)
    ]
    both = sides[0], sides[1]
    return _Forests(both, aligner().gains(*both, None), aligner().regaining(*both))


def _better(
    forests: _Forests, trees: tuple[Tree, Tree], in_hand: Sides, decided: Decided
) -> list[tuple[Preferred, Tree]]:
    sides = forests.sides
    wanted = constraints(decided, trees)
    brackets = [_bracket(*one) for one in decided.brackets]
    best = _over(forests, [*wanted, *brackets])
    now = _over(forests, [*wanted, *brackets, *_phrases(trees, sides, in_hand)])
    if best is None:
        return []
    nats = best.best.score - now.best.score if now is not None else None
    if nats is not None and nats < MARGIN:
        return []
    preferred = []
    for which, name in enumerate(get_args(SideName)):
        if sides[which] is in_hand[which]:
            continue
        tree = tree_of(best.best, sides[which], which)
        more, less = _difference(tree, trees[which]), _difference(trees[which], tree)
        if more or less:
            preferred.append((Preferred(name, nats, more, less), tree))
    return preferred


def _forest_side(pk: int, tree: Tree) -> BinaryForest | None:
    """This forest; None if it is missing or does not hold the tree."""
    row = PackedForest.objects.filter(pk=pk).first()
    try:
        if row is None:
            return None
        stored = forest_npz.load(bytes(row.data))
        side = side_of_packed(stored.forest, stored.weights, tree.words, tree.tags)
    except (FormatError, InvalidValue):
        return None
    named = {_place(side, v) for v in range(side.n_nodes) if side.named[v]}
    return side if _places(tree) <= named else None


def _place(side: BinaryForest, v: int) -> Place:
    row = side.members[v]
    return int(row.argmax()), len(row) - int(row[::-1].argmax())


def _places(tree: Tree) -> set[Place]:
    return {(a, b) for a, b in tree.spans if b > a}


def _over(forests: _Forests, wanted: Sequence[Constraint]) -> Aligned | None:
    held = held_words(forests.sides, wanted)
    gain = forests.regaining.of(forests.gains, held)
    try:
        return align_under(*forests.sides, gain, wanted, aligner().settings)
    except Contradiction:
        return None


def _phrases(
    trees: tuple[Tree, Tree], sides: Sides, in_hand: Sides
) -> list[Constraint]:
    """The phrases of the trees in hand, on the sides that could have others."""
    names = get_args(SideName)
    return [
        _bracket(names[which], place, "must-bracket")
        for which, tree in enumerate(trees)
        if sides[which] is not in_hand[which]
        for place in sorted(_places(tree))
        if place[1] - place[0] > 1
    ]


def _bracket(side: SideName, place: Place, rule: str) -> Constraint:
    ends = (place, None) if side == "s" else (None, place)
    return Constraint(rule, *ends)  # type: ignore[arg-type]


def _difference(a: Tree, b: Tree) -> tuple[str, ...]:
    """The phrases of ``a`` over words over which ``b`` has none."""
    there = _places(b)
    return tuple(
        f"{a.labels[v]} {' '.join(a.words[slice(*a.spans[v])])}"
        for v in range(len(a))
        if not a.is_leaf(v) and a.spans[v][1] > a.spans[v][0]
        if a.spans[v] not in there
    )

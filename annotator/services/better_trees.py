"""Whether another tree of the forest goes better with what is decided in a pair.

The forests are those that parsing or aligning stored, within 4 nats of their best
tree. All is decoded once with the decisions, and once more on the trees in hand: the
difference in nats says how much better the others are, parse and links together.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import get_args

from annotator import access
from annotator.models import PackedForest, Pair, Parse
from annotator.models.projects import Anybody
from annotator.services import aligning
from annotator.services.proposing import (
    Decided,
    Parses,
    SideName,
    aligner,
    constraints,
    held_words,
    ready,
)
from core.data.tree import Tree
from core.errors import Contradiction, FormatError, InvalidValue
from core.formats import forest_npz
from core.joint.constraints import Constraint, Place, align_under
from core.joint.forest_align import Aligned, tree_of
from core.joint.phrase_aligner import side_of_packed
from core.joint.sides import Side

__all__ = ["Preferred", "prefer"]

MARGIN = 1.0  # nats by which another tree must be better to be worth a word
Sides = tuple[Side, Side]


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
    sides = [
        _forest_side(parse, tree) or side
        for parse, tree, side in zip(parses, here.trees, here.sides, strict=True)
    ]
    found = _better((sides[0], sides[1]), here.trees, here.sides, decided)
    sentences = {"s": pair.source, "t": pair.target}
    return [
        replace(one, parse=aligning.store_tree(sentences[one.side], tree).code)
        if one.side == take
        else one
        for one, tree in found
    ]


def _better(
    sides: Sides, trees: tuple[Tree, Tree], in_hand: Sides, decided: Decided
) -> list[tuple[Preferred, Tree]]:
    wanted = constraints(decided, trees)
    said = [_bracket(*one) for one in decided.brackets]
    best = _over(sides, [*wanted, *said])
    now = _over(sides, [*wanted, *said, *_phrases(trees, sides, in_hand)])
    if best is None:
        return []
    nats = best.best.score - now.best.score if now is not None else None
    if nats is not None and nats < MARGIN:
        return []
    found = []
    for which, name in enumerate(get_args(SideName)):
        if sides[which] is in_hand[which]:
            continue
        tree = tree_of(best.best, sides[which], which)
        more, less = _difference(tree, trees[which]), _difference(trees[which], tree)
        if more or less:
            found.append((Preferred(name, nats, more, less), tree))
    return found


def _forest_side(parse: Parse, tree: Tree) -> Side | None:
    """The forest over the sentence; None if there is none that holds the tree."""
    row = PackedForest.objects.filter(sentence_id=parse.sentence_id).last()
    try:
        if row is None:
            return None
        stored = forest_npz.load(bytes(row.data))
        side = side_of_packed(stored.forest, stored.weights, tree.words, tree.tags)
    except (FormatError, InvalidValue):
        return None
    named = {_place(side, v) for v in range(side.n_nodes) if side.named[v]}
    return side if _places(tree) <= named else None


def _place(side: Side, v: int) -> Place:
    row = side.members[v]
    return int(row.argmax()), len(row) - int(row[::-1].argmax())


def _places(tree: Tree) -> set[Place]:
    return {(a, b) for a, b in tree.spans if b > a}


def _over(sides: Sides, wanted: Sequence[Constraint]) -> Aligned | None:
    engine = aligner()
    gain = engine.gains(*sides, None)
    gain = engine.regaining(*sides).of(gain, held_words(sides, wanted))
    try:
        return align_under(*sides, gain, wanted, engine.settings)
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

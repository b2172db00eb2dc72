"""Layers of links follow a sentence whose words were split or joined.

All layers do, anyone who's they are and whether they are done: they count words. It is
a step in their ledger that no undo undoes: who undoes it in the tree, and saves that as
gold, brings the links back.
"""

from dataclasses import dataclass
from typing import Any, Literal

from django.utils import timezone

from annotator.models import AlignmentLayer, LinkEvent, Parse, Sentence
from annotator.models.projects import Anybody
from annotator.services.alignments import layers
from annotator.services.alignments.links import WORDS, kept
from core.data.tree import Tree
from core.phrase_alignment import editing
from core.phrase_alignment.editing import Draft
from core.phrase_alignment.rewording import reworded
from core.trees.segments import Recut

SIDES: tuple[tuple[Literal["s", "t"], str], ...] = (("s", "source"), ("t", "target"))


@dataclass(frozen=True, slots=True)
class Reworded:
    """What a layer kept, and how many of its decisions wait for phrases."""

    pair: str
    kept: int
    parked: int


def follow(
    sentence: Sentence, cut: Recut, parse: Parse | None, *, by: Anybody
) -> tuple[Reworded, ...]:
    """Every layer of the sentence's pairs, on its new words and on ``parse``, its gold
    tree. The caller holds the sentence and the transaction, and has stored the words.
    """
    tree = layers.tree_of(parse, len(cut.now))
    rows = []
    sides: tuple[tuple[Literal["s", "t"], str], ...] = (
        ("s", "source"),
        ("t", "target"),
    )
    for side, name in sides:
        affected = AlignmentLayer.objects.filter(**{f"pair__{name}": sentence})
        affected = affected.select_related("pair", "source_parse", "target_parse")
        for layer in affected.select_for_update(of=("self",)).order_by("pk"):
            rows.append(_reword(layer, side, name, cut, (parse, tree), by))
    return tuple(rows)


def _reword(
    layer: AlignmentLayer,
    side: Literal["s", "t"],
    name: str,
    cut: Recut,
    onto: tuple[Parse | None, Tree | None],
    by: Anybody,
) -> Reworded:
    parse, tree = onto
    old = layers.tree_of(getattr(layer, f"{name}_parse"), len(cut.was))
    draft, code = layers.draft_of(layer), parse.code if parse and tree else ""
    new = reworded(draft, side, cut, (old, tree), code)
    before, after = editing.delta(draft, new)
    fields: dict[str, Any] = {
        "links": new.alignment.to_json(),
        "parked": list(new.parked),
        "n_links": len(new.alignment.links),
        "revision": layer.revision + 1,
        "updated_at": timezone.now(),
        "meta": layer.meta | {"editor": kept(new)},
        f"{name}_parse": parse if code else None,
    }
    AlignmentLayer.objects.filter(pk=layer.pk).update(**fields)
    _note(layer, (before, after), new, by)
    a = new.alignment
    n = len(a.links) + len(a.null_source) + len(a.null_target)
    return Reworded(str(layer.pair), n, len(new.parked))


def _note(
    layer: AlignmentLayer, delta: tuple[Any, Any], new: Draft, by: Anybody
) -> None:
    before, after = delta
    LinkEvent.objects.create(
        layer=layer,
        revision=layer.revision + 1,
        op=WORDS,
        by_id=by.pk,
        before=before,
        after=after,
    )

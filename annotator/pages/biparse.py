"""How a pair biparses under a scorer: drawings, the table next to them, the score."""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from annotator.errors import BadRequest
from annotator.models import Pair, PairScore
from annotator.pages.lengths import refuse_long
from annotator.services.alignments import scores
from annotator.svg import biparse
from core.data.blocks import Block
from core.errors import GemelError
from core.itg.biparse import Biparse
from core.itg.grammar import blocks_of
from core.layout.biparse import matrix_scene, numbered, trees_scene
from core.layout.measure import GlyphTable

DEFAULT = "thesaurus"
ORDERS = {
    "straight": gettext_lazy("straight"),
    "inverted": gettext_lazy("inverted"),
    "link": pgettext_lazy("block", "link"),
}


@dataclass(frozen=True, slots=True)
class Drawn:
    """A pair with its biparse under one scorer, or why there is none.

    ``matched``: the links between words that have to do with each other. Only these are
    drawn; the others are substitutions, which the search prefers to two nulls.
    """

    pair: Pair
    scorer: str
    biparse: Biparse | None
    value: float
    notes: list[str]
    matched: tuple[tuple[int, int], ...] = ()
    error: str = ""

    @property
    def tree(self) -> Block | None:
        return blocks_of(self.matched)

    @property
    def replaced(self) -> list[tuple[str, str]]:
        """The words of each substitution."""
        source, target = self.sides
        links = self.biparse.links if self.biparse else ()
        rest = (link for link in links if link not in self.matched)
        return [(source[i], target[j]) for i, j in rest]

    @property
    def sides(self) -> tuple[list[str], list[str]]:
        return self.pair.source.forms, self.pair.target.forms


def load(pair: Pair, scorer: str) -> Drawn:
    """The pair's best biparse. Raises BadRequest on a scorer that there is not, and
    TooLarge at a pair that is too long to be drawn."""
    refuse_long(pair)
    if scorer not in dict(scores.scorers()):
        raise BadRequest(_("There is no such scorer."), field="scorer")
    try:
        score, matched, notes = scores.score_one(pair, scorer)
    except GemelError as error:
        return Drawn(pair, scorer, None, 0.0, [], error=str(error))
    return Drawn(pair, scorer, score.biparse, score.value, notes, matched)


def shown(drawn: Drawn) -> dict[str, Any]:
    """The biparse as a matrix, as facing trees and as a table."""
    page: dict[str, Any] = {
        "project": drawn.pair.corpus.project,
        "pair": drawn.pair,
        "scorers": list(scores.scorers()),
        "chosen": drawn.scorer,
        "value": drawn.value,
        "notes": drawn.notes,
        "error": drawn.error,
        "stored": PairScore.objects.filter(pair=drawn.pair).select_related("run"),
    }
    if drawn.biparse is not None:
        page |= {
            "biparse": drawn.biparse,
            "rows": _rows(drawn),
            "alone": _alone(drawn),
            "matched": drawn.matched,
            "replaced": drawn.replaced,
            "matrix": svg(drawn, "matrix"),
            "trees": svg(drawn, "trees"),
        }
    return page


def svg(drawn: Drawn, what: str) -> str:
    """The "matrix" or the facing "trees" as SVG."""
    tree = drawn.tree
    measure = GlyphTable()
    if what == "matrix":
        scene = matrix_scene(*drawn.sides, tree, measure)
        title = _("Biparse of %(pair)s: matrix") % {"pair": drawn.pair}
        return biparse.draw_matrix(scene, title=title)
    facing = trees_scene(*drawn.sides, tree, measure)
    title = _("Biparse of %(pair)s: trees") % {"pair": drawn.pair}
    return biparse.draw_trees(facing, title=title)


def _rows(drawn: Drawn) -> list[dict[str, Any]]:
    """The table twin: a block a row, in the numbers of the drawings."""
    source, target = drawn.sides
    tree = drawn.tree
    return [
        {
            "number": number,
            "orientation": ORDERS.get(block.orientation, block.orientation),
            "depth": depth,
            "parent": parent or "",
            "source": " ".join(source[block.source.start : block.source.end]),
            "target": " ".join(target[block.target.start : block.target.end]),
        }
        for number, block, depth, parent in numbered(tree)
    ]


def _alone(drawn: Drawn) -> dict[str, list[str]]:
    """The words that the biparse links to nothing."""
    links = drawn.biparse.links if drawn.biparse else ()
    linked = {i for i, _ in links}, {j for _, j in links}
    return {
        side: [word for k, word in enumerate(forms) if k not in taken]
        for side, forms, taken in zip(
            ("source", "target"), drawn.sides, linked, strict=True
        )
    }

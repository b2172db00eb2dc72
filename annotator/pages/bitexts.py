"""What a bitext's page shows: sample pairs with their links drawn."""

from annotator.models import Bitext
from annotator.svg import links as drawing
from core.data.alignment import Alignment
from core.errors import GemelError
from core.formats.alignments import pharaoh
from core.layout.links import LinkedSide, link_scene
from core.pivoting.bitext import BitextPair

__all__ = ["SHOWN", "figure_of", "sample"]

SHOWN = 8
WIDEST = 40  # tokens of a side that is drawn; a longer pair is text alone


def sample(bitext: Bitext, start: int) -> list[tuple[BitextPair, str]]:
    """Pairs from row ``start``, each with its figure, "" if there is none to draw."""
    return [
        (pair, figure_of(pair)) for pair in bitext.pairs.pairs(start=start, limit=SHOWN)
    ]


def figure_of(pair: BitextPair) -> str:
    """The two sentences face to face with their links; "" if they are not linked, or
    too long to be drawn."""
    source, target = (tuple(side.split(" ")) for side in (pair.source, pair.target))
    if pair.links is None or max(len(source), len(target)) > WIDEST:
        return ""
    try:
        alignment = pharaoh.parse(pair.links, len(source), len(target))
    except GemelError:
        alignment = Alignment()
    return drawing.draw(
        link_scene(LinkedSide(source), LinkedSide(target)),
        title=f"Pair {pair.pair_id + 1}: {len(alignment.links)} links",
        desc=f"{pair.source} — {pair.target}",
        marks=drawing.marks_of(alignment),
    )

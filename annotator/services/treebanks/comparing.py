"""Comparison of the trees of one sentence: people's, gold, parsers'."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from annotator.models import Origin, Parse, Sentence
from annotator.models.projects import Anybody
from core.agreement.trees import attachment, parseval
from core.errors import GemelError


@dataclass(frozen=True, slots=True)
class Likeness:
    """The similarity of two trees, in percent; None for values of another kind.

    F1 and UAS are the same both ways. None all: the two cannot be compared.
    """

    a: Parse
    b: Parse
    f1: float | None = None
    uas: float | None = None
    las: float | None = None

    @property
    def main(self) -> float:
        """The value that orders pairs; -1 if there is none."""
        values = [one for one in (self.f1, self.las) if one is not None]
        return values[0] if values else -1.0


def made_of(sentence: Sentence, kind: str, by: Anybody) -> list[Parse]:
    """Gold, the last tree of each person that ``by`` may see, each parser's first."""
    rows = Parse.objects.readable_by(by, sentence.corpus.project)
    rows = rows.filter(sentence=sentence, kind=kind, rank=1)
    rows = rows.exclude(origin=Origin.FORMER).select_related("author")
    last: dict[tuple[str, int | None, str, str], Parse] = {}
    for parse in rows.order_by("pk"):
        whose = parse.author_id if parse.origin == Origin.ANNOTATOR else None
        last[parse.origin, whose, parse.engine, parse.version] = parse
    order = [str(one) for one in (Origin.GOLD, Origin.ANNOTATOR, Origin.ENGINE)]
    return sorted(last.values(), key=lambda one: (order.index(one.origin), one.pk))


def likenesses(made: Sequence[Parse]) -> list[Likeness]:
    """All pairs of them, the least similar first."""
    compared = [_likeness(a, b) for a, b in combinations(made, 2)]
    return sorted(compared, key=lambda one: one.main)


def _likeness(a: Parse, b: Parse) -> Likeness:
    try:
        if a.kind == Parse.Kind.DEPENDENCY:
            arcs = attachment.compare(a.to_deps(), b.to_deps())
            return Likeness(a, b, uas=100 * arcs.uas, las=100 * arcs.las)
        return Likeness(a, b, f1=100 * parseval.compare(a.to_tree(), b.to_tree()).f1)
    except GemelError:
        return Likeness(a, b)

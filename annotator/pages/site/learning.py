"""What a project's models learnt from its corrections, and which of them runs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from annotator import access
from annotator.models import Project
from annotator.models.projects import Anybody
from annotator.services.parses import offered, training
from annotator.svg import charts
from core.layout.charts import line_chart
from core.layout.measure import GlyphTable
from core.parsing import registry

MEASURE = GlyphTable()
SHOWN = 12  # models of the chart: the newest


@dataclass(frozen=True, slots=True)
class OwnParser:
    """``trees``: that it was trained on; ``f1``: cross-validated, percent. ``before``,
    ``gain``, ``low``, ``high``: of the parser that ran then, on the same sentences, and
    the points gained with their 95 % interval; ``before`` is "" if none reads the
    language. ``scored``: the sentences compared, 0 if that parser had seen all of them.
    """

    name: str
    note: str
    trees: int
    f1: float
    made_at: datetime | None
    before: str
    scored: int
    gain: float
    low: float
    high: float

    @property
    def is_better(self) -> bool:
        """Whether the gain is more than chance, or nothing else reads the language."""
        return not self.before or self.low > 0


def n_ready(project: Project) -> int:
    """The number of better parsers that no one has adopted, trained on more trees than
    the present one."""
    parsers, current = list(_parsers(project)), offered.default_of(project)
    least = max((one.trees for one in parsers if one.name == current), default=0)
    return sum(one.is_better and one.trees > least for one in parsers)


def learning(project: Project, *, by: Anybody) -> dict[str, Any]:
    """The own parsers, oldest first, what they gain, and what else could be trained."""
    parsers = sorted(_parsers(project), key=lambda one: (one.trees, one.name))
    role = access.role_in(by, project)
    return {
        "project": project,
        "parsers": parsers,
        "chart": _chart(parsers[-SHOWN:]) if len(parsers) > 1 else "",
        "current": offered.default_of(project),
        "default": registry.DEFAULT,
        "corpora": training.corpora_with_gold(project),
        "least": training.MIN_TREES,
        "may_manage": role in access.VERBS["manage"],
    }


def _parsers(project: Project) -> Iterator[OwnParser]:
    for offer in offered.of_project(project):
        facts = registry.facts_of(offer.models / offer.name)
        scores = facts.get("scores") or {}
        if not offer.owner or offer.f1 is None:
            continue
        compared = scores.get("compared") or {}
        made_at = facts.get("made_at")
        yield OwnParser(
            offer.name,
            str(facts.get("note", "")),
            int(facts.get("data", {}).get("trees", 0)),
            offer.f1,
            datetime.fromisoformat(made_at) if made_at else None,
            str(compared.get("parser", "")),
            int(compared.get("sentences", 0)),
            *(float(compared.get(name, 0)) for name in ("gain", "low", "high")),
        )


def _chart(parsers: Sequence[OwnParser]) -> str:
    """F1 over the trees that each parser was trained on."""
    low = 10 * int(min(one.f1 for one in parsers) // 10)
    chart = line_chart(
        [(_("F1"), [one.f1 / 100 for one in parsers])],
        [str(one.trees) for one in parsers],
        low=low / 100,
        high=1.0,
        ticks_y=[tick / 100 for tick in range(low, 101, 10)],
        note_x=_("Gold trees"),
        measure=MEASURE,
    )
    text = "; ".join(f"{one.trees}: {one.f1:.1f}" for one in parsers)
    return charts.draw(chart, title=_("F1 by gold trees"), desc=text)

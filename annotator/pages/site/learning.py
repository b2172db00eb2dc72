"""What a project's models learnt from its corrections, and which of them runs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise
from typing import Any

from django.db.models import Sum
from django.utils.translation import gettext as _

from annotator import access
from annotator.models import (
    Judgment,
    ParaphraseTable,
    ParaphraseWeights,
    Project,
    TreeEvent,
)
from annotator.models.projects import Anybody
from annotator.numbers import local
from annotator.services.paraphrases import weights
from annotator.services.parses import offered, training
from annotator.svg import charts
from core.layout.charts import line_chart
from core.layout.measure import GlyphTable
from core.parsing import registry

MEASURE = GlyphTable()
SHOWN = 12  # models of a chart: the newest
PAUSE_S = 300  # longer pauses between two steps are no work


@dataclass(frozen=True, slots=True)
class OwnModel:
    """A model that the project made, and what it gains over the one that ran then.

    ``what``: which it can replace, as ``adopting`` names it, shown as ``kind``;
    ``items``: corrections that it learned from, ``hours`` of active work on them;
    ``quality``: F1 in percent, cross-validated, or 100 rho. ``before``: the model that
    ran, "" if none could. ``scored``: what both were compared on, 0 if the other had
    seen all. ``gain``, ``low``, ``high``: points, 95 % interval.
    """

    what: str
    kind: str
    name: str
    note: str
    items: int
    quality: float
    made_at: datetime | None
    before: str
    scored: int
    gain: float
    low: float
    high: float
    hours: float = 0.0

    @property
    def is_better(self) -> bool:
        """Whether the gain is more than chance, or nothing else could do the work."""
        return not self.before or self.low > 0

    @property
    def is_parser(self) -> bool:
        return self.what == offered.WHAT


@dataclass(frozen=True, slots=True)
class ModelInUse:
    """The model that runs; ``name``: "" where nothing of the project's own does."""

    what: str
    kind: str
    name: str
    otherwise: str


def n_ready(project: Project) -> int:
    """The number of better models that no one has adopted: parsers trained on more
    trees than the present one, and newer weights."""
    models = [*_parsers(project), *_weights(project)]
    ready = 0
    for one in _running(project):
        mine = [model for model in models if model.what == one.what]
        least = max((x.items for x in mine if x.name == one.name), default=0)
        ready += sum(x.is_better and x.items > least for x in mine)
    return ready


def learning(project: Project, *, by: Anybody) -> dict[str, Any]:
    """The own models, oldest first, what they gain, and what else could be trained."""
    hours = _tree_hours(project)
    parsers = [
        replace(
            one, hours=sum(h for at, h in hours if one.made_at and at < one.made_at)
        )
        for one in _parsers(project)
    ]
    parsers.sort(key=lambda one: (one.items, one.name))
    models = [*parsers, *_weights(project)]
    running = list(_running(project))
    kinds = [[one for one in models if one.what == now.what] for now in running]
    return {
        "project": project,
        "models": models,
        "charts": [
            c for some in kinds if len(some) > 1 for c in _charts(some[-SHOWN:])
        ],
        "running": running,
        "in_use": {f"{one.what}:{one.name}" for one in running},
        "corpora": training.corpora_with_gold(project),
        "least": training.MIN_TREES,
        "may_manage": access.role_in(by, project) in access.VERBS["manage"],
    }


def _running(project: Project) -> Iterator[ModelInUse]:
    name = offered.default_of(project)
    own = "" if name == registry.DEFAULT else name
    yield ModelInUse(offered.WHAT, _("Parser"), own, registry.DEFAULT)
    for table in project.tables.filter(weights__isnull=False).distinct():
        number = weights.adopted(table)
        own = str(number) if number else ""
        yield ModelInUse(weights.what(table), _kind(table), own, _("the baseline"))


def _kind(table: ParaphraseTable) -> str:
    return _("Ranking of %(name)s") % {"name": table.name}


def _parsers(project: Project) -> Iterator[OwnModel]:
    for offer in offered.of_project(project):
        facts = registry.facts_of(offer.models / offer.name)
        scores = facts.get("scores") or {}
        if not offer.owner or offer.f1 is None:
            continue
        compared = scores.get("compared") or {}
        made_at = facts.get("made_at")
        yield OwnModel(
            offered.WHAT,
            _("Parser"),
            offer.name,
            str(facts.get("note", "")),
            int(facts.get("data", {}).get("trees", 0)),
            offer.f1,
            datetime.fromisoformat(made_at) if made_at else None,
            str(compared.get("parser", "")),
            int(compared.get("sentences", 0)),
            *(float(compared.get(name, 0)) for name in ("gain", "low", "high")),
        )


def _weights(project: Project) -> Iterator[OwnModel]:
    """Of all tables, oldest first; those that were compared with what ran."""
    rows = ParaphraseWeights.objects.filter(table__project=project)
    for row in rows.select_related("table").order_by("table__name", "number"):
        facts = row.model["facts"]
        if (compared := facts.get("compared")) is None:
            continue
        names = ("difference", "low", "high")
        is_known = "low" in compared
        number = facts["before"]
        model = OwnModel(
            weights.what(row.table),
            _kind(row.table),
            str(row.number),
            row.campaign_name,
            facts["known"],
            100 * (facts["alone"] or 0.0),
            row.at,
            _("version %(n)s") % {"n": number} if number else _("the baseline"),
            compared["phrases"] if is_known else 0,
            *(100 * float(compared.get(name, 0)) for name in names),
        )
        yield replace(model, hours=_judged_hours(row))


def _judged_hours(row: ParaphraseWeights) -> float:
    """Active time on the judgments that were there."""
    if row.campaign is None:
        return 0.0
    rows = Judgment.objects.of(row.campaign).counted().filter(saved_at__lt=row.at)
    return (rows.aggregate(ms=Sum("active_ms"))["ms"] or 0) / 3_600_000


def _tree_hours(project: Project) -> list[tuple[datetime, float]]:
    """When a step of editing a tree was made, and the hours since the same person's
    step before, if that is at most five minutes ago."""
    rows = TreeEvent.objects.filter(draft__sentence__corpus__project=project)
    steps = list(rows.order_by("by", "at").values_list("by", "at"))
    spent = []
    for (who, before), (by, at) in pairwise(steps):
        gap = (at - before).total_seconds()
        if who == by and gap <= PAUSE_S:
            spent.append((at, gap / 3_600))
    return spent


def _charts(models: Sequence[OwnModel]) -> Iterator[str]:
    """Quality over the corrections that each model learned from, and over hours of
    work where that is known."""
    by_items = _("Gold trees") if models[0].is_parser else _("Judged paraphrases")
    yield _chart(models, by_items, [str(one.items) for one in models])
    if any(one.hours for one in models):
        ticks = [local(f"{one.hours:.1f}") for one in models]
        yield _chart(models, _("Hours of active work"), ticks)


def _chart(models: Sequence[OwnModel], over: str, ticks: list[str]) -> str:
    low = 10 * int(max(0.0, min(one.quality for one in models)) // 10)
    measure = "F1" if models[0].is_parser else "ρ"
    chart = line_chart(
        [(measure, [max(0.0, one.quality) / 100 for one in models])],
        ticks,
        low=low / 100,
        high=1.0,
        ticks_y=[tick / 100 for tick in range(low, 101, 10)],
        note_x=over,
        measure=MEASURE,
    )
    names = {"kind": models[0].kind, "measure": measure, "over": over}
    title = _("%(kind)s: %(measure)s, %(over)s") % names
    text = "; ".join(
        f"{tick}: {one.quality:.1f}" for tick, one in zip(ticks, models, strict=True)
    )
    return charts.draw(chart, title=title, desc=text)

"""The pages of agreement reports: what the live, the frozen and the cases page show."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _

from annotator import access
from annotator.errors import BadRequest
from annotator.exchange.peers.reports import TransferReport as Counts
from annotator.models import Campaign, ParaphraseTable, Project, Report
from annotator.models.projects import Anybody
from annotator.pages.agreement.conditions import conditions
from annotator.pages.agreement.report import SECTIONS, ReportPage, shown_scales
from annotator.pages.agreement.summary import summary
from annotator.pages.agreement.words import CASE_WORDS, of_measure
from annotator.services.paraphrases import test_sets
from annotator.services.reports import agreement, cases, layers, recent
from annotator.services.reports.agreement import ReportSource, ReportSpec
from core.agreement.chance import PAIRWISE
from core.agreement.judgments import paper
from core.agreement.judgments.report import BETWEEN

FORMS = {
    "json": "application/json",
    "csv": "text/csv; charset=utf-8",
    "tex": "application/x-tex; charset=utf-8",
    "txt": "text/plain; charset=utf-8",
}
SHOWN = 25  # disagreements, or cases, on one page
FROZEN = 10  # older reports that are named
Body = Mapping[str, Any]
Context = dict[str, Any]


def index(project: Project, *, by: Anybody) -> Context:
    """What there is to report on, and what was frozen."""
    return {
        "project": project,
        "campaigns": project.campaigns.filter(archived_at=None),
        "sets": project.rating_sets.filter(archived_at=None),
        "archived": project.rating_sets.exclude(archived_at=None),
        "corpora": layers.corpora_with_layers(project),
        "frozen": project.reports.select_related("created_by"),
        "may_import": access.may(by, "import", project),
    }


@dataclass(frozen=True, slots=True)
class ReportView:
    """How a report is shown: one scale or all, which measure, with names or labels."""

    show: str = ""
    measure: str = "cohen_quadratic"
    by_leverage: bool = False
    hides_names: bool = False

    @classmethod
    def of(cls, params: Mapping[str, Any]) -> "ReportView":
        """Raises BadRequest on a measure that there is not."""
        measure = params.get("measure") or cls().measure
        if measure not in PAIRWISE:
            text = _("There is no measure %(name)s.") % {"name": repr(measure)}
            raise BadRequest(text, field="measure")
        return cls(
            params.get("show", ""),
            measure,
            params.get("sort") == "leverage",
            params.get("names") == "0",
        )

    def names(
        self, user: Anybody, project: Project, names: dict[str, str]
    ) -> dict[str, str]:
        """Whom labels stand for: no one, for viewers and anyone who asks for labels."""
        sees = not self.hides_names and access.may(user, "see_names", project)
        return names if sees else {}


def live(
    source: ReportSource,
    spec: ReportSpec,
    view: ReportView,
    *,
    filters: str,
    by: Anybody,
) -> Context:
    """The live report over a source. Raises BadRequest on names it does not hold."""
    project, place = source.project, [source.project.slug, source.kind, source.code]
    now = recent.report(source, spec)
    body, read = now.body, now.read
    page = ReportPage(
        body,
        cases_url=reverse("report_cases", args=place),
        filters=filters,
        names=view.names(by, project, read.names),
    )
    is_campaign = source.kind == "campaign"
    origin = getattr(source.row, "origin", None)
    return _report(source, page, view, by) | {
        "data": read.data,
        "counts": Counts(**origin) if origin else None,
        "asked": spec,
        "filters": filters,
        "last_event": body["facts"]["last_event"],
        "computed_at": now.at,
        "may_freeze": access.may(by, "curate", project),
        "plan_url": reverse("campaign_design", args=[project.slug, source.code])
        if is_campaign
        else "",
        "guidelines": sorted({int(v) for v in read.data.guideline if v}),
        "thresholds": _thresholds(body),
        "frozen": source.row.reports.all()[:FROZEN],
        "export_prefix": reverse("report", args=place) + "export/",
        "judges": [
            (label, page.name(label), label in spec.selection.annotators)
            for label in read.data.annotators
        ],
    }


def large(source: ReportSource, *, filters: str, by: Anybody) -> Context:
    """More judgments than someone should wait for: a job, or patience."""
    return {
        "project": source.project,
        "source": source,
        "filters": filters,
        "n": agreement.n_judgments(source),
        "jobs": source.project.jobs.filter(kind="report").active(),
        "frozen": source.row.reports.all()[:FROZEN],
        "may_freeze": access.may(by, "curate", source.project),
    }


def frozen(kept: Report, project: Project, view: ReportView, *, by: Anybody) -> Context:
    """A report as it was frozen, and whether its data has moved since."""
    source = agreement.source_of(kept)
    page = ReportPage(
        kept.body,
        cases_url=reverse(
            "report_cases", args=[project.slug, source.kind, source.code]
        ),
        filters=kept.query,
        names=view.names(by, project, kept.names),
    )
    here = reverse("frozen", args=[project.slug, kept.code])
    place = reverse("report", args=[project.slug, source.kind, source.code])
    return _report(source, page, view, by) | {
        "kept": kept,
        "filters": kept.query,
        "live_url": place + (kept.query and f"?{kept.query}"),
        "newer": agreement.newer(source, kept.body["facts"]["last_event"]),
        "is_same": None
        if agreement.is_large(source)
        else agreement.reads_the_same(kept, source),
        "export_prefix": f"{here}export/",
    }


def cases_of(
    source: ReportSource, sent: QueryDict, view: ReportView, *, by: Anybody
) -> Context:
    """The items that a figure counts, a page at a time, with what was said of them.

    Raises BadRequest on a page, a case or a filter that there is not.
    """
    project, spec = source.project, agreement.parse(sent)
    case = {k: str(sent[k]) for k in cases.CASE_FIELDS if sent.get(k)}
    read = source.read()
    agreement.check(spec, read.data)
    data, places = cases.cases(read, spec, case)
    page, last = _page(sent.get("page", "1"), len(places))
    names = view.names(by, project, read.names)
    shown = places[(page - 1) * SHOWN : page * SHOWN]
    rows = cases.case_rows(source, data, shown, read)
    rest, filters = sent.copy(), agreement.filters_of(sent)
    rest.pop("page", None)
    here = reverse("report", args=[project.slug, source.kind, source.code])
    return {
        "project": project,
        "source": source,
        "rows": [
            (row, [(names.get(w, w), a, b) for w, a, b in row.judges]) for row in rows
        ],
        "titles": [question.title for question in data.questions],
        "told": [(CASE_WORDS[k], _between(v)) for k, v in case.items()],
        "n": len(places),
        "page": page,
        "last": last,
        "query": rest.urlencode(),
        "report_url": here + (filters and f"?{filters}"),
        "may_curate": access.may(by, "curate", project),
    }


def written(body: Body, form: str) -> str:
    """The report as a file of one of the ``FORMS``."""
    return {
        "json": lambda: json.dumps(body, ensure_ascii=False, indent=1),
        "csv": lambda: paper.to_csv(paper.table_rows(body)),
        "tex": lambda: paper.latex(body),
        "txt": lambda: "\n\n".join(paper.methods(body)) + "\n",
    }[form]()


def _report(
    source: ReportSource, page: ReportPage, view: ReportView, by: Anybody
) -> Context:
    """What the live and the frozen page share."""
    body, project = page.body, source.project
    scales = shown_scales(body, view.show)
    if view.show and not scales:
        text = _("There is no scale %(name)s here.") % {"name": repr(view.show)}
        raise BadRequest(text, field="show")
    order = "leverage" if view.by_leverage else "distance"
    return {
        "project": project,
        "source": source,
        "page": page,
        "facts": body["facts"],
        "sections": SECTIONS,
        "scales": [_scale(page, scale, view.measure) for scale in scales],
        "scale_names": [(s["name"], s["title"]) for s in body["scales"]],
        "show": view.show,
        "measure": view.measure,
        "measures": [(name, of_measure(one.name)) for name, one in PAIRWISE.items()],
        "conditions": conditions(page),
        "pivoted": _pivoted(source),
        "summary": summary(body, page.name),
        "corpora": layers.corpora_with_layers(project),
        "worst": _worst(source, page, order),
        "may_curate": access.may(by, "curate", project),
        "order": order,
        "other_order": "distance" if view.by_leverage else "leverage",
        "titles": [scale["title"] for scale in body["scales"]],
        "methods": paper.methods(body),
        "forms": list(FORMS),
        "sees_names": access.may(by, "see_names", project),
        "names_on": bool(page.names),
    }


def _worst(source: ReportSource, page: ReportPage, order: str) -> list[Context]:
    """The items with most disagreement, with their texts."""
    rows = sorted(page.body["disagreements"], key=lambda row: -row[order])[:SHOWN]
    texts = cases.titles_of(source, [row["item"] for row in rows])
    return [
        _disagreement(page, row) | {"text": texts.get(row["item"], "")} for row in rows
    ]


def _pivoted(source: ReportSource) -> ParaphraseTable | None:
    """The table of paraphrases that a campaign's items are from."""
    row = source.row
    return test_sets.table_of(row) if isinstance(row, Campaign) else None


def _scale(page: ReportPage, scale: Any, measure: str) -> Context:
    ordered = scale["is_ordered"] or not measure.startswith("cohen_")
    return {
        "name": scale["name"],
        "title": scale["title"],
        "shared": scale["shared"],
        "few": scale["few"],
        "labels": scale["confusion"]["labels"],
        "headline": page.headline(scale),
        "more": page.more(scale),
        "matrix": page.matrix(scale, measure if ordered else "cohen"),
        "confusion": page.confusion(scale),
        "judges": page.judges(scale),
        "drift": page.drift(scale),
    }


def _between(value: str) -> str:
    """A value of a case; two of them as "A1 and A2"."""
    a, between, b = value.partition(BETWEEN)
    return _("%(a)s and %(b)s") % {"a": a, "b": b} if between else value


def _disagreement(page: ReportPage, row: Any) -> Context:
    return {
        "item": row["item"],
        "distance": f"{row['distance']:g}",
        "leverage": f"{row['leverage']:+.4f}".replace("-", "−"),
        "judges": [(page.name(v["annotator"]), v["values"]) for v in row["values"]],
    }


def _thresholds(body: Body) -> list[tuple[str, str, list[str], float]]:
    return [
        (scale["name"], scale["title"], scale["labels"], scale["threshold"])
        for scale in body["scales"]
        if scale["threshold"] is not None and len(scale["labels"]) <= 20
    ]


def _page(text: str, n: int) -> tuple[int, int]:
    """The number of the page and of the last one."""
    last = max(1, -(-n // SHOWN))
    digits = text.isascii() and text.isdigit() and len(text) <= 18
    if not digits or not 1 <= int(text) <= last:
        text = _("Pages go from 1 to %(last)s.") % {"last": last}
        raise BadRequest(text, field="page")
    return int(text), last

"""Agreement reports: the live, the frozen and the cases page."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import QueryDict
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy, pgettext_lazy
from django.utils.translation import gettext as _

from annotator import access
from annotator.errors import BadRequest
from annotator.exchange.peers.reports import TransferReport as Counts
from annotator.models import Campaign, ParaphraseTable, Project, Report
from annotator.models.projects import Anybody
from annotator.numbers import as_percent, local
from annotator.pages.agreement.pictures import (
    DOWNLOADS,
    MEASURE,
    ReportChart,
    drawn,
    opening,
)
from annotator.pages.agreement.report import (
    SECTIONS,
    ReportPage,
    shown_scales,
)
from annotator.pages.agreement.summary import summary
from annotator.pages.agreement.words import CASE_WORDS, of_measure
from annotator.services.paraphrases import test_sets
from annotator.services.reports import agreement, cases, layers, recent
from annotator.services.reports.agreement import ReportSource, ReportSpec
from core.agreement.chance import PAIRWISE
from core.agreement.judgments import paper
from core.agreement.judgments.paper import with_published
from core.agreement.judgments.report import BETWEEN
from core.layout.charts import grid_chart, line_chart

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
    """Sources of reports, and frozen reports."""
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
        """Names of the labels: none for viewers, or where labels are requested."""
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
        "chart_prefix": reverse("report", args=place) + "chart/",
        "chart_query": _query(filters, page),
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
        "chart_prefix": f"{here}chart/",
        "chart_query": _query("", page),
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
    texts = cases.titles_of(source, [row["item"] for row in body["disagreements"]])
    shown, table = [_scale(page, s, view.measure) for s in scales], conditions(page)
    return {
        "project": project,
        "source": source,
        "page": page,
        "facts": body["facts"],
        "sections": SECTIONS,
        "scales": shown,
        "open": page.open(),
        "opening": list(opening({**body, "scales": scales}, texts)),
        "scale_names": [(s["name"], s["title"]) for s in body["scales"]],
        "show": view.show,
        "measure": view.measure,
        "measures": [(name, of_measure(one.name)) for name, one in PAIRWISE.items()],
        "conditions": table,
        "pivoted": _pivoted(source),
        "machines": page.of_machines(),
        "summary": summary(body, page.name),
        "corpora": layers.corpora_with_layers(project),
        "worst": _worst(page, order, texts),
        "may_curate": access.may(by, "curate", project),
        "order": order,
        "other_order": "distance" if view.by_leverage else "leverage",
        "titles": [scale["title"] for scale in body["scales"]],
        "methods": paper.methods(body),
        "forms": list(FORMS),
        "downloads": DOWNLOADS,
        "sees_names": access.may(by, "see_names", project),
        "names_on": bool(page.names),
    }


def picture(context: Context, name: str) -> ReportChart | None:
    """The picture of this name on a report's page."""
    strip = (context["conditions"] or {}).get("strip") or {}
    of_scales = [
        part["chart"]
        for scale in context["scales"]
        for part in (scale["confusion"], scale["drift"])
        if part
    ]
    shown = [*context["opening"], *of_scales, *strip.get("charts", [])]
    return next((one for one in shown if one.name == name), None)


def _query(filters: str, page: ReportPage) -> str:
    """The filters, and that names are hidden where they are."""
    return "&".join(part for part in (filters, "" if page.names else "names=0") if part)


def _worst(page: ReportPage, order: str, texts: Mapping[str, str]) -> list[Context]:
    """The items with most disagreement, with their texts."""
    rows = sorted(page.body["disagreements"], key=lambda row: -row[order])[:SHOWN]
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
        "best": page.best(scale),
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
        "distance": local(f"{row['distance']:g}"),
        "leverage": local(f"{row['leverage']:+.4f}"),
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


RANKS = {  # of the query, and what a link to it says
    "1": gettext_lazy("best only"),
    "5": gettext_lazy("up to 5"),
    "0": pgettext_lazy("ranks", "all"),
}


def conditions(page: ReportPage) -> dict[str, Any] | None:
    """Table 6 with coverage, intervals, tests; None without conditions."""
    table = page.body["conditions"]
    if not table:
        return None
    last = gettext("both") if len(table["columns"]) == 2 else gettext("all")
    heads = [
        f"{title} ≥ {at:g}"
        for title, at in zip(table["columns"], table["thresholds"], strict=True)
    ]
    return {
        "heads": [*heads, last],
        "rows": [_condition(page, table, row) for row in table["rows"]],
        "baseline": table["baseline"],
        "instances": table["instances"],
        "published": with_published(table),
        "decided": table.get("decided", 0),
        "ranks": _ranks(page.filters),
        "strip": _strip(table),
    }


def _ranks(filters: str) -> dict[str, Any]:
    """The ranks that the table counts, as text, and the queries that count others."""
    query = QueryDict(filters, mutable=True)
    most = query.get("rank") or "1"
    if most == "0":
        text = gettext("Counts every paraphrase of a condition, whatever its rank.")
    elif most == "1":
        text = gettext("Counts only the best paraphrase of each condition (rank 1).")
    else:
        text = gettext("Counts the paraphrases of each condition up to rank %(n)s.")
        text %= {"n": most}
    choices = []
    for rank, label in RANKS.items():
        query["rank"] = rank
        choices.append((label, query.urlencode(), rank == most))
    return {"text": text, "choices": choices}


def _condition(page: ReportPage, table: Body, row: Body) -> dict[str, Any]:
    tests = row["tests"] or [None] * len(row["cells"])
    cells = [
        page.figure(cell["figure"], cell["case"], percent=True) | _test(test)
        for cell, test in zip(row["cells"], tests, strict=True)
    ]
    return {
        "name": row["condition"],
        "cells": cells,
        "covered": row["covered"],
        "judged": row["judged"],
        "url": page.url({"made": row["condition"]}),
    }


def _strip(table: Body) -> dict[str, Any] | None:
    """How the result moves with the thresholds: each choice of them, as a table; two
    scales of the same points as a grid for each condition, else as a chart of lines."""
    strip = table["strip"]
    if not strip:
        return None
    rows, names = strip["rows"], strip["conditions"]
    marks = ["/".join(f"{at:g}" for at in row["at"]) for row in rows]
    best = [_best(row["all"], names) for row in rows]
    known = [name for name in best if name]
    top = max(set(known), key=known.count) if known else ""
    text = _best_under(top, known.count(top), len(rows))
    return {
        "charts": _grids(table) or [_lines(table, marks, text)],
        "said": text,
        "conditions": names,
        "rows": [
            _choice(mark, winner, row, table["names"])
            for mark, winner, row in zip(marks, best, rows, strict=True)
        ],
    }


def _best_under(name: str, n: int, n_choices: int) -> str:
    values = {"name": name, "n": n, "all": n_choices}
    if not name:
        return (
            gettext("No condition is best at %(n)s of %(all)s threshold settings.")
            % values
        )
    return gettext("%(name)s is best at %(n)s of %(all)s threshold settings.") % values


def _lines(table: Body, marks: list[str], text: str) -> ReportChart:
    strip = table["strip"]
    series = [
        (name, [row["all"][c] for row in strip["rows"]])
        for c, name in enumerate(strip["conditions"])
    ]
    chart = line_chart(
        series,
        marks,
        low=0,
        high=1,
        ticks_y=[0, 0.25, 0.5, 0.75, 1],
        measure=MEASURE,
        note_x=" / ".join(f"{title} ≥" for title in table["columns"]),
    )
    names, *rows = zip(*series, strict=True)
    by_choice = zip(marks, *rows[0], strict=True)
    title = gettext("Result by thresholds")
    heads = (gettext("Thresholds"), *names)
    return drawn("thresholds", title, chart, text, [heads, *by_choice])


def _grids(table: Body) -> list[ReportChart]:
    """For each condition, the percentage correct under each pair of thresholds."""
    rows = table["strip"]["rows"]
    points = sorted({row["at"][0] for row in rows})
    is_square = len(table["columns"]) == 2 and points == sorted(
        {row["at"][-1] for row in rows}
    )
    if not is_square:
        return []
    by_choice = {tuple(row["at"]): row["all"] for row in rows}
    down, across = (f"{title} ≥" for title in table["columns"])
    made = []
    for c, name in enumerate(table["strip"]["conditions"]):
        shares = [[by_choice[i, j][c] for j in points] for i in points]
        percent = [[round(100 * (share or 0)) for share in row] for row in shares]
        chart = grid_chart(
            [f"{at:g}" for at in points], percent, across=across, down=down,
            measure=MEASURE,
        )  # fmt: skip
        title = gettext("%(name)s: percentage correct by thresholds") % {"name": name}
        text = "; ".join(
            f"{down} {at:g}: {', '.join(map(str, row))}"
            for at, row in zip(points, percent, strict=True)
        )
        heads = (f"{down} ↓ {across} →", *(f"{at:g}" for at in points))
        cells = [(f"{at:g}", *row) for at, row in zip(points, percent, strict=True)]
        made.append(drawn(f"thresholds-{c + 1}", title, chart, text, [heads, *cells]))
    return made


def _choice(mark: str, best: str, row: Body, names: list[str]) -> dict[str, Any]:
    chosen = zip(names, row["at"], strict=True)
    return {
        "at": mark,
        "best": best,
        "cells": [as_percent(v) if v is not None else "–" for v in row["all"]],
        "url": urlencode([("threshold", f"{name}:{at:g}") for name, at in chosen]),
    }


def _best(values: list[float | None], names: list[str]) -> str:
    known = [(v, name) for v, name in zip(values, names, strict=True) if v is not None]
    top = max((v for v, _ in known), default=None)
    first = [name for v, name in known if v == top]
    return first[0] if len(first) == 1 else ""


def _test(test: Body | None) -> dict[str, Any]:
    if test is None or not test["n"] or "value" not in test["figure"]:
        return {}
    gap = test["figure"]["value"]
    p = test["p_holm"]
    return {
        "gap": local(f"{100 * gap:+.1f}"),
        "p": local("p < 0.001" if p < 0.001 else f"p = {p:.3f}"),
        "is_sure": p < 0.05,
        "n_both": test["n"],
    }

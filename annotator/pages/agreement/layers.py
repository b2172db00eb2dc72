"""The pages of agreement between alignment layers: figures, drawings, cases."""

from typing import Any

from django.urls import reverse
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from annotator import access
from annotator.errors import BadRequest
from annotator.models import Corpus, Report
from annotator.models.projects import Anybody
from annotator.numbers import as_percent
from annotator.pages.agreement.pictures import (
    DOWNLOADS,
    ReportChart,
    drawn,
    ends,
    shares,
)
from annotator.pages.agreement.report import MEASURE, ReportPage
from annotator.pages.agreement.words import of_kind, of_measure, term_of
from annotator.services.reports import layers
from annotator.services.reports.layers import LayerReport
from core.layout.charts import grid_chart

TABLES = {"pair": "pairs", "label": "by_label", "length": "by_length", "all": "all"}
TABLES |= {"tree": "trees", "dep": "deps"}
FROZEN = 10  # older reports that are named
HEADS = {"f1": "PARSEVAL F1", "exact": _("Equal trees"), "uas": "UAS", "las": "LAS"}
ALL = {"of": "all", "at": "0"}
STATES = (
    pgettext_lazy("state of a node", "link"),
    pgettext_lazy("state of a node", "null"),
    pgettext_lazy("state of a node", "undecided"),
)
KINDS = {  # of phrases: what the region is called, the caption, the head of a column
    "label": (
        _("By label"),
        _("Links that all people made, by the label of the source phrase"),
        _("Label"),
    ),
    "length": (
        _("By length"),
        _("Links that all people made, by the length of the source phrase"),
        _("Length"),
    ),
}
TREES = {
    "tree": (_("Trees: constituents"), _("Trees, constituents")),
    "dep": (_("Trees: dependencies"), _("Trees, dependencies")),
}
Context = dict[str, Any]


def live(
    report: LayerReport, corpus: Corpus, seed: int, *, by: Anybody, hides_names: bool
) -> Context:
    """The report as it is now, and those that were frozen."""
    filters = f"seed={seed}" if seed else ""
    page = _shown(report, corpus, by=by, filters=filters, hides_names=hides_names)
    return page | {
        "may_freeze": access.may(by, "curate", corpus.project),
        "frozen": corpus.reports.all()[:FROZEN],
        "seed": seed,
    }


def frozen(
    then: LayerReport, kept: Report, corpus: Corpus, *, by: Anybody, hides_names: bool
) -> Context:
    """The report as it was frozen, and whether what it read is the same now."""
    filters, query = f"frozen={kept.code}", kept.query
    page = _shown(then, corpus, by=by, filters=filters, hides_names=hides_names)
    now = layers.report(corpus, seed=int(query.removeprefix("seed=") or 0))
    live_url = reverse("layer_report", args=[corpus.project.slug, corpus.code])
    return page | {
        "kept": kept,
        "live_url": f"{live_url}?{query}" if query else live_url,
        "is_same": now.digest == kept.digest,
    }


def _shown(
    report: LayerReport,
    corpus: Corpus,
    *,
    by: Anybody,
    filters: str = "",
    hides_names: bool = False,
) -> Context:
    """What the live page and that of a frozen report show.

    ``filters``: what the addresses of the cases keep, such as a seed.
    """
    sees = not hides_names and access.may(by, "see_names", corpus.project)
    cases_url = reverse("layer_cases", args=[corpus.project.slug, corpus.code])
    names = report.names if sees else {}
    page = ReportPage(report.body, cases_url=cases_url, filters=filters, names=names)
    body = report.body
    pairs = [_pair(page, at, row) for at, row in enumerate(body["pairs"])]
    opening = _recall_and_precision(page, body) if body["rows"] else None
    query = [filters] if filters else []
    return {
        "opening": opening,
        "downloads": DOWNLOADS,
        "chart_prefix": cases_url.removesuffix("cases/") + "chart/",
        "chart_query": "&".join(query + ["names=0"] * hides_names),
        "project": corpus.project,
        "corpus": corpus,
        "facts": body["facts"],
        "n_pairs": report.n_pairs,
        "capped": report.n_pairs > body["facts"]["pairs"],
        "human": _two(page, body["human"]),
        "all_agree": page.figure(body["all_agree"], ALL, percent=True),
        "people": [
            (page.name(n), body["facts"]["links"][n]) for n in body["facts"]["people"]
        ],
        "rows": [_row(page, row) for row in body["rows"]],
        "pairs": pairs,
        "states": [_state(page, row) for row in body["states"]],
        "tables": [
            _kinds(page, body["by_label"], "label"),
            _kinds(page, body["by_length"], "length"),
        ],
        "state_names": STATES,
        "tree_tables": [
            _trees(page, body["trees"], "tree", ("f1", "exact")),
            _trees(page, body["deps"], "dep", ("uas", "las")),
        ],
    }


def charts_of(
    report: LayerReport, corpus: Corpus, *, by: Anybody, hides_names: bool
) -> dict[str, ReportChart]:
    """The pictures of the page, by their names."""
    page = _shown(report, corpus, by=by, hides_names=hides_names)
    first = [page["opening"]] if page["opening"] else []
    return {one.name: one for one in [*first, *(row["chart"] for row in page["pairs"])]}


def behind(
    body: dict[str, Any], table: str, at: int, cell: tuple[int, int] | None
) -> list[str]:
    """Codes of the pairs behind a figure: its table, its row, its cell of a confusion.

    Raises BadRequest if there is no such figure.
    """
    try:
        row = body[TABLES[table]][at]
        if table == "pair" and cell is not None:
            x, y = cell
            return list(row["confusion"][x][y]["cases"])
        return list(row["cases"])
    except (TypeError, LookupError) as error:
        raise BadRequest(gettext("There is no such figure."), field="of") from error


def _two(page: ReportPage, row: dict[str, Any]) -> list[Context]:
    return [
        page.figure(row[name], ALL, percent=True) for name in ("recall", "precision")
    ]


def _recall_and_precision(page: ReportPage, body: dict[str, Any]) -> ReportChart:
    """The figures of the first table as a picture."""
    series = [gettext("Recall"), gettext("Precision")]
    human = gettext("Human (leave one out)")
    named = [(human, body["human"])]
    named += [(page.name(row["name"]), row) for row in body["rows"]]
    cells = [
        (name, title, *ends(row[key]))
        for name, row in named
        for key, title in zip(("recall", "precision"), series, strict=True)
    ]
    title = gettext("Recall and precision of links, with 95 % intervals")
    heads = (gettext("Against the others"), gettext("Measure"))
    return shares("links", title, cells, series, heads)


def _state(page: ReportPage, row: dict[str, Any]) -> Context:
    """A measure over the states of nodes; old frozen reports do not have its key."""
    texts = {
        "term": term_of(row.get("key", "")),
        "name": of_measure(row["name"]),
        "formula": of_measure(row["formula"]),
    }
    return {**row, **texts, **page.figure(row["figure"], ALL)}


def _row(page: ReportPage, row: dict[str, Any]) -> Context:
    return {
        "name": page.name(row["name"]),
        "is_engine": row["is_engine"],
        "n": row["n"],
        "figures": _two(page, row),
    }


def _pair(page: ReportPage, at: int, row: dict[str, Any]) -> Context:
    case = {"of": "pair", "at": str(at)}
    a, b = page.name(row["a"]), page.name(row["b"])
    counts = [[cell["n"] for cell in cells] for cells in row["confusion"]]
    chart = grid_chart(
        list(map(str, STATES)), counts, across=b, down=a, measure=MEASURE
    )
    same = sum(counts[i][i] for i in range(3))
    description = gettext("%(n)s of %(all)s nodes are in the same state.")
    title = gettext("States of nodes, %(a)s and %(b)s") % {"a": a, "b": b}
    names = [str(name) for name in STATES]
    table = [("", *names), *zip(names, *zip(*counts, strict=True), strict=True)]
    seen = {"n": same, "all": sum(map(sum, counts))}
    return {
        "a": a,
        "b": b,
        "n": row["n"],
        "f1": page.figure(row["f1"], case, percent=True),
        "f1_sure": page.figure(row["f1_sure"], case, percent=True),
        "aer": page.figure(row["aer"], case, percent=True),
        "kappa": page.figure(row["kappa"], case),
        "chart": drawn(f"states-{at}", title, chart, description % seen, table),
        "cells": [
            (
                STATES[i],
                [
                    (n, page.url(case | {"x": str(i), "y": str(j)}) if n else "")
                    for j, n in enumerate(cells)
                ],
            )
            for i, cells in enumerate(counts)
        ],
    }


def _trees(
    page: ReportPage, rows: list[dict[str, Any]], table: str, names: tuple[str, str]
) -> Context:
    title, label = TREES[table]
    return {
        "title": title,
        "label": label,
        "heads": [HEADS[name] for name in names],
        "rows": [
            {
                "a": page.name(row["a"]),
                "b": page.name(row["b"]),
                "n": row["n"],
                "unlike": row["unlike"],
                "figures": [
                    page.figure(row[name], {"of": table, "at": str(at)}, percent=True)
                    for name in names
                ],
            }
            for at, row in enumerate(rows)
        ],
    }


def _kinds(page: ReportPage, rows: list[dict[str, Any]], table: str) -> Context:
    label, caption, head = KINDS[table]
    return {
        "label": label,
        "caption": caption,
        "head": head,
        "rows": [
            {
                **row,
                "kind": of_kind(row["kind"]),
                "percent": as_percent(row["share"]),
                "url": page.url({"of": table, "at": str(at)}) if row["cases"] else "",
            }
            for at, row in enumerate(rows)
        ],
    }

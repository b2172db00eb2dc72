"""Agreement of the alignment layers of a corpus."""

import json
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from annotator import access
from annotator.errors import BadRequest
from annotator.forms import refuse_unknown, whole
from annotator.models import Corpus, Project, Report
from annotator.services import layer_agreement
from annotator.services.layer_agreement import LayerReport
from annotator.svg import charts
from annotator.views.report_page import MEASURE, Page
from core.layout.charts import grid_chart

TABLES = {"pair": "pairs", "label": "by_label", "length": "by_length", "all": "all"}
TABLES |= {"tree": "trees", "dep": "deps"}
HEADS = {"f1": "PARSEVAL F1", "exact": "Equal trees", "uas": "UAS", "las": "LAS"}
ALL = {"of": "all", "at": "0"}
MAX_PLACE = 10**6
STATES = ("link", "null", "undecided")


@login_required
@require_GET
def layer_report(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Recall and precision as in the paper, the human row, F1, AER, kappa of nodes."""
    project, corpus = _corpus(request, slug, code)
    refuse_unknown(request.GET, {"seed", "names", "format"})
    found = layer_agreement.report(corpus, seed=_seed(request))
    if request.GET.get("format") == "json":
        return _json(found, f"alignment-agreement-{corpus.code}")
    context = _context(request, project, corpus, found) | {
        "may_freeze": access.may(request.user, "curate", project),
        "frozen": corpus.reports.all()[:10],
        "seed": _seed(request),
    }
    return render(request, "agreement/layers.html", context)


@login_required
@require_POST
def freeze(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    _, corpus = _corpus(request, slug, code)
    title, seed = request.POST.get("title", ""), _seed(request)
    kept = layer_agreement.freeze(corpus, seed=seed, title=title, by=request.user)
    messages.success(request, "Frozen. These figures will not change any more.")
    return redirect("layer_frozen", slug, code, kept.code)


@login_required
@require_GET
def frozen(request: HttpRequest, slug: str, code: str, report: str) -> HttpResponse:
    """A report as it was frozen, and whether what it read has moved since."""
    project, corpus = _corpus(request, slug, code)
    refuse_unknown(request.GET, {"names", "format"})
    kept = get_object_or_404(corpus.reports.select_related("created_by"), code=report)
    found = layer_agreement.thawed(kept)
    if request.GET.get("format") == "json":
        return _json(found, f"alignment-agreement-{kept.code}")
    seed = int(kept.query.removeprefix("seed=") or 0)
    now = layer_agreement.report(corpus, seed=seed)
    context = _context(request, project, corpus, found, kept) | {
        "kept": kept,
        "is_same": now.digest == kept.digest,
    }
    return render(request, "agreement/layers.html", context)


def _context(
    request: HttpRequest,
    project: Project,
    corpus: Corpus,
    found: LayerReport,
    kept: Report | None = None,
) -> dict[str, Any]:
    """What the live and the frozen page share."""
    page = _page(request, project, corpus, found, kept)
    body = found.body
    return {
        "project": project,
        "corpus": corpus,
        "facts": body["facts"],
        "n_pairs": found.n_pairs,
        "capped": found.n_pairs > body["facts"]["pairs"],
        "human": _two(page, body["human"]),
        "all_agree": page.figure(body["all_agree"], ALL, percent=True),
        "people": [
            (page.name(n), body["facts"]["links"][n]) for n in body["facts"]["people"]
        ],
        "rows": [_row(page, row) for row in body["rows"]],
        "pairs": [_pair(page, at, row) for at, row in enumerate(body["pairs"])],
        "states": [
            {**row, **page.figure(row["figure"], ALL)} for row in body["states"]
        ],
        "tables": [
            ("label", _kinds(page, body["by_label"], "label")),
            ("length", _kinds(page, body["by_length"], "length")),
        ],
        "state_names": STATES,
        "tree_tables": [
            _trees(page, body["trees"], "tree", ("f1", "exact")),
            _trees(page, body["deps"], "dep", ("uas", "las")),
        ],
    }


@login_required
@require_GET
def layer_cases(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """The pairs behind a figure: ``of`` names its table, the rest its place there."""
    project, corpus = _corpus(request, slug, code)
    refuse_unknown(request.GET, {"of", "at", "x", "y", "seed", "names", "frozen"})
    if code_of := request.GET.get("frozen"):
        kept = get_object_or_404(corpus.reports, code=code_of)
        found = layer_agreement.thawed(kept)
    else:
        found = layer_agreement.report(corpus, seed=_seed(request))
    codes = _behind(request, found.body)
    context = {
        "project": project,
        "corpus": corpus,
        "rows": layer_agreement.case_rows(corpus, found, codes),
    }
    return render(request, "agreement/layer_cases.html", context)


def _behind(request: HttpRequest, body: dict[str, Any]) -> list[str]:
    table = request.GET.get("of", "")
    at, x, y = (
        whole(request.GET.get(name, ""), 0, MAX_PLACE) for name in ("at", "x", "y")
    )
    try:
        rows = body[TABLES[table]]
        if table == "pair" and request.GET.get("x"):
            return list(rows[at]["confusion"][x][y]["cases"])
        return list(rows[at]["cases"])
    except (TypeError, LookupError) as error:
        raise BadRequest("There is no such figure.", field="of") from error


def _corpus(request: HttpRequest, slug: str, code: str) -> tuple[Project, Corpus]:
    project = access.project_or_404(request.user, slug, "report")
    return project, get_object_or_404(project.corpora, code=code)


def _seed(request: HttpRequest) -> int:
    text = request.GET.get("seed", "0")
    if not (text.isascii() and text.isdigit()) or len(text) > 9:
        raise BadRequest("A seed is a whole number from 0.", field="seed")
    return int(text)


def _page(
    request: HttpRequest,
    project: Project,
    corpus: Corpus,
    found: LayerReport,
    kept: Report | None,
) -> Page:
    hidden = request.GET.get("names") == "0"
    names = (
        {} if hidden or not access.may(request.user, "curate", project) else found.names
    )
    seed = f"seed={_seed(request)}" if _seed(request) else ""
    return Page(
        found.body,
        cases_url=reverse("layer_cases", args=[project.slug, corpus.code]),
        filters=f"frozen={kept.code}" if kept else seed,
        names=names,
    )


def _two(page: Page, row: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        page.figure(row[name], ALL, percent=True) for name in ("recall", "precision")
    ]


def _row(page: Page, row: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": page.name(row["name"]),
        "is_engine": row["is_engine"],
        "n": row["n"],
        "figures": _two(page, row),
    }


def _pair(page: Page, at: int, row: dict[str, Any]) -> dict[str, Any]:
    case = {"of": "pair", "at": str(at)}
    a, b = page.name(row["a"]), page.name(row["b"])
    counts = [[cell["n"] for cell in cells] for cells in row["confusion"]]
    chart = grid_chart(STATES, counts, across=b, down=a, measure=MEASURE)
    same = sum(counts[i][i] for i in range(3))
    said = f"{same} of {sum(map(sum, counts))} nodes are in the same state."
    return {
        "a": a,
        "b": b,
        "n": row["n"],
        "f1": page.figure(row["f1"], case, percent=True),
        "f1_sure": page.figure(row["f1_sure"], case, percent=True),
        "aer": page.figure(row["aer"], case, percent=True),
        "kappa": page.figure(row["kappa"], case),
        "svg": charts.draw(chart, title=f"States of nodes, {a} and {b}", desc=said),
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
    page: Page, rows: list[dict[str, Any]], table: str, names: tuple[str, str]
) -> dict[str, Any]:
    return {
        "title": "Constituents" if table == "tree" else "Dependencies",
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


def _kinds(page: Page, rows: list[dict[str, Any]], table: str) -> list[dict[str, Any]]:
    return [
        {
            **row,
            "percent": f"{100 * row['share']:.1f} %",
            "url": page.url({"of": table, "at": str(at)}) if row["cases"] else "",
        }
        for at, row in enumerate(rows)
    ]


def _json(found: LayerReport, name: str) -> HttpResponse:
    text = json.dumps(found.body, ensure_ascii=False, indent=1)
    response = HttpResponse(text, content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="{name}.json"'
    return response

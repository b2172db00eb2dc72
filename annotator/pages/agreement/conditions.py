"""Table 6 of a report: conditions, their tests, and every choice of thresholds."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from django.http import QueryDict
from django.utils.translation import gettext, gettext_lazy, pgettext_lazy

from annotator.pages.agreement.report import MEASURE, ReportPage, as_percent
from annotator.svg import charts
from core.agreement.judgments.paper import with_published
from core.layout.charts import grid_chart, interval_chart, line_chart

Body = Mapping[str, Any]
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
        "svg": _chart(table, last),
        "strip": _strip(table),
    }


def _ranks(filters: str) -> dict[str, Any]:
    """Which ranks the table counts, in words, and the queries that count others."""
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


def _chart(table: Body, last: str) -> str:
    rows = []
    for row in table["rows"]:
        figure = row["cells"][-1]["figure"]
        values = (figure.get("value"), figure.get("low"), figure.get("high"))
        rows.append((row["condition"], *values))
    ticks = [0, 0.2, 0.4, 0.6, 0.8, 1.0]
    chart = interval_chart(rows, low=0, high=1, ticks=ticks, measure=MEASURE)
    description = "; ".join(
        f"{name} {value:.0%}" for name, value, *_ in rows if value is not None
    )
    return charts.draw(
        chart,
        title=gettext("Share correct on %(scales)s") % {"scales": last},
        desc=description,
    )


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
    grids = _grids(table)
    return {
        "svg": "" if grids else _lines(table, marks, text),
        "grids": grids,
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


def _lines(table: Body, marks: list[str], text: str) -> str:
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
    return charts.draw(chart, title=gettext("Result by thresholds"), desc=text)


def _grids(table: Body) -> list[dict[str, str]]:
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
        made.append({"name": name, "svg": charts.draw(chart, title=title, desc=text)})
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
        "gap": f"{'+' if gap >= 0 else '−'}{abs(100 * gap):.1f}",
        "p": "p < .001" if p < 0.001 else f"p = {p:.3f}".replace("0.", "."),
        "is_sure": p < 0.05,
        "n_both": test["n"],
    }

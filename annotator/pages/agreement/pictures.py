"""The pictures of a report, each with its title and its figures as a table."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from annotator.exchange.written import FORMS, Exported
from annotator.numbers import local
from annotator.svg import charts, figure
from core.layout.charts import FigureChart, bar_chart, interval_chart
from core.layout.measure import GlyphTable

MEASURE = GlyphTable()
DOWNLOADS = ("svg", "png", "csv")
COSTLY = 10  # items in one picture
LONGEST = 40  # characters of an item
Body = Mapping[str, Any]
Interval = tuple[float | None, float | None, float | None]


@dataclass(frozen=True, slots=True)
class ReportChart:
    """``name``: of its file. ``table``: its figures, heads first."""

    name: str
    title: str
    svg: str
    table: Sequence[tuple[Any, ...]]

    def written(self, form: str) -> tuple[bytes, str]:
        """The bytes of a file and its media type; KeyError on a form that is not one
        of ``DOWNLOADS``."""
        if form == "csv":
            heads, *rows = self.table
            file, table = FORMS[form], Exported(tuple(map(str, heads)), rows)
            return b"".join(file.write(table)), file.media
        return figure.convert(self.svg, form), figure.FORMATS[form]


def drawn(
    name: str, title: str, chart: FigureChart, desc: str, table: Sequence[Any]
) -> ReportChart:
    return ReportChart(name, title, charts.draw(chart, title=title, desc=desc), table)


def opening(body: Body, texts: Mapping[str, str]) -> Iterator[ReportChart]:
    """Agreement by scale, the conditions, and the items that cost most; what the report
    does not have is left out. ``texts``: of items, by code."""
    if alphas := list(_alphas(body)):
        yield _agreement(alphas)
    if body["conditions"]:
        yield _conditions(body["conditions"])
    if costs := _costs(body, texts):
        yield _costly(costs)


def _alphas(body: Body) -> Iterator[tuple[str, Any, Any, Any]]:
    """Alpha of each scale, with its interval."""
    for scale in body["scales"]:
        key = "alpha_ordinal" if scale["is_ordered"] else "alpha_nominal"
        found = [*scale["headline"], *scale["more"]]
        alpha = next(row["figure"] for row in found if row["key"] == key)
        if "value" in alpha:
            yield scale["title"], *ends(alpha)


def ends(figure: Body) -> Interval:
    """A figure with the ends of its interval."""
    return figure.get("value"), figure.get("low"), figure.get("high")


def _agreement(rows: list[Any]) -> ReportChart:
    lows = [row[2] for row in rows if row[2] is not None]
    low = min(0.0, math.floor(5 * min(lows, default=0.0)) / 5)
    ticks = [low, *(tick for tick in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0) if tick > low)]
    chart = interval_chart(
        rows, low=low, high=1, ticks=ticks, measure=MEASURE, percent=False
    )
    heads = (_("Scale"), _("Alpha"), _("Low"), _("High"))
    desc = "; ".join(f"{row[0]} {row[1]:.2f}" for row in rows)
    title = _("Agreement by scale: alpha and its 95 % interval")
    return drawn("agreement", title, chart, desc, [heads, *rows])


def _conditions(table: Body) -> ReportChart:
    """Table 6: each condition on each scale at its threshold, then on all."""
    last = _("both") if len(table["columns"]) == 2 else _("all")
    columns = [
        f"{title} ≥ {at:g}"
        for title, at in zip(table["columns"], table["thresholds"], strict=True)
    ]
    columns += [last] if len(columns) > 1 else []
    cells = [
        (row["condition"], column, *ends(cell["figure"]))
        for row in table["rows"]
        for column, cell in zip(columns, row["cells"], strict=False)
    ]
    title = _("Share of judgments that are correct, with 95 % intervals")
    heads = (_("Condition"), _("Correct on"))
    return shares("conditions", title, cells, columns, heads)


def shares(
    name: str,
    title: str,
    cells: Sequence[tuple[str, str, float | None, float | None, float | None]],
    series: Sequence[str],
    heads: tuple[str, str],
) -> ReportChart:
    """Shares with their intervals. ``cells``: row, series, share, low, high, row by
    row; ``heads``: of the first two."""
    chart = interval_chart(
        [(row, value, low, high) for row, _series, value, low, high in cells],
        low=0,
        high=1,
        ticks=[0, 0.2, 0.4, 0.6, 0.8, 1.0],
        measure=MEASURE,
        series=series,
    )
    desc = "; ".join(
        f"{row}, {column} {value:.0%}"
        for row, column, value, _low, _high in cells
        if value is not None
    )
    table = [(*heads, _("Share"), _("Low"), _("High")), *cells]
    return drawn(name, title, chart, desc, table)


def _costs(body: Body, texts: Mapping[str, str]) -> list[tuple[str, str, float]]:
    """Item, its text and what alpha gains without it, those that cost most first."""
    rows = [row for row in body["disagreements"] if row["leverage"] > 0]
    rows.sort(key=lambda row: -row["leverage"])
    return [
        (row["item"], texts.get(row["item"]) or row["item"], row["leverage"])
        for row in rows[:COSTLY]
    ]


def _costly(rows: list[tuple[str, str, float]]) -> ReportChart:
    bars = [(text, cost, local(f"+{cost:.3f}")) for _item, text, cost in rows]
    chart = bar_chart(bars, measure=MEASURE, longest=LONGEST)
    desc = "; ".join(f"{text} {cost}" for text, _cost, cost in bars)
    heads = (_("Item"), _("Text"), _("Alpha gained without it"))
    title = _("Items that cost most: alpha gained without each")
    return drawn("items", title, chart, desc, [heads, *rows])

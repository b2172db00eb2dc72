"""A report's values as its page shows them: texts, addresses, drawings."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from annotator.svg import charts
from core.agreement.judgments.published import beside_published
from core.agreement.judgments.report import BETWEEN
from core.agreement.words import WORDS
from core.layout.charts import Flag, grid_chart, interval_chart, line_chart
from core.layout.measure import GlyphTable

__all__ = ["MEASURE", "SECTIONS", "ReportPage", "shown_scales"]

SECTIONS = (
    ("headline", "Headline"),
    ("pairs", "Pairs"),
    ("confusion", "Confusion"),
    ("judges", "Annotators"),
    ("conditions", "Conditions"),
    ("disagreements", "Disagreements"),
    ("alignment", "Alignment"),
    ("methods", "Methods"),
)
MATRIX_AT_MOST = 30  # annotators in one matrix
LINES_AT_MOST = 12  # annotators in the chart of drift
MEASURE = GlyphTable()
Body = Mapping[str, Any]


class ReportPage:
    """Turns a report's body into what templates print.

    ``cases_url``: where the items behind a figure are listed, "" if nowhere (a frozen
    report of data that is gone). ``filters``: to be kept in every address. ``names``:
    whom a label stands for; labels alone if empty.
    """

    def __init__(
        self, body: Body, *, cases_url: str, filters: str, names: Mapping[str, str]
    ) -> None:
        self.body, self.cases_url, self.filters = body, cases_url, filters
        self.names, self.simulated = names, set(body["facts"].get("simulated", ()))

    def name(self, label: str) -> str:
        """The annotator as this reader may see them."""
        name = self.names.get(label, label)
        is_told = label not in self.simulated or "simulated" in name
        return name if is_told else f"{name} (simulated)"

    def url(self, case: Mapping[str, str]) -> str:
        """The address of the items in a case."""
        if not self.cases_url:
            return ""
        parts = [urlencode(case), self.filters]
        return f"{self.cases_url}?{'&'.join(part for part in parts if part)}"

    def figure(
        self, figure: Body, case: Mapping[str, str], *, percent: bool = False
    ) -> dict[str, Any]:
        """``text, interval, n, reason, url`` of a figure."""
        show = as_percent if percent else as_number
        if "undefined" in figure:
            return {
                "text": "undefined",
                "reason": figure["undefined"],
                "n": figure["n"],
                "url": self.url(case),
            }
        interval = ""
        if figure["low"] is not None:
            interval = f"{show(figure['low'])} to {show(figure['high'])}"
        return {
            "text": show(figure["value"]),
            "interval": interval,
            "note": figure.get("note", ""),
            "n": figure["n"],
            "url": self.url(case),
        }

    def headline(self, scale: Body) -> list[dict[str, Any]]:
        """The measures that are always shown, with those after the threshold."""
        rows = [self._measure(row) for row in scale["headline"]]
        for row in scale["cut"] or []:
            shown = self._measure(row)
            shown["name"] += f", cut at ≥ {scale['threshold']:g}"
            if row["key"] == "raw":
                shown["name"] = f"Same side of the threshold, ≥ {scale['threshold']:g}"
            rows.append(shown)
        return rows

    def more(self, scale: Body) -> list[dict[str, Any]]:
        return [self._measure(row) for row in scale["more"]]

    def _measure(self, row: Body) -> dict[str, Any]:
        percent = row["key"].startswith("raw")
        shown = self.figure(row["figure"], row["case"], percent=percent)
        return {
            "name": row["name"],
            "formula": row["formula"],
            "source": row["source"],
            **shown,
        }

    def matrix(self, scale: Body, measure: str) -> dict[str, Any]:
        """Values above the diagonal, numbers of common items below it."""
        judges = sorted(scale["judges"], key=lambda judge: -judge["n"])
        labels = [judge["annotator"] for judge in judges][:MATRIX_AT_MOST]
        labels.sort(key=_in_order)
        pairs = {frozenset((pair["a"], pair["b"])): pair for pair in scale["pairs"]}
        rows = [
            {
                "name": self.name(a),
                "cells": [
                    self._matrix_cell(i, j, pairs.get(frozenset((a, b))), measure)
                    for j, b in enumerate(labels)
                ],
            }
            for i, a in enumerate(labels)
        ]
        return {
            "names": [self.name(label) for label in labels],
            "rows": rows,
            "left_out": len(judges) - len(labels),
            "measure": WORDS[measure].name,
            "n_pairs": len(scale["pairs"]),
        }

    def _matrix_cell(
        self, i: int, j: int, pair: Body | None, measure: str
    ) -> dict[str, Any]:
        if i == j:
            return {"text": "", "kind": "self"}
        if pair is None:
            return {"text": "", "kind": "none", "reason": "no common item"}
        if i > j:
            return {"text": pair["n"], "kind": "n", "url": self.url(pair["case"])}
        shown = self.figure(
            pair["figures"][measure], pair["case"], percent=measure == "raw"
        )
        short = "–" if "reason" in shown else shown["text"]
        return {**shown, "text": short, "kind": "value", "few": pair["few"]}

    def confusion(self, scale: Body) -> dict[str, Any]:
        """The table with an address behind every number, and its drawing."""
        table = scale["confusion"]
        rows = [
            {
                "label": label,
                "cells": [
                    {
                        "n": n,
                        "url": self.url(
                            table["case"]
                            | {"values": f"{asked}{BETWEEN}{table['asked'][j]}"}
                        )
                        if n
                        else "",
                    }
                    for j, n in enumerate(row)
                ],
            }
            for label, asked, row in zip(
                table["labels"], table["asked"], table["counts"], strict=True
            )
        ]
        total = sum(map(sum, table["counts"]))
        same = sum(row[i] for i, row in enumerate(table["counts"]))
        chart = grid_chart(
            table["labels"],
            table["counts"],
            across="second judge",
            down="first judge",
            measure=MEASURE,
        )
        said = f"{same} of {total} pairs of judgments lie on the diagonal."
        return {
            "labels": table["labels"],
            "rows": rows,
            "total": total,
            "svg": charts.draw(chart, title=f"Confusion, {scale['title']}", desc=said),
        }

    def judges(self, scale: Body) -> list[dict[str, Any]]:
        """One row for each annotator."""
        return [self._judge(scale, row) for row in scale["judges"]]

    def _judge(self, scale: Body, row: Body) -> dict[str, Any]:
        case, asked = row["case"], scale["confusion"]["asked"]
        used = [
            {
                "n": n,
                "share": f"{n / row['n']:.0%}",
                "level": round(10 * n / row["n"]),
                "url": self.url(case | {"value": value}) if n else "",
            }
            for n, value in zip(row["used"], asked, strict=True)
        ]
        return {
            "name": self.name(row["annotator"]),
            "n": row["n"],
            "url": self.url(case),
            "used": used,
            "bias": self.figure(row["bias"], case | {"shared": "1"}),
            "repeat": self.figure(row["repeat"], case | {"again": "1"}, percent=True),
            "gold": self.figure(row["gold"], case | {"gold": "1"}, percent=True),
            "seconds": row["seconds"],
        }

    def drift(self, scale: Body) -> dict[str, Any] | None:
        """Bias by fifths of each annotator's time; None if nobody shares items."""
        judges = [row for row in scale["judges"] if len(row["drift"]) > 1]
        judges = sorted(judges, key=lambda row: -row["n"])[:LINES_AT_MOST]
        if not judges:
            return None
        judges.sort(key=lambda row: _in_order(row["annotator"]))
        most = max(abs(mean) for row in judges for _, mean in row["drift"])
        edge = max(0.5, round(most + 0.25, 1))
        parts = max(len(row["drift"]) for row in judges)
        series = [
            (self.name(row["annotator"]), [mean for _, mean in row["drift"]])
            for row in judges
        ]
        chart = line_chart(
            series,
            [f"{i + 1}" for i in range(parts)],
            low=-edge,
            high=edge,
            ticks_y=[-edge, 0.0, edge],
            measure=MEASURE,
            note_x="fifths of each annotator's shared items, in the order judged",
            percent=False,
            flags=self._guidelines(judges, parts),
        )
        said = "; ".join(
            f"{name} from {values[0]:+.2f} to {values[-1]:+.2f}"
            for name, values in series
        )
        title = f"Drift, {scale['title']}: own value less the others'"
        return {
            "svg": charts.draw(chart, title=title, desc=said),
            "rows": [self._drift_row(row) for row in judges],
            "parts": range(1, parts + 1),
            "has_flags": any(row.get("guidelines") for row in judges),
        }

    def _drift_row(self, row: Body) -> dict[str, Any]:
        told = [f"{v} after {share:.0%}" for v, share in row.get("guidelines", [])]
        values = [f"{mean:+.2f}" for _, mean in row["drift"]]
        name = self.name(row["annotator"])
        return {"name": name, "values": values, "guidelines": told}

    def _guidelines(self, judges: list[Body], parts: int) -> list[Flag]:
        """Where each annotator went over to another version of the guideline."""
        flags = []
        for at, row in enumerate(judges):
            who = self.name(row["annotator"])
            for version, share in row.get("guidelines", []):  # none in an older report
                title = f"{who}: guideline {version} from here on"
                place = share * parts - 0.5  # a point is in the middle of its part
                flags.append(Flag(at, place, f"g{version}", title))
        return flags

    def conditions(self) -> dict[str, Any] | None:
        """Table 6 with coverage, intervals, tests; None without conditions."""
        table = self.body["conditions"]
        if not table:
            return None
        last = "both" if len(table["columns"]) == 2 else "all"
        heads = [
            f"{title} ≥ {at:g}"
            for title, at in zip(table["columns"], table["thresholds"], strict=True)
        ]
        return {
            "heads": [*heads, last],
            "rows": [self._condition(table, row) for row in table["rows"]],
            "baseline": table["baseline"],
            "instances": table["instances"],
            "published": beside_published(table),
            "decided": table.get("decided", 0),
            "svg": self._condition_chart(table, last),
            "strip": self._strip(table),
        }

    def _condition(self, table: Body, row: Body) -> dict[str, Any]:
        tests = row["tests"] or [None] * len(row["cells"])
        cells = [
            self.figure(cell["figure"], cell["case"], percent=True) | _test(test)
            for cell, test in zip(row["cells"], tests, strict=True)
        ]
        return {
            "name": row["condition"],
            "cells": cells,
            "covered": row["covered"],
            "judged": row["judged"],
            "url": self.url({"made": row["condition"]}),
        }

    def _condition_chart(self, table: Body, last: str) -> str:
        rows = []
        for row in table["rows"]:
            found = row["cells"][-1]["figure"]
            values = (found.get("value"), found.get("low"), found.get("high"))
            rows.append((row["condition"], *values))
        ticks = [0, 0.2, 0.4, 0.6, 0.8, 1.0]
        chart = interval_chart(rows, low=0, high=1, ticks=ticks, measure=MEASURE)
        said = "; ".join(
            f"{name} {value:.0%}" for name, value, *_ in rows if value is not None
        )
        return charts.draw(chart, title=f"Share correct on {last}", desc=said)

    def _strip(self, table: Body) -> dict[str, Any] | None:
        strip = table["strip"]
        if not strip:
            return None
        rows, names = strip["rows"], strip["conditions"]
        marks = ["/".join(f"{at:g}" for at in row["at"]) for row in rows]
        series = [
            (name, [row["all"][c] for row in rows]) for c, name in enumerate(names)
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
        best = [_best(row["all"], names) for row in rows]
        known = [name for name in best if name]
        top = max(set(known), key=known.count) if known else ""
        said = (
            f"{top or 'None'} is best under {known.count(top)} of {len(rows)} choices."
        )
        return {
            "svg": charts.draw(chart, title="Result by thresholds", desc=said),
            "said": said,
            "conditions": names,
            "rows": [
                _choice(mark, found, row, table["names"])
                for mark, found, row in zip(marks, best, rows, strict=True)
            ],
        }


def shown_scales(body: Body, wanted: str) -> list[Body]:
    """The scales to show: all, or the one that is asked for."""
    return [s for s in body["scales"] if wanted in ("", s["name"])]


def as_number(value: float) -> str:
    """Two decimals with a real minus sign."""
    text = f"{value:.2f}"
    return (text if text != "-0.00" else "0.00").replace("-", "−")


def as_percent(value: float) -> str:
    return f"{100 * value:.1f} %".replace("-", "−")


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


def _in_order(label: str) -> tuple[str, int]:
    """A2 before A10."""
    digits = label.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    return (label, 0) if not digits.isdigit() else ("", int(digits))

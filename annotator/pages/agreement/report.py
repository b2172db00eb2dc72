"""A report's values as its page shows them: texts, addresses, drawings."""

import math
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from annotator.numbers import as_number, as_percent, local
from annotator.pages.agreement.pictures import MEASURE, drawn
from annotator.pages.agreement.words import in_words, of_measure, term_of
from annotator.svg import charts
from core.agreement.judgments.report import BETWEEN
from core.agreement.measures import MEASURES
from core.layout.charts import Flag, grid_chart, line_chart

SECTIONS = (
    ("headline", gettext_lazy("Summary")),
    ("pairs", pgettext_lazy("of annotators", "Pairs")),
    ("confusion", gettext_lazy("Confusion")),
    ("judges", gettext_lazy("Annotators")),
    ("conditions", gettext_lazy("Conditions")),
    ("disagreements", gettext_lazy("Disagreements")),
    ("alignment", gettext_lazy("Alignment")),
    ("methods", gettext_lazy("Methods")),
)
MATRIX_AT_MOST = 30  # annotators in one matrix
LINES_AT_MOST = 12  # annotators in the chart of drift
Body = Mapping[str, Any]


class ReportPage:
    """Turns a report's body into what templates print.

    ``cases_url``: the list of items behind a figure, "" if there is none (a frozen
    report of deleted data). ``filters``: kept in every address. ``names``: the person
    of each label; labels alone if empty.
    """

    def __init__(
        self, body: Body, *, cases_url: str, filters: str, names: Mapping[str, str]
    ) -> None:
        self.body, self.cases_url, self.filters = body, cases_url, filters
        self.names, self.simulated = names, set(body["facts"].get("simulated", ()))
        self.machines = body["facts"].get("machines", {})

    def name(self, label: str) -> str:
        """The annotator as this reader may see them."""
        if label in self.machines:
            model = {"name": label, "model": self.machines[label]}
            return _("%(name)s (machine, %(model)s)") % model
        name = self.names.get(label, label)
        is_marked = label not in self.simulated or "simulated" in name
        return name if is_marked else _("%(name)s (simulated)") % {"name": name}

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
                "text": _("undefined"),
                "reason": in_words(figure["undefined"]),
                "n": figure["n"],
                "url": self.url(case),
            }
        interval = ""
        if figure["low"] is not None:
            ends = {"low": show(figure["low"]), "high": show(figure["high"])}
            interval = _("%(low)s to %(high)s") % ends
        return {
            "text": show(figure["value"]),
            "interval": interval,
            "note": in_words(figure.get("note", "")),
            "n": figure["n"],
            "url": self.url(case),
        }

    def headline(self, scale: Body) -> list[dict[str, Any]]:
        """The measures that are always shown, with those after the threshold."""
        rows = [self._measure(row) for row in scale["headline"]]
        for row in scale["cut"] or []:
            shown = self._measure(row)
            values = {"name": shown["name"], "at": f"{scale['threshold']:g}"}
            if row["key"] == "raw":
                shown["name"] = _("Same side of the threshold, ≥ %(at)s") % values
            else:
                shown["name"] = _("%(name)s, cut at ≥ %(at)s") % values
            rows.append(shown)
        return _drawn(rows, [*scale["headline"], *(scale["cut"] or [])])

    def best(self, scale: Body) -> dict[str, Any] | None:
        """Best-worst scores; None on other scales and in reports that were frozen
        before there were any."""
        best = scale.get("best")
        if best is None:
            return None
        shown = []
        for row in best["conditions"]:
            strength = row.get("strength")
            told = "" if strength is None else as_number(strength)
            score = as_number(row["score"])
            shown.append({**row, "score": score, "strength": told})
        compared = [
            {**row, "share": self.figure(row["share"], {}, percent=True)}
            for row in best.get("preferences", ())
        ]
        reliability = self.figure(best["reliability"], {})
        more = {"preferences": compared, "reliability": reliability}
        return {**best, "conditions": shown, **more}

    def open(self) -> list[dict[str, Any]]:
        """Texts, and how far marked words agree; none in reports frozen before."""
        return [
            {
                **row,
                "share": as_percent(row["marked"] / max(row["words"], 1)),
                "f1": self.figure(row["f1"], {}),
                "measures": [
                    {**self._measure(one), "url": ""} for one in row["measures"]
                ],
            }
            if row["kind"] == "spans"
            else {**row, "by_item": self._texts(row["texts"])}
            for row in self.body.get("open", [])
        ]

    def _texts(self, texts: list[Body]) -> list[dict[str, str]]:
        """Texts with the names that this page shows."""
        return [{**one, "name": self.name(one["annotator"])} for one in texts]

    def more(self, scale: Body) -> list[dict[str, Any]]:
        """The other measures."""
        return _drawn([self._measure(row) for row in scale["more"]], scale["more"])

    def _measure(self, row: Body) -> dict[str, Any]:
        percent = row["key"].startswith("raw")
        shown = self.figure(row["figure"], row["case"], percent=percent)
        return {
            "name": of_measure(row["name"]),
            "term": term_of(row["key"]),
            "formula": of_measure(row["formula"]),
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
            "measure": of_measure(MEASURES[measure].name),
            "n_pairs": len(scale["pairs"]),
        }

    def _matrix_cell(
        self, i: int, j: int, pair: Body | None, measure: str
    ) -> dict[str, Any]:
        if i == j:
            return {"text": "", "kind": "self"}
        if pair is None:
            return {"text": "", "kind": "none", "reason": _("no common item")}
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
                            | {"values": f"{values}{BETWEEN}{table['asked'][j]}"}
                        )
                        if n
                        else "",
                    }
                    for j, n in enumerate(row)
                ],
            }
            for label, values, row in zip(
                table["labels"], table["asked"], table["counts"], strict=True
            )
        ]
        total = sum(map(sum, table["counts"]))
        same = sum(row[i] for i, row in enumerate(table["counts"]))
        first, second = self._two(scale)
        chart = grid_chart(
            table["labels"],
            table["counts"],
            across=second,
            down=first,
            measure=MEASURE,
        )
        description = _("%(n)s of %(all)s pairs of judgments are on the diagonal.")
        title = _("Confusion, %(scale)s") % {"scale": scale["title"]}
        counts = {"n": same, "all": total}
        return {
            "labels": table["labels"],
            "rows": rows,
            "total": total,
            "first": first,
            "second": second,
            "chart": drawn(
                f"confusion-{self._number(scale)}",
                title,
                chart,
                description % counts,
                [
                    (f"{first} ↓ {second} →", *table["labels"]),
                    *((r["label"], *(cell["n"] for cell in r["cells"])) for r in rows),
                ],
            ),
        }

    def _number(self, scale: Body) -> int:
        """The place of the scale among all, from 1: names may hold any character."""
        return 1 + [one["name"] for one in self.body["scales"]].index(scale["name"])

    def _two(self, scale: Body) -> tuple[str, str]:
        """What the rows and the columns of a table of confusion are: the names of two
        annotators, or the rule for more."""
        labels = sorted((row["annotator"] for row in scale["judges"]), key=_in_order)
        if len(labels) == 2:
            return self.name(labels[0]), self.name(labels[1])
        return _("first judge"), _("second judge")

    def of_machines(self) -> list[dict[str, Any]]:
        """Machine annotators against people; [] in reports without any."""
        return [
            {
                **row,
                "scales": [
                    {
                        "title": scale["title"],
                        "agreement": self.figure(scale["agreement"], {}) | {"url": ""},
                        "bias": self.figure(scale["bias"], {}) | {"url": ""},
                        "gold": self.figure(scale["gold"], {}, percent=True)
                        | {"url": ""},
                        "people": [as_number(end) for end in scale["people"] or ()],
                    }
                    for scale in row["scales"]
                ],
            }
            for row in self.body.get("machines", ())
        ]

    def judges(self, scale: Body) -> list[dict[str, Any]]:
        """One row for each annotator."""
        return [self._judge(scale, row) for row in scale["judges"]]

    def _judge(self, scale: Body, row: Body) -> dict[str, Any]:
        case, values = row["case"], scale["confusion"]["asked"]
        used = [
            {
                "n": n,
                "share": f"{n / row['n']:.0%}",
                "level": round(10 * n / row["n"]),
                "url": self.url(case | {"value": value}) if n else "",
            }
            for n, value in zip(row["used"], values, strict=True)
        ]
        return {
            "name": self.name(row["annotator"]),
            "n": row["n"],
            "url": self.url(case),
            "used": used,
            "bias": self.figure(row["bias"], case | {"shared": "1"}),
            "repeat": self.figure(row["repeat"], case | {"again": "1"}, percent=True),
            "gold": self.figure(row["gold"], case | {"gold": "1"}, percent=True),
            "seconds": row.get("mean_s"),
            "median": row.get("seconds"),  # in reports that were frozen earlier
        }

    def drift(self, scale: Body) -> dict[str, Any] | None:
        """Bias by fifths of each annotator's time; None if no one shares items."""
        judges = [row for row in scale["judges"] if len(row["drift"]) > 1]
        judges = sorted(judges, key=lambda row: -row["n"])[:LINES_AT_MOST]
        if not judges:
            return None
        judges.sort(key=lambda row: _in_order(row["annotator"]))
        most = max(abs(mean) for row in judges for _n, mean in row["drift"])
        edge = max(0.5, round(most + 0.25, 1))
        parts = max(len(row["drift"]) for row in judges)
        series = [
            (self.name(row["annotator"]), [mean for _n, mean in row["drift"]])
            for row in judges
        ]
        chart = line_chart(
            series,
            [f"{i + 1}" for i in range(parts)],
            low=-edge,
            high=edge,
            ticks_y=[-edge, 0.0, edge],
            measure=MEASURE,
            note_x=_("fifths of each annotator's shared items, in the order judged"),
            percent=False,
            flags=self._guidelines(judges, parts),
        )
        description = "; ".join(_from_to(name, values) for name, values in series)
        title = _("Drift, %(scale)s: own value minus the others'")
        heads = (_("Annotator"), *range(1, parts + 1))
        return {
            "chart": drawn(
                f"drift-{self._number(scale)}",
                title % {"scale": scale["title"]},
                chart,
                description,
                [heads, *((name, *_padded(values, parts)) for name, values in series)],
            ),
            "rows": [self._drift_row(row) for row in judges],
            "parts": range(1, parts + 1),
            "has_flags": any(row.get("guidelines") for row in judges),
        }

    def _drift_row(self, row: Body) -> dict[str, Any]:
        guidelines = [
            _("%(version)s after %(share)s") % {"version": v, "share": f"{share:.0%}"}
            for v, share in row.get("guidelines", [])
        ]
        values = [local(f"{mean:+.2f}") for _n, mean in row["drift"]]
        name = self.name(row["annotator"])
        return {"name": name, "values": values, "guidelines": guidelines}

    def _guidelines(self, judges: list[Body], parts: int) -> list[Flag]:
        """Where each annotator went over to another version of the guideline."""
        flags = []
        for at, row in enumerate(judges):
            who = self.name(row["annotator"])
            for version, share in row.get("guidelines", []):  # none in an older report
                title = _("%(who)s: guidelines version %(version)s from here on") % {
                    "who": who,
                    "version": version,
                }
                place = share * parts - 0.5  # a point is in the middle of its part
                flags.append(Flag(at, place, f"g{version}", title))
        return flags


def shown_scales(body: Body, wanted: str) -> list[Body]:
    """The scales to show: all, or the one that is asked for."""
    return [s for s in body["scales"] if wanted in ("", s["name"])]


def _drawn(shown: list[dict[str, Any]], rows: list[Body]) -> list[dict[str, Any]]:
    """What is shown of the rows, each with its interval on the line of them all."""
    figures = [row["figure"] for row in rows]
    lows = [one["low"] for one in figures if one.get("low") is not None]
    first = min(0.0, math.floor(5 * min(lows, default=0.0)) / 5)
    for one, figure in zip(shown, figures, strict=True):
        if figure.get("low") is not None:
            ends = (figure["value"], figure["low"], figure["high"])
            one["drawing"] = charts.draw_interval(*ends, first=first)
    return shown


def _from_to(name: str, values: list[float]) -> str:
    return _("%(name)s from %(first)s to %(last)s") % {
        "name": name,
        "first": local(f"{values[0]:+.2f}"),
        "last": local(f"{values[-1]:+.2f}"),
    }


def _padded(values: list[float], n: int) -> list[float | None]:
    return [*values, *[None] * (n - len(values))]


def _in_order(label: str) -> tuple[str, int]:
    """A2 before A10."""
    digits = label.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    return (label, 0) if not digits.isdigit() else ("", int(digits))

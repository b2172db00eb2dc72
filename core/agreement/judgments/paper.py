"""A report for a paper: the methods as text, LaTeX tables, CSV.

Next to it stands Table 6 of Callison-Burch 2008 as published.
"""

import csv
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from core.data.cells import plain_cell

Body = Mapping[str, Any]
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "≥": r"$\geq$",
    "−": "--",
}
_ESCAPED = re.compile("[" + re.escape("".join(_SPECIAL)) + "]")


def methods(body: Body) -> list[str]:
    """Paragraphs that say what was measured and how, from the figures themselves."""
    facts = body["facts"]
    text = [
        f"{facts['judgments']:,} judgments of {facts['items']:,} items by "
        f"{facts['annotators']} annotators were analysed; items come from "
        f"{facts['clusters']:,} source phrases or sentences."
    ]
    if facts.get("simulated"):
        text.append(
            f"Annotators {', '.join(facts['simulated'])} are simulated: these figures "
            "show the method and say nothing about people."
        )
    text += [_of_scale(scale) for scale in body["scales"]]
    if facts["extra"]:
        text.append(
            f"{facts['extra']} judgments by further judges, sent where two differed, "
            "are left out of agreement, which they would understate."
        )
    table = body.get("conditions")
    if table:
        text.append(_of_conditions(table))
    text.append(
        f"Intervals are 95 % percentile intervals over {facts['replicates']:,} "
        "bootstrap replicates that resample whole source phrases or sentences (seed "
        f"{facts['seed']}). Computed by Gemel {facts.get('version', '')}{_hash(facts)}."
    )
    return text


def _of_scale(scale: Body) -> str:
    rows = {row["key"]: row["figure"] for row in [*scale["headline"], *scale["more"]]}
    start = (
        f"{scale['title']}: {scale['shared']:,} items have two judges or more; they "
    )
    raw = rows["raw"]
    if "undefined" in raw:
        return f"{scale['title']}: agreement is undefined ({raw['undefined']})."
    text = start + f"gave the same value in {_percent(raw)} of pairs"
    kappa = rows["k_uniform"]
    if "value" in kappa:
        text += f" (K = {kappa['value']:.2f} with chance 1/{len(scale['labels'])})"
    cut = {row["key"]: row["figure"] for row in scale["cut"] or []}
    if cut and "value" in cut["raw"] and "value" in cut["k_uniform"]:
        text += (
            f", and fell on the same side of the threshold {scale['threshold']:g} in "
            f"{_percent(cut['raw'])} (K = {cut['k_uniform']['value']:.2f} with chance "
            "1/2)"
        )
    for key, name in (
        ("cohen_quadratic", "quadratic weighted kappa"),
        ("alpha_ordinal", "ordinal alpha"),
        ("ac2", "AC2 with quadratic weights"),
    ):
        if "value" in rows[key]:
            text += f"; {name} {_plain(rows[key])}"
    return text + "."


def _of_conditions(table: Body) -> str:
    cuts = ", ".join(
        f"{title.lower()} at {at:g} or more"
        for title, at in zip(table["columns"], table["thresholds"], strict=True)
    )
    return (
        f"A judgment counts as correct for {cuts}. An item scores the mean over its "
        "judges; an item that several conditions produced was judged once and counts "
        f"for each. Differences from the baseline ({table['baseline']}) are taken over "
        "the instances that both cover, and tested by flipping signs of whole source "
        "phrases; p values are corrected after Holm within each column."
    )


def latex(body: Body) -> str:
    """Two tables in booktabs style: agreement, and conditions where there are any."""
    parts = ["% needs \\usepackage{booktabs}", *_agreement_table(body)]
    if body.get("conditions"):
        parts += ["", *_condition_table(body["conditions"])]
    return "\n".join(parts) + "\n"


def _agreement_table(body: Body) -> Iterator[str]:
    yield r"\begin{tabular}{llrrr}"
    yield r"\toprule"
    yield r"Scale & Measure & Value & 95\,\% interval & $n$ \\"
    for scale in body["scales"]:
        yield r"\midrule"
        cut = [
            {**row, "name": f"{row['name']}, value ≥ {scale['threshold']:g}"}
            for row in scale["cut"] or []
        ]
        for row in [*scale["headline"], *cut]:
            name = escape(scale["title"]), escape(row["name"])
            yield f"{name[0]} & {name[1]} & {_cells(row['figure'])} \\\\"
    yield r"\bottomrule"
    yield r"\end{tabular}"


def _condition_table(table: Body) -> Iterator[str]:
    names = [f"correct {title.lower()}" for title in table["columns"]]
    names.append("both" if len(names) == 2 else "all")
    yield r"\begin{tabular}{l" + "r" * (len(names) + 1) + "}"
    yield r"\toprule"
    yield " & ".join(["", *map(escape, names), r"coverage \\"])
    yield r"\midrule"
    for row in table["rows"]:
        tests = row["tests"] or [None] * len(row["cells"])
        cells = [
            _cell(cell["figure"], test)
            for cell, test in zip(row["cells"], tests, strict=True)
        ]
        yield " & ".join([escape(row["condition"]), *cells, f"{row['covered']} \\\\"])
    yield r"\bottomrule"
    yield r"\end{tabular}"
    yield f"% * p < .05 after Holm, against {table['baseline']}"


def _cell(figure: Body, test: Body | None) -> str:
    if "value" not in figure:
        return "--"
    star = "$^{*}$" if test and test["n"] and test["p_holm"] < 0.05 else ""
    return f"{figure['value']:.2f}".removeprefix("0") + star


def _cells(figure: Body) -> str:
    if "value" not in figure:
        return f"-- & \\multicolumn{{2}}{{l}}{{{escape(figure['undefined'])}}}"
    if figure["low"] is None:
        return f"{figure['value']:.3f} & & {figure['n']}"
    low, high = figure["low"], figure["high"]
    return f"{figure['value']:.3f} & [{low:.3f}, {high:.3f}] & {figure['n']}"


def escape(text: str) -> str:
    """Return the text with LaTeX's special characters escaped."""
    return _ESCAPED.sub(lambda match: _SPECIAL[match.group()], text)


HEADER = (
    "section",
    "scale",
    "name",
    "a",
    "b",
    "value",
    "low",
    "high",
    "n",
    "p_holm",
    "undefined",
)


def table_rows(body: Body) -> Iterator[dict[str, Any]]:
    """Every figure of the report as one row under ``HEADER``."""
    for scale in body["scales"]:
        name = scale["name"]
        for row in [*scale["headline"], *scale["more"]]:
            yield _figure("agreement", name, row["key"], row["figure"])
        for row in scale["cut"] or []:
            yield _figure("threshold", name, row["key"], row["figure"])
        for pair in scale["pairs"]:
            for key, figure in pair["figures"].items():
                yield _figure("pair", name, key, figure, a=pair["a"], b=pair["b"])
        for judge in scale["judges"]:
            for key in ("bias", "repeat", "gold"):
                yield _figure("judge", name, key, judge[key], a=judge["annotator"])
    table = body.get("conditions")
    if not table:
        return
    for row in table["rows"]:
        names = [*table["names"], "all"]
        for at, cell in enumerate(row["cells"]):
            yield _figure(
                "condition", names[at], "correct", cell["figure"], a=row["condition"]
            )
        for at, test in enumerate(row["tests"] or []):
            yield _figure(
                "difference",
                names[at],
                "from baseline",
                test["figure"],
                a=row["condition"],
                b=table["baseline"],
            ) | {"p_holm": test["p_holm"]}


def to_csv(rows: Iterator[dict[str, Any]]) -> str:
    """The rows as CSV with a header; cells that a spreadsheet would run are quoted."""
    out = io.StringIO()
    writer = csv.DictWriter(out, HEADER, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({key: plain_cell(value) for key, value in row.items()})
    return out.getvalue()


def _figure(
    section: str, scale: str, name: str, figure: Body, *, a: str = "", b: str = ""
) -> dict[str, Any]:
    row: dict[str, Any] = {"section": section, "scale": scale, "name": name}
    row |= {"a": a, "b": b}
    for key in ("value", "low", "high", "n", "undefined"):
        row[key] = figure.get(key)
    return row


def _percent(figure: Body) -> str:
    return f"{figure['value']:.0%}"


def _plain(figure: Body) -> str:
    if figure["low"] is None:
        return f"{figure['value']:.2f}"
    return f"{figure['value']:.2f} [{figure['low']:.2f}, {figure['high']:.2f}]"


def _hash(facts: Body) -> str:
    return f", data hash {facts['digest'][:12]}" if facts.get("digest") else ""


PLACES = 1195
"""Sentences that paraphrases were put into: what coverage is a share of."""


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """Shares of judgments: meaning of 3 or more, grammar of 4 or more, both.

    ``covered``: sentences of the 1,195 that the condition had a paraphrase for.
    """

    title: str
    meaning: float
    grammar: float
    both: float
    covered: int


TABLE_6 = {
    "baseline": PublishedRow("Baseline", 0.56, 0.35, 0.30, 1194),
    "baseline+lm": PublishedRow("Baseline+LM", 0.46, 0.44, 0.36, 1194),
    "extraction": PublishedRow("Extraction Constraints", 0.62, 0.57, 0.46, 1142),
    "extraction+lm": PublishedRow("Extraction Const+LM", 0.60, 0.65, 0.50, 1142),
    "substitution": PublishedRow("Substitution Constraints", 0.60, 0.60, 0.50, 876),
    "substitution+lm": PublishedRow("Substitution Const+LM", 0.61, 0.68, 0.54, 876),
    "averaged": PublishedRow("Avg Substitution Const", 0.62, 0.61, 0.51, 876),
    "averaged+lm": PublishedRow("Avg Substit Const+LM", 0.61, 0.68, 0.55, 876),
}
_SHORT = {"extract": "extraction", "subst": "substitution", "subst-avg": "averaged"}


def published_row(condition: str) -> PublishedRow | None:
    """The paper's row of a condition, by its name here or a short one such as
    "subst-avg-lm"; None for any other."""
    name = condition.strip().lower().replace("+lm", "-lm")
    plain = name.removesuffix("-lm")
    ending = "+lm" if plain != name else ""
    return TABLE_6.get(_SHORT.get(plain, plain) + ending)


def with_published(table: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Rows of a report's table of conditions next to the paper's.

    ``cells``: published and own share, None where nothing was judged, for meaning,
    grammar and both; ``share``, ``paper_share``: coverage. Empty unless the report
    asks of a judgment what the paper does: meaning of 3, grammar of 4 or more.
    """
    thresholds = dict(zip(table["names"], table["thresholds"], strict=True))
    if thresholds != {"meaning": 3.0, "grammar": 4.0}:
        return []
    order = [*(table["names"].index(name) for name in ("meaning", "grammar")), 2]
    rows = []
    for row in table["rows"]:
        paper = published_row(row["condition"])
        if paper is not None:
            theirs = (paper.meaning, paper.grammar, paper.both)
            ours = [row["cells"][at]["figure"].get("value") for at in order]
            rows.append(
                {
                    "name": row["condition"],
                    "paper": paper,
                    "cells": list(zip(theirs, ours, strict=True)),
                    "share": row["covered"] / max(table["instances"], 1),
                    "paper_share": paper.covered / PLACES,
                }
            )
    return rows

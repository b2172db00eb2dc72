"""Table 6 of Callison-Burch 2008 as published, to stand next to a campaign's own."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

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

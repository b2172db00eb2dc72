"""A report of agreement as plain values, for pages, files and frozen reports. Judges
are identified by labels.

Every figure names its *case*: what the items behind it have in common, as the
parameters of an address (see ``core.agreement.judgments.items.Case``).
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from core.agreement.figures import Estimate, as_json
from core.agreement.judgments import best_worst, open_answers
from core.agreement.judgments.conditions import (
    ConditionRow,
    Difference,
    JudgedItems,
    condition_table,
    threshold_strip,
)
from core.agreement.judgments.dataset import Dataset
from core.agreement.judgments.items import disagreement, distance, leverage
from core.agreement.judgments.people import (
    against_gold,
    changes,
    drift,
    gaps,
    judge_rows,
    moved,
)
from core.agreement.measures import MEASURES, Agreement, measure_all, shared_items
from core.data.check import Floats, Ints
from core.data.ratings import Ratings

FEW = 30  # items; below, figures are shown with a caution
BETWEEN = "\x1f"  # two names or values in one parameter; no text holds it
WORST = 50  # disagreements listed
STRIP_AT_MOST = 64  # choices of thresholds
BINS = 10
TEXTS = 500  # free texts listed
SMALL = 12  # points; scales with more are shown in bins
HEADLINE = ("raw", "k_uniform", "cohen", "cohen_quadratic", "alpha_ordinal", "ac2")
FOR_WORDS = ("raw", "cohen", "alpha_nominal")
FOR_LABELS = ("raw", "k_uniform", "cohen", "fleiss", "alpha_nominal", "ac1")


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """``baseline``: the index of the condition against which the others are tested.
    ``adjudicated``: decisions of a curator replace the judges' in the table of
    conditions, and only there."""

    replicates: int = 1000
    seed: int = 0
    baseline: int = 0
    adjudicated: bool = False


def build(data: Dataset, options: ReportOptions) -> dict[str, Any]:
    """The whole report of a selection; JSON-ready, no NaN anywhere."""
    data = data.in_order()
    scales = [_scale(data, place, options) for place in range(len(data.questions))]
    has_table = bool(data.conditions and data.graded() and len(data.credit))
    return {
        "facts": _facts(data, options),
        "scales": scales,
        "conditions": _conditions(data, options) if has_table else None,
        "disagreements": _disagreements(data),
        "open": [_open(data, place, options) for place in range(len(data.open))],
    }


def _facts(data: Dataset, options: ReportOptions) -> dict[str, Any]:
    first = (data.round == 1) & data.counted
    seen = np.unique(data.item[first])
    return {
        "judgments": int(first.sum()),
        "repeats": int(((data.round > 1) & data.counted).sum()),
        "extra": int((data.is_extra & data.counted).sum()),
        "items": len(seen),
        "items_known": int((~data.is_check).sum()),
        "annotators": len(np.unique(data.annotator)),
        "clusters": len(np.unique(data.cluster[seen])),
        "replicates": options.replicates,
        "seed": options.seed,
        "guidelines": sorted(int(v) for v in np.unique(data.guideline) if v),
    }


def _scale(data: Dataset, place: int, options: ReportOptions) -> dict[str, Any]:
    question = data.questions[place]
    ratings = data.ratings(place)
    name = question.scale.name
    agreement = measure_all(ratings, replicates=options.replicates, seed=options.seed)
    shown = HEADLINE if question.scale.is_ordered else FOR_LABELS
    points = question.scale.size
    body: dict[str, Any] = {
        "name": name,
        "title": question.title,
        "labels": list(question.scale.labels),
        "is_ordered": question.scale.is_ordered,
        "threshold": question.threshold,
        "ratings": ratings.n,
        "shared": agreement.n_shared,
        "few": agreement.n_shared < FEW,
        "half": _half(ratings),
        "headline": _measures(agreement, name, shown, points),
        "more": _measures(
            agreement, name, tuple(m for m in MEASURES if m not in shown), points
        ),
        "pairs": _pairs(ratings, agreement, name),
        "confusion": _confusion(ratings, name),
        "judges": _judges(data, place, ratings),
        "cut": None,
        "best": _best(data, place, options) if question.is_best_worst else None,
    }
    if question.threshold is not None and question.scale.is_ordered:
        cut = measure_all(
            ratings.at_least(question.threshold),
            replicates=options.replicates,
            seed=options.seed,
            pairs=False,
        )
        body["cut"] = _measures(cut, name, ("raw", "k_uniform", "cohen", "ac1"), 2)
    return body


def _best(data: Dataset, place: int, options: ReportOptions) -> dict[str, Any]:
    """Best-worst scores of the conditions, their comparison in pairs, and how reliable
    scores are."""
    pairs = best_worst.preferences(
        data, place, replicates=options.replicates, seed=options.seed
    )
    logs = best_worst.strengths(pairs, len(data.conditions)).tolist()
    score = best_worst.scores(data, place)
    made = [data.credit[data.credit[:, 0] == c, 1] for c in range(len(data.conditions))]
    known = [score[items][np.isfinite(score[items])] for items in made]
    return {
        "reliability": as_json(best_worst.split_half(data, place, seed=options.seed)),
        "splits": best_worst.SPLITS,
        "conditions": [
            {
                "name": name,
                "n": len(of),
                "score": round(float(of.mean()), 4),
                "strength": round(logs[at], 4) if np.isfinite(logs[at]) else None,
            }
            for at, (name, of) in enumerate(zip(data.conditions, known, strict=True))
            if len(of)
        ],
        "preferences": [
            {
                "first": data.conditions[one.first],
                "second": data.conditions[one.second],
                "share": as_json(one.share),
                "undecided": one.undecided,
            }
            for one in pairs
        ],
    }


def _open(data: Dataset, place: int, options: ReportOptions) -> dict[str, Any]:
    """Texts counted and listed, or marked words compared; first looks only."""
    question, rows = data.open[place], data.answered(place)
    answers = data.written[rows, place].tolist()
    body: dict[str, Any] = {
        "name": question.name,
        "title": question.title,
        "kind": "spans" if question.is_marked else "text",
        "answers": len(rows),
        "items": len(np.unique(data.item[rows])),
        "annotators": len(np.unique(data.annotator[rows])),
    }
    if not question.is_marked:
        said = zip(data.item[rows], data.annotator[rows], answers, strict=True)
        listed = [
            {"item": data.items[i], "annotator": data.annotators[a], "text": text}
            for i, a, text in list(said)[:TEXTS]
        ]
        return body | {"distinct": len(set(answers)), "texts": listed}
    words = data.marked(place)
    settings = {"replicates": options.replicates, "seed": options.seed}
    found = open_answers.agreement(words, **settings)
    return body | {
        "words": words.n,
        "marked": int((words.value == 1).sum()),
        "empty": sum(not one for one in answers),
        "f1": as_json(open_answers.mutual_f1(words, **settings)),
        "measures": _measures(found, question.name, FOR_WORDS, 2),
    }


def _half(ratings: Ratings) -> int:
    """The fewest items that carry half of the observed disagreement; 0: none."""
    parts = np.sort(disagreement(ratings))[::-1].cumsum()
    if not parts.size or parts[-1] <= 0:
        return 0
    return int(np.searchsorted(parts, parts[-1] / 2)) + 1


def _measures(
    agreement: Agreement, scale: str, names: tuple[str, ...], points: int
) -> list[dict[str, Any]]:
    case = {"scale": scale, "shared": "1"}
    return [
        {
            "key": one.key,
            "name": one.name + (f" 1/{points}" if one.key == "k_uniform" else ""),
            "formula": one.formula,
            "source": one.source,
            "figure": as_json(agreement.figures[one.key]),
            "case": case | ({"same": "1"} if one.key.startswith("raw") else {}),
        }
        for one in map(MEASURES.__getitem__, names)
    ]


def _pairs(ratings: Ratings, agreement: Agreement, scale: str) -> list[dict[str, Any]]:
    rows = []
    for pair in agreement.pairs:
        a, b = ratings.annotators[pair.first], ratings.annotators[pair.second]
        rows.append(
            {
                "a": a,
                "b": b,
                "n": pair.n,
                "few": pair.n < FEW,
                "figures": {name: as_json(f) for name, f in pair.figures.items()},
                "case": {"scale": scale, "pair": f"{a}{BETWEEN}{b}"},
            }
        )
    return rows


def bins_of(ratings: Ratings) -> list[tuple[int, int]]:
    """First and last code of each row of a table: points, or equal ranges of them."""
    size = ratings.scale.size
    if size <= SMALL:
        return [(code, code) for code in range(size)]
    cuts = np.linspace(0, size, BINS + 1).round().astype(int)
    return [(int(a), int(b) - 1) for a, b in pairwise(cuts)]


def _confusion(ratings: Ratings, scale: str) -> dict[str, Any]:
    """Values of the two judges of every pair of judgments, in order of the judges."""
    bins = bins_of(ratings)
    of = np.zeros(ratings.scale.size, np.int64)
    for place, (low, high) in enumerate(bins):
        of[low : high + 1] = place
    table = np.zeros((len(bins), len(bins)), np.int64)
    for _, _, _, x, y in shared_items(ratings):
        np.add.at(table, (of[x], of[y]), 1)
    names = ratings.scale.labels
    labels = [
        names[low] if low == high else f"{names[low]} to {names[high]}"
        for low, high in bins
    ]
    questions = [
        names[low] if low == high else f"{names[low]}..{names[high]}"
        for low, high in bins
    ]
    return {
        "labels": labels,
        "asked": questions,
        "counts": table.tolist(),
        "case": {"scale": scale},
    }


def _judges(data: Dataset, place: int, ratings: Ratings) -> list[dict[str, Any]]:
    gold = against_gold(data.ratings(place, checks=True), data.gold[:, place])
    ordered = ratings.scale.is_ordered
    gap = gaps(ratings) if ordered else np.full(ratings.n, np.nan)
    bins = bins_of(ratings)
    rows = []
    for at, row in enumerate(judge_rows(ratings)):
        if not row.n:
            continue
        time = data.active_ms[(data.annotator == at) & (data.active_ms > 0)]
        timed, under = _timed(data, place, ratings, at, gap)
        rows.append(
            {
                "annotator": row.annotator,
                "n": row.n,
                "used": [sum(row.used[low : high + 1]) for low, high in bins],
                "bias": as_json(row.bias),
                "repeat": as_json(row.repeat),
                "gold": as_json(gold["raw"][at]),
                "mean_s": round(float(time.mean()) / 1000, 2) if len(time) else None,
                "drift": [[n, round(mean, 4)] for n, mean in drift(timed)],
                "moved": _moved(timed),
                "guidelines": [[v, round(share, 4)] for v, share in changes(under)],
                "case": {"scale": ratings.scale.name, "by": row.annotator},
            }
        )
    return rows


def _moved(timed: Floats) -> dict[str, Any] | None:
    move = moved(timed)
    return None if move is None else as_json(move)


def moves(data: Dataset, place: int) -> dict[str, tuple[list[float], Estimate]]:
    """Return the mean of each annotator in fifths of the time relative to the others,
    and the difference between last and first; annotators who share too few items are
    left out."""
    ratings = data.ratings(place)
    if not ratings.scale.is_ordered:
        return {}
    gap = gaps(ratings)
    by_annotator = {}
    for at, name in enumerate(ratings.annotators):
        timed, _under = _timed(data, place, ratings, at, gap)
        move = moved(timed)
        if move is not None:
            by_annotator[str(name)] = ([mean for _n, mean in drift(timed)], move)
    return by_annotator


def _timed(
    data: Dataset, place: int, ratings: Ratings, judge: int, gap: Floats
) -> tuple[Floats, Ints]:
    """The gaps of one judge on shared items, and the guideline they were judged
    under, in the order judged."""
    rows = np.flatnonzero((data.annotator == judge) & (data.values[:, place] >= 0))
    latest_first = rows[np.argsort(-data.at[rows], kind="stable")]
    first = np.zeros(len(data.items), np.int64)
    first[data.item[latest_first]] = latest_first  # so that the earliest stays
    mine = np.flatnonzero((ratings.annotator == judge) & np.isfinite(gap))
    first_round = first[ratings.item[mine]]
    order = np.argsort(data.at[first_round], kind="stable")
    return gap[mine[order]], data.guideline[first_round[order]]


def _conditions(data: Dataset, options: ReportOptions) -> dict[str, Any]:
    graded = data.graded()
    thresholds = tuple(float(data.questions[q].threshold or 0) for q in graded)
    judged = data.judged(adjudicated=options.adjudicated)
    credits = data.credits()
    table = condition_table(
        judged,
        credits,
        thresholds,
        baseline=options.baseline,
        replicates=options.replicates,
        seed=options.seed,
    )
    columns = [data.questions[q].scale.name for q in graded]
    return {
        "baseline": data.conditions[options.baseline],
        "columns": [data.questions[q].title for q in graded],
        "names": columns,
        "thresholds": list(thresholds),
        "instances": len(credits.cluster),
        "rows": [
            _condition(row, columns)
            for row in sorted(table, key=lambda row: row.differences is not None)
        ],  # the baseline first
        "strip": _strip(data, graded, judged),
        "decided": int((data.adjudicated >= 0).any(1).sum()) * options.adjudicated,
    }


def _condition(row: ConditionRow, columns: list[str]) -> dict[str, Any]:
    cells = []
    for at, figure in enumerate(row.figures):
        case = {"made": row.condition, "correct": "1"}
        case |= {"scale": columns[at]} if at < len(columns) else {"together": "1"}
        cells.append({"figure": as_json(figure), "case": case})
    return {
        "condition": row.condition,
        "covered": row.covered,
        "judged": row.judged,
        "cells": cells,
        "tests": _tests(row.differences),
    }


def _tests(differences: tuple[Difference, ...] | None) -> list[dict[str, Any]] | None:
    if differences is None:
        return None
    return [
        {"figure": as_json(d.figure), "n": d.n, "p": d.p, "p_holm": d.p_holm}
        for d in differences
    ]


def _strip(
    data: Dataset, graded: list[int], judged: JudgedItems
) -> dict[str, Any] | None:
    """All choices of thresholds; None on scales with too many points."""
    choices = tuple(data.questions[q].scale.points for q in graded)
    if np.prod([len(points) for points in choices]) > STRIP_AT_MOST:
        return None
    strip = threshold_strip(judged, data.credits(), choices)
    rows = [
        {
            "at": list(choice),
            "all": [None if np.isnan(v) else round(float(v), 4) for v in table[:, -1]],
        }
        for choice, table in strip.items()
    ]
    return {"conditions": list(data.conditions), "rows": rows}


def _disagreements(data: Dataset) -> list[dict[str, Any]]:
    """The items that differ most on any scale, then those that cost alpha most."""
    far = np.zeros(len(data.items))
    cost = np.zeros(len(data.items))
    for place in range(len(data.questions)):
        ratings = data.ratings(place)
        far = np.maximum(far, distance(ratings))
        cost = np.maximum(cost, leverage(ratings))
    by_far = np.lexsort((-cost, -far))[:WORST]
    by_cost = np.argsort(-cost, kind="stable")[:WORST]
    chosen = [int(i) for i in dict.fromkeys([*by_far, *by_cost]) if far[i] > 0]
    return [
        {
            "item": data.items[i],
            "distance": round(float(far[i]), 3),
            "leverage": round(float(cost[i]), 6),
            "values": _values_of(data, i),
        }
        for i in chosen
    ]


def _values_of(data: Dataset, item: int) -> list[dict[str, Any]]:
    rows = np.flatnonzero((data.item == item) & (data.round == 1))
    return [
        {
            "annotator": data.annotators[data.annotator[row]],
            "values": [
                question.scale.labels[data.values[row, place]]
                if data.values[row, place] >= 0
                else ""
                for place, question in enumerate(data.questions)
            ],
        }
        for row in rows
    ]

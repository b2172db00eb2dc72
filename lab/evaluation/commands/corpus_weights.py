"""``evaluate corpus-weights``: are texts of unequal weight better than of equal?

Equations 5 and 7 add up what each text says, all with the same weight. Here a text
also counts by its size, and by one over the number of texts of its language. Rankings
are compared on judged pairs that the condition covers, all pivots summed.
"""

import argparse
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from core.agreement.correlation import rank_gaps, spearman
from core.agreement.figures import resample
from core.agreement.paired import sign_flip_p
from core.data.check import Floats, Ints
from core.parsing.registry import Say, add_parser_options, backend_of
from core.pivoting.bitext import Bitext
from core.pivoting.conditions import CONDITIONS
from core.pivoting.table import Table, open_table
from core.pivoting.weighting import JudgedSubstitute
from lab.evaluation.commands.weights_curve import read_swords
from lab.evaluation.judged_pairs import (
    REPLICATES,
    JudgedPair,
    groups,
    read_judgments,
    shared_rows,
)

HELP = "paraphrase tables whose texts count alike, by size, or by language"
WEIGHTINGS = ("size", "language")
_BY_CORPUS = """
    SELECT a.id, p.label, p.corpus, sum(p.n / p.of_e * (q.n / q.of_f)) AS p
    FROM asked a JOIN mine p ON p.phrase = a.e1
    JOIN mine q ON q.phrase = a.e2 AND q.label = p.label AND q.corpus = p.corpus
        AND q.foreign_phrase = p.foreign_phrase
    GROUP BY a.id, p.label, p.corpus"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--table", type=Path, required=True, help="table whose files of pairs exist")
    add(
        "--judgments",
        type=Path,
        nargs="+",
        default=[],
        metavar="FILE",
        help="pairs judged without a sentence, in the format ppdb: each for itself",
    )
    add("--swords", type=Path, metavar="FILE", help="substitutes judged in sentences")
    add("--seed", type=int, default=0)
    add_parser_options(parser)


@dataclass(frozen=True, slots=True)
class Judged:
    """``labels``: those that the phrase has where it was judged; ``place``: among the
    paraphrases of which place the best is chosen."""

    phrase: str
    paraphrase: str
    labels: tuple[str, ...]
    value: float
    place: int


def run(options: dict[str, Any], say: Say) -> dict[str, Any]:
    """By file and condition, see ``compared``."""
    table = open_table(options["table"])
    try:
        weights = weightings(table)
        results: dict[str, Any] = {"texts": len(weights["size"])}
        for path in options["judgments"]:
            judged = of_pairs(read_judgments(path, "ppdb"))
            say(f"{path.name}: {len(judged)} pairs")
            results[path.name] = _file(table, judged, weights, options["seed"])
        if path := options["swords"]:
            judged = of_places(list(read_swords(path, backend_of(options))))
            say(f"{path.name}: {len(judged)} substitutes")
            results[path.name] = _file(table, judged, weights, options["seed"])
    finally:
        table.close()
    return results


def of_pairs(pairs: Sequence[JudgedPair]) -> list[Judged]:
    places = groups([f"{one.label}\t{one.phrase}" for one in pairs]).tolist()
    return [
        Judged(one.phrase, one.paraphrase, (one.label,), one.mean, at)
        for one, at in zip(pairs, places, strict=True)
    ]


def of_places(substitutes: Sequence[JudgedSubstitute]) -> list[Judged]:
    places = groups([repr(one.site) for one in substitutes]).tolist()
    return [
        Judged(one.site.phrase, one.text, one.site.labels, one.value, at)
        for one, at in zip(substitutes, places, strict=True)
    ]


def weightings(table: Table) -> dict[str, dict[str, float]]:
    """Weights by text, of mean 1; size: of the English side, in tokens."""
    files = [Bitext(Path(path)) for path in table.facts["sources"]]
    names = [next(one.pairs(limit=1)).corpus for one in files]
    languages = Counter(name.rpartition(".")[2] for name in names)
    raw = {
        "equal": [1.0] * len(names),
        "size": [float(one.sizes().source_tokens) for one in files],
        "language": [1 / languages[name.rpartition(".")[2]] for name in names],
    }
    return {
        how: dict(zip(names, (np.array(one) / np.mean(one)).tolist(), strict=True))
        for how, one in raw.items()
    }


def _file(
    table: Table,
    judged: Sequence[Judged],
    weights: Mapping[str, Mapping[str, float]],
    seed: int,
) -> dict[str, Any]:
    scores = {how: scored(table, judged, one) for how, one in weights.items()}
    known = scores["equal"]["baseline"] > 0
    return {"judged": len(judged), "covered": int(known.sum())} | {
        name: compared({how: one[name] for how, one in scores.items()}, judged, seed)
        for name in CONDITIONS
    }


def scored(
    table: Table, judged: Sequence[Judged], weights: Mapping[str, float]
) -> dict[str, Floats]:
    """Equations 5, 10, 8 and 9 of each, by condition; 0 where it does not cover it."""
    keyed = [(table.key(one.phrase), table.key(one.paraphrase), "") for one in judged]
    sums: list[dict[str, float]] = [defaultdict(float) for _ in judged]
    for at, label, corpus, p in shared_rows(table, keyed, _BY_CORPUS)[0]:
        sums[at][label] += weights[corpus] * p
    columns: dict[str, Floats] = {name: np.zeros(len(judged)) for name in CONDITIONS}
    for at, (one, by_label) in enumerate(zip(judged, sums, strict=True)):
        here = [by_label.get(label, 0.0) for label in {*one.labels} - {""}] or [0.0]
        columns["baseline"][at] = by_label.pop("", 0.0)
        columns["extraction"][at] = max(by_label.values(), default=0.0)
        columns["substitution"][at] = max(here)
        columns["averaged"][at] = sum(here) / len(here)
    return columns


def compared(
    scores: Mapping[str, Floats], judged: Sequence[Judged], seed: int
) -> dict[str, Any]:
    """Of the pairs covered: ``rho`` with people under equal weights and how far others
    are above it. Over places that have two or more: ``best``, people's mean of the best
    paraphrase, and ``order``, the share of two paraphrases that are in people's order.
    95 % intervals and p over phrases."""
    covered = scores["equal"] > 0
    columns = {how: one[covered] for how, one in scores.items()}
    kept = [judged[at] for at in np.flatnonzero(covered).tolist()]
    people = np.array([one.value for one in kept])
    group = groups([one.phrase for one in kept])
    equal = columns.pop("equal")
    rng = np.random.default_rng(seed)
    replicates = REPLICATES if len(kept) < 3000 else REPLICATES // 4
    gaps = rank_gaps(columns, equal, people, group, replicates=replicates, rng=rng)
    place = np.array([one.place for one in kept], np.int32)
    return {
        "n": len(kept),
        "rho": spearman(equal, people),
        **gaps,
        **{
            name: _within(measure, equal, columns, people, rows, group, seed)
            for name, measure in MEASURES.items()
            if (rows := _several(equal, people, place))
        },
    }


def _several(equal: Floats, people: Floats, place: Ints) -> list[Ints]:
    """Rows of each place where both people and scores tell two apart."""
    rows = [np.flatnonzero(place == at).astype(np.int32) for at in np.unique(place)]
    return [
        one
        for one in rows
        if len(np.unique(equal[one])) > 1 and len(np.unique(people[one])) > 1
    ]


def _within(
    measure: Callable[[Floats, Floats], float],
    equal: Floats,
    others: Mapping[str, Floats],
    people: Floats,
    rows: Sequence[Ints],
    group: Ints,
    seed: int,
) -> dict[str, Any]:
    phrase = np.array([group[one[0]] for one in rows], np.int32)
    base = np.array([measure(equal[one], people[one]) for one in rows])
    result: dict[str, Any] = {"places": len(rows), "mean": float(base.mean())}
    for how, column in others.items():
        change = np.array([measure(column[one], people[one]) for one in rows]) - base
        result[how] = {"changed": int((change != 0).sum())}
        result[how] |= _mean_change(change, phrase, np.random.default_rng(seed))
    return result


def _top(scores: Floats, people: Floats) -> float:
    """People's mean of the best, of those that share the place of the best."""
    return float(people[scores >= scores.max() * (1 - 1e-12)].mean())


def _order(scores: Floats, people: Floats) -> float:
    """Of pairs that people tell apart, the share in their order; ties are a half."""
    gaps = np.sign(people[:, None] - people)
    agree = gaps * np.sign(scores[:, None] - scores)
    return float(0.5 + 0.5 * agree[gaps > 0].mean())


MEASURES = {"best": _top, "order": _order}


def _mean_change(
    change: Floats, phrase: Ints, rng: np.random.Generator
) -> dict[str, float]:
    """The mean, its 95 % interval and p; phrases are drawn, or swap their weights."""
    numbers = np.unique(phrase, return_inverse=True)[1]
    sizes = np.bincount(numbers)
    sums: Floats = np.bincount(numbers, change).astype(np.float64)
    drawn = resample(len(sizes), REPLICATES, rng)
    means = (drawn @ sums) / (drawn @ sizes)
    low, high = np.quantile(means[1:], [0.025, 0.975])
    return {
        "difference": float(means[0]),
        "low": float(low),
        "high": float(high),
        "p": sign_flip_p(sums[:, None], rng)[0],
    }


def lines(results: dict[str, Any]) -> Iterator[str]:
    yield f"{results['texts']} texts; gains over equal weights"
    for name, one in results.items():
        if name == "texts":
            continue
        yield f"{name}: {one['covered']} of {one['judged']} covered"
        for condition in CONDITIONS:
            row = one[condition]
            yield f"  {condition}, {row['n']} pairs: rho {row['rho']:.3f}"
            yield from (_gain(how, row[how]) for how in WEIGHTINGS if how in row)
            for name in (name for name in MEASURES if name in row):
                part = row[name]
                yield f"    {name} of {part['places']} places: {part['mean']:.3f}"
                yield from (
                    f"{_gain(how, part[how])}, {part[how]['changed']} changed"
                    for how in WEIGHTINGS
                )


def _gain(how: str, gap: Mapping[str, float]) -> str:
    return (
        f"    {how:9} {gap['difference']:+.4f} "
        f"({gap['low']:+.4f} to {gap['high']:+.4f}, p {gap['p']:.3g})"
    )

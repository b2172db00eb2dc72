"""A table's scores against people's ratings of pairs of phrases."""

import gzip
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import erfc, isnan, sqrt
from pathlib import Path
from typing import Any

import numpy as np

from core.agreement.correlation import rank_gaps, spearman
from core.data.check import Floats, Ints
from core.errors import FormatError, InvalidValue
from core.pivoting.table import Table

REPLICATES = 2000


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """``mean``: of what people said of the two; ``label``: of both, "" = not given;
    ``single``: what each of them said, where the file has it."""

    phrase: str
    paraphrase: str
    label: str
    mean: float
    single: tuple[float, ...] = ()


def read_judgments(path: Path, format_name: str) -> list[JudgedPair]:
    """The pairs of a file, gzipped or not.

    "ppdb": mean, [label], phrase, paraphrase, single scores; no header. "bird": a
    header, then pair, two terms and, in the seventh column, their relatedness. Raises
    FormatError with the line.
    """
    opened = gzip.open if path.suffix == ".gz" else open
    try:
        with opened(path, "rt", encoding="utf-8") as lines:
            return list(FORMATS[format_name](lines))
    except FormatError as error:
        error.file = str(path)
        raise


def _ppdb(lines: Iterator[str]) -> Iterator[JudgedPair]:
    for number, line in enumerate(lines, 1):
        cells = line.rstrip("\n").split("\t")
        if len(cells) < 4:
            raise FormatError("mean, label and two phrases expected", line=number)
        label = cells[1].strip("[]")
        single = tuple(_number(x, number) for x in ",".join(cells[4:5]).split(",") if x)
        yield JudgedPair(cells[2], cells[3], label, _number(cells[0], number), single)


def _bird(lines: Iterator[str]) -> Iterator[JudgedPair]:
    next(lines, None)
    for number, line in enumerate(lines, 2):
        cells = line.rstrip("\n").split("\t")
        if len(cells) < 7:
            raise FormatError("expected seven columns", line=number)
        yield JudgedPair(cells[1], cells[2], "", _number(cells[6], number))


FORMATS: dict[str, Callable[[Iterator[str]], Iterator[JudgedPair]]] = {
    "ppdb": _ppdb,
    "bird": _bird,
}


def _number(cell: str, line: int) -> float:
    try:
        return float(cell)
    except ValueError as error:
        raise FormatError(f"expected a number, not {cell[:20]!r}", line=line) from error


Rank = Callable[
    [Table, Mapping[str, Floats], Sequence[JudgedPair], np.random.Generator],
    Mapping[str, Floats],
]
"""What else ranks the covered pairs, given their columns of ``pair_scores``."""


def compare(
    table: Table,
    judged: Sequence[JudgedPair],
    *,
    seed: int = 0,
    rank: Rank | None = None,
) -> dict[str, Any]:
    """``pairs``, ``covered``, and for each score ``rho``, ``p`` and ``n``.

    On all covered pairs; a syntactic score is 0 where the label knows no such
    paraphrase, and ``labelled`` repeats all scores on the pairs where it does.
    ``above``: how far the syntactic scores are above the baseline, with a 95 %
    interval and p from a bootstrap over phrases. ``people``: see ``agreement``.
    """
    scores = pair_scores(table, [(j.phrase, j.paraphrase, j.label) for j in judged])
    covered = np.flatnonzero(scores["pivots"] > 0).astype(np.int32)
    if len(covered) < 3:
        raise InvalidValue(f"the table holds {len(covered)} of {len(judged)} pairs")
    kept = [judged[at] for at in covered.tolist()]
    people = np.array([one.mean for one in kept])
    group = groups([one.phrase for one in kept])
    columns = {name: one[covered] for name, one in scores.items()}
    shown = {name: columns[name] for name in ("baseline", "syntactic", "extraction")}
    shown["both ways"] = columns["baseline"] * columns["baseline_back"]
    rng = np.random.default_rng(seed)
    if rank:
        shown |= rank(table, columns, kept, rng)
    known = shown["syntactic"] > 0
    under = {name: one[known] for name, one in shown.items()}
    return {
        "pairs": len(judged),
        "covered": len(covered),
        **{name: _figures(one, people) for name, one in shown.items()},
        "above": _above(shown, people, group, seed),
        "people": agreement([one.single for one in kept], rng),
        "labelled": {
            "pairs": int(known.sum()),
            **{name: _figures(one, people[known]) for name, one in under.items()},
            "above": _above(under, people[known], group[known], seed),
        },
    }


def agreement(
    single: Sequence[Sequence[float]], rng: np.random.Generator
) -> dict[str, float | int]:
    """The upper bound of any score: how far people agree with each other.

    ``halves``: rho of the means of two random halves of each pair's judges, over 20
    draws; ``ceiling``: the root of their reliability by the Spearman-Brown formula,
    which is what a score that knew the true means would reach against the means of this
    many judges. Over the pairs with four judges or more; empty without any.
    """
    several = [np.array(one) for one in single if len(one) >= 4]
    if len(several) < 3:
        return {}
    correlations = []
    for _ in range(20):
        mixed = [rng.permutation(one) for one in several]
        halves = [
            np.array([one[side : 2 * (len(one) // 2) : 2].mean() for one in mixed])
            for side in (0, 1)
        ]
        correlations.append(spearman(*halves))
    rho = float(np.mean(correlations))
    times = float(np.mean([len(one) / (len(one) // 2) for one in several]))
    whole = times * rho / (1 + (times - 1) * rho)
    return {"pairs": len(several), "halves": rho, "ceiling": whole**0.5}


def _figures(scores: Floats, people: Floats) -> dict[str, float | None]:
    """None where a constant column has no correlation."""
    rho = spearman(scores, people)
    if isnan(rho):
        return {"rho": None, "p": None, "n": len(people)}
    return {"rho": rho, "p": p_value(rho, len(people)), "n": len(people)}


def p_value(rho: float, n: int) -> float:
    """Two-sided, of no correlation: the t statistic taken as normal (n above 30)."""
    if n < 3 or isnan(rho):
        return float("nan")
    if abs(rho) >= 1:
        return 0.0
    return erfc(abs(rho) * sqrt((n - 2) / (1 - rho * rho)) / sqrt(2))


def groups(phrases: Sequence[str]) -> Ints:
    known: dict[str, int] = {}
    numbers = [known.setdefault(phrase.lower(), len(known)) for phrase in phrases]
    return np.array(numbers, dtype=np.int32)


def _above(
    columns: dict[str, Floats], people: Floats, group: Ints, seed: int
) -> dict[str, dict[str, float]]:
    """How far rho of the syntactic scores is above the baseline's."""
    names = [name for name in ("syntactic", "smoothed") if name in columns]
    return rank_gaps(
        {name: columns[name] for name in names},
        columns["baseline"],
        people,
        group,
        replicates=REPLICATES if len(people) < 3000 else REPLICATES // 4,
        rng=np.random.default_rng(seed),
    )


_PAIRS = """
    SELECT a.id, p.label, sum(p.n / p.of_e * (q.n / q.of_f)) AS forward,
        sum(q.n / q.of_e * (p.n / p.of_f)) AS backward, count(*) AS pivots,
        count(DISTINCT p.corpus) AS corpora, sum(least(p.n, q.n)) AS support,
        sum(p.n / p.of_e * (q.n / q.of_e)) AS dot
    FROM asked a JOIN mine p ON p.phrase = a.e1
    JOIN mine q ON q.phrase = a.e2 AND q.label = p.label AND q.corpus = p.corpus
        AND q.foreign_phrase = p.foreign_phrase
    GROUP BY a.id, p.label"""
_SCORED_PHRASES = """
    SELECT phrase, label, sum(of_e) AS n, sum(many) AS many, sum(square) AS square,
        count(*) AS corpora FROM (
        SELECT phrase, label, corpus, max(of_e) AS of_e, count(*) AS many,
            sum((n / of_e) * (n / of_e)) AS square
        FROM mine WHERE label = '' OR label IN (SELECT label FROM asked)
        GROUP BY phrase, label, corpus) single
    GROUP BY phrase, label"""


COLUMNS = (
    "baseline",
    "baseline_back",
    "syntactic",
    "syntactic_back",
    "extraction",
    "extraction_back",
    "labels",
    "pivots",
    "corpora",
    "support",
    "cosine",
    "n1",
    "n2",
    "pivots 1",
    "pivots 2",
    "corpora 1",
    "corpora 2",
    "under 1",
    "under 2",
)


def pair_scores(
    table: Table, pairs: Sequence[tuple[str, str, str]]
) -> dict[str, Floats]:
    """Scores of each ``(phrase, paraphrase, label)``; label "" = none was given.

    Columns ``(n,)`` over n pairs, probabilities and counts, 0 where there is none.
    ``baseline``: equation 5; ``syntactic``: equation 7 under the label that the pair
    was given with; ``extraction``: equation 10, under whichever label is best;
    ``*_back``: the same from the paraphrase to the phrase. ``pivots``: 0 where the two
    share no foreign phrase. ``cosine``: of their translations' probabilities.
    ``n1, n2``: how often either occurs, ``under 1, under 2``: with that label.

    They are sums over all foreign phrases, also of pairs that are not among the best.
    One pass over the table's pivots; memory by the pivots of the phrases asked about.
    """
    keyed = [(table.key(a), table.key(b), label) for a, b, label in pairs]
    columns = {name: np.zeros(len(pairs)) for name in COLUMNS}
    both, single = shared_rows(table, keyed, _PAIRS, _SCORED_PHRASES)
    for id_, label, *values in both:
        _take(columns, id_, label, keyed[id_][2], values)
    _add_phrases(columns, keyed, {(row[0], row[1]): row[2:] for row in single})
    return columns


def shared_rows(
    table: Table, keyed: Sequence[tuple[str, str, str]], *statements: str
) -> list[list[Any]]:
    """Rows of each statement over ``asked`` (id, e1, e2, label), the pairs in order,
    and ``mine``, all pivots of their phrases."""
    engine = table.engine
    sides = [np.array(list(side), dtype=object) for side in zip(*keyed, strict=True)]
    engine.take(
        "asked",
        {
            "id": np.arange(len(keyed)),
            **dict(zip(("e1", "e2", "label"), sides, strict=True)),
        },
    )
    words = sorted({phrase for a, b, _ in keyed for phrase in (a, b)})
    engine.take("words", {"phrase": np.array(words, dtype=object)})
    engine.make(
        "mine",
        f"SELECT p.* FROM read_parquet('{table.files('pivots')}') p "  # noqa: S608
        "JOIN words w ON w.phrase = p.phrase",
    )
    rows = [engine.rows(sql) for sql in statements]
    engine.clear()
    return rows


def _take(
    columns: dict[str, Floats], at: int, label: str, given: str, values: Sequence[float]
) -> None:
    forward, backward, pivots, corpora, support, dot = values
    if not label:
        columns["baseline"][at], columns["baseline_back"][at] = forward, backward
        columns["pivots"][at], columns["corpora"][at] = pivots, corpora
        columns["support"][at], columns["cosine"][at] = support, dot
        return
    columns["labels"][at] += 1
    columns["extraction"][at] = max(columns["extraction"][at], forward)
    columns["extraction_back"][at] = max(columns["extraction_back"][at], backward)
    if label == given:
        columns["syntactic"][at], columns["syntactic_back"][at] = forward, backward


def _add_phrases(
    columns: dict[str, Floats],
    keyed: Sequence[tuple[str, str, str]],
    single: Mapping[tuple[str, str], Sequence[float]],
) -> None:
    """What the table knows of either phrase alone; the cosine gets its divisor."""
    none = (0.0, 0.0, 0.0, 0.0)
    for at, (*phrases, label) in enumerate(keyed):
        squares = 1.0
        for side, phrase in enumerate(phrases, 1):
            n, many, square, corpora = single.get((phrase, ""), none)
            columns[f"n{side}"][at] = n
            columns[f"pivots {side}"][at] = many
            columns[f"corpora {side}"][at] = corpora
            if label:
                columns[f"under {side}"][at] = single.get((phrase, label), none)[0]
            squares *= square
        if squares:
            columns["cosine"][at] /= squares**0.5

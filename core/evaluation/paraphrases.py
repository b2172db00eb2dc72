"""Scores of paraphrases against people's, on the pairs that a table holds.

Rankings of paraphrases that are fitted on judgments, and judged on other phrases.
"""

import gzip
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np

from core.agreement.correlation import p_value, spearman
from core.agreement.rank_gaps import rank_gaps
from core.data.check import Floats, Ints
from core.data.tokens import Sentence
from core.errors import FormatError, InvalidValue
from core.learning.folds import folds
from core.learning.ridge import fit_ridge
from core.learning.tree_fitting import fit_boosted, fit_forest
from core.pivoting.pair_scores import PairScores, pair_scores, smoothed
from core.pivoting.table import Table
from core.protocols import Capability, ParserBackend

STRENGTHS = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)
VECTOR_FEATURES = ("cosine of vectors", "cosine of last words", "distance")


def cross_fitted(
    columns: Mapping[str, Floats],
    rows: Floats,
    people: Floats,
    phrases: Sequence[tuple[str, str]],
    *,
    k: int,
    rng: np.random.Generator,
) -> dict[str, Floats]:
    """What is said of each of ``k`` parts by what never saw one of its phrases.

    ``phrases``: of each pair. A part holds all pairs of a first phrase; what is
    fitted for it leaves out every pair that shares either phrase with it, and so
    every reversed one. Empty if that leaves nothing to fit for some part.

    "smoothed": the strength of the prior is the best of STRENGTHS on the other parts;
    "log-linear": ridge regression; "boosted", "forest": regression trees;
    "supervised": the mean of these three, of equal spread. No setting is fitted but
    on the other parts.
    """
    names = ("smoothed", "log-linear", "boosted", "forest", "supervised")
    scores = {name: np.zeros(len(people)) for name in names}
    group = _groups([first for first, _ in phrases])
    numbers = _groups([text for pair in phrases for text in pair]).reshape(-1, 2)
    for part in folds(int(group.max()) + 1, k, rng):
        held = np.isin(group, part)
        seen = ~np.isin(numbers, numbers[held]).any(axis=1)
        if not held.any():
            continue
        if not seen.any():
            return {}
        prior = [smoothed(columns, strength) for strength in STRENGTHS]
        rhos = [spearman(one[seen], people[seen]) for one in prior]
        best = int(np.argmax(np.nan_to_num(rhos, nan=-1.0)))
        scores["smoothed"][held] = _ranks(prior[best])[held]
        made = _fitted(rows[seen], people[seen])
        spread = [(model(rows[seen]), model(rows[held])) for model in made.values()]
        for name, (_, one) in zip(made, spread, strict=True):
            scores[name][held] = one
        scores["supervised"][held] = np.mean(
            [(one - known.mean()) / (known.std() or 1) for known, one in spread], axis=0
        )
    return scores


def _fitted(rows: Floats, people: Floats) -> dict[str, Callable[[Floats], Floats]]:
    names = [str(at) for at in range(rows.shape[1])]
    return {
        "log-linear": fit_ridge(rows, people, names).scores,
        "boosted": fit_boosted(rows, people),
        "forest": fit_forest(rows, people),
    }


def _ranks(scores: Floats) -> Floats:
    """Their ranks among all: strengths differ by part, and so does the scale."""
    ranks: Floats = np.unique(scores, return_inverse=True)[1].astype(np.float64)
    return ranks


def vector_features(
    phrases: Sequence[tuple[str, str]], backend: ParserBackend
) -> Floats:
    """``(n, len(VECTOR_FEATURES))``: how near the parser's word vectors are, of each
    phrase read alone; 0 where it has none."""
    texts = sorted({text for pair in phrases for text in pair})
    answers = backend.analyse([Sentence.of(text) for text in texts], want=_VECTORS)
    known = {
        text: answer.vectors
        for text, answer in zip(texts, answers, strict=True)
        if not isinstance(answer, Exception) and answer.vectors is not None
    }
    rows = np.zeros((len(phrases), len(VECTOR_FEATURES)))
    for at, (a, b) in enumerate(phrases):
        if a in known and b in known:
            means = known[a].mean(axis=0), known[b].mean(axis=0)
            rows[at] = (
                _cosine(*means),
                _cosine(known[a][-1], known[b][-1]),
                float(np.linalg.norm(means[0] - means[1])),
            )
    return rows


_VECTORS: frozenset[Capability] = frozenset({"vectors"})


def _cosine(one: Floats, other: Floats) -> float:
    norm = float(np.linalg.norm(one) * np.linalg.norm(other))
    return float(one @ other) / norm if norm else 0.0


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


def compare(
    table: Table,
    judged: Sequence[JudgedPair],
    *,
    k: int = 10,
    seed: int = 0,
    backend: ParserBackend | None = None,
) -> dict[str, Any]:
    """``pairs``, ``covered``, and for each score ``rho``, ``p`` and ``n``.

    On all covered pairs; a syntactic score is 0 where the label knows no such
    paraphrase, and ``labelled`` repeats all scores on the pairs where it does. The
    fitted rankings are cross-validated in ``k`` parts that are judged by what saw
    neither phrase of any of their pairs;
    k = 0: none is fitted. With a ``backend`` they see its word vectors, too.
    ``above``: how far the syntactic scores are above the baseline, with a 95 %
    interval and p from a bootstrap over phrases. ``people``: see ``agreement``.
    """
    scores = pair_scores(table, [(j.phrase, j.paraphrase, j.label) for j in judged])
    covered = np.flatnonzero(scores.is_covered).astype(np.int32)
    if len(covered) < 3:
        raise InvalidValue(f"the table holds {len(covered)} of {len(judged)} pairs")
    kept = [judged[at] for at in covered.tolist()]
    people = np.array([one.mean for one in kept])
    group = _groups([one.phrase for one in kept])
    columns = {name: one[covered] for name, one in scores.columns.items()}
    shown = {name: columns[name] for name in ("baseline", "syntactic", "extraction")}
    shown["both ways"] = columns["baseline"] * columns["baseline_back"]
    rng = np.random.default_rng(seed)
    if k:
        rows = _features(scores, kept, covered, backend)
        phrases = [(one.phrase, one.paraphrase) for one in kept]
        shown |= cross_fitted(columns, rows, people, phrases, k=k, rng=rng)
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


def _features(
    scores: PairScores,
    kept: Sequence[JudgedPair],
    covered: Ints,
    backend: ParserBackend | None,
) -> Floats:
    if backend is None:
        return scores.features[covered]
    phrases = [(one.phrase, one.paraphrase) for one in kept]
    return np.hstack([scores.features[covered], vector_features(phrases, backend)])


def agreement(
    single: Sequence[Sequence[float]], rng: np.random.Generator
) -> dict[str, float | int]:
    """What bounds any score: how far people agree with each other.

    ``halves``: rho of the means of two random halves of each pair's judges, over 20
    drawings; ``ceiling``: the root of their reliability by the Spearman-Brown formula,
    what a score that knew the true means would reach against the means of so many
    judges. Over the pairs with four judges or more; empty without any.
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


def _groups(phrases: Sequence[str]) -> Ints:
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

"""Rankings of paraphrases that are fitted on judgments, and judged on other phrases."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from core.agreement.correlation import spearman
from core.data.check import Floats, Ints
from core.data.tokens import Sentence
from core.learning.folds import folds
from core.learning.ridge import fit_ridge
from core.learning.tree_fitting import fit_boosted, fit_forest
from core.pivoting.pair_scores import smoothed
from core.protocols import Capability, ParserBackend

__all__ = ["STRENGTHS", "VECTOR_FEATURES", "cross_fitted", "vector_features"]

STRENGTHS = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)
VECTOR_FEATURES = ("cosine of vectors", "cosine of last words", "distance")


def cross_fitted(
    columns: Mapping[str, Floats],
    rows: Floats,
    people: Floats,
    group: Ints,
    *,
    k: int,
    rng: np.random.Generator,
) -> dict[str, Floats]:
    """What is said of each of ``k`` parts by what never saw one of its phrases.

    "smoothed": the strength of the prior is the best of STRENGTHS on the other parts;
    "log-linear": ridge regression; "boosted", "forest": regression trees;
    "supervised": the mean of these three, of equal spread. No setting is fitted but
    on the other parts.
    """
    names = ("smoothed", "log-linear", "boosted", "forest", "supervised")
    scores = {name: np.zeros(len(people)) for name in names}
    for part in folds(int(group.max()) + 1, k, rng):
        held = np.isin(group, part)
        if held.all() or not held.any():
            continue
        prior = [smoothed(columns, strength) for strength in STRENGTHS]
        seen = [spearman(one[~held], people[~held]) for one in prior]
        best = int(np.argmax(np.nan_to_num(seen, nan=-1.0)))
        scores["smoothed"][held] = _ranks(prior[best])[held]
        made = _fitted(rows[~held], people[~held])
        spread = [(model(rows[~held]), model(rows[held])) for model in made.values()]
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

"""Rankings of paraphrases that are fitted on judgments, and judged on other phrases."""

from collections.abc import Callable, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cache
from typing import Any

import numpy as np

from core.agreement.correlation import spearman
from core.data.check import Floats
from core.data.tokens import Sentence
from core.errors import Unavailable
from core.learning.ridge import fit_ridge, folds
from core.pivoting.table import Table
from core.protocols import Capability, ParserBackend
from core.text.stems import STOP_WORDS, stem
from core.text.wordnet import Related, Thesaurus, thesaurus
from lab.evaluation.judged_pairs import COLUMNS, JudgedPair, Rank, groups

ROUNDS, TREES = 250, 300  # of what is boosted, of a forest
STRENGTHS = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)

VECTOR_FEATURES = ("cosine of vectors", "cosine of last words", "distance")


def ranker(k: int, backend: ParserBackend | None) -> Rank:
    """Return what ranks judged pairs by ``cross_fitted`` in ``k`` parts.

    With a ``backend`` the fitted rankings see its word vectors, too.
    """

    def rank(
        table: Table,
        columns: Mapping[str, Floats],
        judged: Sequence[JudgedPair],
        rng: np.random.Generator,
    ) -> Mapping[str, Floats]:
        phrases = [(one.phrase, one.paraphrase) for one in judged]
        rows = features(
            columns, [(*pair, j.label) for pair, j in zip(phrases, judged, strict=True)]
        )
        if backend is not None:
            rows = np.hstack([rows, vector_features(phrases, backend)])
        people = np.array([one.mean for one in judged])
        return cross_fitted(columns, rows, people, phrases, k=k, rng=rng)

    return rank


def features(
    columns: Mapping[str, Floats], pairs: Sequence[tuple[str, str, str]]
) -> Floats:
    """``(n, len(FEATURES))``: all that a fitted ranking may look at, of the columns of
    ``pair_scores`` and of ``(phrase, paraphrase, label)`` as the table spells them."""
    logs = [np.log(columns[name] + _TINY) for name in COLUMNS]
    return np.column_stack([*logs, word_features(pairs)])


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
    group = groups([first for first, _ in phrases])
    numbers = groups([text for pair in phrases for text in pair]).reshape(-1, 2)
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


WORD_FEATURES = (
    "words 1",
    "words 2",
    "difference",
    "shared",
    "within",
    "stems",
    "content stems",
    "letters",
    "beginning",
    "end",
    "digits",
    "first letter",
    "negation",
    "determiner",
    "plural",
    *(f"label {name}" for name in ("phrase", "noun", "verb", "adjective", "adverb")),
    "same lemma",
    "synonyms",
    "derived",
    "kin",
)

_PHRASES = frozenset({"NP", "VP", "S", "PP", "SBAR", "ADJP", "ADVP"})

_NEGATIONS = frozenset({"no", "not", "n't", "never", "without", "nor", "neither"})

_DETERMINERS = frozenset({"a", "an", "the", "this", "that", "these", "those", "any"})


def word_features(pairs: Sequence[tuple[str, str, str]]) -> Floats:
    """``(n, len(WORD_FEATURES))`` of each ``(phrase, paraphrase, label)``.

    The last four need WordNet, and are 0 without it.
    """
    rows = [[*_shape(a, b), *_label(s), *_senses(a, b)] for a, b, s in pairs]
    return np.array(rows, dtype=np.float64).reshape(len(pairs), len(WORD_FEATURES))


def _shape(one: str, other: str) -> list[float]:
    a, b = one.split(" "), other.split(" ")
    inside = f" {one} " in f" {other} " or f" {other} " in f" {one} "
    digits = [sum(c.isdigit() for c in text) for text in (one, other)]
    longest = max(len(one), len(other))
    return [
        len(a),
        len(b),
        abs(len(a) - len(b)),
        _jaccard(set(a), set(b)),
        float(inside),
        _jaccard({stem(word) for word in a}, {stem(word) for word in b}),
        _jaccard(_content(a), _content(b)),
        SequenceMatcher(None, one, other, autojunk=False).ratio(),
        _common(one, other) / longest,
        _common(one[::-1], other[::-1]) / longest,
        float(digits[0] != digits[1]),
        float(one[0] == other[0]),
        float(bool(_NEGATIONS & set(a)) != bool(_NEGATIONS & set(b))),
        float((_DETERMINERS & set(a)) != (_DETERMINERS & set(b))),
        float(a[-1].endswith("s") != b[-1].endswith("s")),
    ]


def _label(label: str) -> list[float]:
    return [
        float(label in _PHRASES),
        *(float(label.startswith(tag)) for tag in ("N", "V", "J", "R")),
    ]


def _content(words: Sequence[str]) -> set[str]:
    return {stem(word) for word in words if word not in STOP_WORDS}


def _jaccard(one: set[str], other: set[str]) -> float:
    return len(one & other) / len(one | other) if one | other else 0.0


def _common(one: str, other: str) -> int:
    """How many letters they begin with alike."""
    same = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        same += 1
    return same


@cache
def _thesaurus() -> Thesaurus | None:
    try:
        return thesaurus()
    except Unavailable:
        return None


def _senses(one: str, other: str) -> list[float]:
    """Of the words of content, the share that has a like one on the other side."""
    known = _thesaurus()
    if known is None:
        return [0.0] * 4
    sides = [
        [word for word in text.split(" ") if word not in STOP_WORDS] or text.split(" ")
        for text in (one, other)
    ]
    related = {word: known.related(word) for side in sides for word in side}
    return [_matched(sides[0], sides[1], related, field) for field in Related._fields]


def _matched(
    one: Sequence[str], other: Sequence[str], related: dict[str, Related], field: str
) -> float:
    """The share of the words of both that have one across in this field."""
    matched = 0
    for side, across in ((one, other), (other, one)):
        there = {name for word in across for name in (word, *related[word].lemmas)}
        matched += sum(bool(there & getattr(related[word], field)) for word in side)
    return matched / (len(one) + len(other))


_TINY = 1e-9

FEATURES = (*(f"log {name}" for name in COLUMNS), *WORD_FEATURES)


def smoothed(columns: Mapping[str, Floats], strength: float) -> Floats:
    """Equation 7 with equation 5 as its Dirichlet prior (MacKay & Peto 1995): where
    the phrase was seen n times with the label, n parts of 7 and ``strength`` parts of
    5. So a label that was never seen says nothing, instead of 0."""
    n = columns["under 1"]
    total: Floats = n * columns["syntactic"] + strength * columns["baseline"]
    return total / (n + strength)


def fit_boosted(
    rows: Floats, targets: Floats, *, seed: int = 0
) -> Callable[[Floats], Floats]:
    """What predicts targets from rows of features (Friedman 2001).

    Raises Unavailable where scikit-learn is not installed.
    """
    model = _ensemble().HistGradientBoostingRegressor(
        max_iter=ROUNDS, learning_rate=0.05, max_leaf_nodes=15, random_state=seed
    )
    model.fit(rows, targets)
    predict: Callable[[Floats], Floats] = model.predict
    return predict


def fit_forest(
    rows: Floats, targets: Floats, *, seed: int = 0
) -> Callable[[Floats], Floats]:
    """The same by the mean of extremely randomised trees (Geurts et al. 2006)."""
    model = _ensemble().ExtraTreesRegressor(
        n_estimators=TREES, min_samples_leaf=3, max_features=0.4, random_state=seed
    )
    model.fit(rows, targets)
    predict: Callable[[Floats], Floats] = model.predict
    return predict


def _ensemble() -> Any:
    try:
        from sklearn import ensemble
    except ImportError as error:
        raise Unavailable(
            "scikit-learn is not installed: pip install scikit-learn"
        ) from error
    return ensemble

"""The ninth condition: components weighted by people's judgments.

Callison-Burch 2008 combines label and language model by one fixed product, and leaves
better combinations open. Here the judged substitutes of a campaign fit a log-linear
model over them: *alone*, what the table says of a pair of phrases, for look-ups, and
*placed*, with what the sentence says, too: its labels, the language model, and how near
the parser's vectors of the phrase are before and after, in the sentence.

Weights of the ninth condition, fitted on judged substitutes and cross-validated.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log, nan
from typing import Any

import numpy as np

from core.agreement.correlation import rank_gaps, spearman
from core.data.check import Floats, Ints
from core.data.tokens import Sentence
from core.errors import InvalidValue
from core.learning.ridge import LinearModel, fit_ridge, folds
from core.parsing import registry
from core.pivoting.conditions import CONDITIONS, rank
from core.pivoting.language_model import SentenceModel
from core.pivoting.table import Paraphrase, Table
from core.protocols import Capability, ParserBackend

VERSION = 1  # of what the components mean
WEIGHTED = "weighted"
ALONE = ("baseline", "any label", "pivots", "one holds the other", "difference")
PLACED = (
    *ALONE,
    "labels here",
    "labels here, mean",
    "language model",
    "fit of vectors",
)
_TINY = 1e-9  # represents a probability of 0
_TRIED = 10  # the first of each condition
_VECTORS: frozenset[Capability] = frozenset({"vectors"})


@dataclass(frozen=True, slots=True)
class Weights:
    """``facts``: what they were fitted on, and what they gain."""

    alone: LinearModel
    placed: LinearModel
    facts: Mapping[str, Any]

    @property
    def parser(self) -> str:
        """The parser whose vectors they were fitted on; the default parser if not
        given."""
        return str(self.facts.get("parser") or registry.DEFAULT)

    def to_json(self) -> dict[str, Any]:
        return {
            "version": VERSION,
            "facts": dict(self.facts),
            "alone": self.alone.to_json(),
            "placed": self.placed.to_json(),
        }

    @classmethod
    def of_json(cls, data: Mapping[str, Any]) -> "Weights":
        """Raises InvalidValue if these are not weights, or have other components."""
        try:
            alone, placed = (
                LinearModel.of_json(data[kind]) for kind in ("alone", "placed")
            )
            facts, version = data["facts"], data["version"]
        except (KeyError, TypeError, ValueError) as error:
            raise InvalidValue(f"not weights of paraphrases: {error!r}") from error
        if version != VERSION or (alone.names, placed.names) != (ALONE, PLACED):
            raise InvalidValue("weights from another version: fit them again")
        return cls(alone, placed, facts)


@dataclass(frozen=True, slots=True)
class Site:
    """A phrase in its sentence: tokens ``start`` to ``end - 1`` of ``words``, and the
    labels that its tree gives it there."""

    words: tuple[str, ...]
    start: int
    end: int
    labels: tuple[str, ...] = ()

    @property
    def phrase(self) -> str:
        return " ".join(self.words[self.start : self.end])

    def rewritten(self, text: str) -> tuple[str, ...]:
        return (*self.words[: self.start], *text.split(" "), *self.words[self.end :])


def candidates(table: Table, site: Site) -> list[Paraphrase]:
    """The first ten of any condition, each string once: with the label of the last
    condition of the paper that proposes it."""
    by_text: dict[str, Paraphrase] = {}
    for name in CONDITIONS:
        for one in table.lookup(site.phrase, site.labels, condition=name, k=_TRIED):
            by_text[one.text] = one
    return list(by_text.values())


def components(
    table: Table,
    site: Site,
    texts: Sequence[str],
    *,
    model: SentenceModel | None = None,
    backend: ParserBackend | None = None,
) -> Floats:
    """``(n, len(PLACED))`` of each of ``texts`` in place of the phrase.

    Probabilities as natural logarithms; the model's as the change of the sentence's;
    the fit as the cosine of the phrase's mean vector in the old sentence and the new
    one's. NaN without the model, or the vectors. ``ALONE`` are the first columns.
    """
    rows = np.column_stack(
        [_alone(table, site.phrase, texts), *_by_label(table, site, texts)]
    )
    sentences = [site.words, *map(site.rewritten, texts)]
    logs = _scores(sentences, model)
    fits = _fits(site, sentences, texts, backend)
    return np.column_stack([rows, logs[1:] - logs[0], fits])


def look_up(
    table: Table, phrase: str, weights: Weights, *, k: int = 10
) -> list[Paraphrase]:
    """Return the best paraphrases of a phrase anywhere. Their ``p`` is the score of the
    weights, not a probability: the expected judgment from 0 (worst) to 1 (best)."""
    known = {row[1]: row for row in table.rows(phrase)}
    if not known:
        return []
    scores = weights.alone.scores(_alone(table, phrase, list(known)))
    order = sorted(zip(-scores, known, strict=True))[:k]
    best = {one.text: one for one in table.lookup(phrase, condition="extraction", k=99)}
    return [
        Paraphrase(
            text,
            best[text].label if text in best else "",
            float(-score),
            known[text][3],
            proven=False,
        )
        for score, text in order
    ]


def scored(model: LinearModel, rows: Floats) -> Floats:
    """The model's scores; what is not known counts as it does on average."""
    return model.scores(np.where(np.isnan(rows), model.means, rows))


def _alone(table: Table, phrase: str, texts: Sequence[str]) -> Floats:
    baseline, extraction = (_p(table, phrase, name) for name in CONDITIONS[:2])
    pivots: dict[str, int] = {}
    for _, text, _, many in table.rows(phrase):
        pivots[text] = max(many, pivots.get(text, 0))
    key = table.key(phrase)
    return np.array(
        [
            (
                log(baseline.get(text, 0.0) + _TINY),
                log(extraction.get(text, 0.0) + _TINY),
                log(1 + pivots.get(text, 0)),
                float(f" {text} " in f" {key} " or f" {key} " in f" {text} "),
                abs(text.count(" ") - key.count(" ")),
            )
            for text in map(table.key, texts)
        ]
    ).reshape(len(texts), len(ALONE))


def _by_label(table: Table, site: Site, texts: Sequence[str]) -> list[Floats]:
    return [
        np.log([chances.get(table.key(text), 0.0) + _TINY for text in texts])
        for name in CONDITIONS[2:]
        for chances in [_p(table, site.phrase, name, site.labels)]
    ]


def _p(
    table: Table, phrase: str, condition: Any, labels: Sequence[str] = ()
) -> dict[str, float]:
    ranked = rank(table.rows(phrase), condition, list(labels), table.heads(phrase))
    return {row[0]: row[2] for row in ranked}


def _scores(
    sentences: Sequence[tuple[str, ...]], model: SentenceModel | None
) -> Floats:
    if model is None:
        return np.full(len(sentences), nan)
    lower = [[word.lower() for word in words] for words in sentences]
    log_p: Floats = model.scores(lower)[0] * np.log(10)
    return log_p


def _fits(
    site: Site,
    sentences: Sequence[tuple[str, ...]],
    texts: Sequence[str],
    backend: ParserBackend | None,
) -> Floats:
    fits = np.full(len(texts), nan)
    if backend is None or "vectors" not in backend.info.capabilities:
        return fits
    sentences_of = [Sentence.of(" ".join(words)) for words in sentences]
    vectors_of = [
        None if isinstance(answer, Exception) else answer.vectors
        for answer in backend.analyse(sentences_of, want=_VECTORS)
    ]
    if vectors_of[0] is None:
        return fits
    own = vectors_of[0][site.start : site.end].mean(axis=0)
    for at, (text, vectors) in enumerate(zip(texts, vectors_of[1:], strict=True)):
        if vectors is not None:
            end = site.start + text.count(" ") + 1
            fits[at] = _cosine(own, vectors[site.start : end].mean(axis=0))
    return fits


def _cosine(one: Floats, other: Floats) -> float:
    norm = float(np.linalg.norm(one) * np.linalg.norm(other))
    return float(one @ other) / norm if norm else 0.0


LEAST = 20  # judged substitutes that the table knows
_FOLDS = 10
_REPLICATES = 1000


@dataclass(frozen=True, slots=True)
class JudgedSubstitute:
    """``value``: what people said of it on average, 0 the worst and 1 the best."""

    site: Site
    text: str
    value: float


def fit_weights(
    table: Table,
    judged: Sequence[JudgedSubstitute],
    *,
    model: SentenceModel | None = None,
    backend: ParserBackend | None = None,
    facts: Mapping[str, Any] | None = None,
    now: Weights | None = None,
    seed: int = 0,
) -> Weights:
    """Ridge regression of people's means on the components.

    ``now``: the weights that rank look-ups so far; None where the baseline does.

    Substitutes that the table does not know are left out. Added to ``facts``, with all
    of a phrase in one of ten folds: Spearman's rho with people, for held-out phrases
    (``alone``, ``placed``) and for each component by itself (``components``); ``gain``:
    of ``placed`` over the ``best`` component, the best on these very substitutes, with
    a 95 % interval over phrases. ``compared``: the gain of ``alone`` over what ranks
    now, on the ``phrases`` that ``now`` was not fitted on (``fitted_on``).

    Raises InvalidValue if fewer than 20 are known, or all are of one phrase.
    """
    rows, people, group, phrases = known_rows(table, judged, model, backend)
    n_phrases = len(phrases)
    if len(rows) < LEAST or n_phrases < 2:
        raise InvalidValue(
            f"{len(rows)} judged substitutes of {n_phrases} phrases are in this table; "
            f"at least {LEAST} of two phrases are needed"
        )
    rng = np.random.default_rng(seed)
    parts = folds(n_phrases, min(_FOLDS, n_phrases), rng)
    held = {
        name: _cross_fitted(rows[:, :width], people, group, parts)
        for name, width in (("alone", len(ALONE)), ("placed", len(PLACED)))
    }
    measured = {
        "judged": len(judged),
        "known": len(rows),
        "phrases": n_phrases,
        "folds": len(parts),
        **{name: _rho(one, people) for name, one in held.items()},
        **_compared(rows, held["placed"], people, group, rng),
        "compared": _over_now(rows, held["alone"], people, group, phrases, now, rng),
        "fitted_on": phrases,
    }
    return Weights(
        fit_rows(rows[:, : len(ALONE)], people),
        fit_rows(rows, people),
        {**(facts or {}), **measured},
    )


def known_rows(
    table: Table,
    judged: Sequence[JudgedSubstitute],
    model: SentenceModel | None,
    backend: ParserBackend | None,
) -> tuple[Floats, Floats, Ints, list[str]]:
    """Return, of each substitute that the table knows, its ``components``, people's
    value, and the number of its phrase; and the phrases, as the table spells them."""
    by_site: dict[Site, list[JudgedSubstitute]] = defaultdict(list)
    for one in judged:
        by_site[one.site].append(one)
    rows, people, group = [np.zeros((0, len(PLACED)))], [], []
    phrases: dict[str, int] = {}
    for site, ours in by_site.items():
        there = {row[1] for row in table.rows(site.phrase)}
        kept = [one for one in ours if table.key(one.text) in there]
        if kept:
            texts = [one.text for one in kept]
            made = components(table, site, texts, model=model, backend=backend)
            rows.append(made)
            people += [one.value for one in kept]
            number = phrases.setdefault(table.key(site.phrase), len(phrases))
            group += [number] * len(kept)
    return np.vstack(rows), np.array(people), np.array(group, np.int32), list(phrases)


def fit_rows(rows: Floats, people: Floats) -> LinearModel:
    """Return ridge weights of ``(n, m)`` components for people's values.

    What is not known has no weight where it never is, and else counts as average.
    """
    known = np.isfinite(rows)
    sums = np.where(known, rows, 0.0).sum(axis=0)
    means = sums / np.maximum(known.sum(axis=0), 1)
    names = PLACED[: rows.shape[1]]
    return fit_ridge(np.where(known, rows, means), people, names)


def _cross_fitted(
    rows: Floats, people: Floats, group: Ints, parts: Iterable[Sequence[int]]
) -> Floats:
    """What is said of each part by what never saw one of its phrases."""
    scores = np.zeros(len(people))
    for part in parts:
        held = np.isin(group, part)
        if held.any() and not held.all():
            scores[held] = scored(fit_rows(rows[~held], people[~held]), rows[held])
    return scores


def _compared(
    rows: Floats, placed: Floats, people: Floats, group: Ints, rng: np.random.Generator
) -> dict[str, Any]:
    single = {
        name: _rho(column, people)
        for name, column in zip(PLACED, rows.T, strict=True)
        if np.isfinite(column).all()
    }
    real = {name: rho for name, rho in single.items() if rho is not None}
    if not real:
        return {"components": single, "best": None, "gain": None}
    best = max(real, key=lambda name: real[name])
    base = rows[:, PLACED.index(best)]
    gaps = rank_gaps(
        {"gain": placed}, base, people, group, replicates=_REPLICATES, rng=rng
    )
    return {"components": single, "best": best, "gain": gaps.get("gain")}


def _over_now(
    rows: Floats,
    alone: Floats,
    people: Floats,
    group: Ints,
    phrases: Sequence[str],
    now: Weights | None,
    rng: np.random.Generator,
) -> dict[str, Any]:
    """``phrases``: how many were compared; ``difference``, ``low``, ``high``, ``p`` if
    two or more were."""
    base = rows[:, 0] if now is None else scored(now.alone, rows[:, : len(ALONE)])
    seen = set(now.facts.get("fitted_on", ())) if now else set()
    new = np.array([at for at, name in enumerate(phrases) if name not in seen])
    kept = np.isin(group, new)
    gaps = rank_gaps(
        {"gain": alone[kept]},
        base[kept],
        people[kept],
        group[kept],
        replicates=_REPLICATES,
        rng=rng,
    )
    return {"phrases": len(new), **gaps.get("gain", {})}


def _rho(scores: Floats, people: Floats) -> float | None:
    rho = spearman(scores, people)
    return None if np.isnan(rho) else rho

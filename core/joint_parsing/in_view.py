"""Parsing each sentence of a pair with the other in view, as one text.

An encoder that reads both sentences at once can look up in one what the other leaves
open. A back-end with the capability "pairs" has learned to: it was trained on
sentences next to rewordings of them (``lab.training.rewording``). The pair is read in
both orders; of either reading the arcs within a sentence are kept, and their
probabilities averaged.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.data.check import Floats
from core.data.deps import DepAnalysis
from core.data.tokens import Sentence
from core.errors import InvalidValue
from core.protocols import Analysis, Capability, ParserBackend

WANT: frozenset[Capability] = frozenset({"dependencies", "forest"})
TINY = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """One sentence parsed with both sides of its pair in view: the probability of each
    arc given its modifier, ``(n + 1, n + 1)``, and of each relation given the arc, ``(n
    + 1, n + 1, names)``, None if the back-end gives none."""

    arcs: Floats
    relations: Floats | None


def views_of(
    backend: ParserBackend, pairs: Sequence[tuple[Sentence, Sentence]]
) -> list[tuple[View, View] | None]:
    """Both sides of each pair with the other in view; None where the back-end cannot
    take the two at once, and for all if it has not learned to read pairs."""
    if "pairs" not in backend.info.capabilities:
        return [None] * len(pairs)
    texts = [_joined(*order) for a, b in pairs for order in ((a, b), (b, a))]
    answers = backend.analyse(texts, want=WANT & backend.info.capabilities)
    views: list[tuple[View, View] | None] = []
    for (a, b), there, back in zip(pairs, answers[::2], answers[1::2], strict=True):
        if isinstance(there, Exception) or isinstance(back, Exception):
            views.append(None)
            continue
        n, m = len(a), len(b)
        ours = _mean(_cut(there, 0, n), _cut(back, m, n))
        views.append((ours, _mean(_cut(there, n, m), _cut(back, 0, m))))
    return views


def seen(analysis: Analysis, view: View, share: float) -> Analysis:
    """The analysis with the weights of both readings: ``share`` of the view's in nats,
    the rest its own. Raises InvalidValue if it has no arc weights, or others."""
    deps = analysis.deps
    if deps is None or deps.arcs is None or deps.arcs.shape != view.arcs.shape:
        raise InvalidValue("expected the arc weights of this sentence")
    own = deps.arcs - _log_z(deps.arcs)
    arcs = _mixed(own, np.log(np.maximum(view.arcs, TINY)), share)
    relations = deps.relations
    if relations is not None and view.relations is not None:
        both = (1 - share) * np.exp(relations) + share * view.relations
        relations = np.log(np.maximum(both, TINY))
    mixed = DepAnalysis(deps.tree, arcs, relations, deps.relation_names)
    return replace(analysis, deps=mixed)


def _joined(a: Sentence, b: Sentence) -> Sentence:
    return Sentence.of(a.forms + b.forms)


def _cut(analysis: Analysis, begin: int, n: int) -> View:
    """The arcs among ``n`` tokens from ``begin`` on and from ROOT to them."""
    deps = analysis.deps
    assert deps is not None
    assert deps.arcs is not None
    at = np.concatenate([[0], np.arange(begin + 1, begin + n + 1)])
    arcs = deps.arcs[np.ix_(at, at)]
    p_arcs = np.exp(arcs - _log_z(arcs))
    if deps.relations is None:
        return View(p_arcs, None)
    return View(p_arcs, np.exp(deps.relations[np.ix_(at, at)]))


def _mean(a: View, b: View) -> View:
    arcs = (a.arcs + b.arcs) / 2
    if a.relations is None or b.relations is None:
        return View(arcs, None)
    return View(arcs, (a.relations + b.relations) / 2)


def _log_z(arcs: Floats) -> Floats:
    """By modifier, so that each column is a distribution; ROOT's own stays empty."""
    log_sums = np.logaddexp.reduce(arcs, axis=0)
    return np.where(np.isfinite(log_sums), log_sums, 0.0)


def _mixed(own: Floats, theirs: Floats, share: float) -> Floats:
    """Log-linear; what the parser itself forbids stays forbidden."""
    possible = np.isfinite(own)
    mixed = (1 - share) * np.where(possible, own, 0.0) + share * theirs
    return np.where(possible, mixed, -np.inf)

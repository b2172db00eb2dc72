"""One answer out of several readings of a sentence, each with other substitutes.

Beyond the paper, which reads a sentence once, with the best substitute: what is due to
one word's habits differs between the readings, what is due to the place does not.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from core.data.check import Floats
from core.data.forest import Forest
from core.forests.derivation import Phrase, chain_labels, phrases_of
from core.forests.inside import forest_marginals, inside_log
from core.forests.mixture import mixture
from core.forests.viterbi import viterbi
from core.protocols import Analysis

__all__ = ["summed"]

COST = 0.4  # of a bracket: a tree gains the posterior of each bracket less this
Bracket = tuple[int, int, str, int]  # span, label, how many of it are above on the span


def summed(readings: Sequence[Analysis | Exception]) -> Analysis | Exception:
    """The mean of the readings' forests; the tree shown is the reading's own that has
    the highest expected number of right brackets, each less 0.4.

    Tags go by their mean probability. Arcs and vectors are the first reading's. An
    error, or no parse, is left out; the first answer if no other is left.
    """
    some = [one for one in readings if isinstance(one, Analysis) and _has_parse(one)]
    if not some:
        return readings[0]
    own = [_parts(one) for one in some]
    forest, weights = mixture(own)
    p = _posteriors(forest, weights)
    shown = [_shown(one) for one in some]
    phrases = max(shown, key=lambda some: sum(p[b] - COST for b in _brackets(some)))
    best = _log_share(forest, weights, phrases), phrases
    answer = replace(some[0], forest=forest, edge_weights=weights, best=best)
    return _with_tags(answer, some)


def _has_parse(answer: Analysis) -> bool:
    return answer.forest is not None and answer.forest.n_nodes > 0


def _parts(answer: Analysis) -> tuple[Forest, Floats]:
    assert answer.forest is not None
    assert answer.edge_weights is not None
    return answer.forest, answer.edge_weights


def _shown(answer: Analysis) -> tuple[Phrase, ...]:
    if answer.best is not None:
        return answer.best[1]
    forest, weights = _parts(answer)
    return tuple(phrases_of(forest, viterbi(forest, weights)[1]))


def _brackets(phrases: Sequence[Phrase]) -> list[Bracket]:
    found = []
    for start, end, name in phrases:
        labels = chain_labels(name)
        found += [(start, end, x, labels[:k].count(x)) for k, x in enumerate(labels)]
    return found


def _posteriors(forest: Forest, weights: Floats) -> dict[Bracket, float]:
    """How probable each bracket is."""
    p_node, _ = forest_marginals(forest, weights)
    found: dict[Bracket, float] = {}
    spans = zip(forest.starts.tolist(), forest.ends.tolist(), strict=True)
    for (start, end), x, p in zip(spans, forest.labels, p_node.tolist(), strict=True):
        for bracket in _brackets([(start, end, forest.names[x])]):
            found[bracket] = found.get(bracket, 0.0) + p
    return found


def _log_share(forest: Forest, weights: Floats, phrases: Sequence[Phrase]) -> float:
    """The log-probability of all derivations with these phrases and no other."""
    chosen = set(phrases)
    names = [forest.names[x] for x in forest.labels.tolist()]
    spans = zip(forest.starts.tolist(), forest.ends.tolist(), names, strict=True)
    kept = np.array([not row[2] or row in chosen for row in spans])
    inside = inside_log(forest, np.where(kept[forest.heads], weights, -np.inf))
    return float(inside[-1])


def _with_tags(answer: Analysis, readings: Sequence[Analysis]) -> Analysis:
    """The answer with mean tags; the readings' commonest if they tell no more."""
    tables = [one.tag_logp for one in readings if one.tag_logp is not None]
    if len(tables) < len(readings):
        votes = zip(*(one.xpos for one in readings), strict=True)
        return replace(
            answer, xpos=tuple(Counter(column).most_common(1)[0][0] for column in votes)
        )
    tag_logp = np.logaddexp.reduce(tables) - np.log(len(tables))
    xpos = tuple(answer.tag_names[x] for x in tag_logp.argmax(1))
    return replace(answer, tag_logp=tag_logp, xpos=xpos)

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
from core.forests.derivation import Phrase, tree_of_phrases
from core.forests.inside import forest_marginals
from core.forests.mixture import mixture
from core.forests.phrases import weight_of_phrases
from core.forests.ranked import ranked_forest
from core.parsing.consensus import of_posteriors
from core.protocols import Analysis

__all__ = ["summed"]


def summed(readings: Sequence[Analysis | Exception]) -> Analysis | Exception:
    """The mean of the readings' forests, and the consensus tree of that mean.

    The tree shown has the highest expected number of right brackets, each less 0.4,
    of all trees: where no reading has it as a whole, it counts as one reading more, so
    that it is in the forest. Tags go by their mean probability. Arcs and vectors are
    the first reading's. An error, or no parse, is left out; the first answer if no
    other is left.
    """
    some = [one for one in readings if isinstance(one, Analysis) and _has_parse(one)]
    if not some:
        return readings[0]
    own = [_parts(one) for one in some]
    forest, weights = mixture(own)
    phrases = _consensus(forest, weights)
    answer = _with_tags(some[0], some)
    if weight_of_phrases(forest, weights, phrases) == -np.inf:
        words = answer.sentence.forms
        tags = answer.xpos or ("X",) * len(words)
        tree = tree_of_phrases(phrases, words=words, tags=tags)
        forest, weights = mixture([*own, ranked_forest([(0.0, tree)])])
    best = weight_of_phrases(forest, weights, phrases), phrases
    return replace(answer, forest=forest, edge_weights=weights, best=best)


def _has_parse(answer: Analysis) -> bool:
    return answer.forest is not None and answer.forest.n_nodes > 0


def _parts(answer: Analysis) -> tuple[Forest, Floats]:
    assert answer.forest is not None
    assert answer.edge_weights is not None
    return answer.forest, answer.edge_weights


def _consensus(forest: Forest, weights: Floats) -> tuple[Phrase, ...]:
    """Its phrases, in preorder; the likeliest over the whole if none is likely."""
    names = ("", *sorted({*forest.names} - {""}))
    number = np.array([names.index(name) for name in forest.names])
    p_node, _ = forest_marginals(forest, weights)
    n = forest.n_tokens
    posterior = np.zeros((n + 1, n + 1, len(names)))
    np.add.at(posterior, (forest.starts, forest.ends, number[forest.labels]), p_node)
    phrases = of_posteriors(posterior, names)
    if phrases[:1] and phrases[0][:2] == (0, n):
        return phrases
    top = posterior[0, n, 1:]
    return ((0, n, names[1 + int(top.argmax())]), *phrases) if top.any() else phrases


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

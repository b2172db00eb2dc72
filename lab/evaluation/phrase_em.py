"""Phrase alignment without references: feature-enhanced EM (Arase & Tsujii 2017, 5).

    P(t | s) = exp(w . F(s, t)) / sum over t' and null of exp(w . F(s, t'))

and P(s | null) for nodes that are null, normalised over what the node could be linked
to. F: the seven features of section 5.2 over lemmatised semantic heads and reduced
categories. Viterbi training in mini-batches: the best alignment under w is taken as
seen, w moves up the gradient of its log-likelihood (Berg-Kirkpatrick et al. 2010) by a
step that shrinks as (k + 2) ** -0.7 of the mean over its links (stepwise EM, Liang &
Klein 2009). The penalty P_e (5.3) is in the gains: exp -(n + 1) ** mu_n of n words
without a link inside a pair, which is exact where all links of words within it are
kept.

Null has no feature of its own, unlike in the paper: with one, training on crowd
translations ended in the solution the paper warns of, nearly all nodes null. Even so
every batch leaves more of them null, unless a link gains a little flat: ``LINK`` nats.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.data.check import Floats, Ints
from core.errors import Contradiction, InvalidValue
from core.phrase_alignment.forest_align import AlignSettings, align
from core.phrase_alignment.sides import BinaryForest
from core.phrase_alignment.supports import Derivation
from core.text.stems import stem
from core.text.wordnet import Thesaurus
from core.word_alignment.lexicon import WordRelation, cosines, relations
from lab.evaluation.phrase_overlap import lexical_links

NULL = "null"
SLOTS = 7
DECAY, PENALTY = 0.7, 0.01
MU_N = 1.1
LINK = 1.0  # nats; with 0, EM loses what it learns to nulls
RATE = 4.0  # of the mean gradient of a link; larger steps swing
SIMILAR = 0.6
_REDUCED = {
    **dict.fromkeys(("NN", "NNS", "NNP", "NNPS", "CD"), "N"),
    **dict.fromkeys(("NP", "NML", "QP", "WHNP"), "N"),
    **dict.fromkeys(("VB", "VBD", "VBG", "VBN", "VBP", "VBZ"), "V"),
    **dict.fromkeys(("VP", "S", "SBAR", "SINV", "SQ", "SBARQ", "RRC"), "V"),
    **dict.fromkeys(("JJ", "JJR", "JJS", "ADJP", "WHADJP"), "J"),
    **dict.fromkeys(("RB", "RBR", "RBS", "WRB", "ADVP", "WHADVP"), "R"),
    **dict.fromkeys(("IN", "TO", "PP", "WHPP"), "P"),
    **dict.fromkeys(("CC", "CONJP", "UCP"), "C"),
}
"""Contents, prepositions and coordinations of section 5.2; all else is other."""
_PREPOSITIONS = ("IN", "TO")


@dataclass(frozen=True, slots=True, eq=False)
class FeaturePair:
    """A pair ready for training: ``ids`` (n_s + 1, n_t + 1, 7) numbers of features, 0
    for none; the last row and column are null. ``bar``: nats on top of a gain, -inf
    where two words are not linked; ``penalty`` -log P_e."""

    source: BinaryForest
    target: BinaryForest
    ids: Ints
    bar: Floats
    free: Floats  # words without a link inside both nodes


@dataclass(slots=True)
class EmState:
    """Weights by feature, and how far training came: what is saved and resumed."""

    names: dict[str, int] = field(default_factory=lambda: {"": 0})
    weights: list[float] = field(default_factory=lambda: [0.0])
    step: int = 0
    curve: list[float] = field(default_factory=list)  # log-likelihood a link, by batch

    def number(self, name: str) -> int:
        if name not in self.names:
            self.names[name] = len(self.weights)
            self.weights.append(0.0)
        return self.names[name]

    def dumps(self) -> str:
        kept = {
            name: round(self.weights[at], 5) for name, at in self.names.items() if name
        }
        return json.dumps({"step": self.step, "curve": self.curve, "weights": kept})

    @classmethod
    def loads(cls, text: str) -> "EmState":
        """Inverse of ``dumps``; raises InvalidValue on anything else."""
        try:
            data: Mapping[str, Any] = json.loads(text)
            state = cls(step=int(data["step"]), curve=list(data["curve"]))
            for name, weight in data["weights"].items():
                state.weights[state.number(name)] = float(weight)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InvalidValue(f"not an EM state: {error!r}") from error
        return state


def features(
    source: BinaryForest,
    target: BinaryForest,
    state: EmState,
    thesaurus: Thesaurus | None,
    vectors: tuple[Floats, Floats] | None = None,
) -> FeaturePair:
    """The features of all node pairs; new ones are added to ``state``."""
    table = relations(source.words, target.words, thesaurus)
    near = cosines(*vectors) > SIMILAR if vectors else np.zeros(table.shape, bool)
    lemmas = [[stem(word) for word in side.words] for side in (source, target)]
    kinds = [_categories(side) for side in (source, target)]
    prepositions = [
        {at for at, tag in enumerate(side.tags) if tag in _PREPOSITIONS}
        for side in (source, target)
    ]
    ids = np.zeros((source.n_nodes + 1, target.n_nodes + 1, SLOTS), dtype=np.int32)
    known: dict[tuple[int, str, int, str], list[int]] = {}  # nodes share heads
    for s, row in enumerate(kinds[0]):
        for t, column in enumerate(kinds[1]):
            if NULL in (row, column):
                continue  # null weighs nothing: what is learnt is how links beat it
            i, j = int(source.heads[s]), int(target.heads[t])
            numbers = known.get((i, row, j, column))
            if numbers is None:
                names = [f"6 {row} {column}"]
                names += _of_heads(
                    lemmas[0][i], lemmas[1][j], row, column, int(table[i, j])
                )
                names += ["4"] if near[i, j] else []
                names += ["5"] if i in prepositions[0] and j in prepositions[1] else []
                numbers = [state.number(name) for name in names]
                known[i, row, j, column] = numbers
            ids[s, t, : len(numbers)] = numbers
    links = lexical_links(source, target) | ((table <= WordRelation.DERIVED) & near)
    return FeaturePair(source, target, ids, *_words(source, target, links))


def _of_heads(a: str, b: str, row: str, column: str, related: int) -> list[str]:
    """Features 1, 2, 3 and 7, as far as they are on."""
    on = [f"1 {a} {row} {b} {column}"]
    on += ["2"] if a in b or b in a else []
    on += ["3"] if related in (WordRelation.SYNONYM, WordRelation.DERIVED) else []
    on += ["7"] if row == column else []
    return on


def _categories(side: BinaryForest) -> list[str]:
    """N, V, J, R, P, C, other, by node; null for the last, which is none."""
    names = (side.category(v) for v in range(side.n_nodes))
    return [*(_REDUCED.get(name, "other") for name in names), NULL]


def _words(
    source: BinaryForest, target: BinaryForest, links: NDArray[np.bool_]
) -> tuple[Floats, Floats]:
    """What bars links of words that are not linked, and words free in a pair."""
    a, b = source.members.astype(np.float64), target.members.astype(np.float64)
    w = links.astype(np.float64)
    leaf_s, leaf_t = (a.sum(1) == 1)[:, None], (b.sum(1) == 1)[None, :]
    linked = a @ w @ b.T > 0
    # A phrase needs a support: some word link inside (section 4.2).
    bar = np.where(linked, 0.0, -np.inf)
    bar[leaf_s & leaf_t & ~linked] = -np.inf
    into = a.sum(1)[:, None] - a @ ((w @ b.T) > 0)
    back = b.sum(1)[None, :] - ((a @ w) > 0).astype(np.float64) @ b.T
    bar[-1, -1] = 0.0  # the two wholes are always linked
    return bar, into + back


def gains(pair: FeaturePair, weights: Floats, *, mu_n: float) -> Floats:
    """log P(t | s) - log P(null | s) - log P(null | t) - P_e, and ``LINK`` more:
    ``(n_s, n_t)``."""
    forth, back = _log_probabilities(pair, weights)
    log_ratio = forth[:-1, :-1] - forth[:-1, -1:] - back[-1:, :-1]
    penalty = (pair.free + 1.0) ** mu_n - 1.0
    return np.ascontiguousarray(log_ratio - penalty + pair.bar + LINK)


def train(
    pairs: Sequence[FeaturePair],
    state: EmState,
    *,
    epochs: int,
    batch: int = 200,
    mu_n: float = MU_N,
    rate: float = RATE,
    seed: int = 0,
    settings: AlignSettings | None = None,
    seen: Sequence[Sequence[tuple[int, int]]] | None = None,
    on_iteration: Callable[[EmState], None] | None = None,
) -> EmState:
    """``state`` after ``epochs`` passes over the pairs, from where it stands.

    ``seen``: the links of every pair, where a reference tells them: then there is
    nothing to guess, and weights are held to where they began instead of to 0.

    The order of every epoch comes from ``seed``, so that a run that is broken off and
    resumed ends as one that is not. ``on_iteration`` is called after every batch;
    raising from it stops the run. Raises InvalidValue without pairs.
    """
    if not pairs:
        raise InvalidValue("EM needs pairs")
    prior = np.array(state.weights) if seen is not None else 0.0
    for number, places in enumerate(_batches(len(pairs), epochs, batch, seed)):
        if number < state.step:
            continue
        weights = np.array(state.weights)
        slope, gained, n_links = np.zeros(len(weights)), 0.0, 0
        for at in places:
            guess = _guess(pairs[at], weights, mu_n, settings) if seen is None else None
            links = seen[at] if seen is not None else guess.links if guess else ()
            if links:
                gained += _add_slope(pairs[at], weights, links, slope, guess)
            n_links += len(links)
        size = rate * (state.step + 2) ** -DECAY
        slope = slope / max(n_links, 1) - PENALTY * (weights - prior)
        state.weights = (weights + size * slope).tolist()
        state.curve.append(round(gained / max(n_links, 1), 5))
        state.step += 1
        if on_iteration:
            on_iteration(state)
    return state


def _guess(
    pair: FeaturePair, weights: Floats, mu_n: float, settings: AlignSettings | None
) -> Derivation | None:
    """The best trees and links under ``weights``; None if the two wholes cannot be
    linked."""
    gain = gains(pair, weights, mu_n=mu_n)
    try:
        return align(pair.source, pair.target, gain, settings)
    except Contradiction:
        return None


def _batches(n: int, epochs: int, batch: int, seed: int) -> Iterator[list[int]]:
    for epoch in range(epochs):
        order = np.random.default_rng([seed, epoch]).permutation(n)
        for start in range(0, n, batch):
            yield order[start : start + batch].tolist()


def _log_probabilities(pair: FeaturePair, weights: Floats) -> tuple[Floats, Floats]:
    """log P(t | s) by rows, log P(s | t) by columns, null among the choices."""
    scores = weights[pair.ids].sum(-1)
    named_s = np.append(pair.source.named, True)
    named_t = np.append(pair.target.named, True)
    scores = np.where(named_s[:, None] & named_t, scores, -np.inf)
    scores[-1, -1] = -np.inf
    with np.errstate(invalid="ignore"):
        forth = scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)
        back = scores - np.logaddexp.reduce(scores, axis=0, keepdims=True)
    return np.nan_to_num(forth, nan=0.0, neginf=-50.0), np.nan_to_num(
        back, nan=0.0, neginf=-50.0
    )


def _add_slope(
    pair: FeaturePair,
    weights: Floats,
    links: Sequence[tuple[int, int]],
    slope: Floats,
    trees: Derivation | None = None,
) -> float:
    """Add the gradient of the log-likelihood of these links and of all nulls.

    Null are the nodes of ``trees`` without a link: what a forest holds besides is
    part of no tree and so not seen. Without ``trees`` all nodes are of one tree.
    """
    forth, back = _log_probabilities(pair, weights)
    partner = dict(links)
    taken, free = pair.source.named.copy(), pair.target.named.copy()
    if trees is not None:
        taken &= np.isin(np.arange(len(taken)), list(trees.edges[0]))
        free &= np.isin(np.arange(len(free)), list(trees.edges[1]))
    free[list(partner.values())] = False
    rows, columns = np.flatnonzero(taken), np.flatnonzero(free)
    chosen = np.array([partner.get(s, pair.target.n_nodes) for s in rows.tolist()])
    much = np.zeros(forth.shape)  # of what each cell adds to the slope
    much[rows] -= np.exp(forth[rows])
    much[:, columns] -= np.exp(back[:, columns])
    much[rows, chosen] += 1.0
    much[-1, columns] += 1.0
    np.add.at(slope, pair.ids, much[:, :, None])
    slope[0] = 0.0
    return float(forth[rows, chosen].sum() + back[-1, columns].sum())
